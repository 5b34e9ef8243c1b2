import { Readable } from 'node:stream'
import { newId } from '#server/lib/ids.ts'
import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { StorageProblem } from '#shared/contract/external-storage.ts'
import { StorageAway, type StorageDriver, StorageFull, StorageRefused } from './driver.ts'
import { errorOfAnswer, errorOfFailure } from './s3/errors.ts'

const type = 'text/plain'

/**
 * Tries every operation that Imori uses on a storage, and deletes its test object. Returns the first problem, or
 * `null`. Rethrows errors not caused by the storage.
 */
export async function probe(
  { driver, http }: { driver: StorageDriver; http: OutgoingHttp },
  signal?: AbortSignal,
): Promise<StorageProblem | null> {
  const key = `imori-probe-${newId()}`
  const bytes = Buffer.from(`Imori tries out this storage: ${key}\n`)
  const same = async () => {
    const chunks: Uint8Array[] = []
    for await (const chunk of await driver.read(key, undefined, signal)) chunks.push(chunk)
    if (!Buffer.concat(chunks).equals(bytes)) throw new StorageAway('differentContent')
  }
  /**
   * Sends the file with PUT to the signed URL after `changed` is applied to it. Does not test CORS. null: the storage
   * has no signed URLs.
   */
  const putSigned = async (changed: (url: string) => string) => {
    const expiresAt = new Date(Date.now() + 60_000)
    const signed = await driver.signPut(key, { type, size: bytes.length, expiresAt })
    if (!signed) return null
    const request = {
      method: 'PUT',
      headers: signed.headers,
      body: bytes,
      maxBytes: 65_536,
      timeoutMs: 8_000,
    } as const
    const withSignal = { ...request, ...(signal ? { signal } : {}) }
    return http.request(changed(signed.url), withSignal).catch((error) => {
      throw errorOfFailure(error, signal)
    })
  }
  const steps: Record<StorageProblem['step'], () => Promise<unknown>> = {
    write: () =>
      driver.write(key, () => Readable.from([bytes]), {
        type,
        size: bytes.length,
        ...(signal ? { signal } : {}),
      }),
    read: same,
    stat: async () => {
      if ((await driver.stat(key))?.size !== bytes.length) throw new StorageAway('differentContent')
    },
    // The object just written may not be listed yet.
    list: async () => {
      for await (const _ of driver.list('imori-probe-')) break
    },
    sign: async () => {
      const answer = await putSigned((url) => url)
      if (answer && answer.status !== 200) throw await errorOfAnswer(answer)
      await same()
    },
    // A bucket with public write access is unsafe for files that sites show.
    protect: async () => {
      const answer = await putSigned((url) => url.split('?')[0] ?? '')
      if (answer?.status === 200) throw new StorageRefused('publicWrite')
    },
    delete: async () => {
      await driver.delete(key)
      if (await driver.stat(key)) throw new StorageAway('differentContent')
    },
  }
  let written = false
  try {
    for (const [step, run] of Object.entries(steps) as [StorageProblem['step'], () => Promise<unknown>][]) {
      try {
        await run()
      } catch (error) {
        return { step, ...problemOf(error) }
      }
      written = step !== 'delete'
    }
    return null
  } finally {
    if (written) await driver.delete(key).catch(() => {})
  }
}

function problemOf(error: unknown): Omit<StorageProblem, 'step'> {
  if (error instanceof StorageFull) return { reason: 'full' }
  if (error instanceof StorageAway) return { reason: error.trouble }
  if (error instanceof StorageRefused)
    return { reason: error.trouble, ...(error.region ? { region: error.region } : {}) }
  throw error
}
