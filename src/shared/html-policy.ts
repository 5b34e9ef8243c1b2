import { isAssetAddress } from './asset-address.ts'
import {
  embedAttributes,
  embedElements,
  fillingDeclarations,
  isFlowStyle,
  isFrameParentStyle,
} from './embed-policy.ts'
import { allowsStyle, contentStyles, type Declaration, declarationsOf, styleOf } from './html-styles.ts'

/**
 * The policy for HTML that sites receive: structure, media, classes, and the styles of shared/html-styles.ts. In
 * embeds, it also allows the markup of shared/embed-policy.ts. The server applies the policy when it stores rich text
 * or renders Markdown.
 */

/** Allowed elements. Other elements are removed but their text is kept; see {@link droppedWithContent}. */
export const allowedElements: readonly string[] = (
  'p br hr h1 h2 h3 h4 h5 h6 div span blockquote pre code strong b em i u s del ins mark small sub sup kbd q ' +
  'cite abbr ruby rb rt rp ul ol li dl dt dd details summary table caption colgroup col thead tbody tfoot tr th ' +
  'td a img picture video audio source track figure figcaption input section iframe script time'
).split(' ')

/** Elements that are removed with their content, because the content is not readable text. */
export const droppedWithContent: readonly string[] = ['style', 'textarea', 'option', 'xmp']

/** Elements that may have classes, and the styles of shared/html-styles.ts. */
export const styledElements: readonly string[] = (
  'p h1 h2 h3 h4 h5 h6 div span blockquote pre code strong b em i u s del ins mark small sub sup kbd q cite abbr ' +
  'ul ol li dl dt dd details summary table caption colgroup col thead tbody tfoot tr th td a img picture video ' +
  'audio figure figcaption section time'
).split(' ')

/**
 * Attributes of players. Sound must not start automatically, so `autoplay` is only allowed on muted videos ({@link
 * mayHave}).
 */
const player = ['src', 'controls', 'loop', 'muted', 'preload', 'title']

/** Attributes by element. {@link mayHave} allows further attributes. */
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
  // Only the check box of a task list.
  input: ['type', 'checked', 'disabled'],
}

/**
 * Ids of headings, as anchors for tables of contents. Frameworks find the data of their pages by ids such as
 * `__NEXT_DATA__` and `ng-state`. They would read the text of a heading with such an id instead.
 */
const anchor = { id: /^(?!__[A-Z]|(?:ng|serverApp)-state$)[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,127}$/u }

/**
 * Ids of footnotes (`fn-1`, `fn1`). Scripts of sites could read elements with other ids, such as `fnConfig`, as global
 * variables.
 */
const footnoteId = String.raw`(?:[-:_][\w-]{1,40}|\d[\w-]{0,39})$`

