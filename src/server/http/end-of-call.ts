import type { FastifyReply } from 'fastify'
import { AppError } from '#shared/errors.ts'

/**
 * Returns the signals that end a call before its handler has finished. `signal` aborts when the caller disconnects or
 * after `seconds`. `timeUp` rejects with 503 after `seconds`. `seconds` undefined: no time limit. Fastify's
 * `request.signal` and `handlerTimeout` are not usable: on a real connection they end as soon as the body has been
 * read.
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
  // Prevents an unhandled rejection if the call has ended before its time limit.
  timeUp.catch(() => undefined)
  raw.once('close', () => {
    clearTimeout(timer)
    if (!raw.writableFinished) end.abort()
  })
  return { signal: end.signal, timeUp }
}
