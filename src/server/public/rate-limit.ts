import { LRUCache } from 'lru-cache'

/**
 * Creates a token bucket for this process. It allows `perMinute` requests per minute for each key, and a burst of
 * `perMinute` requests after a pause. Uses a monotonic clock, because setting back the system clock would block
 * callers.
 */
export function createRateLimit(perMinute: number, now: () => number = () => performance.now()) {
  // Created on the first request, because the constructor allocates all its memory.
  let buckets: LRUCache<string, { left: number; at: number }> | undefined
  /** Returns 0 if the request is allowed, otherwise the seconds to wait. */
  return (key: string): number => {
    const at = now()
    buckets ??= new LRUCache({ max: 10_000 })
    const before = buckets.get(key) ?? { left: perMinute, at }
    const left = Math.min(perMinute, before.left + ((at - before.at) / 60_000) * perMinute)
    buckets.set(key, { left: left >= 1 ? left - 1 : left, at })
    return left >= 1 ? 0 : Math.ceil(((1 - left) * 60) / perMinute)
  }
}
