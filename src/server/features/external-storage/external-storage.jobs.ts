import { z } from 'zod'
import { type Db, inTransaction, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import { isStorageInUse, listSpacesToMove, startMoving } from '#server/features/assets/moving.service.ts'
import { defineJob } from '#server/jobs/job.ts'
import type { Storages } from '#server/storage/index.ts'
import { deleteLeft, listLeft } from './external-storage.repository.ts'

/**
 * Number of days after which an abandoned bucket that contains no recorded files is emptied, and deleted from the
 * database.
 */
const keptDays = 1
/**
 * Number of days after which an abandoned bucket is deleted from the database even if it could not be emptied, because
 * it may no longer exist.
 */
const givenUpDays = 30

/**
 * Starts moving files that were uploaded to a storage while it was being abandoned, or that are in the operator's
 * former storage. Then empties abandoned external storages that contain no recorded files, and deletes them from the
 * database.
 */
export const cleanUpExternalStoragesJob = defineJob({
  name: 'externalStorage.cleanUp',
  isLong: true,
  payload: z.object({}),
  handler: async ({ db, services: { storages, log }, actor, progress }) => {
    for (const spaceId of await listSpacesToMove(db, storages.defaultName)) {
      await progress(0)
      const scope = spaceScope(spaceId)
      await inTransaction(db, (tx) => startMoving({ db: tx, scope, actor }))
    }
    let done = 0
    for (const { spaceId, id, leftAt } of await listLeft(db, keptDays)) {
      await progress(done++)
      const scope = spaceScope(spaceId)
      if (await isStorageInUse(db, scope, id)) continue
      try {
        await empty(storages, scope, id)
      } catch (error) {
        log.warn({ err: error, storage: id }, 'Deleting files of a former bucket failed')
        if (Date.now() - leftAt.getTime() < givenUpDays * 86_400_000) continue
      }
      await forget(db, storages, scope, id)
    }
  },
})

/** Deletes everything below the storage's own prefix: unfinished uploads, and objects without a row. */
async function empty(storages: Storages, { spaceId }: SpaceScope, id: string): Promise<void> {
  const driver = await storages.of({ space_id: spaceId, storage: id })
  for await (const { key } of driver.list('')) await driver.delete(key)
}

async function forget(db: Db, storages: Storages, scope: SpaceScope, id: string): Promise<void> {
  await deleteLeft(db, scope, id)
  storages.external.forget(id)
}
