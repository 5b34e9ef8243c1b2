import type { ServerResponse } from 'node:http'
import { AppError } from '#shared/errors.ts'

/** Whoever waits for an answer, for the time that it may take. */
export interface Caller {
  /** Aborted when the caller has gone before the answer was through, or its time is up. */
  signal: AbortSignal
  /** The outcome of `work`; throws 503 when the time is up first. */
  inTime<T>(work: Promise<T>): Promise<T>
}

/**
 * Watches the connection of an answer. Fastify's own `request.signal` and `handlerTimeout` take the end of the body for the
 * end of the caller, and are of no use to who reads one.
 */
export function watchCaller(response: ServerResponse, maximumSeconds: number | undefined): Caller {
  const controller = new AbortController()
  let refuse: (error: AppError) => void = () => {}
  const late = new Promise<never>((_resolve, reject) => {
    refuse = reject
  })
  late.catch(() => {})
  const timer =
    maximumSeconds === undefined
      ? undefined
      : setTimeout(() => {
          const cause = new Error(`Not done within ${maximumSeconds} s`)
          const error = new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' }, cause })
          controller.abort(error)
          refuse(error)
          // What is being sent is cut off: it cannot become a refusal any more.
          if (response.headersSent) response.destroy()
        }, maximumSeconds * 1000)
  response.once('close', () => {
    clearTimeout(timer)
    if (!response.writableFinished)
      controller.abort(new AppError('ValidationFailed', { message: 'The caller has gone' }))
  })
  return {
    signal: controller.signal,
    inTime: (work) => {
      work.catch(() => {})
      return Promise.race([work, late])
    },
  }
}
