import { useSyncExternalStore } from 'react'
import { api } from '#admin/lib/api.ts'
import { newIdempotencyKey } from '#admin/lib/idempotency-key.ts'
import { currentAccount, subscribeToAccount } from '#admin/lib/session.ts'
import type { Asset } from '#shared/contract/assets.ts'
import { assetsChanged } from '../assets.queries.ts'
import { type Refusal, refusalsOf } from './check.ts'
import { transfer } from './transfer.ts'

export type UploadState =
  | 'refused'
  | 'queued'
  | 'sending'
  | 'waiting'
  | 'checking'
  | 'done'
  | 'failed'
  | 'cancelled'

export interface Upload {
  id: number
  p: string
  name: string
  /** A file of this computer, or a public URL to fetch. */
  source: File | URL
  /** Whether a form started the upload and uses the asset. If so, the asset cannot be deleted from the upload panel. */
  forForm: boolean
  /** The idempotency key. Repeated attempts with this key create only one asset. */
  key: string
  state: UploadState
  /** Number of bytes sent so far. */
  sent: number
  /** Reason why the upload was rejected before sending; null if it was not. */
  refusal: Refusal | null
  /** Error with which the upload failed; null if it did not fail. */
  error: unknown
  /** The resulting asset; null until the upload has succeeded. */
  asset: Asset | null
}

/** Maximum number of concurrent uploads. */
const parallel = 3
const active: readonly UploadState[] = ['sending', 'waiting', 'checking']
const finished: readonly UploadState[] = ['refused', 'done', 'failed', 'cancelled']

let uploads: readonly Upload[] = []
let lastId = 0
const listeners = new Set<() => void>()
const running = new Map<number, AbortController>()

export const isFinished = ({ state }: Upload): boolean => finished.includes(state)

function change(next: readonly Upload[]): void {
  uploads = next
  for (const listener of listeners) listener()
}

const update = (id: number, part: Partial<Upload>) =>
  change(uploads.map((one) => (one.id === id ? { ...one, ...part } : one)))

/** Uploads that were added together. */
export interface Batch {
  ids: number[]
  /** Resolves when all uploads have finished, with the assets of the successful uploads in order. */
  done: Promise<Asset[]>
}

export interface UploadOptions {
  /** The accepted file types, as in `<input accept>`; by default all. */
  accept?: string | undefined
  /** Whether a form uses the resulting assets. */
  forForm?: boolean
}

/** Adds files and public URLs to the queue. Files that cannot be sent are rejected with a reason. */
export function addUploads(
  p: string,
  sources: readonly (File | URL)[],
  { accept, forForm = false }: UploadOptions = {},
): Batch {
  const files = sources.filter((source): source is File => source instanceof File)
  const refusals = refusalsOf(files, accept)
  const added = sources.map((source): Upload => {
    const refusal = source instanceof File ? (refusals[files.indexOf(source)] ?? null) : null
    lastId++
    return {
      id: lastId,
      p,
      name: source instanceof File ? source.name : source.href,
      source,
      forForm,
      key: newIdempotencyKey(),
      state: refusal ? 'refused' : 'queued',
      sent: 0,
      refusal,
      error: null,
      asset: null,
    }
  })
  change([...uploads, ...added])
  startNext()
  const ids = added.map(({ id }) => id)
  return { ids, done: settled(ids) }
}

function settled(ids: readonly number[]): Promise<Asset[]> {
  return new Promise((resolve) => {
    const look = () => {
      const mine = uploads.filter(({ id }) => ids.includes(id))
      if (!mine.every(isFinished)) return
      listeners.delete(look)
      resolve(mine.flatMap(({ asset }) => asset ?? []))
    }
    listeners.add(look)
    look()
  })
}

function startNext(): void {
  for (const upload of uploads) {
    if (running.size >= parallel) return
    if (upload.state === 'queued') void run(upload)
  }
}

async function run(upload: Upload): Promise<void> {
  const { id, p, source, key } = upload
  const abort = new AbortController()
  running.set(id, abort)
  update(id, { state: 'sending', sent: 0, error: null })
  try {
    const asset =
      source instanceof File
        ? await transfer(p, source, key, {
            onState: (state) => update(id, { state }),
            onProgress: (sent) => update(id, { sent }),
            signal: abort.signal,
          })
        : (
            await api('POST /api/project/{p}/assets:fromUrl', {
              params: { p },
              body: { url: source.href },
              headers: { 'idempotency-key': key },
              signal: abort.signal,
            })
          ).asset
    update(id, { state: 'done', asset })
    void assetsChanged(p, asset)
  } catch (error) {
    update(id, abort.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error })
  } finally {
    running.delete(id)
    startNext()
  }
}

export function cancelUpload(id: number): void {
  const upload = uploads.find((one) => one.id === id)
  if (!upload || isFinished(upload)) return
  const abort = running.get(id)
  if (abort) abort.abort(new DOMException('Cancelled', 'AbortError'))
  else update(id, { state: 'cancelled' })
}

export function retryUpload(id: number): void {
  const upload = uploads.find((one) => one.id === id)
  if (upload?.state !== 'failed' && upload?.state !== 'cancelled') return
  update(id, { state: 'queued', sent: 0, error: null })
  startNext()
}

/** Keeps an asset whose content the library already contained. */
export function keepDuplicate(id: number): void {
  const asset = uploads.find((one) => one.id === id)?.asset
  if (asset) update(id, { asset: { ...asset, duplicateOf: null } })
}

/** Removes finished uploads from the list. */
export function forgetFinished(): void {
  change(uploads.filter((upload) => !isFinished(upload)))
}

export function forgetUpload(id: number): void {
  change(uploads.filter((upload) => upload.id !== id || !isFinished(upload)))
}

export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => uploads,
  )
}

/** Returns whether an upload is pending that would be lost if the page were closed. */
export const isUploading = (list: readonly Upload[]): boolean =>
  list.some(({ state }) => state === 'queued' || active.includes(state))

// Cancels all uploads on log-out, so that they are not sent with the next user's session.
subscribeToAccount(() => {
  if (currentAccount()) return
  for (const abort of running.values()) abort.abort(new DOMException('Signed out', 'AbortError'))
  change([])
})
