import { stat } from 'node:fs/promises'
import { keepBytes } from '#server/features/assets/signed-uploads.service.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { AppError } from '#shared/errors.ts'
import { makeMovesFolder } from '../archive/archive-files.ts'
import type { MoveWork } from '../import/import-context.ts'
import { updateMove } from '../store/moves.repository.ts'

/** Maximum bytes of a fetched archive with a Content-Length header (`known`) and without one (`unknown`). */
const largest = { known: 20 * 1024 ** 3, unknown: 1024 ** 3 }

/**
 * Fetches the archive of a move that was requested by URL, unless it is already on disk. Returns false if it cannot be
 * fetched.
 */
export async function fetchArchive({ db, scope, services, signal, move, path }: MoveWork): Promise<boolean> {
  const { config, outgoing } = services
  const { id, importUrl } = move
  if (importUrl === null || (await stat(path).catch(() => undefined))) return true
  await makeMovesFolder(config.dataDir)
  try {
    const { status, headers, body, discard } = await outgoing
      .clientFor('imports', importUrl)
      .request(importUrl, {
        maxBytes: largest.known,
        timeoutMs: 0,
        idleMs: 30_000,
        maxRedirects: 5,
        signal,
      })
    if (status !== 200) {
      discard()
      return false
    }
    const said = Number(headers['content-length'])
    const maximum = said > 0 ? Math.min(said, largest.known) : largest.unknown
    const fileSize = await keepBytes({ services, spaceId: scope.spaceId, signal }, body, maximum, path)
    await updateMove(db, scope, id, { fileSize })
    return true
  } catch (error) {
    if (error instanceof OutgoingHttpError) return false
    if (error instanceof AppError && error.code === 'RequestFileTooLarge') return false
    throw error
  }
}
