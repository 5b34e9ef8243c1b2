import type { Config } from '#server/config.ts'
import { originOfPass } from '#server/storage/upload-pass.ts'

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
  // PDF is shown by the browser's viewer, from a blob; of our own pages one lets itself be framed, see below.
  'frame-src': ['blob:', "'self'"],
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
const pagePolicies: readonly PagePolicy[] = [
  // A window that came by an identity provider tells the one that opened it how it went.
  { prefix: '/sso', openerPolicy: 'unsafe-none' },
  { prefix: '/connected', openerPolicy: 'unsafe-none' },
  // On its way back: the policy of an answer that redirects counts, too.
  { prefix: '/api/sso', openerPolicy: 'unsafe-none' },
  // Frames of other services, in a page of ours that runs nothing.
  { prefix: '/api/embed:preview', csp: { 'frame-src': ['https:'], 'frame-ancestors': ["'self'"] } },
]

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

/** A script with a pass. A worker goes by the policy of its own script, not by that of the page which starts it. */
const scriptWithPass = /^\/assets\/[^?#]+\.js\?to=([\w.-]{1,1000})$/

/** The headers by the address asked for (`request.url`). `key`: of the passes for uploads (storage/upload-pass.ts). */
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
