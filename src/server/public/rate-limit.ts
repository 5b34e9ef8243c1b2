import { LRUCache } from 'lru-cache'

/**
 * Token bucket: allows `perMinute` requests per minute for each key, and as many at once after a pause. Uses a
 * monotonic clock, because a system clock set back would lock everybody out.
 */
export function createRateLimit(perMinute: number, now: () => number = () => performance.now()) {
  // Created on the first request, because it allocates all its memory at once.
  let buckets: LRUCache<string, { left: number; at: number }> | undefined
  /** Returns 0 when the request is allowed, otherwise the seconds to wait. */
  return (key: string): number => {
    const at = now()
    buckets ??= new LRUCache({ max: 10_000 })
    const before = buckets.get(key) ?? { left: perMinute, at }
    const left = Math.min(perMinute, before.left + ((at - before.at) / 60_000) * perMinute)
    buckets.set(key, { left: left >= 1 ? left - 1 : left, at })
    return left >= 1 ? 0 : Math.ceil(((1 - left) * 60) / perMinute)
  }
}