/** Patterns of attribute values with a meaning in Imori, by element. */
const ownAttributes: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((heading) => [heading, anchor])),
  a: {
    // Footnote references and back links.
    id: new RegExp(`^fn(?:ref)?${footnoteId}`),
    role: /^doc-(?:noteref|backlink)$/,
    // The target document of a link and its model (docs/decisions/0042).
    'data-document': /^[0-9a-f]{24}$/,
    'data-model': /^[A-Za-z][\w-]{0,63}$/,
  },
  li: { id: new RegExp(`^fn${footnoteId}`) },
  section: { role: /^doc-endnotes$/ },
  // The URL from which the embed code was created. Empty if there is none.
  figure: { 'data-embed': /^(?:https?:\/\/[^\s"<>]{1,2000})?$/ },
}

/** Class names as authors and frameworks write them. */
const className = /^[A-Za-z_-][\w:/.-]{0,99}$/

/** Classes with a meaning in Imori: the language of code, and emphasis dots (圏点). */
const ownClasses: Readonly<Record<string, RegExp>> = {
  code: /^language-[\w+#.-]{1,40}$/,
  em: /^kenten$/,
}

export const emphasisDots = 'kenten'

/** Matches the classes of embed markup that scripts of the services replace. */
const embedClass = /(?:^|[\s-])(?:embed|twitter|instagram|tiktok|bluesky|reddit|iframely|embedly)(?:[\s-]|$)/

/** Returns the value of an untrusted name in a table. Reads own properties only, so that `constructor` is not found. */
const said = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

export type Attributes = Readonly<Record<string, string | undefined>>

const cellAlignment = /^(?:left|right|center|justify)$/i

/**
 * Converts the `align` of a table cell to a style, unless the cell already has a style that aligns it. Some renderers
 * of Markdown write `align`, others a style.
 */
export function withCellAlignment(element: string, attributes: Attributes): Attributes {
  if (element !== 'td' && element !== 'th') return attributes
  const { align, ...others } = attributes
  if (!align || !cellAlignment.test(align)) return attributes
  const declarations = declarationsOf(others.style ?? '')
  if (declarations.some(({ property }) => property === 'text-align')) return others
  return {
    ...others,
    style: styleOf([{ property: 'text-align', value: align.toLowerCase() }, ...declarations]),
  }
}

/**
 * Returns whether an embed begins with this element. Elements in the embed may have the attributes and styles of
 * shared/embed-policy.ts.
 */
export function beginsEmbed(element: string, attributes: Attributes): boolean {
  if (element === 'iframe' || element === 'script') return true
  if (element === 'figure') return attributes['data-embed'] !== undefined
  const isMarkup = element === 'blockquote' || element === 'div' || element === 'section'
  return isMarkup && embedClass.test(attributes.class ?? '')
}

/**
 * Returns whether the element may have this attribute, given its other attributes. Does not check classes, styles and
 * addresses (see {@link keepsClass}, {@link keptStyle}, {@link isKeptAddress}).
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

/** Returns whether the class has a meaning in Imori. */
export function isOwnClass(element: string, name: string): boolean {
  return said(ownClasses, element)?.test(name) ?? false
}

/** Returns whether an element that may have classes may have this class. */
export function keepsClass(element: string, name: string, inEmbed: boolean): boolean {
  if (inEmbed && said(embedAttributes, element)?.includes('class')) return true
  return className.test(name) || isOwnClass(element, name)
}

/**
 * Returns the allowed declarations of a style, with their values unchanged. `parentStyle` is the allowed style of the
 * parent element, which a frame in an embed may fill.
 */
function keptDeclarations(element: string, style: string, inEmbed: boolean, parentStyle = ''): Declaration[] {
  const declarations = declarationsOf(style)
  const mayHaveEmbedStyles = inEmbed && said(embedAttributes, element)?.includes('style')
  const filling = mayHaveEmbedStyles ? fillingDeclarations(element, declarations, parentStyle) : null
  if (filling) return filling
  const isStyled = styledElements.includes(element)
  return declarations.filter(
    ({ property, value }) =>
      (isStyled &&
        (allowsStyle(contentStyles, property, value) || isFrameParentStyle(element, property, value))) ||
      (mayHaveEmbedStyles && isFlowStyle(element, property, value)),
  )
}

/** Returns the allowed part of a style; see {@link keptDeclarations}. */
export const keptStyle = (element: string, style: string, inEmbed: boolean, parentStyle = ''): string =>
  styleOf(keptDeclarations(element, style, inEmbed, parentStyle))

/** Returns the properties of declarations that are not allowed, in their order; see {@link keptDeclarations}. */
export function removedProperties(
  element: string,
  style: string,
  inEmbed: boolean,
  parentStyle: string,
): string[] {
  const kept = new Set(keptDeclarations(element, style, inEmbed, parentStyle).map(nameAndValue))
  return declarationsOf(style)
    .filter((declaration) => !kept.has(nameAndValue(declaration)))
    .map(({ property }) => property)
}

const nameAndValue = ({ property, value }: Declaration) => `${property}:${value}`

/** Returns the allowed classes. */
export const keptClasses = (element: string, classes: string, inEmbed: boolean): string[] =>
  classes.split(/\s+/).filter((name) => name !== '' && keepsClass(element, name, inEmbed))

/**
 * Returns the names of the attributes that the element may have in any context, for APIs that need a list. May contain
 * `data-*`.
 */
export function attributesOf(element: string): string[] {
  return [
    ...(allowedAttributes[element] ?? []),
    ...Object.keys(ownAttributes[element] ?? {}),
    ...(embedElements.includes(element) ? (embedAttributes[element] ?? []) : []),
    ...(styledElements.includes(element) ? ['class', 'style'] : []),
  ]
}

/** Attributes that contain one address (URL). `srcset` contains several addresses. */
export const addressAttributes: readonly string[] = ['href', 'src', 'poster', 'cite']

/** Schemes of links and pictures. Addresses relative to the site are allowed too, unless they begin with `//`. */
export const linkSchemes: readonly string[] = ['http', 'https', 'mailto', 'tel']
export const imageSchemes: readonly string[] = ['http', 'https']
/** Schemes of frames and scripts. Scripts are further limited to the hosts of shared/embed-policy.ts. */
export const frameSchemes: readonly string[] = ['https']
export const players: readonly string[] = ['video', 'audio', 'source', 'track']

/**
 * Returns the address in its stored form. Protocol-relative addresses in embeds and players become https. Other http
 * addresses in players become https too, except addresses of assets.
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

/** Returns whether the address contains credentials, which can imitate a host: `https://www.youtube.com@evil.test/`. */
const hasUser = (address: string) => /^[a-z][a-z0-9.+-]*:[/\\]*[^/\\?#]*@/i.test(address)

/** Returns whether the attribute may contain this address, as {@link keptAddress} returns it. */
export function isKeptAddress(element: string, name: string, address: string): boolean {
  if (name === 'srcset')
    return address.split(/,\s+/).every((one) => isKeptAddress('img', 'src', one.trim().split(/\s/)[0] ?? ''))
  if (!addressAttributes.includes(name)) return true
  // Browsers ignore blanks and control characters in addresses.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are intended.
  const read = address.replace(/[\u0000-\u0020]+/g, '')
  const scheme = /^([a-z][a-z0-9.+-]*):/i.exec(read)?.[1]
  if (scheme === undefined) return !/^[/\\]{2}/.test(read)
  if ((element === 'iframe' || element === 'script') && hasUser(read)) return false
  return schemesOf(element).includes(scheme.toLowerCase())
}
