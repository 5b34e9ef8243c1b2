/** Which addresses count as assets, besides the `src` of an asset object (always one). */
export interface AssetUrlRules {
  /** The space's own storage hosts, as `media.example.com` or `media.example.com:8443`. */
  assetHosts: readonly string[]
  /**
   * Where asset objects lie besides (see `placeOf`): in text, what is embedded from there or has a file name is an
   * asset too.
   */
  learnt?: readonly string[] | undefined
  /** With `--origin`: that server also answers `{origin}/{space}.assets.newt.so/v1/…`. */
  origin?: string | undefined
}

export interface AssetFinder {
  /** Asset addresses inside a string: a bare address, HTML, Markdown or plain text. Normalised. */
  inText(text: string): string[]
  /** The normal form of an asset object's `src`; undefined when it is no http(s) address. */
  ofSource(src: string): string | undefined
  /** Addresses of pictures embedded from elsewhere, which are no assets. */
  foreignImages(html: string): string[]
  /** Where an asset object's address teaches that others may lie too; undefined for the places known anyway. */
  placeOf(url: string): string | undefined
}

const longestUrl = 4_096
/** A slash and a colon as HTML, JSON in a string, and addresses in addresses write them. */
const slash = String.raw`(?:\/|\\{1,8}\/|%(?:25)?2F|&#0{0,5}47;|&#x0{0,5}2F;|&sol;|\\{1,8}u002F)`
const colon = String.raw`(?::|%(?:25)?3A|&#0{0,5}58;|&#x0{0,5}3A;|&colon;|\\{1,8}u003A)`
/** An address that only works with its query. */
const signed = /[?&](?:x-goog-|x-amz-|googleaccessid=|signature=|sig=|expires=|token=)/i

/** Hosts many share: which are ours is told by so many folders. */
const sharedStorage: [RegExp, number][] = [
  [/^storage\.googleapis\.com$/, 1],
  [/^s3[\w.-]*\.amazonaws\.com$/, 1],
  [/^firebasestorage\.googleapis\.com$/, 3],
]
const embeddedImage = /<img\b[^>]{0,500}?\bsrc\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]{1,4096})/gi

/** Builds the finder; matching is by host, so a look-alike in a path or query does not count. */
export function createAssetFinder(rules: AssetUrlRules): AssetFinder {
  const own = rules.assetHosts.map((host) => host.toLowerCase())
  const learnt = (rules.learnt ?? []).filter((place) => !own.includes(place))
  const places = [
    String.raw`[a-z0-9_-]+\.assets\.newt\.so${slash}v1${slash}`,
    String.raw`assets\.newt\.so${slash}`,
    String.raw`storage\.googleapis\.com${slash}(?:p_|newt-images${slash})`,
    ...own.map((host) => `${placePattern(host)}${slash}`),
  ]
  const hosts = [String.raw`assets\.newt\.so`, String.raw`storage\.googleapis\.com`, ...own.map(placePattern)]
  if (rules.origin) {
    const host = placePattern(new URL(rules.origin).host)
    places.push(String.raw`${host}${slash}[a-z0-9_-]+\.assets(?:\.newt\.so)?${slash}v1${slash}`)
    hosts.push(host)
  }
  const addressesIn = (list: readonly string[]) =>
    new RegExp(`(?:https?${colon})?(${slash})${slash}(?:${list.join('|')})`, 'gi')
  const pattern = addressesIn(places)
  const learntPattern =
    learnt.length > 0 ? addressesIn(learnt.map((place) => `${placePattern(place)}${slash}`)) : undefined
  // Most text has no address at all.
  const quick = new RegExp(
    [...hosts, ...learnt.map((place) => placePattern(place.split('/')[0] ?? ''))].join('|'),
    'i',
  )
  // A folder on a shared host says nothing of the rest of that host.
  const isOwn = (url: URL) => own.includes(url.host) || learnt.includes(url.host)

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
    if (!keepQuery && !isOwn(url) && !signed.test(url.search)) url.search = ''
    if (/(?:^|\.)assets\.newt\.so$|^storage\.googleapis\.com$/.test(url.host)) url.protocol = 'https:'
    return url.href
  }

  function scan(text: string, places: RegExp, isAsset: (url: string, index: number) => boolean): string[] {
    const found: string[] = []
    places.lastIndex = 0
    for (let match = places.exec(text); match; match = places.exec(text)) {
      const { index } = match
      const [raw, address] = readAddress(text, index, match[1] ?? '/')
      const url = normalise(address, false)
      if (url && isAsset(url, index)) found.push(url)
      places.lastIndex = index + Math.max(raw.length, match[0].length)
    }
    return found
  }

  function inText(text: string): string[] {
    if (!quick.test(text)) return []
    const found = scan(text, pattern, () => true)
    if (!learntPattern) return found
    // A page on the same host is linked to, not embedded.
    return [...found, ...scan(text, learntPattern, (url, index) => isFile(url) || isEmbedded(text, index))]
  }

  return {
    inText,
    foreignImages(html) {
      if (!/<img\b/i.test(html)) return []
      const found: string[] = []
      for (const [, address = ''] of html.matchAll(embeddedImage)) {
        const url = normalise(decodeEntities(address), true)
        if (url && inText(url).length === 0) found.push(url)
      }
      return found
    },
    placeOf(address) {
      if (!URL.canParse(address) || inText(address).length > 0) return undefined
      const { host, pathname } = new URL(address)
      if (!host) return undefined
      const shared = sharedStorage.find(([pattern]) => pattern.test(host))
      if (!shared) return host
      const folders = pathname.split('/').slice(1, 1 + shared[1])
      return folders.length === shared[1] ? [host, ...folders].join('/') : undefined
    },
    ofSource(src) {
      const given = src.trim()
      if (given === '' || /^(?:data|blob):/i.test(given)) return undefined
      const onKnownHost =
        /^(?:https?:)?\/\/(?:(?:[^/]*\.)?assets\.newt\.so|storage\.googleapis\.com)\//i.test(given)
      const onOrigin = rules.origin !== undefined && given.startsWith(`${rules.origin}/`)
      // What cannot be fetched is still an asset, to be listed as missing.
      return normalise(given, !onKnownHost && !onOrigin) ?? given.slice(0, longestUrl)
    },
  }
}

