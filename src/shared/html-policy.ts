import { isAssetAddress } from './asset-address.ts'
import { embedAttributes, embedElements, embedStyles } from './embed-policy.ts'
import { declarationsOf, isContentStyle } from './html-styles.ts'

/**
 * The one policy for HTML that sites receive: structure, media, classes, and the styles of shared/html-styles.ts; inside of
 * embeds also what shared/embed-policy.ts allows. The server keeps to it whenever it stores rich text or renders Markdown;
 * the admin says beforehand what it takes away.
 */

/** Elements that are kept. The words of every other element stay, without it; see {@link droppedWithContent}. */
export const allowedElements: readonly string[] = (
  'p br hr h1 h2 h3 h4 h5 h6 div span blockquote pre code strong b em i u s del ins mark small sub sup kbd q ' +
  'cite abbr ruby rb rt rp ul ol li dl dt dd details summary table caption colgroup col thead tbody tfoot tr th ' +
  'td a img picture video audio source track figure figcaption input section iframe script time'
).split(' ')

/** Elements whose content is no text for readers: it goes with them. */
export const droppedWithContent: readonly string[] = ['style', 'textarea', 'option', 'xmp']

/** Elements that may have classes, and the styles of shared/html-styles.ts. */
export const styledElements: readonly string[] = (
  'p h1 h2 h3 h4 h5 h6 div span blockquote pre code strong b em i u s del ins mark small sub sup kbd q cite abbr ' +
  'ul ol li dl dt dd details summary table caption colgroup col thead tbody tfoot tr th td a img picture video ' +
  'audio figure figcaption section time'
).split(' ')

/** Of players: with sound they begin when somebody wants it, so `autoplay` is for silent films alone ({@link mayHave}). */
const player = ['src', 'controls', 'loop', 'muted', 'preload', 'title']

/** Attributes by element, beside those that {@link mayHave} speaks of. */
export const allowedAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title', 'target', 'rel'],
  img: ['src', 'srcset', 'sizes', 'alt', 'title', 'width', 'height', 'loading'],
  video: [...player, 'autoplay', 'poster', 'width', 'height', 'playsinline'],
  audio: player,
  source: ['src', 'srcset', 'sizes', 'type', 'media', 'width', 'height'],
  track: ['src', 'kind', 'srclang', 'label', 'default'],
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

/** What tables of contents lead to. */
const anchor = { id: /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,127}$/u }

/** What these attributes of ours may say, by element. */
const ownAttributes: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((heading) => [heading, anchor])),
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

/** Names of classes as people and frameworks give them. */
const className = /^[A-Za-z_-][\w:/.-]{0,99}$/

/** Classes that mean something here: the language of code, and what makes an emphasis one by dots (圏点). */
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

export type Attributes = Readonly<Record<string, string | undefined>>

/** Does an embed begin with this element? Until it ends, its elements may have what shared/embed-policy.ts allows. */
export function beginsEmbed(element: string, attributes: Attributes): boolean {
  if (element === 'iframe' || element === 'script') return true
  if (element === 'figure') return attributes['data-embed'] !== undefined
  const isMarkup = element === 'blockquote' || element === 'div' || element === 'section'
  return isMarkup && embedClass.test(attributes.class ?? '')
}

/**
 * May the element have this attribute at all, beside its others? What classes and styles say is asked for one by one; addresses by
 * {@link isKeptAddress}.
 */
export function mayHave(
  element: string,
  name: string,
  value: string,
  inEmbed: boolean,
  others: Attributes = {},
): boolean {
  if (name === 'autoplay' && element === 'video') return others.muted !== undefined
  if (said(allowedAttributes, element)?.includes(name)) return true
  const own = said(said(ownAttributes, element) ?? {}, name)
  if (own) return own.test(value)
  if ((name === 'class' || name === 'style') && styledElements.includes(element)) return true
  if (!inEmbed) return false
  const known = said(embedAttributes, element)
  return known?.includes(name) || (name.startsWith('data-') && known?.includes('data-*')) || false
}

/** Does the class mean something here, whoever wrote it? */
export function isOwnClass(element: string, name: string): boolean {
  return said(ownClasses, element)?.test(name) ?? false
}

