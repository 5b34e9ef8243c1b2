import type { JobActor } from '#server/access/actor.ts'
import { type Db, inTransaction } from '#server/db/scope.ts'
import { purgeModelDocuments } from '#server/features/documents/documents.service.ts'
import {
  deleteEmptyApps,
  deleteEmptyModel,
  deleteEmptySpaces,
  deleteFilesOfSpaces,
  hasDeleted,
  listDeletedModels,
} from './purge.repository.ts'

/**
 * Deletes the rows of spaces, apps and models that were deleted more than 30 days ago. Documents are deleted first in
 * small batches, then empty models, apps and spaces. Rows that are still in use are deleted by a later run, for example
 * locked rows and spaces with outbox events. Returns the number of deleted documents.
 */
export async function purgeDeleted(
  db: Db,
  actor: JobActor,
  progress: (purged: number) => Promise<void>,
): Promise<number> {
  let before = 0
  if (!(await hasDeleted(db))) return before
  for (const id of await listDeletedModels(db)) {
    before += await purgeModelDocuments(db, id, actor, (purged) => progress(before + purged))
    await inTransaction(db, (tx) => deleteEmptyModel(tx, id))
  }
  for (const step of [deleteEmptyApps, deleteFilesOfSpaces, deleteEmptySpaces]) await inTransaction(db, step)
  return before
}
