import { LRUCache } from 'lru-cache'

/**
 * A cache of totals by statement, sum of model versions, and parameters. A write to one of the models changes the key,
 * so no entry becomes stale.
 */
export type TotalsCache = Pick<LRUCache<string, number>, 'get' | 'set'>

export function createTotalsCache(): TotalsCache {
  return new LRUCache<string, number>({
    maxSize: 8 * 1024 * 1024,
    sizeCalculation: (_total, key) => key.length * 2 + 100,
  })
}
