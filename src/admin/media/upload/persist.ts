import { ApiError } from '#admin/lib/api.ts'

/** Maximum number of consecutive retries without progress. */
export const maximumTries = 8
const longestPause = 15_000

/**
 * Returns how many bytes of an upload to this URL have arrived. Throws `ApiError` if the server cannot be reached or
 * fails.
 */
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
 * Returns whether a retry may succeed after this error. Possible reasons: a lost connection, a restarting or busy
 * server, missing bytes of the upload, or an earlier request for the file that is still running.
 */
export const mayPass = ({ status, code }: ApiError) =>
  status === 0 ||
  status === 429 ||
  (status >= 502 && status <= 504) ||
  code === 'UploadIsIncomplete' ||
  code === 'IdempotencyInProgress'

/**
 * Waits before the next attempt. The pause grows with `tries` up to 15 seconds, and ends when the browser is online
 * again. Rejects if `signal` is aborted.
 */
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
