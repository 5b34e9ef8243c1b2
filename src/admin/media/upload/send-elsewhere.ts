import type { SendOrder, SentMessage } from './upload-worker.ts'
import workerUrl from './upload-worker.ts?worker&url'

interface Elsewhere {
  url: string
  headers: Record<string, string>
  /**
   * A code in the URL of the worker script. With it, the server sends a Content Security Policy that allows this
   * connection.
   */
  pass: string
}

/**
 * Uploads a file directly to a bucket. Imori's pages may only connect to their own origin, but a worker follows the
 * Content Security Policy of its own script. Resolves to false if the bucket rejects the file or cannot be reached.
 * Throws `AbortError` if aborted.
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
