import type { IncomingMessage } from 'node:http'
import type { Config } from '#server/config.ts'

/** Which space and API the address of a request names; null where the address leaves it to the token. */
export interface Site {
  space: string | null
  kind: 'cdn' | 'api' | null
  /** The path is not percent-encoded UTF-8. */
  malformed?: boolean
}

const sites = new WeakMap<IncomingMessage, Site>()
const anySite: Site = { space: null, kind: null }

/** The site that {@link rewriteDeliveryUrl} found in a request's address. */
export function siteOf(request: IncomingMessage): Site {
  return sites.get(request) ?? anySite
}

const inPath = /^\/([A-Za-z][\w-]{0,63})\.(cdn|api)(?:\.newt\.so)?(?=[/?]|$)/i

/**
 * Fastify's `rewriteUrl`: brings every form of a delivery address to `/v1/…` and remembers the site it named. Forms:
 * `{space}.cdn.{domain}/v1/…`, `/{space}.cdn.newt.so/v1/…`, `/{space}.cdn/v1/…`, the same with `api`, and `/v1/…`.
 * On a delivery host, and behind such a prefix, there is nothing but the delivery API. Other URLs stay as they are.
 */
export function rewriteDeliveryUrl({
  domain,
  trustProxy,
}: Pick<Config, 'domain' | 'trustProxy'>): (request: IncomingMessage) => string {
  return (request) => {
    const url = request.url ?? '/'
    const host = domain ? hostSite(request, domain, trustProxy > 0) : undefined
    const prefix = host ? null : inPath.exec(url)
    if (!host && !prefix && !url.startsWith('/v1/')) return url

    const rest = prefix ? url.slice(prefix[0].length) : url
    const site: Site = host ?? {
      space: prefix?.[1]?.toLowerCase() ?? null,
      kind: (prefix?.[2]?.toLowerCase() as 'cdn' | 'api' | undefined) ?? null,
    }
    if (!isDecodable(rest)) {
      sites.set(request, { ...site, malformed: true })
      return '/v1'
    }
    sites.set(request, site)
    return rest.startsWith('/v1/') ? rest : '/v1'
  }
}

function hostSite(request: IncomingMessage, domain: string, behindProxy: boolean): Site | undefined {
  const forwarded = behindProxy ? request.headers['x-forwarded-host'] : undefined
  const given =
    (typeof forwarded === 'string' ? forwarded.split(',').at(-1) : undefined) ?? request.headers.host
  const host = given?.trim().replace(/:\d+$/, '').toLowerCase()
  if (!host?.endsWith(`.${domain}`)) return undefined
  const match = /^([a-z][\w-]{0,63})\.(cdn|api)$/.exec(host.slice(0, -domain.length - 1))
  return match?.[1] && match[2] ? { space: match[1], kind: match[2] as 'cdn' | 'api' } : undefined
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
