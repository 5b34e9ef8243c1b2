/**
 * The one policy for HTML that sites receive: structure and media, no scripts, no frames, no styles but the alignment
 * of a block. The server keeps to it whenever it stores rich text or renders Markdown; the admin says beforehand what
 * it takes away.
 */

/** Elements that are kept. The words of every other element stay, without it; see {@link droppedWithContent}. */
export const allowedElements: readonly string[] = (
  'p br hr h1 h2 h3 h4 h5 h6 div span blockquote pre code strong b em i u s del ins mark small sub sup kbd q ' +
  'cite abbr ruby rb rt rp ul ol li dl dt dd details summary table caption colgroup col thead tbody tfoot tr th ' +
  'td a img figure figcaption input'
).split(' ')

/** Elements whose content is no text for readers: it goes with them. */
export const droppedWithContent: readonly string[] = ['script', 'style', 'textarea', 'option', 'xmp']

/** Elements that may say how their text is aligned, and nothing else in `style`. */
export const alignedElements: readonly string[] = 'p h1 h2 h3 h4 h5 h6 figure td th'.split(' ')
export const alignments = /^(?:left|right|center|justify)$/

/** Attributes by element, beside `style` and `class`, which {@link alignedElements} and {@link codeClass} speak of. */
export const allowedAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title', 'target', 'rel'],
  img: ['src', 'srcset', 'sizes', 'alt', 'title', 'width', 'height', 'loading'],
  ol: ['start', 'type', 'reversed'],
  li: ['value'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  col: ['span'],
  colgroup: ['span'],
  abbr: ['title'],
  details: ['open'],
  // The box of a task list, and no other control.
  input: ['type', 'checked', 'disabled'],
}

/** The language of a `code` element, the only class that is kept. */
export const codeClass = /^language-[\w+#.-]{1,40}$/

/** Schemes of links and pictures; addresses relative to the site are kept too, those that begin with `//` are not. */
export const linkSchemes: readonly string[] = ['http', 'https', 'mailto', 'tel']
export const imageSchemes: readonly string[] = ['http', 'https']
