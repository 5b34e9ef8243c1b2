/* Reads and writes URLs in texts: HTML, Markdown, CSS, JSON strings, nested URLs. */

export const longestUrl = 4_096

/** Returns the URL at `start`, as written and decoded. `style`, the notation of slashes, determines the decoding. */
export function readAddress(text: string, start: number, style: string): [string, string] {
  const rest = text.slice(start, start + longestUrl + 1)
  if (style.startsWith('%')) {
    const raw = rest.slice(0, endOf(rest, /[\s"'<>&`\\();,]/))
    return [raw, decodePercent(raw, /^%25/.test(style) ? 2 : 1)]
  }
  if (style.startsWith('\\')) {
    const quoted = rest.slice(0, endOf(rest, /[\s"'<>`]|\\(?!\\{0,8}(?:\/|u002f))/i))
    const raw = quoted.slice(0, endOfEntity(text, start, quoted))
    return [
      raw,
      decodeEntities(
        raw
          .replace(/\\+\//g, '/')
          .replace(/\\+u002f/gi, '/')
          .replace(/\\+u003a/gi, ':'),
      ),
    ]
  }
  const raw = text.slice(start, endOfUrl(text, start))
  return [raw, decodeEntities(raw)]
}

/** Returns a URL in the notation `style`. Appends the query of `raw` if `keepsQuery`. */
export function writeAddress(
  address: string,
  { raw, style, keepsQuery }: { raw: string; style: string; keepsQuery: boolean },
): string {
  // Otherwise the URL would end at one of these characters if the text encloses it in quotes or brackets, or lists it.
  const safe = address.replace(/['(),;]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const once = encodeURIComponent(safe)
  if (style.startsWith('%')) {
    const query = keepsQuery ? (/%(?:25)?3F.*$/i.exec(raw)?.[0] ?? '') : ''
    return (/^%25/.test(style) ? encodeURIComponent(once) : once) + query
  }
  const query = keepsQuery ? (/[?].*$/s.exec(raw)?.[0] ?? '') : ''
  return (style.startsWith('\\') ? safe.replaceAll('/', style) : safe) + query
}

function endOf(text: string, stop: RegExp): number {
  const end = text.search(stop)
  return end < 0 ? text.length : end
}

function decodePercent(text: string, times: number): string {
  let decoded = text
  try {
    for (let round = 0; round < times; round++) decoded = decodeURIComponent(decoded)
  } catch {
    // The URL stays partially decoded.
  }
  return decoded
}

/**
 * Returns the end of a URL in a value such as `{&quot;src&quot;:&quot;https://…&quot;}`. A URL that starts after an
 * entity ends before the next occurrence of this entity, or before `&lt;` or `&gt;`.
 */
function endOfEntity(text: string, start: number, value: string): number {
  const mark = /&(?:amp;)*(?:quot|apos|lt|gt|#0{0,5}3[49]|#x0{0,5}2[27]|#0{0,5}6[02]|#x0{0,5}3[ce]);$/i.exec(
    text.slice(Math.max(0, start - 20), start),
  )
  if (!mark) return value.length
  const same = value.indexOf(mark[0])
  const angle = endOf(value, /&(?:amp;)*(?:lt|gt);/i)
  return Math.min(same < 0 ? value.length : same, angle)
}

export const known = String.raw`\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|heic|pdf|mp[34]|mov|webm|zip|docx?|xlsx?|pptx?|csv|txt)`
/** `…/x.pngです。`: Japanese text continues without a space. */
const extensionThenProse = new RegExp(String.raw`^(.*${known})[^\x00-\x7f]`, 'i')

/**
 * Returns the end of a URL. File names contain spaces, quotes, brackets and Japanese, encoded or not, so the end
 * depends on the context of the URL.
 */
function endOfUrl(text: string, start: number): number {
  const before = text[start - 1]
  const rest = text.slice(start, start + longestUrl + 1)
  if (start === 0 && !/[\s"'<>\\]/.test(rest)) return start + rest.length
  if (before === '"' || before === "'" || before === '<') {
    const close = rest.indexOf(before === '<' ? '>' : before)
    const value = close < 0 ? rest : rest.slice(0, close)
    const ends = [
      // `srcset="a.png 1x, b.png 2x"`: a URL ends before its descriptor, or before the next URL.
      endOf(value, /\s+\d+(?:\.\d+)?[wxh](?:[,\s]|$)/),
      endOf(value, /\s*,\s*(?:https?:)?\/\//i),
      // A URL also ends before a tag, and at the end of a string inside a string.
      endOf(value, /[<>\n\\]/),
    ]
    return start + Math.min(...ends)
  }
  let value = rest.slice(0, endOf(rest, /[\s"'<>\\`]|,(?:https?:)?\/\//i))
  value = value.slice(0, endOfEntity(text, start, value))
  if (before === '(') value = value.slice(0, closingBracket(value))
  const name = extensionThenProse.exec(value)?.[1]
  if (name) value = name
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

export function decodeEntities(text: string): string {
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
