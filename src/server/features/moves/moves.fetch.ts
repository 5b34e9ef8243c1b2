import { stat } from 'node:fs/promises'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { keepBytes } from '#server/features/assets/signed-uploads.service.ts'
import type { JobContext } from '#server/jobs/job.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { AppError } from '#shared/errors.ts'
import { archivePath, makeMovesFolder } from './moves.files.ts'
import { type MoveRow, updateMove } from './moves.repository.ts'

/** Bytes of an archive that is fetched, and of one that does not say how many it has. */
const largest = { told: 20 * 1024 ** 3, untold: 1024 ** 3 }

/** Fetches the archive of a move that says where it lies, unless it is here. False: it is not to be had. */
export async function fetchArchive(
  { services, signal }: Pick<JobContext, 'services' | 'signal'>,
  { db, scope }: { db: Db; scope: SpaceScope },
  { id, importUrl }: Pick<MoveRow, 'id' | 'importUrl'>,
): Promise<boolean> {
  const { config, outgoing } = services
  const path = archivePath(config.dataDir, scope.spaceId, id)
  if (importUrl === null || (await stat(path).catch(() => undefined))) return true
  await makeMovesFolder(config.dataDir)
  try {
    const { status, headers, body, discard } = await outgoing.request(new URL(importUrl), {
      maxBytes: largest.told,
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
    const maximum = said > 0 ? Math.min(said, largest.told) : largest.untold
    const fileSize = await keepBytes({ services, signal }, body, maximum, path)
    await updateMove(db, scope, id, { fileSize })
    return true
  } catch (error) {
    if (error instanceof OutgoingHttpError) return false
    if (error instanceof AppError && error.code === 'RequestFileTooLarge') return false
    throw error
  }
}
