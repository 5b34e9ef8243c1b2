import type { Query } from './query.ts'

/** How a list is asked for. */
export interface QueryFeatures {
  /** Order by `_sys.createdAt`. */
  order: boolean
  /** Ties ordered by `_id`. */
  orderById: boolean
  /** Pages as windows over `_sys.createdAt`; else counted off by `skip`. */
  window: boolean
  /** Say which depth. */
  depth: boolean
  /** No page larger than this. */
  limit: number
}

const best: QueryFeatures = { order: true, orderById: true, window: true, depth: true, limit: 1_000 }
const smallLimit = 100

/** Deeper than this nothing is expanded. */
export const deepest = 3

/** What a server understands of our contract; learnt from what it refuses or ignores. */
export class ServerCapabilities {
  now: QueryFeatures = best
  /** What was answered as asked for now: first pages, and windows. */
  readonly #proven = new Set<'first' | 'window'>()
  /** Pages are made smaller while large ones fail. */
  #most = best.limit
  #successes = 0
  /** Model → depth at which everything comes expanded; and whether going deeper was tried in vain. */
  readonly depths = new Map<string, { depth: number; settled: boolean }>()

  depthOf(model: string): number {
    return this.depths.get(model)?.depth ?? 1
  }

  /** The largest page worth asking for now. */
  get most(): number {
    return Math.min(this.#most, this.now.limit)
  }

  isProven(from: string): boolean {
    return this.#proven.has(from && this.now.window ? 'window' : 'first')
  }

  prove(from: string): void {
    this.#proven.add(from && this.now.window ? 'window' : 'first')
  }

  succeeded(): void {
    this.#successes += 1
    if (this.#successes < 20) return
    this.#successes = 0
    this.#most = Math.min(this.#most * 2, best.limit)
  }

  failedWith(limit: number): void {
    this.#successes = 0
    this.#most = Math.max(1, Math.floor(limit / 4))
  }

  /** Several streams learn at the same time: what one found refused stays left out. */
  learn(features: QueryFeatures): void {
    const { now } = this
    const learnt: QueryFeatures = {
      order: now.order && features.order,
      orderById: now.orderById && features.orderById,
      window: now.window && features.window,
      depth: now.depth && features.depth,
      limit: Math.min(now.limit, features.limit),
    }
    if (JSON.stringify(learnt) === JSON.stringify(now)) return
    this.now = learnt
    this.#proven.clear()
  }

  /** What was taken for a page too large was one content: back to the size that went well before. */
  recover(limit: number): void {
    this.#most = Math.max(this.#most, limit)
  }

  /** Other ways to ask, the nearest first: without one thing, then without ever more. */
  others(): QueryFeatures[] {
    const { now } = this
    const without: Partial<QueryFeatures>[] = [
      ...(now.orderById ? [{ orderById: false }] : []),
      ...(now.limit > smallLimit ? [{ limit: smallLimit }] : []),
      ...(now.depth ? [{ depth: false }] : []),
      ...(now.window ? [{ window: false }] : []),
      ...(now.order ? [{ order: false, orderById: false, window: false }] : []),
    ]
    let less = now
    const ever = without.map((change) => {
      less = { ...less, ...change }
      return less
    })
    return [...without.map((change) => ({ ...now, ...change })), ...ever.slice(1)]
  }

  /** The query for a place in a list. */
  query(features: QueryFeatures, place: { from: string; skip: number; limit: number }, depth: number): Query {
    const query: Query = { limit: Math.min(place.limit, features.limit) }
    if (features.depth) query.depth = depth
    if (features.order) query.order = features.orderById ? '_sys.createdAt,_id' : '_sys.createdAt'
    if (features.window && place.from) query['_sys.createdAt[gte]'] = place.from
    if (place.skip) query.skip = place.skip
    return query
  }
}
