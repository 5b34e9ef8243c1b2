import { ApiError } from '#admin/lib/api.ts'

/** So often it is tried again without a byte having arrived; the pauses between get longer. */
export const maximumTries = 8
const longestPause = 15_000

/** How much of what is PUT at this address has arrived. */
export async function offsetAt(url: string, signal: AbortSignal): Promise<number> {
  let answer: Response
  try {
    answer = await fetch(url, { method: 'HEAD', cache: 'no-store', signal })
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new ApiError(0, { code: 'NetworkError' }, cause)
  }
  if (answer.status >= 500) throw new ApiError(answer.status, { code: 'ServiceUnavailable' })
  return Number(answer.headers.get('upload-offset') ?? 0) || 0
}

/**
 * A lost connection, a server that is restarting or busy, or that still hears the connection which we know is lost:
 * worth another try.
 */
export const mayPass = ({ status, code }: ApiError) =>
  status === 0 ||
  status === 429 ||
  (status >= 502 && status <= 504) ||
  code === 'UploadIsIncomplete' ||
  code === 'IdempotencyInProgress'

/** Waits before the next try, but no longer than until the network is back. */
export function pauseBefore(tries: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      window.removeEventListener('online', onOnline)
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    const onOnline = () => end(resolve)
    const onAbort = () => end(() => reject(signal.reason))
    const timer = setTimeout(onOnline, Math.min(longestPause, 500 * 2 ** tries))
    window.addEventListener('online', onOnline)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}
