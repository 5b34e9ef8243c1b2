import type { SendOrder, SentMessage } from './upload-worker.ts'
import workerUrl from './upload-worker.ts?worker&url'

interface Elsewhere {
  url: string
  headers: Record<string, string>
  /** What the server lets the worker's script connect there by. */
  pass: string
}

/**
 * PUTs a file straight to a bucket. Pages may connect to our own origin only, a worker to what came with its script.
 * Answers false when the bucket does not take it, or cannot be reached from here. Throws `AbortError` when aborted.
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
    // Its script did not come.
    worker.addEventListener('error', () => resolve(false))
    worker.addEventListener('message', ({ data }: MessageEvent<SentMessage>) =>
      'taken' in data ? resolve(data.taken) : onProgress(Math.min(file.size, data.sent)),
    )
    worker.postMessage({ url, headers, file } satisfies SendOrder)
  }).finally(() => worker.terminate())
}
