import { embedAttributes, embedElements, embedStyles } from './embed-policy.ts'

/**
 * The one policy for HTML that sites receive: structure and media, no styles but the alignment of a block; inside of
 * embeds, what shared/embed-policy.ts allows. The server keeps to it whenever it stores rich text or renders Markdown;
 * the admin says beforehand what it takes away.
 */

/** Elements that are kept. The words of every other element stay, without it; see {@link droppedWithContent}. */
export const allowedElements: readonly string[] = (
  'p br hr h1 h2 h3 h4 h5 h6 div span blockquote pre code strong b em i u s del ins mark small sub sup kbd q ' +
  'cite abbr ruby rb rt rp ul ol li dl dt dd details summary table caption colgroup col thead tbody tfoot tr th ' +
  'td a img figure figcaption input section iframe script time'
).split(' ')

/** Elements whose content is no text for readers: it goes with them. */
export const droppedWithContent: readonly string[] = ['style', 'textarea', 'option', 'xmp']

/** Elements that may say how their text is aligned, and nothing else in `style`. */
export const alignedElements: readonly string[] = 'p h1 h2 h3 h4 h5 h6 figure td th'.split(' ')
export const alignments = /^(?:left|right|center|justify)$/

/** Attributes by element, beside those that {@link mayHave} speaks of. */
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
  time: ['datetime'],
  // The box of a task list, and no other control.
  input: ['type', 'checked', 'disabled'],
}

/** What these attributes of ours may say, by element. */
const ownAttributes: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  a: {
    // A footnote's number and the way back to it.
    id: /^fn(?:ref)?[-:]?[\w-]{1,40}$/,
    role: /^doc-(?:noteref|backlink)$/,
    // The document that a link leads to, and its model (docs/decisions/0042).
    'data-document': /^[0-9a-f]{24}$/,
    'data-model': /^[A-Za-z][\w-]{0,63}$/,
  },
  li: { id: /^fn[-:]?[\w-]{1,40}$/ },
  section: { role: /^doc-endnotes$/ },
  // The address that its embed code was made from, where it was made from one.
  figure: { 'data-embed': /^(?:https?:\/\/[^\s"<>]{1,2000})?$/ },
}

/** Classes that are kept: the language of code, and what makes an emphasis one by dots (圏点). */
const ownClasses: Readonly<Record<string, RegExp>> = {
  code: /^language-[\w+#.-]{1,40}$/,
  em: /^kenten$/,
}

/** The class of emphasis by dots. */
export const emphasisDots = 'kenten'

/** Of the markup that services make something of by a script: what their classes are made of. */
const embedClass = /(?:^|[\s-])(?:embed|twitter|instagram|tiktok|bluesky|reddit|iframely|embedly)(?:[\s-]|$)/

/** What a table says of a name that came from outside: `constructor` is in none. */
const said = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

type Attributes = Readonly<Record<string, string | undefined>>

/** Does an embed begin with this element? Until it ends, its elements may have what shared/embed-policy.ts allows. */
export function beginsEmbed(element: string, attributes: Attributes): boolean {
  if (element === 'iframe' || element === 'script') return true
  if (element === 'figure') return attributes['data-embed'] !== undefined
  const isMarkup = element === 'blockquote' || element === 'div' || element === 'section'
  return isMarkup && embedClass.test(attributes.class ?? '')
}

/** May the element have this attribute at all? What classes and styles say is asked for one by one; addresses by scheme. */
export function mayHave(element: string, name: string, value: string, inEmbed: boolean): boolean {
  if (said(allowedAttributes, element)?.includes(name)) return true
  const own = said(said(ownAttributes, element) ?? {}, name)
  if (own) return own.test(value)
  if (name === 'class' && said(ownClasses, element)) return true
  if (name === 'style' && alignedElements.includes(element)) return true
  if (!inEmbed) return false
  const known = said(embedAttributes, element)
  return known?.includes(name) || (name.startsWith('data-') && known?.includes('data-*')) || false
}

/** May the element, which may have classes, have this one? */
export function keepsClass(element: string, name: string, inEmbed: boolean): boolean {
  if (inEmbed && said(embedAttributes, element)?.includes('class')) return true
  return said(ownClasses, element)?.test(name) ?? false
}

/** May the element, which may have a style, have this in it? */
export function keepsStyle(element: string, property: string, value: string, inEmbed: boolean): boolean {
  if (property === 'text-align' && alignedElements.includes(element) && alignments.test(value)) return true
  if (!inEmbed || !said(embedAttributes, element)?.includes('style')) return false
  return said(embedStyles, property)?.some((pattern) => pattern.test(value)) ?? false
}

/** Every attribute that an allowed element may have anywhere, for those who need a list; `data-*` is one. */
export function attributesOf(element: string): string[] {
  return [
    ...(allowedAttributes[element] ?? []),
    ...Object.keys(ownAttributes[element] ?? {}),
    ...(embedElements.includes(element) ? (embedAttributes[element] ?? []) : []),
    ...(ownClasses[element] ? ['class'] : []),
    ...(alignedElements.includes(element) ? ['style'] : []),
  ]
}

/** Schemes of links and pictures; addresses relative to the site are kept too, those that begin with `//` are not. */
export const linkSchemes: readonly string[] = ['http', 'https', 'mailto', 'tel']
export const imageSchemes: readonly string[] = ['http', 'https']
/** Schemes of frames and of scripts, which are those of the services of shared/embed-policy.ts. */
export const frameSchemes: readonly string[] = ['https']
