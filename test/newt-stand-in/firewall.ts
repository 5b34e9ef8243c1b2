import type { Fault, Request } from './server.ts'

/**
 * What stands in front of many a storage: more than `requests` within `perMs`, and every request is answered
 * with a page and 403 until nobody has come for `banMs`. Counts asset requests only.
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
