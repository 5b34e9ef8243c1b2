import {
  allowsStyle,
  contentStyles,
  type Declaration,
  declarationsOf,
  type StylePatterns,
  styleOf,
} from './html-styles.ts'

/**
 * The policy for embed codes: frames of other services, and markup that their scripts replace. Scripts are allowed only
 * if they are loaded from the hosts below. Inline scripts are removed.
 */

/**
 * Allowed elements. Other elements are removed but their text is kept, except those in {@link droppedEmbedElements}.
 */
export const embedElements: readonly string[] =
  'iframe script blockquote div section figure figcaption p br span a img strong em b i u small time h1 h2 h3 ul ol li'.split(
    ' ',
  )

export const droppedEmbedElements: readonly string[] = [
  'style',
  'textarea',
  'option',
  'xmp',
  'svg',
  'noscript',
  'title',
]

export const embedAttributes: Readonly<Record<string, readonly string[]>> = {
  iframe: [
    ...['src', 'width', 'height', 'title', 'class', 'style', 'allow', 'allowfullscreen', 'loading'],
    ...['referrerpolicy', 'frameborder', 'scrolling', 'sandbox', 'data-*'],
  ],
  script: ['src', 'async', 'defer', 'charset'],
  blockquote: ['class', 'cite', 'style', 'data-*'],
  div: ['class', 'style', 'data-*'],
  section: ['class', 'style', 'data-*'],
  a: ['href', 'title', 'target', 'rel', 'class'],
  img: ['src', 'alt', 'title', 'width', 'height', 'loading', 'style'],
  time: ['datetime'],
  p: ['lang', 'dir'],
}

/** Hosts from which embed codes may load scripts. */
export const embedScriptHosts: readonly string[] = [
  'platform.twitter.com',
  'platform.x.com',
  'www.instagram.com',
  'www.tiktok.com',
  'embedr.flickr.com',
  'embed.redditmedia.com',
  'embed.reddit.com',
  'assets.pinterest.com',
  'cpwebassets.codepen.io',
  'static.codepen.io',
  'gist.github.com',
  'embed.bsky.app',
  'embed.nicovideo.jp',
  'speakerdeck.com',
  'b.st-hatena.com',
  'cdn.iframe.ly',
  'cdn.embedly.com',
]

/** The `allow` features that frames may have. {@link keptFrameValue} removes other features. */
const embedFeatures: readonly string[] =
  'accelerometer autoplay clipboard-write encrypted-media fullscreen gyroscope picture-in-picture web-share'.split(
    ' ',
  )

/**
 * If a user pastes a URL of one of these hosts, the editor offers to embed it. The server can create embed codes for
 * further services.
 */
export const embedHosts: readonly string[] = (
  'www.youtube.com m.youtube.com youtu.be vimeo.com twitter.com x.com www.tiktok.com open.spotify.com ' +
  'soundcloud.com speakerdeck.com www.slideshare.net codepen.io www.flickr.com ' +
  'bsky.app www.ted.com www.figma.com'
).split(' ')

/** Permissions that sandboxed frames may have. None of them allows a frame to replace the page that contains it. */
const sandboxTokens: readonly string[] = (
  'allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups ' +
  'allow-popups-to-escape-sandbox allow-presentation allow-same-origin allow-scripts ' +
  'allow-storage-access-by-user-activation'
).split(' ')

const zero = /^0(?:px|%|em|rem)?$/i
const share = /^(?:\d{1,2}(?:\.\d{1,6})?|100(?:\.0{1,6})?)%$/
const offsets = { top: zero, right: zero, bottom: zero, left: zero }
const clipping = /^(?:hidden|auto|visible)$/i

const sizeNames =
  'width height min-width max-width max-height margin margin-top margin-bottom margin-left margin-right padding padding-top padding-bottom padding-left padding-right border border-radius aspect-ratio text-align'.split(
    ' ',
  )