/** May the element, which may have classes, have this one? */
export function keepsClass(element: string, name: string, inEmbed: boolean): boolean {
  if (inEmbed && said(embedAttributes, element)?.includes('class')) return true
  return className.test(name) || isOwnClass(element, name)
}

/** May the element, which may have a style, have this in it? */
export function keepsStyle(element: string, property: string, value: string, inEmbed: boolean): boolean {
  if (styledElements.includes(element) && isContentStyle(property, value)) return true
  if (!inEmbed || !said(embedAttributes, element)?.includes('style')) return false
  return said(embedStyles, property)?.some((pattern) => pattern.test(value)) ?? false
}

/** What of a style the element may have. */
export const keptStyle = (element: string, style: string, inEmbed: boolean): string =>
  declarationsOf(style)
    .filter(({ property, value }) => keepsStyle(element, property, value, inEmbed))
    .map(({ property, value }) => `${property}:${value}`)
    .join(';')

/** What of its classes the element may have. */
export const keptClasses = (element: string, classes: string, inEmbed: boolean): string[] =>
  classes.split(/\s+/).filter((name) => name !== '' && keepsClass(element, name, inEmbed))

/** Every attribute that an allowed element may have anywhere, for those who need a list; `data-*` is one. */
export function attributesOf(element: string): string[] {
  return [
    ...(allowedAttributes[element] ?? []),
    ...Object.keys(ownAttributes[element] ?? {}),
    ...(embedElements.includes(element) ? (embedAttributes[element] ?? []) : []),
    ...(styledElements.includes(element) ? ['class', 'style'] : []),
  ]
}

/** Attributes that are addresses, one each; `srcset` holds several. */
export const addressAttributes: readonly string[] = ['href', 'src', 'poster', 'cite']

/** Schemes of links and pictures; addresses relative to the site are kept too, those that begin with `//` are not. */
export const linkSchemes: readonly string[] = ['http', 'https', 'mailto', 'tel']
export const imageSchemes: readonly string[] = ['http', 'https']
/** Schemes of frames and of scripts, which are those of the services of shared/embed-policy.ts. */
export const frameSchemes: readonly string[] = ['https']
/** Elements of films and sounds. */
export const players: readonly string[] = ['video', 'audio', 'source', 'track']

/**
 * The address as it is kept: what goes by the protocol of the page is https in embeds and players, whose http addresses are asked
 * for by https, as browsers do.
 */
export function keptAddress(element: string, name: string, address: string, inEmbed: boolean): string {
  const isPlayer = players.includes(element)
  if ((name !== 'src' && !(isPlayer && name === 'poster')) || (!inEmbed && !isPlayer)) return address
  if (address.startsWith('//')) return `https:${address}`
  return isPlayer && /^http:\/\//i.test(address) && !isAssetAddress(address)
    ? `https:${address.slice(5)}`
    : address
}

function schemesOf(element: string): readonly string[] {
  if (element === 'img' || players.includes(element)) return imageSchemes
  return element === 'iframe' || element === 'script' ? frameSchemes : linkSchemes
}

/** `https://www.youtube.com@evil.test/`: in front of the host stands what looks like one. */
const hasUser = (address: string) => /^[a-z][a-z0-9.+-]*:[/\\]*[^/\\?#]*@/i.test(address)

/** May this address stand in this attribute? As {@link keptAddress} answers it. */
export function isKeptAddress(element: string, name: string, address: string): boolean {
  if (name === 'srcset')
    return address.split(/,\s+/).every((one) => isKeptAddress('img', 'src', one.trim().split(/\s/)[0] ?? ''))
  if (!addressAttributes.includes(name)) return true
  // As browsers read it: without blanks and control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant.
  const read = address.replace(/[\u0000-\u0020]+/g, '')
  const scheme = /^([a-z][a-z0-9.+-]*):/i.exec(read)?.[1]
  if (scheme === undefined) return !/^[/\\]{2}/.test(read)
  if ((element === 'iframe' || element === 'script') && hasUser(read)) return false
  return schemesOf(element).includes(scheme.toLowerCase())
}
