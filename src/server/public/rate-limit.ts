import { LRUCache } from 'lru-cache'

/**
 * Lets so many requests a minute through for each key, and as many at once when it was quiet before. By a clock that nobody sets: one
 * that is set back would shut everybody out for as long.
 */
export function createRateLimit(perMinute: number, now: () => number = () => performance.now()) {
  // Made by the first request: it takes its room at once.
  let buckets: LRUCache<string, { left: number; at: number }> | undefined
  /** 0 when the request may pass, else the seconds until it may. */
  return (key: string): number => {
    const at = now()
    buckets ??= new LRUCache({ max: 10_000 })
    const before = buckets.get(key) ?? { left: perMinute, at }
    const left = Math.min(perMinute, before.left + ((at - before.at) / 60_000) * perMinute)
    buckets.set(key, { left: left >= 1 ? left - 1 : left, at })
    return left >= 1 ? 0 : Math.ceil(((1 - left) * 60) / perMinute)
  }
}
