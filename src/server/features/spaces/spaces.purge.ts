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
 * Deletes the rows of spaces, apps and models that were deleted more than 30 days ago. Documents are deleted first in
 * small batches, then empty models, apps and spaces. Rows that are still in use are deleted by a later run, for example
 * locked rows and spaces with outbox events.
 */
export async function purgeDeleted(db: Db, progress: (purged: number) => Promise<void>): Promise<void> {
  let before = 0
  for (const id of await listDeletedModels(db)) {
    before += await purgeModelDocuments(db, id, (purged) => progress(before + purged))
    await inTransaction(db, (tx) => deleteEmptyModel(tx, id))
  }
  for (const step of [deleteEmptyApps, deleteFilesOfSpaces, deleteEmptySpaces]) await inTransaction(db, step)
}
