import { LRUCache } from 'lru-cache'

/** Exact totals by (statement, model versions, parameters). A change of the model makes a new key, so nothing is stale. */
export type TotalsCache = Pick<LRUCache<string, number>, 'get' | 'set'>

export function createTotalsCache(): TotalsCache {
  return new LRUCache<string, number>({
    maxSize: 8 * 1024 * 1024,
    sizeCalculation: (_total, key) => key.length * 2 + 100,
  })
}
