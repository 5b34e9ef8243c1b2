import { AppError } from '#shared/errors.ts'

export interface TimeLimit {
  /** Aborted with the caller's signal, or when the time is over. */
  signal: AbortSignal
  /** Rejects with 503 when the time is over. */
  timeUp: Promise<never>
  /** Stops the clock. */
  end(): void
}

/** Starts the time limit of an operation. `seconds` undefined: no limit. `signal`: the caller's. */
export function limitTime(seconds: number | undefined, signal: AbortSignal): TimeLimit {
  if (seconds === undefined) return { signal, timeUp: new Promise(() => {}), end() {} }
  const stop = new AbortController()
  const onAbort = () => stop.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' } })
      reject(error)
      stop.abort(error)
    }, seconds * 1000).unref()
  })
  // Prevents an unhandled rejection if nothing waits any longer.
  timeUp.catch(() => undefined)
  return { signal: stop.signal, timeUp, end: () => clearTimeout(timer) }
}
