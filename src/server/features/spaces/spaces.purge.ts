import { type Db, inTransaction } from '#server/db/scope.ts'
import { purgeModelDocuments } from '#server/features/documents/documents.service.ts'
import {
  deleteEmptyApps,
  deleteEmptyModel,
  deleteEmptySpaces,
  deleteFilesOfSpaces,
  listDeletedModels,
} from './purge.repository.ts'

/**
 * Removes the rows of spaces, apps and models that were deleted long enough ago: documents in small batches first, then
 * what is empty. What is still in use (events that a reader of the outbox has not seen, locked rows) is removed by a
 * later run.
 */
export async function purgeDeleted(db: Db, progress: (purged: number) => Promise<void>): Promise<void> {
  let before = 0
  for (const id of await listDeletedModels(db)) {
    before += await purgeModelDocuments(db, id, (purged) => progress(before + purged))
    await inTransaction(db, (tx) => deleteEmptyModel(tx, id))
  }
  for (const step of [deleteEmptyApps, deleteFilesOfSpaces, deleteEmptySpaces]) await inTransaction(db, step)
}
