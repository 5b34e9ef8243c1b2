import type { IncomingMessage } from 'node:http'
import type { Config } from '#server/config.ts'

/** The space and the API that the URL of a request names. null: only the token determines the value. */
export interface Site {
  /** `uid` of the space, in lower case. */
  space: string | null
  kind: 'cdn' | 'api' | 'assets' | null
  /** Whether the path is not percent-encoded UTF-8. */
  malformed?: boolean
  /** Error message for a URL of the delivery API at which nothing can exist. */
  refusal?: string
  /** The allowed methods, for the address of a form that was called with another one. */
  allow?: string
}

/** A site, or the forms of a space. */
type FoundSite = Omit<Site, 'kind'> & { kind: HostKind | null }

const sites = new WeakMap<IncomingMessage, Site>()
const anySite: Site = { space: null, kind: null }

/** Returns the site that {@link rewriteDeliveryUrl} found in the URL of a request. */
export function siteOf(request: IncomingMessage): Site {
  return sites.get(request) ?? anySite
}

/** Kinds of hosts that Newt's clients append to the `uid` of a space. */
type HostKind = 'cdn' | 'api' | 'form' | 'assets'

/**
 * The `uid` and kind of a space at the start of a path. The patterns of next.config.js can match the optional prefix
 * (docs/guide/en/newt.md).
 */
const inPath =
  /^(?:\/(?:\*|%2A){2}\/(?:\||%7C))?\/([A-Za-z][\w-]{0,63})\.(cdn|api|form|assets)(?:\.newt\.so)?(?=[/?]|$)/i
/**
 * Matches a folder whose name ends with a kind and an optional domain, elsewhere in a path. Such a folder means that
 * the `spaceUid` setting of the site is wrong. The site must then get an error instead of an HTML page.
 */
const misplaced = /\.(?:cdn|api|form|assets)(?:\.[\w.-]*)?$/i
/** Maximum length of a host name. */
const longestName = 253
const misplacedHost = /\.(?:cdn|api|form|assets)$/

/**
 * Returns a function for Fastify's `rewriteUrl`. It rewrites every form of a delivery URL to `/v1/…` and stores the
 * site of the request for {@link siteOf}. Addresses of forms are rewritten to their endpoints in the contract.
 *
 * URLs: `{space}.cdn.{domain}/v1/…`, `/{space}.cdn.newt.so/v1/…`, `/{space}.cdn/v1/…`, all of these with `api`,
 * `assets` and `form` instead of `cdn`, and `/v1/…`. A delivery host or such a prefix serves only the delivery API or
 * forms. Other URLs stay unchanged.
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
    if (site.kind === 'form') return rewriteFormUrl(request, site.space ?? '', rest)
    const malformed = !isDecodable(rest)
    const { kind } = site
    sites.set(request, { ...site, kind, ...(malformed ? { malformed } : {}) })
    return rest.startsWith('/v1/') && !malformed ? rest : '/v1'
  }
}

/** The path of a form, and of the page that a browser shows after it was sent. */
const formPath = /^\/v1\/([\w-]{9})(\/thanks)?(?=\?|$)/

/** Returns the address of a form's endpoint. Stores a refusal for other paths and for other methods. */
function rewriteFormUrl(request: IncomingMessage, space: string, rest: string): string {
  const [path, id, page = ''] = formPath.exec(rest) ?? []
  if (path === undefined) {
    sites.set(request, { ...anySite, refusal: nothingThere })
    return '/v1'
  }
  const allowed = page ? ['GET'] : ['POST', 'OPTIONS']
  if (allowed.includes(request.method ?? ''))
    return `/api/forms/${space}/${id}${page}${rest.slice(path.length)}`
  sites.set(request, { ...anySite, refusal: methodRefusal(page !== ''), allow: allowed.join(', ') })
  return '/v1'
}

const methodRefusal = (isPage: boolean) =>
  isPage
    ? 'This is the page after a form was sent, which is read with GET.'
    : 'This is the address of a form, which is sent with POST.'

/** Returns the site of a path; undefined for paths outside the delivery API. */
function siteOfPath(prefix: RegExpExecArray | null, url: string): FoundSite | undefined {
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

const siteFor = (space: string, kind: HostKind): FoundSite => ({ space: space.toLowerCase(), kind })

export const nothingThere = 'There is nothing at this address.'

function hostSite(request: IncomingMessage, domain: string, behindProxy: boolean): FoundSite | undefined {
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
