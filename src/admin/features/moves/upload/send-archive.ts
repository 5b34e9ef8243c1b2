import { ApiError } from '#admin/lib/api.ts'
import { maximumTries, mayPass, offsetAt, pauseBefore } from '#admin/media/upload/persist.ts'
import { send } from '#admin/media/upload/send.ts'
import type { Move } from '#shared/contract/moves.ts'
import { type MovePlace, moveCalls } from '../move-place.ts'

/**
 * The accepted file name extensions: archives and exports of all kinds. The server detects the actual kind from the
 * content.
 */
export const acceptedFiles = '.zip,.gz,.tgz,.tar,.xml,.json,.ndjson,.jsonl,.csv,.tsv,.txt,.md,.markdown,.mdx'

export interface SendingHooks {
  /**
   * Called with the number of bytes that have arrived or are being sent. `waiting`: the connection is lost and will be
   * retried.
   */
  onProgress: (sent: number, waiting: boolean) => void
  signal: AbortSignal
}

/**
 * Uploads the archive of a migration, starting at the server's offset, and then starts the server's check. Resumes
 * after a lost connection.
 * @throws ApiError if the server refuses the archive or stays unreachable; `AbortError` if the upload is stopped
 */
export async function sendArchive(
  place: MovePlace,
  id: string,
  file: File,
  hooks: SendingHooks,
): Promise<Move> {
  const { signal } = hooks
  const calls = moveCalls(place, id)
  let arrived = 0
  for (let tries = 0; ; tries++) {
    const before = arrived
    try {
      const { url, headers } = await calls.sign(signal)
      arrived = await offsetAt(url, signal)
      hooks.onProgress(arrived, false)
      const from = arrived
      if (from < file.size)
        await send({
          method: 'PUT',
          url,
          body: file.slice(from),
          headers: { ...headers, 'content-range': `bytes ${from}-${file.size - 1}/${file.size}` },
          onProgress: (sent) => hooks.onProgress(Math.min(file.size, from + sent), false),
          signal,
        })
      return (await calls.confirm(signal)).move
    } catch (error) {
      if (!(error instanceof ApiError) || !mayPass(error)) throw error
      if (arrived > before) tries = 0
      if (tries >= maximumTries) throw error
      hooks.onProgress(arrived, true)
      await pauseBefore(tries, signal)
    }
  }
}
