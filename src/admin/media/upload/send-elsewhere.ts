import type { SendOrder, SentMessage } from './upload-worker.ts'
import workerUrl from './upload-worker.ts?worker&url'

interface Elsewhere {
  url: string
  headers: Record<string, string>
  /** A pass with which the server serves the worker script with a policy that allows this connection. */
  pass: string
}

/**
 * Uploads a file directly to a bucket. Pages may connect only to their own origin, but a worker follows the policy of
 * its own script. Resolves to false if the bucket refuses or cannot be reached. Throws `AbortError` when aborted.
 */
export function sendElsewhere(
  { url, headers, pass }: Elsewhere,
  file: File,
  { onProgress, signal }: { onProgress: (sent: number) => void; signal: AbortSignal },
): Promise<boolean> {
  signal.throwIfAborted()
  const worker = new Worker(`${workerUrl}?to=${pass}`)
  return new Promise<boolean>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    // The worker script failed to load.
    worker.addEventListener('error', () => resolve(false))
    worker.addEventListener('message', ({ data }: MessageEvent<SentMessage>) =>
      'taken' in data ? resolve(data.taken) : onProgress(Math.min(file.size, data.sent)),
    )
    worker.postMessage({ url, headers, file } satisfies SendOrder)
  }).finally(() => worker.terminate())
}
