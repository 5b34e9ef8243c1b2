/**
 * The policy for embed codes: frames of other services, and markup that their scripts replace. Only scripts from the
 * hosts below are allowed, by address; inline code never runs. The server applies the policy whenever it stores an
 * embed code.
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
    ...['src', 'width', 'height', 'title', 'name', 'class', 'style', 'allow', 'allowfullscreen', 'loading'],
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

/** Allowed hosts of scripts: services that offer no other way to embed. */
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

/**
 * The `allow` features that frames may have; others that a service requests are removed: see {@link allowedFeatures}.
 */
const embedFeatures: readonly string[] =
  'accelerometer autoplay clipboard-write encrypted-media fullscreen gyroscope picture-in-picture web-share'.split(
    ' ',
  )

/**
 * Hosts whose pasted addresses are offered to be embedded immediately. The server supports more services and looks them
 * up.
 */
export const embedHosts: readonly string[] = (
  'www.youtube.com m.youtube.com youtu.be vimeo.com twitter.com x.com www.tiktok.com open.spotify.com ' +
  'soundcloud.com speakerdeck.com www.slideshare.net codepen.io www.flickr.com ' +
  'bsky.app www.ted.com www.figma.com'
).split(' ')

const length = /^(?:auto|none|(?:-?\d{1,5}(?:\.\d{1,6})?)(?:px|%|em|rem|vw|vh)?)(?:\s*!important)?$/
/** Styles that set the size of a frame, and none that could move it out of its position in the page. */
export const embedStyles: Readonly<Record<string, readonly RegExp[]>> = {
  ...Object.fromEntries(
    (
      'width height min-width min-height max-width max-height top right bottom left padding padding-top ' +
      'padding-bottom padding-left padding-right margin margin-top margin-bottom margin-left margin-right border-radius'
    )
      .split(' ')
      .map((name) => [name, [length]]),
  ),
  position: [/^(?:relative|absolute|static)$/],
  display: [/^(?:block|inline-block)$/],
  overflow: [/^(?:hidden|auto|visible)$/],
  border: [/^(?:0|none)(?:px)?$/, /^\d{1,2}px solid #?[\w(),.\s]{1,30}$/],
  'aspect-ratio': [/^[\d.]{1,8}(?:\s*\/\s*[\d.]{1,8})?$/],
  'text-align': [/^(?:left|right|center)$/],
}

/** Whether an embed code may load the script at this address. */
export function isEmbedScript(src: string | null | undefined): boolean {
  const url = src && URL.canParse(src) ? new URL(src) : undefined
  if (url?.protocol !== 'https:' || url.port || url.username || url.password) return false
  return embedScriptHosts.includes(url.hostname)
}

/** The permitted features of a frame's `allow` attribute (`camera *; autoplay`), without their origins. */
export function allowedFeatures(wanted: string): string {
  const features = wanted.split(/[;,]/).map((part) => part.trim().split(/\s+/)[0] ?? '')
  return features.filter((feature) => embedFeatures.includes(feature)).join('; ')
}
