import type { Config } from '#server/config.ts'

const contentSecurityPolicy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"], // Mantine writes style attributes
  'img-src': ["'self'", 'data:', 'blob:', 'https:'],
  // Files of the media library play where sites read them.
  'media-src': ["'self'", 'https:'],
  'connect-src': ["'self'"],
  'font-src': ["'self'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  // PDF is shown by the browser's viewer, from a blob.
  'frame-src': ['blob:'],
} satisfies Record<string, string[]>

/** What the pages below an address may do beyond the others. */
export interface PagePolicy {
  /** Without a slash at the end: `/sso/popup` is also `/sso/popup/x`, not `/sso/popups`. */
  prefix: string
  /** Sources added to directives; they take the place of `'none'`. */
  csp?: Partial<Record<keyof typeof contentSecurityPolicy, readonly string[]>>
  openerPolicy?: 'same-origin' | 'same-origin-allow-popups' | 'unsafe-none'
}

/**
 * The pages that need more than the rest: storage, scripts of a card form, embeds, a popup of another site. A browser
 * goes by the page it loaded, so links to these pages load them anew instead of routing to them.
 */
const pagePolicies: readonly PagePolicy[] = []

/**
 * What every answer of the admin and its API tells the browser to forbid: pages, files, JSON, and refusals of requests
 * that never reach a route. The delivery API, which is for any origin, has its own (delivery/routes.ts).
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
    ...(url.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
  }
}

/** The headers by the address asked for (`request.url`). */
export function pageHeaders(
  config: Pick<Config, 'url'>,
  policies: readonly PagePolicy[] = pagePolicies,
): (url: string) => Record<string, string> {
  const others = securityHeaders(config)
  const pages = policies.map((policy) => ({ ...policy, headers: securityHeaders(config, policy) }))
  return (url) => {
    const path = /^[^?#]*/.exec(url)?.[0] ?? ''
    return pages.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))?.headers ?? others
  }
}
