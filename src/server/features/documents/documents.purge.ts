import type { JobActor } from '#server/access/actor.ts'
import { writeAuditOfSpaces } from '#server/access/audit.ts'
import { type Db, inTransaction, type Tx } from '#server/db/scope.ts'
import { deleteDocuments, type Key, lockOfModel, lockTrashed } from './purge.repository.ts'

/** Number of documents per transaction. It is small, so that other writers of these documents wait only briefly. */
const batchSize = 200

/** Reports the number of deleted documents after each batch. Throws to stop the deletion. */
type Progress = (purged: number) => Promise<void>

/**
 * Permanently deletes documents whose time in the trash has ended, up to `batchSize` per transaction. Skips locked
 * documents, because a user may be restoring them. The audit log of each space lists the deleted documents.
 */
export function purgeTrash(db: Db, actor: JobActor, progress: Progress): Promise<number> {
  return purge(db, progress, async (tx) => {
    const rows = await lockTrashed(tx, batchSize)
    const things = rows.map(({ space_id, id }) => ({ spaceId: space_id, id }))
    await writeAuditOfSpaces(tx, { act: 'document.purge', actor }, things)
    return rows
  })
}

/** Deletes all documents of a deleted model. */
export function purgeModelDocuments(db: Db, modelId: number, progress: Progress): Promise<number> {
  return purge(db, progress, (tx) => lockOfModel(tx, modelId, batchSize))
}

async function purge(db: Db, progress: Progress, lock: (tx: Tx) => Promise<Key[]>): Promise<number> {
  for (let purged = 0; ; ) {
    const count = await inTransaction(db, async (tx) => {
      const keys = await lock(tx)
      if (keys.length > 0) await deleteDocuments(tx, keys)
      return keys.length
    })
    purged += count
    await progress(purged)
    if (count < batchSize) return purged
  }
}
