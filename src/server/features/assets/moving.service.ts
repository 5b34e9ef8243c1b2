import type { Logger } from 'pino'
import { z } from 'zod'
import { accountOf } from '#server/access/actor.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { requireRightIn } from '#server/access/membership.ts'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defineJob } from '#server/jobs/job.ts'
import { type StorageDriver, StorageMismatch, StorageNotFound } from '#server/storage/driver.ts'
import type { Storages } from '#server/storage/index.ts'
import { AppError } from '#shared/errors.ts'
import { claimBlob } from './blobs.repository.ts'
import { type Content, countContents, findLastJob, listElsewhere, repoint } from './moving.repository.ts'

export { countContents, hasFilesToMove, isStorageInUse } from './moving.repository.ts'

/*
 * Moves a space's files to the storage for new files. Each content is copied and verified, then its assets are
 * repointed in one transaction. The old content is kept for at least a day. A run may stop at any point, and the next
 * run continues. Assets whose file was replaced in the meantime are not repointed.
 */

/** Maximum number of contents that are moved concurrently. */
const atOnce = 4

/** Moves one content. Returns false if its bytes are missing or do not match its hash. */
async function moveContent(
  db: Db,
  scope: SpaceScope,
  storages: Storages,
  content: Content,
  target: { name: string; driver: StorageDriver },
  signal: AbortSignal,
): Promise<boolean> {
  const { spaceId } = scope
  const { storage, key, hash } = content
  const source = await storages.of({ space_id: spaceId, storage })
  const found = await source.stat(key)
  if (!found) return false
  const newKey = await inTransaction(db, (tx) => claimBlob(tx, scope, target.name, hash))
  if ((await target.driver.stat(newKey))?.size !== found.size) {
    const read = async function* () {
      yield* await source.read(key, undefined, signal)
    }
    const type = content.mediaType ?? 'application/octet-stream'
    const options = { type, size: found.size, sha256: hash.toString('hex'), signal }
    try {
      await target.driver.write(newKey, read, options)
    } catch (error) {
      if (error instanceof StorageMismatch || error instanceof StorageNotFound) return false
      throw error
    }
  }
  await inTransaction(db, (tx) => repoint(tx, scope, content, { storage: target.name, key: newKey }))
  return true
}

/**
 * Moves all files of the space to the storage for new files. Throws `FilesCouldNotBeMoved` if the bytes of some files
 * are missing or damaged.
 */
async function moveFiles(
  db: Db,
  scope: SpaceScope,
  storages: Storages,
  {
    progress,
    signal,
    log,
  }: {
    progress(done: number, total: number): Promise<void>
    signal: AbortSignal
    log: Logger
  },
): Promise<void> {
  const lost = new Set<string>()
  let done = 0
  // The next pass finds files that were uploaded to the old storage during this one.
  for (let before = -1; before < done; ) {
    before = done
    let after = { storage: '', key: '' }
    const { elsewhere } = await countContents(db, scope, (await storages.forSpace(scope.spaceId)).name)
    const total = done + elsewhere
    for (;;) {
      await progress(done, total)
      // The storage is read again for each batch, because it may have changed.
      const target = await storages.forSpace(scope.spaceId)
      const batch = await listElsewhere(db, scope, target.name, after)
      for (let at = 0; at < batch.length; at += atOnce) {
        const results = await Promise.allSettled(
          batch.slice(at, at + atOnce).map(async (content) => {
            if (await moveContent(db, scope, storages, content, target, signal)) done++
            else {
              lost.add(`${content.storage} ${content.key}`)
              log.error(
                { storage: content.storage, key: content.key },
                'The bytes of a file are gone or damaged',
              )
            }
          }),
        )
        for (const result of results) if (result.status === 'rejected') throw result.reason
        await progress(done, Math.max(done, total))
      }
      const last = batch.at(-1)
      if (!last) break
      after = last
    }
  }
  if (lost.size > 0) throw new AppError('FilesCouldNotBeMoved', { details: { count: lost.size } })
}

export const moveFilesJob = defineJob({
  name: 'assets.moveFiles',
  isLong: true,
  payload: z.object({ spaceId: z.int() }),
  concurrencyKey: ({ spaceId }) => `files of space ${spaceId}`,
  requireMayRunAgain: async (ctx) => {
    await requireRightIn(ctx, null, 'storage.manage')
  },
  handler: async ({ db, scope, services: { storages, log }, progress, signal }) => {
    if (scope) await moveFiles(db, scope, storages, { progress, signal, log })
  },
})

/**
 * Enqueues a job that moves the space's files to the storage for new files. At most one such job waits per space.
 * Returns the id of the job.
 */
export async function startMoving(ctx: Pick<SpaceContext, 'db' | 'scope' | 'actor'>): Promise<string> {
  const { db, scope, actor } = ctx
  const payload = { spaceId: scope.spaceId }
  return enqueue(db, moveFilesJob, payload, { scope, key: 'all', requestedBy: accountOf(actor) })
}

/** Returns the id of the latest job that moves files of the space, in any state. null: no such job. */
export function findMove(db: Db, scope: SpaceScope): Promise<string | null> {
  return findLastJob(db, scope, moveFilesJob.name)
}
