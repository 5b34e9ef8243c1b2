import type { JobActor } from '#server/access/actor.ts'
import { writeAuditOfSpaces } from '#server/access/audit.ts'
import { type Db, inTransaction, spaceScope } from '#server/db/scope.ts'
import type { Storages } from '#server/storage/index.ts'
import { recordPurgedAssets } from './assets.service.ts'
import { deleteTrashed, forgetReplaced, listSpaceIds } from './purge.repository.ts'

const batchSize = 500

/**
 * Permanently deletes assets after 30 days in the trash, and the records of files that were replaced more than 30 days
 * ago. `sweepBlobs` removes the contents of the files. Skips locked assets. The audit log of each space lists the
 * deleted assets.
 */
export async function purgeAssets(
  db: Db,
  actor: JobActor,
  progress: (purged: number) => Promise<void>,
): Promise<number> {
  let purged = 0
  const inBatches = async (batch: () => Promise<number>) => {
    for (;;) {
      const count = await batch()
      purged += count
      await progress(purged)
      if (count < batchSize) return
    }
  }
  await inBatches(() =>
    inTransaction(db, async (tx) => {
      const rows = await deleteTrashed(tx, batchSize)
      await writeAuditOfSpaces(tx, { act: 'asset.purge', actor }, rows)
      for (const spaceId of new Set(rows.map((row) => row.spaceId)))
        await recordPurgedAssets(
          tx,
          spaceScope(spaceId),
          rows.filter((row) => row.spaceId === spaceId),
          actor,
        )
      return rows.length
    }),
  )
  await inBatches(() => inTransaction(db, (tx) => forgetReplaced(tx, batchSize)))
  return purged
}

/** Hours after which an unconfirmed upload is removed. */
const waitingHours = 24

/** Removes uploads that were not confirmed for `waitingHours` from the spaces' storages. */
export async function sweepUploads(
  db: Db,
  storages: Storages,
  onAway: (error: unknown) => void,
): Promise<void> {
  for (const id of await listSpaceIds(db)) {
    try {
      const { driver } = await storages.forSpace(id)
      for await (const { key, modifiedAt } of driver.list(`${id}/uploads/`))
        if (Date.now() - modifiedAt.getTime() > waitingHours * 3_600_000) await driver.delete(key)
    } catch (error) {
      onAway(error)
    }
  }
}
