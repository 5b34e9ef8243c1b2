import type { JobActor } from '#server/access/actor.ts'
import { writeAuditOfSpaces } from '#server/access/audit.ts'
import { type Db, inTransaction, spaceScope, type Tx } from '#server/db/scope.ts'
import { recordEvent } from '#server/jobs/events.ts'
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
  return purge(db, actor, progress, async (tx) => {
    const rows = await lockTrashed(tx, batchSize)
    const things = rows.map(({ space_id, id }) => ({ spaceId: space_id, id }))
    await writeAuditOfSpaces(tx, { act: 'document.purge', actor }, things)
    return rows
  })
}

/** Deletes all documents of a deleted model. */
export function purgeModelDocuments(
  db: Db,
  modelId: number,
  actor: JobActor,
  progress: Progress,
): Promise<number> {
  return purge(db, actor, progress, (tx) => lockOfModel(tx, modelId, batchSize))
}

async function purge(
  db: Db,
  actor: JobActor,
  progress: Progress,
  lock: (tx: Tx) => Promise<Key[]>,
): Promise<number> {
  for (let purged = 0; ; ) {
    const count = await inTransaction(db, async (tx) => {
      const keys = await lock(tx)
      if (keys.length > 0) await deleteDocuments(tx, keys)
      await recordPurged(tx, actor, keys)
      return keys.length
    })
    purged += count
    await progress(purged)
    if (count < batchSize) return purged
  }
}

/** Records one event for the documents of each model. */
async function recordPurged(tx: Tx, actor: JobActor, keys: Key[]): Promise<void> {
  const models = new Map(keys.map(({ model_id, space_id }) => [model_id, space_id]))
  for (const [modelId, spaceId] of models) {
    const ids = keys.filter(({ model_id }) => model_id === modelId).map(({ id }) => id)
    await recordEvent(tx, spaceScope(spaceId), 'documents.purged', { ids }, { modelId, actor })
  }
}