/** The address that begins at `start`, as it stands there and as it is meant; its way to write slashes tells. */
function readAddress(text: string, start: number, style: string): [string, string] {
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

function endOf(text: string, stop: RegExp): number {
  const end = text.search(stop)
  return end < 0 ? text.length : end
}

function decodePercent(text: string, times: number): string {
  let decoded = text
  try {
    for (let round = 0; round < times; round++) decoded = decodeURIComponent(decoded)
  } catch {
    // As far as it goes.
  }
  return decoded
}

/** `{&quot;src&quot;:&quot;https://…&quot;}`: an address that begins after an entity ends before the same. */
function endOfEntity(text: string, start: number, value: string): number {
  const mark = /&(?:amp;)*(?:quot|apos|lt|gt|#0{0,5}3[49]|#x0{0,5}2[27]|#0{0,5}6[02]|#x0{0,5}3[ce]);$/i.exec(
    text.slice(Math.max(0, start - 20), start),
  )
  if (!mark) return value.length
  const same = value.indexOf(mark[0])
  const angle = endOf(value, /&(?:amp;)*(?:lt|gt);/i)
  return Math.min(same < 0 ? value.length : same, angle)
}

const known = String.raw`\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|heic|pdf|mp[34]|mov|webm|zip|docx?|xlsx?|pptx?|csv|txt)`
/** `…/x.pngです。`: Japanese goes on without a space. */
const extensionThenProse = new RegExp(String.raw`^(.*${known})[^\x00-\x7f]`, 'i')

/**
 * File names hold spaces, quotes, brackets and Japanese, encoded or not; where an address ends therefore
 * depends on what it stands in.
 */
function endOfUrl(text: string, start: number): number {
  const before = text[start - 1]
  const rest = text.slice(start, start + longestUrl + 1)
  if (start === 0 && !/[\s"'<>\\]/.test(rest)) return start + rest.length
  if (before === '"' || before === "'" || before === '<') {
    const close = rest.indexOf(before === '<' ? '>' : before)
    const value = close < 0 ? rest : rest.slice(0, close)
    const ends = [
      // `srcset="a.png 1x, b.png 2x"`: an address ends before its descriptor, or the next one.
      endOf(value, /\s+\d+(?:\.\d+)?[wxh](?:[,\s]|$)/),
      endOf(value, /\s*,\s*(?:https?:)?\/\//i),
      // A tag, or the end of a string inside a string.
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

/** A host, or a folder on one. */
function placePattern(place: string): string {
  return escapeRegExp(place).replaceAll(':', colon).replaceAll('\\/', slash)
}

/** True for an address that ends in the name of a file. */
function isFile(url: string): boolean {
  return new RegExp(`${known}$`, 'i').test(new URL(url).pathname)
}

/** True when what begins at `index` is shown as a picture or film: HTML's attributes, or Markdown's image. */
function isEmbedded(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 200), index)
  return /(?:\b(?:src|srcset|poster)\s*=\s*["']?\s*|!\[[^\]\n]{0,150}\]\(<?)$/i.test(before)
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
