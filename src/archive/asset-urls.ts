import { decodeEntities, known, longestUrl, readAddress, writeAddress } from './written-urls.ts'

/** Rules that decide which URLs in texts are assets. The `src` of an asset object is always an asset. */
export interface AssetUrlRules {
  /** Storage hosts of the space itself, such as `media.example.com` or `media.example.com:8443`. */
  assetHosts: readonly string[]
  /**
   * Hosts and folders learnt from asset objects (see `placeOf`). A URL on such a host or in such a folder is an asset
   * if the text embeds it, or if its path ends in a known file extension.
   */
  learnt?: readonly string[] | undefined
  /**
   * Base URL of a server that replaces Newt (`--origin`). It also serves assets at
   * `{origin}/{space}.assets.newt.so/v1/…` or `{origin}/{space}.assets/v1/…`.
   */
  origin?: string | undefined
}

export interface AssetFinder {
  /** Returns the normalised asset URLs in a text: a bare URL, HTML, Markdown or plain text. */
  inText(text: string): string[]
  /**
   * Replaces the URLs that {@link inText} finds. `replace` receives the normalised URL and returns an absolute URL, or
   * undefined to keep the original. Escaped slashes, the percent-encoding of nested URLs, and queries for another image
   * size are kept.
   */
  replaceInText(text: string, replace: (url: string) => string | undefined): string
  /**
   * Returns the normal form of an asset object's `src`. Returns the first 4,096 characters of the trimmed `src` if it
   * has no normal form. undefined: `src` is empty, or a `data:` or `blob:` URL.
   */
  ofSource(src: string): string | undefined
  /** Returns the URLs of embedded pictures that are not assets. */
  foreignImages(html: string): string[]
  /**
   * Returns the host or folder to add to `learnt` for the URL of an asset object. undefined: `inText` already finds the
   * URL, or the URL is invalid.
   */
  placeOf(url: string): string | undefined
}

/** A URL found in a text. `url`: normalised. `raw`: as written. */
interface Found {
  url: string
  index: number
  raw: string
  /** The first slash as written, such as `/`, `\/` or `%2F`. */
  style: string
}

/** Notations of slash and colon in HTML, in JSON strings, and in percent-encoded URLs. */
const slash = String.raw`(?:\/|\\{1,8}\/|%(?:25)?2F|&#0{0,5}47;|&#x0{0,5}2F;|&sol;|\\{1,8}u002F)`
const colon = String.raw`(?::|%(?:25)?3A|&#0{0,5}58;|&#x0{0,5}3A;|&colon;|\\{1,8}u003A)`
/** Query parameters of signed URLs, which are invalid without their query. */
const signed = /[?&](?:x-goog-|x-amz-|googleaccessid=|signature=|sig=|expires=|token=)/i

/** Hosts shared by many customers, with the number of path segments that identify one customer. */
const sharedStorage: [RegExp, number][] = [
  [/^storage\.googleapis\.com$/, 1],
  [/^s3[\w.-]*\.amazonaws\.com$/, 1],
  [/^firebasestorage\.googleapis\.com$/, 3],
]
const embeddedImage = /<img\b(?:(?!<img\b)[^>]){0,500}?\bsrc\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]{1,4096})/gi

/** Creates the finder. It matches a known host only between `//` and `/`, so a look-alike is not an asset. */
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
  // This cheap test is first, because most text contains no URL.
  const quick = new RegExp(
    [...hosts, ...learnt.map((place) => placePattern(place.split('/')[0] ?? ''))].join('|'),
    'i',
  )
  // A learnt folder on a shared host does not cover the rest of that host.
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
    // On Newt's hosts, a query only requests a resized copy. The original has the same URL without the query.
    if (!keepQuery && !isOwn(url) && !signed.test(url.search)) url.search = ''
    if (/(?:^|\.)assets\.newt\.so$|^storage\.googleapis\.com$/.test(url.host)) url.protocol = 'https:'
    return url.href
  }

  function scan(text: string, places: RegExp, isAsset: (url: string, index: number) => boolean): Found[] {
    const found: Found[] = []
    places.lastIndex = 0
    for (let match = places.exec(text); match; match = places.exec(text)) {
      const { index } = match
      const style = match[1] ?? '/'
      const [raw, address] = readAddress(text, index, style)
      const url = normalise(address, false)
      if (url && isAsset(url, index)) found.push({ url, index, raw, style })
      places.lastIndex = index + Math.max(raw.length, match[0].length)
    }
    return found
  }

  function find(text: string): Found[] {
    if (!quick.test(text)) return []
    const found = scan(text, pattern, () => true)
    if (!learntPattern) return found
    // URLs that are linked but not embedded may be pages, so they need a known file extension.
    return [...found, ...scan(text, learntPattern, (url, index) => isFile(url) || isEmbedded(text, index))]
  }

  const inText = (text: string) => find(text).map(({ url }) => url)

  return {
    inText,
    replaceInText(text, replace) {
      let result = ''
      let at = 0
      for (const { url, index, raw, style } of find(text).sort((a, b) => a.index - b.index)) {
        // This URL is inside another URL that was already replaced.
        if (index < at) continue
        const other = replace(url)
        if (other === undefined) continue
        result += text.slice(at, index) + writeAddress(other, { raw, style, keepsQuery: !url.includes('?') })
        at = index + raw.length
      }
      return at === 0 ? text : result + text.slice(at)
    },
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
      // A URL that cannot be fetched still counts as an asset, so that it is reported as missing.
      return normalise(given, !onKnownHost && !onOrigin) ?? given.slice(0, longestUrl)
    },
  }
}

function placePattern(place: string): string {
  return escapeRegExp(place).replaceAll(':', colon).replaceAll('\\/', slash)
}

function isFile(url: string): boolean {
  return new RegExp(`${known}$`, 'i').test(new URL(url).pathname)
}

/**
 * Returns true if the URL at `index` is embedded: at the start of a `src`, `srcset` or `poster` attribute, or in a
 * Markdown image.
 */
function isEmbedded(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 200), index)
  return /(?:\b(?:src|srcset|poster)\s*=\s*["']?\s*|!\[[^\]\n]{0,150}\]\(<?)$/i.test(before)
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

/**
 * Returns the uid of a file in a URL of Newt (`…/v1/{uid}/{name}`, `…/p_{space}/{uid}/{name}`). null: the URL has
 * another form.
 */
export const uidInAddress = (url: string): string | null =>
  /\/(?:v1|p_[^/]+)\/([\w-]{1,100})\/[^/]+$/.exec(url)?.[1] ?? null
