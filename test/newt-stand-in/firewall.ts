import type { Fault, Request } from './server.ts'

/**
 * Simulates the rate limit of many storages: after more than `requests` asset requests within `perMs`, asset requests
 * get a page with status 403 for `banMs`. Further excess requests prolong this time.
 */
export function firewall({ requests, perMs, banMs }: { requests: number; perMs: number; banMs: number }) {
  let seen: number[] = []
  let bannedUntil = 0
  return ({ view }: Request): Fault | undefined => {
    if (view !== 'asset') return undefined
    const now = Date.now()
    seen = [...seen.filter((at) => at > now - perMs), now]
    if (seen.length > requests) bannedUntil = now + banMs
    return now < bannedUntil ? { kind: 'page', status: 403, html: '<h1>Forbidden</h1>' } : undefined
  }
}
