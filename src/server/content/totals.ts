import { LRUCache } from 'lru-cache'

/**
 * A cache of exact totals by statement, model versions and parameters. A change of the model changes the key,
 * so no entry becomes stale.
 */
export type TotalsCache = Pick<LRUCache<string, number>, 'get' | 'set'>

export function createTotalsCache(): TotalsCache {
  return new LRUCache<string, number>({
    maxSize: 8 * 1024 * 1024,
    sizeCalculation: (_total, key) => key.length * 2 + 100,
  })
}
