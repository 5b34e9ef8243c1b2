import type { Query } from './query.ts'

/** Query features used to request lists. */
export interface QueryFeatures {
  /** Whether lists are ordered by `_sys.createdAt`. */
  order: boolean
  orderById: boolean
  /** Whether pages are windows over `_sys.createdAt`; otherwise they are counted by `skip`. */
  window: boolean
  depth: boolean
  /** Maximum page size. */
  limit: number
}

const best: QueryFeatures = { order: true, orderById: true, window: true, depth: true, limit: 1_000 }
const smallLimit = 100

/** Maximum expansion depth that is requested. */
export const deepest = 3

/** The query features that a server supports. They are learnt from requests that it refuses or ignores. */
export class ServerCapabilities {
  now: QueryFeatures = best
  /** Kinds of requests that were answered correctly with the current features: first pages, and windows. */
  readonly #proven = new Set<'first' | 'window'>()
  /** Maximum page size; it is reduced while large pages fail. */
  #most = best.limit
  #successes = 0
  /**
   * Model → depth that is requested. `settled`: a greater depth does not expand more assets, or exceeds the maximum.
   */
  readonly depths = new Map<string, { depth: number; settled: boolean }>()

  depthOf(model: string): number {
    return this.depths.get(model)?.depth ?? 1
  }

  /** The largest page size that is currently worth requesting. */
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

  /**
   * Adopts only restrictions. Streams learn concurrently, so a feature that was refused for one stream stays disabled.
   */
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

  /** Restores the previous page size after a single content, not the page size, caused a failure. */
  recover(limit: number): void {
    this.#most = Math.max(this.#most, limit)
  }

  /** Returns alternative feature sets, starting with the smallest change. */
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

  /** Returns the query for a position in a list. */
  query(features: QueryFeatures, place: { from: string; skip: number; limit: number }, depth: number): Query {
    const query: Query = { limit: Math.min(place.limit, features.limit) }
    if (features.depth) query.depth = depth
    if (features.order) query.order = features.orderById ? '_sys.createdAt,_id' : '_sys.createdAt'
    if (features.window && place.from) query['_sys.createdAt[gte]'] = place.from
    if (place.skip) query.skip = place.skip
    return query
  }
}
