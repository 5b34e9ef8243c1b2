import { z } from 'zod'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import { hasFilesToMove, isStorageInUse, startMoving } from '#server/features/assets/moving.service.ts'
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
  handler: async ({ eachSpace, services: { storages, log }, actor, progress }) => {
    let done = 0
    await eachSpace(async (db, scope) => {
      if (await hasFilesToMove(db, scope, storages.defaultName))
        await inTransaction(db, (tx) => startMoving({ db: tx, scope, actor }))
      for (const { id, leftAt } of await listLeft(db, scope, keptDays)) {
        await progress(done++)
        if (await isStorageInUse(db, scope, id)) continue
        try {
          await empty(storages, scope, id)
        } catch (error) {
          log.warn({ err: error, storage: id }, 'Deleting files of a former bucket failed')
          if (Date.now() - leftAt.getTime() < givenUpDays * 86_400_000) continue
        }
        await forget(db, storages, scope, id)
      }
    })
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
