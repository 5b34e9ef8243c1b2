import type { AppContext } from '#server/access/context.ts'
import type { ModelRecord } from '#server/features/models/models.service.ts'
import type { Person } from '#shared/contract/documents.ts'
import { findNames } from './documents.repository.ts'
import { personOf } from './present.ts'
import { type FieldChange, listFieldChanges } from './revisions.repository.ts'

/** Selects the changes of a document after version `since` in the fields of these paths. */
interface Changes {
  documentId: string
  since: number
  paths: readonly string[]
}

/** Returns the last change of each author, oldest first. */
export function listChanges(
  { db }: AppContext,
  model: Pick<ModelRecord, 'scope' | 'fields'>,
  { documentId, since, paths }: Changes,
): Promise<FieldChange[]> {
  const uids = new Set(paths.map((path) => path.split('.')[0]))
  const fieldIds = model.fields.filter(({ uid }) => uids.has(uid)).map(({ _id }) => _id)
  return listFieldChanges(db, model.scope, documentId, { since, fieldIds })
}

/** Returns the authors of these changes, the most recent last; null for an author without an account. */
export async function findChangeAuthors(
  ctx: AppContext,
  model: Pick<ModelRecord, 'scope' | 'fields'>,
  changes: Changes,
): Promise<(Person | null)[]> {
  const ids = (await listChanges(ctx, model, changes)).map(({ createdBy }) => createdBy)
  const names = await findNames(ctx.db, ids)
  return ids.map((id) => personOf(names, id))
}
