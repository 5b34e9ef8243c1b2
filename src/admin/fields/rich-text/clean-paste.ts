import { isOwnClass } from '#shared/html-policy.ts'
import { fromQuill, isFromQuill } from '#shared/quill-html.ts'
import { pictureOfData } from './pasted-pictures.ts'
import { bulletLevels, wordLists } from './word-lists.ts'

/** Elements without visible content. */
const noise = new Set(['style', 'script', 'meta', 'link', 'title', 'xml', 'template', 'noscript'])

const player = 'video, audio'

/**
 * Selector of embedded content that the editor cannot represent. Excludes players with an https URL, and frames with an
 * https URL or a URL without a scheme (`//`).
 */
const embeds = `embed, object, iframe:not([src^="https:"], [src^="//"]), :is(${player}):not([src^="https:"], :has(> source[src^="https:"]))`

/** Layout elements, which only end a line after a paste. */
const arranging = 'div, section, figure, figcaption, details, summary, dl, dt, dd, picture, caption'

/** Registers a picture for upload to the library. Returns its temporary URL for the text. */
type TakePicture = (source: File | URL) => string

/** The content that a paste removed or replaced. */
export interface PasteLoss {
  /** Number of pictures that were removed, because they have no public URL and could not be uploaded. */
  pictures: number
  /**
   * URLs of embedded content that was replaced by links, and element names of embedded content that was removed because
   * it has no public URL.
   */
  embeds: string[]
}

/** The clipboard's content in addition to the HTML, and a function to store pictures. */
export interface PasteSources {
  pictures?: readonly File[]
  /** Omitted if the user may not add pictures to the library. */
  take?: TakePicture
}

/**
 * Cleans HTML from Word, Google Docs, spreadsheets, VS Code and web pages for the editor. Styles become bold, italic,
 * underline, strike, super-/subscript and alignment. Word's list paragraphs become lists, and code lines become a code
 * block. Reports the content that was removed or replaced.
 */
export function cleanPastedHtml(
  html: string,
  { pictures = [], take }: PasteSources = {},
): { html: string; lost: PasteLoss } {
  const lost: PasteLoss = { pictures: 0, embeds: [] }
  // HTML that was copied from a ProseMirror editor is already clean.
  if (html.includes(' data-pm-slice="')) return { html, lost }
  const document = new DOMParser().parseFromString(html, 'text/html')
  const { body } = document
  if (isFromQuill(html)) body.innerHTML = fromQuill(body.innerHTML)
  const bullets = bulletLevels(document)
  for (const element of body.querySelectorAll('*')) {
    const name = element.tagName.toLowerCase()
    // Elements with a colon in their name, such as `o:p`, belong to Word.
    if (noise.has(name) || name.includes(':')) element.remove()
  }
  for (const comment of commentsOf(document)) comment.remove()
  for (const embed of body.querySelectorAll(embeds)) replaceEmbed(embed, lost)
  takePictures(body, pictures, lost, take)
  codeLines(body)
  wordLists(document, bullets)
  blankLines(body)
  for (const element of body.querySelectorAll<HTMLElement>('[style]')) plainStyle(element)
  // Classes are removed, except those that have a meaning in Imori.
  for (const element of body.querySelectorAll('[class], [id], [lang], [dir]')) {
    const kept = [...element.classList].filter((name) => isOwnClass(element.localName, name))
    for (const name of ['class', 'id', 'lang', 'dir']) element.removeAttribute(name)
    if (kept.length > 0) element.className = kept.join(' ')
  }
  rename(body, arranging, 'article')
  rename(body, 'b', 'strong')
  rename(body, 'i', 'em')
  for (const part of body.querySelectorAll('colgroup')) part.remove()
  return { html: body.innerHTML, lost }
}

function rename(body: HTMLElement, selector: string, name: string): void {
  for (const element of body.querySelectorAll(selector)) {
    const renamed = body.ownerDocument.createElement(name)
    renamed.append(...element.childNodes)
    element.replaceWith(renamed)
  }
}

/** URLs of pictures in Google Docs expire after some minutes. */
const passing = /^https:\/\/[\w-]+\.googleusercontent\.com\/docs/i

/**
 * Keeps pictures with a public URL that does not expire. Uploads the others to the library; if that is not possible,
 * removes and counts those without a public URL.
 */
function takePictures(
  body: HTMLElement,
  pictures: readonly File[],
  lost: PasteLoss,
  take: TakePicture | undefined,
): void {
  const images = [...body.querySelectorAll('img')]
  const elsewhere = images.filter((image) => /^file:/i.test(image.getAttribute('src') ?? ''))
  // Files can only be assigned to pictures if there are equally many of both.
  const files = elsewhere.length === pictures.length ? pictures : []
  for (const image of images) {
    const address = image.getAttribute('src') ?? ''
    const isOfWeb = /^https?:\/\//i.test(address)
    const source = passing.test(address)
      ? new URL(address)
      : (pictureOfData(address) ?? files[elsewhere.indexOf(image)])
    // Unwraps a picture from its paragraph, which would otherwise be left empty.
    const paragraph = image.closest('p')
    if (paragraph?.textContent?.trim() === '' && paragraph.querySelectorAll('img').length === 1)
      paragraph.replaceWith(image)
    if (source && take) image.src = take(source)
    else if (!isOfWeb) {
      image.remove()
      lost.pictures++
    }
  }
}

