import { LRUCache } from 'lru-cache'
import type { AccountContext } from '#server/access/context.ts'
import { createGate } from '#server/lib/gate.ts'
import { type OutgoingHttp, OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { askForCode, type Embeddable, inAttribute } from './oembed.ts'
import { ownCode } from './own-codes.ts'

export interface EmbedQuestion {
  url: string
  /** Whether frames load only when they become visible. */
  lazy: boolean
  maxWidth?: number | undefined
  maxHeight?: number | undefined
}

interface Answer {
  code: Embeddable | null
  /** Whether the request to the service failed. `code` was then created without the service, or is null. */
  withoutTitle?: boolean
}

/**
 * Cached embed codes, for one hour. Failures (null) and codes created without the service expire after `refusalTtl`.
 */
const answers = new LRUCache<string, Answer>({ max: 500, ttl: 60 * 60_000 })
const refusalTtl = 60_000

/** Limits concurrent requests to services, per process and per account (`activePerLine`). */
const gate = createGate({
  active: 8,
  activePerLine: 2,
  waiting: 64,
  patience: 20_000,
  refusal: () => new AppError('TooManyRequests', { headers: { 'retry-after': '5' } }),
})

/**
 * Returns the embed code for a URL, sanitised by the policy for embed codes. Throws 400 for `url` with `InvalidFormat`
 * (not a web URL) or `NotEmbeddable`. Throws 429 for too many concurrent requests. Throws 503 `OtherServiceUnreachable`
 * if the service does not respond and the code cannot be created without it.
 */
export async function getEmbeddedCode(
  {
    actor,
    services: { outgoing },
    signal,
  }: Pick<AccountContext, 'actor' | 'services'> & { signal: AbortSignal },
  { url: typed, lazy, maxWidth, maxHeight }: EmbedQuestion,
): Promise<Embeddable> {
  const url = readUrl(typed, 'url')
  const key = JSON.stringify([url.href, maxWidth, maxHeight])
  let known = answers.get(key)
  if (!known) {
    const line = Number.parseInt(actor.accountId.slice(-8), 16)
    known = await gate.run({ line }, () =>
      ask(outgoing.clientFor('embeds', url), url, { maxWidth, maxHeight, signal }),
    )
    answers.set(key, known, known.code && !known.withoutTitle ? {} : { ttl: refusalTtl })
  }
  if (!known.code) throw invalid('url', 'NotEmbeddable')
  const { embeddedCode, ...about } = known.code
  return { ...about, embeddedCode: lazy ? withLazyFrames(embeddedCode) : embeddedCode }
}

async function ask(http: OutgoingHttp, url: URL, options: Parameters<typeof askForCode>[2]): Promise<Answer> {
  const own = ownCode(url, options)
  try {
    return { code: await askForCode(http, url, { ...options, isDispensable: own !== null }) }
  } catch (error) {
    if (!(error instanceof OutgoingHttpError)) throw error
    // URLs of internal hosts get the same error as other URLs that cannot be embedded, so that the error reveals
    // nothing about the network.
    if (['bad_url', 'blocked_address', 'too_many_redirects', 'too_large'].includes(error.code))
      return { code: own, withoutTitle: true }
    if (own) return { code: own, withoutTitle: true }
    throw new AppError('OtherServiceUnreachable', { headers: { 'retry-after': '30' }, cause: error })
  }
}

/** Parses a pasted http or https URL without credentials. Throws 400 for any other text. */
function readUrl(text: string, path: string): URL {
  const typed = text.trim()
  const url = URL.canParse(typed) ? new URL(typed) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw invalid(path, 'InvalidFormat')
  return url
}

const withLazyFrames = (code: string) =>
  code.replace(/<iframe (?![^<>]* loading=)/g, '<iframe loading="lazy" ')

/**
 * Returns a page with the frame of another service and no scripts. The frame may play media and open windows, and keeps
 * its own origin. The response headers decide which pages may embed the preview page
 * (http/browsers/security-headers.ts). Throws 400 for URLs that are not https, and for URLs on this server.
 */
export function previewPage(src: string, ownUrl: string): AsyncIterable<string> {
  const url = readUrl(src, 'src')
  if (url.protocol !== 'https:' || url.host === new URL(ownUrl).host) throw invalid('src', 'InvalidValue')
  const page =
    '<!doctype html><meta charset="utf-8"><title>embed</title>' +
    '<style>html,body{margin:0;height:100%;overflow:hidden}iframe{display:block;width:100%;height:100%;border:0}</style>' +
    `<iframe src="${inAttribute(url.href)}" sandbox="allow-scripts allow-same-origin allow-popups allow-presentation" ` +
    'allow="autoplay; encrypted-media; fullscreen; picture-in-picture" allowfullscreen></iframe>'
  return (async function* () {
    yield page
  })()
}
