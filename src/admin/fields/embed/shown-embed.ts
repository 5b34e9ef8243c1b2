/** What an embed code shows, as far as can be told without running it. */
export interface ShownEmbed {
  /** Address of its frame; null when a script makes what is seen. */
  frame: string | null
  /** Height by width. */
  ratio: number
  /** Where one can look at it. */
  link: string | null
  title: string
}

/** Reads an embed code. Nothing in it is loaded or run. */
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
  const words = body.textContent?.replace(/\s+/g, ' ').trim().slice(0, 200) ?? ''
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

/** What frames say of their size is in pixels, or not of use here: then they are as wide as a film. */
function ratioOf(iframe: HTMLIFrameElement | null): number {
  const [width, height] = [iframe?.getAttribute('width'), iframe?.getAttribute('height')].map((side) =>
    /^\d+$/.test(side ?? '') ? Number(side) : 0,
  )
  if (!height) return 9 / 16
  return Math.min(2, height / (width || 640))
}