const monospaced = /\b(?:monospace|consolas|menlo|monaco|courier)/i

/**
 * Converts copied code to a code block, or to inline code if it is one line. Code editors copy lines as a box with a
 * monospaced font and preserved white space.
 */
function codeLines(body: HTMLElement): void {
  const box = body.firstElementChild as HTMLElement | null
  if (body.childElementCount !== 1 || box?.localName !== 'div') return
  if (!/^pre/.test(box.style.whiteSpace) || !monospaced.test(box.style.fontFamily)) return
  const lines = [...box.children].map((line) => (line.localName === 'br' ? '' : (line.textContent ?? '')))
  const isOneLine =
    box.childElementCount === 1 || [...box.children].every((child) => child.localName === 'span')
  const block = body.ownerDocument.createElement(isOneLine ? 'p' : 'pre')
  const code = body.ownerDocument.createElement('code')
  code.textContent = isOneLine ? (box.textContent ?? '') : lines.join('\n')
  block.append(code)
  box.replaceWith(block)
}

function commentsOf(document: Document): Comment[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_COMMENT)
  const comments: Comment[] = []
  while (walker.nextNode()) comments.push(walker.currentNode as Comment)
  return comments
}

/**
 * Replaces an embed by a link and reports it. Without a public URL, the embed is removed and its element name is
 * reported.
 */
function replaceEmbed(embed: Element, lost: PasteLoss): void {
  const address =
    ['src', 'data'].map((name) => embed.getAttribute(name)).find((value) => value) ??
    embed.querySelector('source, embed')?.getAttribute('src') ??
    ''
  const full = address.startsWith('//') ? `https:${address}` : address
  if (!/^https?:\/\//i.test(full)) {
    lost.embeds.push(embed.localName)
    embed.remove()
    return
  }
  lost.embeds.push(full)
  const link = embed.ownerDocument.createElement('a')
  link.href = full
  link.textContent = full
  const paragraph = embed.ownerDocument.createElement('p')
  paragraph.append(link)
  embed.replaceWith(paragraph)
}

const blocks = new Set([
  'P',
  'H1',
  'H2',
  'H3',
  'H4',
  'H5',
  'H6',
  'UL',
  'OL',
  'TABLE',
  'BLOCKQUOTE',
  'PRE',
  'HR',
  'DIV',
])

/**
 * Converts blank lines between blocks, which Google Docs writes as a bare `<br>`, to empty paragraphs. Removes the line
 * break that browsers add at the end.
 */
function blankLines(body: HTMLElement): void {
  for (const line of body.querySelectorAll('br')) {
    if (line.classList.contains('Apple-interchange-newline')) {
      line.remove()
      continue
    }
    const isBlock = (sibling: Element | null) =>
      sibling === null || blocks.has(sibling.tagName) || sibling.tagName === 'BR'
    const besideText = [line.previousSibling, line.nextSibling].some(
      (sibling) => sibling?.nodeType === Node.TEXT_NODE && sibling.textContent?.trim(),
    )
    const between = line.previousElementSibling !== null || line.nextElementSibling !== null
    const parentHoldsBlocks = [...(line.parentElement?.children ?? [])].some((one) => blocks.has(one.tagName))
    if (besideText || !between || !parentHoldsBlocks) continue
    if (isBlock(line.previousElementSibling) && isBlock(line.nextElementSibling))
      line.replaceWith(body.ownerDocument.createElement('p'))
  }
}

/** Converts styles to elements. Google Docs uses styles, and wraps the whole text in a `<b>` that is not bold. */
function plainStyle(element: HTMLElement): void {
  const { fontWeight, fontStyle, textAlign, verticalAlign } = element.style
  if (element.tagName === 'B' && /^(?:normal|400)$/.test(fontWeight)) {
    element.replaceWith(...element.childNodes)
    return
  }
  const heading = /^H[1-6]$/.test(element.tagName)
  const inline = /^(?:SPAN|FONT|A)$/.test(element.tagName)
  const lines = element.style.textDecoration || element.style.getPropertyValue('text-decoration-line')
  const kept: string[] = []
  if (!inline && /^(?:center|right|justify)$/.test(textAlign)) kept.push(`text-align: ${textAlign}`)
  if (kept.length > 0) element.setAttribute('style', kept.join('; '))
  else element.removeAttribute('style')
  if (!heading && (fontWeight === 'bold' || Number(fontWeight) >= 600)) wrapInside(element, 'strong')
  if (fontStyle === 'italic') wrapInside(element, 'em')
  // The underline of a link is not formatting.
  if (lines.includes('underline') && !element.closest('a') && !element.querySelector('a'))
    wrapInside(element, 'u')
  if (lines.includes('line-through')) wrapInside(element, 's')
  if (inline && verticalAlign === 'super') wrapInside(element, 'sup')
  if (inline && verticalAlign === 'sub') wrapInside(element, 'sub')
}

function wrapInside(element: HTMLElement, name: string): void {
  const inner = element.ownerDocument.createElement(name)
  inner.append(...element.childNodes)
  element.append(inner)
}
