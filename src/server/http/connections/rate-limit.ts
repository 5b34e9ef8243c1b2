import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { countAttempt, requestLimit, sourceOf } from '#server/access/attempts.ts'
import type { Operation } from '#server/access/operations/operation.ts'
import type { Db } from '#server/db/scope.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern, uidPattern } from '#shared/identifiers.ts'

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

/**
 * Returns a function that throws 429 for an IP address that has reached the limit of the endpoint in this process. A
 * network of IPv6 counts as one address, because one host can use all of its addresses.
 */
export function limitAddress({ rate }: Endpoint): (request: FastifyRequest) => void {
  const wait = rate?.address === undefined ? null : createRateLimit(rate.address)
  return ({ ip }) => {
    const seconds = wait?.(sourceOf(ip)) ?? 0
    if (seconds > 0) throw new AppError('TooManyRequests', { headers: { 'retry-after': String(seconds) } })
  }
}

/**
 * Counts a request to the space or object in its path, for all processes. Throws 429 if the limit of the endpoint is
 * reached. Malformed names are not counted, because nothing has them.
 */
export async function countRequest(
  { name, endpoint: { rate } }: Operation,
  db: Db,
  { p = '', id = '' }: Record<string, string>,
): Promise<void> {
  const limits = [
    ...(rate?.space !== undefined && uidPattern.test(p)
      ? [requestLimit(name, p.toLowerCase(), rate.space)]
      : []),
    ...(rate?.object !== undefined && idPattern.test(id) ? [requestLimit(name, id, rate.object)] : []),
  ]
  if (limits.length > 0) await countAttempt(db, [limits])
}
