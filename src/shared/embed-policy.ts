/**
 * The policy for embed codes: frames of other services, and the markup that their own scripts turn into something to
 * see. Scripts are those of the services below, by their address; nothing runs that stands in the code itself. The
 * server keeps to it whenever it stores one.
 */

/** Elements that are kept; the words of others stay without them, but for what is in {@link droppedEmbedElements}. */
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

/** Whose scripts may stand in a code: hosts of services that are shown by nothing else. */
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

/** What a frame may be allowed by us; what a service asks for beyond is left out: see {@link allowedFeatures}. */
const embedFeatures: readonly string[] =
  'accelerometer autoplay clipboard-write encrypted-media fullscreen gyroscope picture-in-picture web-share'.split(
    ' ',
  )

/**
 * Hosts of services whose addresses are offered to be embedded as soon as they are pasted. Others can be embedded too:
 * the server knows more of them, and asks.
 */
export const embedHosts: readonly string[] = (
  'www.youtube.com m.youtube.com youtu.be vimeo.com twitter.com x.com www.tiktok.com open.spotify.com ' +
  'soundcloud.com speakerdeck.com www.slideshare.net codepen.io www.flickr.com ' +
  'bsky.app www.ted.com www.figma.com'
).split(' ')

const length = /^(?:auto|none|(?:-?\d{1,5}(?:\.\d{1,6})?)(?:px|%|em|rem|vw|vh)?)(?:\s*!important)?$/
/** Styles that give a frame its size, and nothing that would lift it out of its place on a page. */
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

/** Is this the address of a script that may stand in a code? */
export function isEmbedScript(src: string | null | undefined): boolean {
  const url = src && URL.canParse(src) ? new URL(src) : undefined
  if (url?.protocol !== 'https:' || url.port || url.username || url.password) return false
  return embedScriptHosts.includes(url.hostname)
}

/** What a frame asks to be allowed (`camera *; autoplay`), as far as it may be: the feature counts, not to whom. */
export function allowedFeatures(wanted: string): string {
  const features = wanted.split(/[;,]/).map((part) => part.trim().split(/\s+/)[0] ?? '')
  return features.filter((feature) => embedFeatures.includes(feature)).join('; ')
}
