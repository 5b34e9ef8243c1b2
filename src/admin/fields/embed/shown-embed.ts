import { htmlToText } from '#shared/fields/html-text.ts'
import { shorten } from '#shared/unicode.ts'

/** The content that an embed code shows, as far as it can be determined without running the code. */
export interface ShownEmbed {
  /**
   * The frame's URL. Null if the code contains no frame with an https URL, for example because a script creates the
   * content.
   */
  frame: string | null
  /** Height of the frame divided by its width. */
  ratio: number
  /** The https URL at which the content can be viewed; null if the code contains none. */
  link: string | null
  title: string
}

/** Parses an embed code without loading or running anything. */
export function readEmbed(code: string): ShownEmbed {
  const body = new DOMParser().parseFromString(code, 'text/html').body
  const iframe = body.querySelector('iframe')
  const frame = httpsOf(iframe?.getAttribute('src'))
  const links = [...body.querySelectorAll('a[href]')].map((link) => httpsOf(link.getAttribute('href')))
  const link =
    frame ??
    httpsOf(body.querySelector('blockquote[cite]')?.getAttribute('cite')) ??
    links.findLast(Boolean) ??
    null
  const words = shorten(htmlToText(body.innerHTML).replace(/\s+/g, ' '), 200)
  return {
    frame,
    ratio: ratioOf(iframe),
    link,
    title: iframe?.title || words || (link ? new URL(link).hostname : ''),
  }
}

function httpsOf(address: string | null | undefined): string | null {
  const whole = address?.startsWith('//') ? `https:${address}` : address
  return whole && URL.canParse(whole) && new URL(whole).protocol === 'https:' ? new URL(whole).href : null
}

/**
 * Returns the height of a frame divided by its width, at most 2. Only pixel sizes are used. Without a height the ratio
 * is 9:16, and a missing width counts as 640.
 */
function ratioOf(iframe: HTMLIFrameElement | null): number {
  const [width, height] = [iframe?.getAttribute('width'), iframe?.getAttribute('height')].map((side) =>
    /^\d+$/.test(side ?? '') ? Number(side) : 0,
  )
  if (!height) return 9 / 16
  return Math.min(2, height / (width || 640))
}
