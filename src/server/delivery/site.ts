import type { IncomingMessage } from 'node:http'
import type { Config } from '#server/config.ts'

/** The space and API that a request's address specifies; null where only the token determines it. */
export interface Site {
  /** In lower case. */
  space: string | null
  kind: 'cdn' | 'api' | 'assets' | null
  /** The path is not percent-encoded UTF-8. */
  malformed?: boolean
  /** An address of the delivery API at which nothing can exist, with the reason. */
  refusal?: string
}

const sites = new WeakMap<IncomingMessage, Site>()
const anySite: Site = { space: null, kind: null }

/** The site that {@link rewriteDeliveryUrl} found in a request's address. */
export function siteOf(request: IncomingMessage): Site {
  return sites.get(request) ?? anySite
}

/** Kinds of hosts that Newt's clients append to a space's `uid`. Forms are recognized, but not implemented. */
type HostKind = 'cdn' | 'api' | 'form' | 'assets'

/** A space's `uid` and kind at the start of a path; the optional prefix can be matched in next.config.js (README). */
const inPath =
  /^(?:\/(?:\*|%2A){2}\/(?:\||%7C))?\/([A-Za-z][\w-]{0,63})\.(cdn|api|form|assets)(?:\.newt\.so)?(?=[/?]|$)/i
/** The same anywhere else in a path: a site's `spaceUid` is wrong, and the response must not be an HTML page. */
const misplaced = /\.(?:cdn|api|form|assets)(?:\.[\w.-]*)?$/i
/** The maximum length of a host name. */
const longestName = 253
const misplacedHost = /\.(?:cdn|api|form|assets)$/

/**
 * Fastify's `rewriteUrl`: rewrites every form of a delivery address to `/v1/…` and remembers the site it
 * specified. Forms: `{space}.cdn.{domain}/v1/…`, `/{space}.cdn.newt.so/v1/…`, `/{space}.cdn/v1/…`, the same with
 * `api` and `assets`, and `/v1/…`.
 * A delivery host, or such a prefix, serves only the delivery API. Other URLs stay unchanged.
 */
export function rewriteDeliveryUrl({
  domain,
  trustProxy,
}: Pick<Config, 'domain' | 'trustProxy'>): (request: IncomingMessage) => string {
  return (request) => {
    const url = request.url ?? '/'
    const host = domain ? hostSite(request, domain, trustProxy > 0) : undefined
    const prefix = host ? null : inPath.exec(url)
    const site = host ?? siteOfPath(prefix, url)
    if (!site) return url

    const rest = prefix ? url.slice(prefix[0].length) : url
    const malformed = !isDecodable(rest)
    sites.set(request, malformed ? { ...site, malformed } : site)
    return rest.startsWith('/v1/') && !malformed ? rest : '/v1'
  }
}

/** The site that a path specifies; undefined for paths outside the delivery API. */
function siteOfPath(prefix: RegExpExecArray | null, url: string): Site | undefined {
  if (prefix) return siteFor(prefix[1] ?? '', prefix[2]?.toLowerCase() as HostKind)
  if (url.startsWith('/v1/')) return anySite
  const folders = (url.split('?', 1)[0] ?? '').replace(/%2e/gi, '.').split('/').slice(0, -1)
  const at = folders.findIndex((name) => name.length <= longestName && misplaced.test(name))
  if (at < 0) return undefined
  return {
    ...anySite,
    refusal:
      'There is no space at this address. spaceUid must be the host, one slash and the uid of the space, such as ' +
      `"cms.example.com/acme": "${folders
        .slice(0, at + 1)
        .join('/')
        .slice(0, longestName)}" is none.`,
  }
}

function siteFor(space: string, kind: HostKind): Site {
  return kind === 'form' ? { ...anySite, refusal: nothingThere } : { space: space.toLowerCase(), kind }
}

/** The message for an address without content. */
export const nothingThere = 'There is nothing at this address.'

function hostSite(request: IncomingMessage, domain: string, behindProxy: boolean): Site | undefined {
  const forwarded = behindProxy ? request.headers['x-forwarded-host'] : undefined
  const given =
    (typeof forwarded === 'string' ? forwarded.split(',').at(-1) : undefined) ?? request.headers.host
  const host = given?.trim().replace(/:\d+$/, '').toLowerCase()
  if (!host?.endsWith(`.${domain}`)) return undefined
  const name = host.slice(0, -domain.length - 1)
  const match = /^([a-z][\w-]{0,63})\.(cdn|api|form|assets)$/.exec(name)
  if (match?.[1]) return siteFor(match[1], match[2] as HostKind)
  return misplacedHost.test(name) ? { ...anySite, refusal: nothingThere } : undefined
}

function isDecodable(url: string): boolean {
  const path = url.split('?', 1)[0] ?? ''
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
