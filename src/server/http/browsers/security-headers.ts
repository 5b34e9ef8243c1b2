import type { Config } from '#server/config.ts'
import { originOfPass } from '#server/storage/upload-pass.ts'

const contentSecurityPolicy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"], // Mantine writes style attributes
  'img-src': ["'self'", 'data:', 'blob:', 'https:'],
  // Media files are loaded from the delivery URL of assets, which may have another origin.
  'media-src': ["'self'", 'https:'],
  'connect-src': ["'self'"],
  'font-src': ["'self'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  // PDFs are shown from a blob URL in the browser's viewer. One of the installation's own pages may be framed, see
  // `/api/embed:preview` below.
  'frame-src': ['blob:', "'self'"],
} satisfies Record<string, string[]>

export interface PagePolicy {
  /** Without a trailing slash: `/sso/popup` also matches `/sso/popup/x`, but not `/sso/popups`. */
  prefix: string
  /** Sources added to directives. They replace `'none'`. */
  csp?: Partial<Record<keyof typeof contentSecurityPolicy, readonly string[]>>
  openerPolicy?: 'same-origin' | 'same-origin-allow-popups' | 'unsafe-none'
}

/**
 * Pages that need a wider policy than others, such as windows opened by another page, or embeds. A browser applies the
 * policy of the loaded document, so links to these pages must load a new document instead of using the router.
 */
const pagePolicies: readonly PagePolicy[] = [
  // A window that returns from an identity provider reports the result to its opener.
  { prefix: '/sso', openerPolicy: 'unsafe-none' },
  { prefix: '/connected', openerPolicy: 'unsafe-none' },
  // Browsers also apply the policy of the redirect response that leads back to the admin.
  { prefix: '/api/sso', openerPolicy: 'unsafe-none' },
  // Embeds of other services in frames, in a page that runs no scripts.
  { prefix: '/api/embed:preview', csp: { 'frame-src': ['https:'], 'frame-ancestors': ["'self'"] } },
]

/**
 * Returns the security headers of all responses of the admin and its API: pages, files, JSON, and refusals of requests
 * that never reach a route. The delivery API may be called from any origin and has its own headers
 * (delivery/answers.ts).
 */
export function securityHeaders(
  { url }: Pick<Config, 'url'>,
  { csp = {}, openerPolicy = 'same-origin-allow-popups' }: Omit<PagePolicy, 'prefix'> = {},
): Record<string, string> {
  const added: Record<string, readonly string[]> = csp
  const base: Record<string, string[]> = contentSecurityPolicy
  const directives = [...new Set([...Object.keys(base), ...Object.keys(added)])].map((name) =>
    [
      name,
      ...(base[name] ?? []).filter((source) => !(name in added) || source !== "'none'"),
      ...(added[name] ?? []),
    ].join(' '),
  )
  return {
    'content-security-policy': directives.join(';'),
    'cross-origin-opener-policy': openerPolicy,
    'origin-agent-cluster': '?1',
    'referrer-policy': 'strict-origin-when-cross-origin',
    ...strictTransport({ url }),
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
  }
}

/** Returns the header that makes browsers use only https for this host, if the installation uses https. */
export const strictTransport = ({ url }: Pick<Config, 'url'>): Record<string, string> =>
  url.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}

/**
 * Matches a script with an upload pass. A worker uses the policy of its own script, not the policy of the page that
 * starts it.
 */
const scriptWithPass = /^\/assets\/[^?#]+\.js\?to=([\w.-]{1,1000})$/

/**
 * Returns a function that returns the headers for a requested URL (`request.url`). `key`: the key that signs upload
 * passes (storage/upload-pass.ts).
 */
export function pageHeaders(
  config: Pick<Config, 'url'>,
  key: string,
  policies: readonly PagePolicy[] = pagePolicies,
): (url: string) => Record<string, string> {
  const others = securityHeaders(config)
  const pages = policies.map((policy) => ({ ...policy, headers: securityHeaders(config, policy) }))
  return (url) => {
    const pass = scriptWithPass.exec(url)?.[1]
    const bucket = pass && originOfPass(key, pass)
    if (bucket) return securityHeaders(config, { csp: { 'connect-src': [bucket] } })
    const path = /^[^?#]*/.exec(url)?.[0] ?? ''
    return pages.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))?.headers ?? others
  }
}
