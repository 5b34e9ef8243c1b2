import { checkShape, contentBounds, JsonTooLarge, parseJson } from '../../json.ts'
import { deepest, marks } from '../rich-text-html.ts'
import { escapeHtml, isRecord, textOf } from '../values.ts'

export interface GhostTextOptions {
  renderMarkdown(source: string): string | Promise<string>
  /** Counts an omitted card (for members, for e-mail, or bound to Ghost) or a card of an unknown kind. */
  leaveOut(kind: 'private' | 'system', name: string): void
}

/** Name of parts that Ghost shows to members only, as in Ghost's HTML comments. */
export const gatedBlock = 'kg-gated-block'

/** Maximum length of rendered HTML in characters, because Mobiledoc can repeat a card any number of times. */
const maxHtmlLength = 10_000_000

type Values = Record<string, unknown>

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Parses the JSON of a text column. Throws `InvalidJson`. */
function parseColumn(text: string): unknown {
  const bytes = Buffer.from(text)
  checkShape(bytes, contentBounds)
  return parseJson(bytes)
}

/** Joins HTML. Throws `JsonTooLarge` beyond {@link maxHtmlLength}. */
class Output {
  readonly #parts: string[] = []
  #length = 0

  add(html: string): void {
    this.#length += html.length
    if (this.#length > maxHtmlLength) throw new JsonTooLarge('bytes')
    this.#parts.push(html)
  }

  toString(): string {
    return this.#parts.join('')
  }
}

/** Renders a text of Ghost's Lexical editor. Returns null if the JSON is not such a text; throws `InvalidJson`. */
export async function lexicalHtml(text: string, options: GhostTextOptions): Promise<string | null> {
  const document = parseColumn(text)
  if (!isRecord(document) || !isRecord(document.root)) return null
  const output = new Output()
  for (const node of listOf(document.root.children))
    output.add(
      isRecord(node) && node.type === 'markdown'
        ? await markdownHtml(node, options)
        : nodeHtml(node, options, 1),
    )
  return output.toString()
}

const formats: readonly [bit: number, tag: string | undefined][] = [
  [16, marks.code],
  [1, marks.bold],
  [2, marks.italic],
  [4, marks.strikethrough],
  [8, marks.underline],
  [32, marks.subscript],
  [64, marks.superscript],
  [128, 'mark'],
]

const plainText = (text: string) => escapeHtml(text).replaceAll('\n', '<br>')

function nodeHtml(node: unknown, options: GhostTextOptions, depth: number): string {
  if (!isRecord(node) || depth > deepest) return ''
  const inner = () =>
    listOf(node.children)
      .map((child) => nodeHtml(child, options, depth + 1))
      .join('')
  const type = textOf(node.type).replace(/^extended-/, '')
  switch (type) {
    case 'text':
    case 'tk':
    case 'emoji': {
      const bits = Number(node.format) || 0
      return formats.reduce(
        (html, [bit, tag]) => (tag && bits & bit ? `<${tag}>${html}</${tag}>` : html),
        plainText(textOf(node.text)),
      )
    }
    case 'linebreak':
      return '<br>'
    case 'tab':
      return '\t'
    case 'zwnj':
      return ''
    case 'paragraph':
      return `<p>${inner()}</p>`
    case 'heading': {
      const tag = /^h[1-6]$/.test(textOf(node.tag)) ? textOf(node.tag) : 'h2'
      return `<${tag}>${inner()}</${tag}>`
    }
    case 'quote':
      return `<blockquote>${inner()}</blockquote>`
    case 'aside':
      return `<blockquote class="kg-blockquote-alt">${inner()}</blockquote>`
    case 'list': {
      const isNumbered = node.listType === 'number' || node.tag === 'ol'
      const start = Number(node.start)
      const from = isNumbered && Number.isSafeInteger(start) && start > 1 ? ` start="${start}"` : ''
      return isNumbered ? `<ol${from}>${inner()}</ol>` : `<ul>${inner()}</ul>`
    }
    case 'listitem':
      return `<li>${inner()}</li>`
    case 'link':
    case 'autolink':
    case 'at-link':
      return textOf(node.url) === '' ? inner() : linkTo(textOf(node.url), inner())
    default:
      return cardHtml(type, node, options) ?? unknownHtml(type, node, inner(), options)
  }
}

/**
 * Renders a text of Ghost's older Mobiledoc editor. Returns null if the JSON is not such a text; throws `InvalidJson`.
 */
export async function mobiledocHtml(text: string, options: GhostTextOptions): Promise<string | null> {
  const document = parseColumn(text)
  // Documents before version 0.3 are not supported: their first section is the list of markups.
  if (!isRecord(document) || !Array.isArray(document.sections) || document.cards === undefined) return null
  const output = new Output()
  for (const section of document.sections) {
    const [kind, tag, content] = listOf(section)
    if (kind === 1) addElement(output, textTag(tag), content, document)
    else if (kind === 2) output.add(pictureHtml({ src: tag }))
    else if (kind === 3) {
      const list = tag === 'ol' ? 'ol' : 'ul'
      output.add(`<${list}>`)
      for (const item of listOf(content)) addElement(output, { tag: 'li' }, item, document)
      output.add(`</${list}>`)
    } else if (kind === 10) output.add(await mobiledocCard(listOf(document.cards)[Number(tag)], options))
  }
  return output.toString()
}

/** Names of Mobiledoc cards that have another name in Lexical. */
const lexicalNames: Record<string, string> = {
  'card-markdown': 'markdown',
  code: 'codeblock',
  hr: 'horizontalrule',
}

async function mobiledocCard(card: unknown, options: GhostTextOptions): Promise<string> {
  const [name, payload] = listOf(card)
  const values = isRecord(payload) ? payload : {}
  const named = textOf(name)
  const type = Object.hasOwn(lexicalNames, named) ? (lexicalNames[named] ?? named) : named
  if (type === 'markdown') return markdownHtml(values, options)
  return cardHtml(type, values, options) ?? unknownHtml(type, values, '', options)
}

function textTag(tag: unknown): { tag: string; attributes?: string } {
  if (tag === 'aside') return { tag: 'blockquote', attributes: ' class="kg-blockquote-alt"' }
  return { tag: /^(?:h[1-6]|blockquote)$/.test(textOf(tag)) ? textOf(tag) : 'p' }
}

const markupTags = /^(?:a|b|strong|i|em|u|s|del|code|sub|sup|mark)$/

/** Adds a section of text with its markups. Markups extend beyond a section only if the document is damaged. */
function addElement(
  output: Output,
  { tag, attributes = '' }: { tag: string; attributes?: string },
  markers: unknown,
  document: Values,
): void {
  const [markups, atoms] = [listOf(document.markups), listOf(document.atoms)]
  const open: string[] = []
  const close = (count: number) => {
    for (const markup of open.splice(Math.max(0, open.length - count)).reverse())
      if (markup !== '') output.add(`</${markup}>`)
  }
  output.add(`<${tag}${attributes}>`)
  for (const marker of listOf(markers)) {
    const [kind, opened, closed, value] = listOf(marker)
    for (const index of listOf(opened)) {
      const [name, list] = listOf(markups[Number(index)])
      const markup = markupTags.test(textOf(name)) ? textOf(name) : ''
      if (markup !== '') output.add(markup === 'a' ? `<a href="${escapeHtml(hrefIn(list))}">` : `<${markup}>`)
      open.push(markup)
    }
    if (kind === 0) output.add(plainText(textOf(value)))
    else if (kind === 1) {
      const [name, text] = listOf(atoms[Number(value)])
      output.add(name === 'soft-return' ? '<br>' : plainText(textOf(text)))
    }
    close(Number(closed) || 0)
  }
  close(open.length)
  output.add(`</${tag}>`)
}

/** Returns the link target of a markup, whose attributes are a flat list of names and values. */
function hrefIn(list: unknown): string {
  const attributes = listOf(list)
  const at = attributes.indexOf('href')
  return at < 0 ? '' : textOf(attributes[at + 1])
}

async function markdownHtml(card: Values, options: GhostTextOptions): Promise<string> {
  if (isGated(card.visibility)) return leaveOutGated(options)
  const source = textOf(card.markdown)
  return source === '' ? '' : options.renderMarkdown(source)
}

/**
 * Returns whether the card is hidden from visitors without an account. Ghost has stored this in two forms: `web`, or
 * `showOnWeb` and `emailOnly`. No value means visible; any other value counts as hidden.
 */
function isGated(visibility: unknown): boolean {
  if (visibility === undefined || visibility === null) return false
  if (!isRecord(visibility)) return true
  const { web, showOnWeb, emailOnly } = visibility
  if (web !== undefined) return !isRecord(web) || web.nonMember !== true
  if (showOnWeb === false || emailOnly === true) return true
  return showOnWeb !== true && emailOnly !== false
}

function leaveOutGated({ leaveOut }: GhostTextOptions): string {
  leaveOut('private', gatedBlock)
  return ''
}

const linkTo = (address: string, html: string) => `<a href="${escapeHtml(address)}">${html}</a>`

/** Captions already are HTML. */
const figure = (type: string, html: string, caption: unknown) =>
  `<figure class="kg-card kg-${type}-card">${html}${
    textOf(caption) === '' ? '' : `<figcaption>${textOf(caption)}</figcaption>`
  }</figure>`

const numberAttribute = (name: string, value: unknown) =>
  typeof value === 'number' && value > 0 ? ` ${name}="${Math.round(value)}"` : ''

function imageTag({ src, alt, title, width, height }: Values): string {
  const titled = textOf(title) === '' ? '' : ` title="${escapeHtml(textOf(title))}"`
  const size = numberAttribute('width', width) + numberAttribute('height', height)
  return `<img src="${escapeHtml(textOf(src))}" alt="${escapeHtml(textOf(alt))}"${titled}${size}>`
}

function pictureHtml(card: Values): string {
  if (textOf(card.src) === '') return ''
  const image = imageTag(card)
  return figure('image', textOf(card.href) === '' ? image : linkTo(textOf(card.href), image), card.caption)
}

const buttonHtml = (address: unknown, text: unknown) =>
  textOf(address) === '' || textOf(text) === ''
    ? ''
    : `<p>${linkTo(textOf(address), escapeHtml(textOf(text)))}</p>`

const element = (tag: string, html: unknown) =>
  textOf(html) === '' ? '' : `<${tag}>${textOf(html)}</${tag}>`

/** Cards as Ghost shows them on the web, without parts that only its theme and scripts can show. */
const cards: Record<string, (card: Values) => string> = {
  horizontalrule: () => '<hr>',
  image: pictureHtml,
  gallery({ images, caption }) {
    const pictures = listOf(images).filter(isRecord).map(imageTag).join('')
    return pictures === '' ? '' : figure('gallery', pictures, caption)
  },
  codeblock({ code, language, caption }) {
    const name = textOf(language).trim()
    const classes = /^[\w+#.-]{1,40}$/.test(name) ? ` class="language-${name}"` : ''
    const html = `<pre><code${classes}>${escapeHtml(textOf(code))}</code></pre>`
    return textOf(caption) === '' ? html : figure('code', html, caption)
  },
  html: ({ html }) => textOf(html),
  bookmark({ url, metadata, caption, ...card }) {
    const { title, description } = isRecord(metadata) ? metadata : card
    const link = linkTo(textOf(url), escapeHtml(textOf(title) || textOf(url)))
    const words = escapeHtml(textOf(description))
    return textOf(url) === '' ? '' : figure('bookmark', `${link}${element('p', words)}`, caption)
  },
  embed({ url, html, caption }) {
    const address = textOf(url)
    const code = textOf(html) || (address === '' ? '' : linkTo(address, escapeHtml(address)))
    const made = /^https?:\/\/[^\s"<>]{1,2000}$/.test(address) ? address : ''
    const words = element('figcaption', caption)
    return code === '' ? '' : `<figure data-embed="${escapeHtml(made)}">${code}${words}</figure>`
  },
  callout: ({ calloutEmoji, calloutText }) =>
    `<div class="kg-card kg-callout-card">${element('div', escapeHtml(textOf(calloutEmoji)))}${element('div', calloutText)}</div>`,
  toggle: ({ heading, content }) =>
    `<details class="kg-card kg-toggle-card"><summary>${textOf(heading)}</summary>${textOf(content)}</details>`,
  button: ({ buttonUrl, buttonText }) => buttonHtml(buttonUrl, buttonText),
  video(card) {
    const poster = textOf(card.customThumbnailSrc) || textOf(card.thumbnailSrc)
    const shown = poster === '' ? '' : ` poster="${escapeHtml(poster)}"`
    const size = numberAttribute('width', card.width) + numberAttribute('height', card.height)
    const looped = card.loop === true ? ' loop muted autoplay playsinline' : ' controls'
    const video = `<video src="${escapeHtml(textOf(card.src))}"${shown}${size}${looped}></video>`
    return textOf(card.src) === '' ? '' : figure('video', video, card.caption)
  },
  audio({ src, title }) {
    const audio = `<audio src="${escapeHtml(textOf(src))}" controls></audio>`
    return textOf(src) === '' ? '' : figure('audio', audio, escapeHtml(textOf(title)))
  },
  file({ src, fileTitle, fileName, fileCaption }) {
    const name = escapeHtml(textOf(fileTitle) || textOf(fileName) || textOf(src))
    const words = escapeHtml(textOf(fileCaption))
    return textOf(src) === '' ? '' : figure('file', linkTo(textOf(src), name), words)
  },
  header(card) {
    const picture = textOf(card.backgroundImageSrc) === '' ? '' : imageTag({ src: card.backgroundImageSrc })
    const button = card.buttonEnabled === true ? buttonHtml(card.buttonUrl, card.buttonText) : ''
    return `${picture}${element('h2', card.header)}${element('p', card.subheader)}${button}`
  },
  product(card) {
    const picture = textOf(card.productImageSrc) === '' ? '' : imageTag({ src: card.productImageSrc })
    const button = card.productButtonEnabled === true ? buttonHtml(card.productUrl, card.productButton) : ''
    const words = `${element('h4', card.productTitle)}${textOf(card.productDescription)}`
    return `<div class="kg-card kg-product-card">${picture}${words}${button}</div>`
  },
  'call-to-action'(card) {
    const picture = textOf(card.imageUrl) === '' ? '' : imageTag({ src: card.imageUrl })
    const button = card.showButton === true ? buttonHtml(card.buttonUrl, card.buttonText) : ''
    const sponsor = card.hasSponsorLabel === true ? textOf(card.sponsorLabel) : ''
    return `<div class="kg-card kg-cta-card">${sponsor}${picture}${textOf(card.textValue)}${button}</div>`
  },
  'before-after': ({ beforeImage, afterImage, caption }) =>
    figure('before-after', [beforeImage, afterImage].filter(isRecord).map(imageTag).join(''), caption),
  /** The mark after which only members can read. It is dropped, because a post for members is hidden as a whole. */
  paywall: () => '',
}

const mailCards = new Set(['email', 'email-cta'])
/** Cards that work only within Ghost, with its members. */
const ownCards = new Set(['signup', 'transistor', 'collection'])

/** Returns the HTML of a card. null: unknown card. */
function cardHtml(type: string, card: Values, options: GhostTextOptions): string | null {
  if (mailCards.has(type)) options.leaveOut('private', `card: ${type}`)
  else if (ownCards.has(type)) options.leaveOut('system', `card: ${type}`)
  else if (isGated(card.visibility)) return leaveOutGated(options)
  else return Object.hasOwn(cards, type) ? (cards[type]?.(card) ?? null) : null
  return ''
}

const wordKeys = /text|title|heading|header|caption|content|description|html|name$/i

/**
 * Reports a node of an unknown type as left out. Returns the HTML of its children. If that is empty, returns the node's
 * text properties (`wordKeys`) as paragraphs.
 */
function unknownHtml(type: string, node: Values, inner: string, options: GhostTextOptions): string {
  options.leaveOut('system', `card: ${type.slice(0, 100)}`)
  if (inner !== '') return inner
  const words = Object.entries(node).flatMap(([key, value]) =>
    wordKeys.test(key) && typeof value === 'string' ? [withoutTags(value)] : [],
  )
  return words.map((text) => element('p', plainText(text))).join('')
}

const withoutTags = (html: string) => html.replace(/<[^<>]{0,10000}>/g, '').trim()

const gate = /<!--\s{0,20}kg-gated-block:(begin|end)\b([^<>]{0,500}?)-->/g

/**
 * Returns HTML as visitors without an account see it: without the blocks for members and without Ghost's other
 * comments. HTML that starts with text is wrapped in a paragraph; otherwise the value would not be recognised as HTML.
 */
export function publicHtml(html: string, options: Pick<GhostTextOptions, 'leaveOut'>): string {
  let shown = ''
  let at = 0
  let isHidden = false
  for (const { 0: mark, 1: kind, 2: rules = '', index } of html.matchAll(gate)) {
    // The first end mark closes a block, as in Ghost. A begin mark inside a hidden block is therefore ignored.
    if (isHidden && kind === 'begin') continue
    if (!isHidden) shown += html.slice(at, index)
    isHidden = kind === 'begin' && !/\bnonMember:["']?true\b/.test(rules)
    if (isHidden) options.leaveOut('private', gatedBlock)
    at = index + mark.length
  }
  if (!isHidden) shown += html.slice(at)
  const plain = shown.replace(
    /<!--\s{0,20}(?:kg-card-(?:begin|end)\b[^<>]{0,200}?|members-only)\s{0,20}-->/g,
    '',
  )
  const trimmed = plain.trim()
  return trimmed === '' || trimmed.startsWith('<') ? trimmed : `<p>${trimmed}</p>`
}
