/** Which addresses count as assets, besides the `src` of an asset object (always one). */
export interface AssetUrlRules {
  /** The space's own storage hosts, as `media.example.com` or `media.example.com:8443`. */
  assetHosts: readonly string[]
  /** With `--origin`: that server also answers `{origin}/{space}.assets.newt.so/v1/…`. */
  origin?: string | undefined
}

export interface AssetFinder {
  /** Asset addresses inside a string: a bare address, HTML, Markdown or plain text. Normalised. */
  inText(text: string): string[]
  /** The normal form of an asset object's `src`; undefined when it is no http(s) address. */
  ofSource(src: string): string | undefined
}

const longestUrl = 4_096

/** Builds the finder; matching is by host, so a look-alike in a path or query does not count. */
export function createAssetFinder(rules: AssetUrlRules): AssetFinder {
  const own = rules.assetHosts.map((host) => host.toLowerCase())
  const places = [
    String.raw`[a-z0-9_-]+\.assets\.newt\.so\/v1\/`,
    String.raw`storage\.googleapis\.com\/p_`,
    ...own.map((host) => `${escapeRegExp(host)}\\/`),
  ]
  if (rules.origin) {
    const host = new URL(rules.origin).host
    places.push(String.raw`${escapeRegExp(host)}\/[a-z0-9_-]+\.assets(?:\.newt\.so)?\/v1\/`)
  }
  const pattern = new RegExp(String.raw`(?:https?:)?\/\/(?:${places.join('|')})`, 'gi')
  const isOwn = (url: URL) => own.includes(url.host)

  function normalise(found: string, keepQuery: boolean): string | undefined {
    if (found.length > longestUrl) return undefined
    let url: URL
    try {
      url = new URL(found.startsWith('//') ? `https:${found}` : found)
    } catch {
      return undefined
    }
    if (!/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
    url.hash = ''
    // A query on Newt's hosts asks for a resized copy: the original is the address without it.
    if (!keepQuery && !isOwn(url)) url.search = ''
    if (/\.assets\.newt\.so$|^storage\.googleapis\.com$/.test(url.host)) url.protocol = 'https:'
    return url.href
  }

  return {
    inText(text) {
      if (!text.includes('//')) return []
      const found: string[] = []
      pattern.lastIndex = 0
      for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
        const raw = text.slice(match.index, endOfUrl(text, match.index))
        const url = normalise(decodeEntities(raw), false)
        if (url) found.push(url)
        pattern.lastIndex = match.index + Math.max(raw.length, match[0].length)
      }
      return found
    },
    ofSource(src) {
      const onKnownHost = /^(?:https?:)?\/\/(?:[^/]*\.assets\.newt\.so|storage\.googleapis\.com)\//i.test(src)
      const onOrigin = rules.origin !== undefined && src.startsWith(`${rules.origin}/`)
      return normalise(src.trim(), !onKnownHost && !onOrigin)
    },
  }
}

/**
 * File names hold spaces, quotes, brackets and Japanese, encoded or not; where an address ends therefore
 * depends on what it stands in.
 */
function endOfUrl(text: string, start: number): number {
  const before = text[start - 1]
  const rest = text.slice(start, start + longestUrl + 1)
  if (start === 0 && !/[\s"'<>]/.test(rest)) return start + rest.length
  if (before === '"' || before === "'") {
    const close = rest.indexOf(before)
    const value = close < 0 ? rest : rest.slice(0, close)
    // `srcset="a.png 1x, b.png 2x"`: an address ends before its descriptor.
    const descriptor = value.search(/\s+\d+(?:\.\d+)?[wx](?:,|\s|$)/)
    const tag = value.search(/[<>\n]/)
    const ends = [descriptor, tag, value.length].filter((end) => end >= 0)
    return start + Math.min(...ends)
  }
  const stop = rest.search(/[\s"'<>\\`]/)
  let value = stop < 0 ? rest : rest.slice(0, stop)
  if (before === '(') value = value.slice(0, closingBracket(value))
  return start + value.replace(/[.,;:!?、。」』】]+$/u, '').length
}

function closingBracket(value: string): number {
  let open = 0
  for (let i = 0; i < value.length; i++) {
    if (value[i] === '(') open += 1
    else if (value[i] === ')' && --open < 0) return i
  }
  return value.length
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  const named: Record<string, string> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>', nbsp: '\u00a0' }
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|quot|apos|lt|gt|nbsp));/gi,
    (whole, dec, hex, name) => {
      if (name) return named[String(name).toLowerCase()] ?? whole
      const code = dec ? Number(dec) : Number.parseInt(hex, 16)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