/**
 * Allowed styles of embed markup in the flow of the text. They determine its size, but cannot move it over other
 * content.
 */
const flowStyles: StylePatterns = {
  ...Object.fromEntries(Object.entries(contentStyles).filter(([property]) => sizeNames.includes(property))),
  ...offsets,
  'min-height': contentStyles.height as RegExp,
  display: /^(?:block|inline-block)$/i,
  overflow: clipping,
}

const fillingStyles: StylePatterns = {
  ...offsets,
  position: /^absolute$/i,
  width: share,
  height: share,
  'max-width': share,
  'max-height': share,
  margin: zero,
  padding: zero,
  border: /^(?:0|none)(?:px)?$/i,
  'border-radius': contentStyles['border-radius'] as RegExp,
  display: /^block$/i,
  overflow: clipping,
}

const frameParents: readonly string[] = ['div', 'section', 'figure', 'blockquote']
const relative = /^relative$/i

/** Returns whether the declaration makes the element a positioned parent that a frame may fill. */
export const isFrameParentStyle = (element: string, property: string, value: string): boolean =>
  frameParents.includes(element) && allowsStyle({ position: relative }, property, value)

/** Returns whether an element of an embed code may have this declaration in the flow of the text. */
export const isFlowStyle = (element: string, property: string, value: string): boolean =>
  allowsStyle(flowStyles, property, value) || isFrameParentStyle(element, property, value)

/** Returns the allowed part of a style in an embed code. `parentStyle` is the allowed style of the parent element. */
export function keptEmbedStyle(element: string, style: string, parentStyle: string): string {
  const declarations = declarationsOf(style)
  const inFlow = ({ property, value }: Declaration) => isFlowStyle(element, property, value)
  return styleOf(fillingDeclarations(element, declarations, parentStyle) ?? declarations.filter(inFlow))
}

/**
 * Returns the allowed declarations of a frame that fills its parent. `null` if the frame is in the flow of the text.
 * The frame must have `position: absolute`, `top: 0`, `left: 0`, and a width and height of at most 100 %. Its parent
 * must have `position: relative`; `parentStyle` is the allowed style of the parent.
 */
export function fillingDeclarations(
  element: string,
  declarations: readonly Declaration[],
  parentStyle: string,
): Declaration[] | null {
  if (element !== 'iframe' || !isPositioned(parentStyle)) return null
  const kept = declarations.filter(({ property, value }) => allowsStyle(fillingStyles, property, value))
  const isComplete = ['position', 'top', 'left', 'width', 'height'].every((name) =>
    kept.some(({ property }) => property === name),
  )
  return isComplete ? kept : null
}

const isPositioned = (style: string) =>
  declarationsOf(style).some(({ property, value }) => allowsStyle({ position: relative }, property, value))

/** Returns whether an embed code may load the script at this URL. */
export function isEmbedScript(src: string | null | undefined): boolean {
  const url = src && URL.canParse(src) ? new URL(src) : undefined
  if (url?.protocol !== 'https:' || url.port || url.username || url.password) return false
  return embedScriptHosts.includes(url.hostname)
}

/**
 * Returns the permitted value of an attribute of a frame: the permitted features of `allow`, the permitted tokens of
 * `sandbox`, any other value unchanged.
 */
export function keptFrameValue(name: string, value: string): string {
  if (name === 'allow') return allowedFeatures(value)
  if (name !== 'sandbox') return value
  const tokens = value.toLowerCase().split(/\s+/)
  return tokens.filter((token) => sandboxTokens.includes(token)).join(' ')
}

/** Returns the permitted features of an `allow` attribute (`camera *; autoplay`), without their origins. */
function allowedFeatures(wanted: string): string {
  const features = wanted.split(/[;,]/).map((part) => part.trim().split(/\s+/)[0] ?? '')
  return features.filter((feature) => embedFeatures.includes(feature)).join('; ')
}
