import { ApiError } from '#admin/lib/api.ts'

/** The number of consecutive retries without progress; the pauses between them grow. */
export const maximumTries = 8
const longestPause = 15_000

/** How many bytes of an upload to this URL have arrived. */
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
 * Whether a retry may succeed: the connection was lost, or the server is restarting, busy, or still holds the
 * connection that this client knows is lost.
 */
export const mayPass = ({ status, code }: ApiError) =>
  status === 0 ||
  status === 429 ||
  (status >= 502 && status <= 504) ||
  code === 'UploadIsIncomplete' ||
  code === 'IdempotencyInProgress'

/** Waits before the next attempt, at most until the network is back. */
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
