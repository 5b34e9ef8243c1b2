import type { FastifyReply } from 'fastify'
import { AppError } from '#shared/errors.ts'

/**
 * How a call may end before its handler has: `signal` is aborted when the caller has gone or `seconds` are over, and
 * `timeUp` then rejects with 503. Not Fastify's own `request.signal` and `handlerTimeout`: over a socket those end as
 * soon as a body has been read.
 */
export function endOfCall(
  { raw }: FastifyReply,
  seconds: number | undefined,
): { signal: AbortSignal; timeUp: Promise<never> } {
  const end = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<never>((_, reject) => {
    if (seconds === undefined) return
    timer = setTimeout(() => {
      const error = new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' } })
      reject(error)
      end.abort(error)
    }, seconds * 1000).unref()
  })
  // It may well be that nobody waits for it any more.
  timeUp.catch(() => undefined)
  raw.once('close', () => {
    clearTimeout(timer)
    if (!raw.writableFinished) end.abort()
  })
  return { signal: end.signal, timeUp }
}
