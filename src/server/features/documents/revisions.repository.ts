import type { Db, ModelScope } from '#server/db/scope.ts'
import type { RevisionTable } from '#server/db/tables.ts'
import type { StoredValues } from '#shared/fields/document.ts'

export type RevisionRecord = Pick<RevisionTable, 'kind' | 'source'> & {
  version: number
  createdAt: Date
  createdBy: string | null
}

function revisionsOf(db: Db, scope: ModelScope, documentId: string) {
  return db
    .selectFrom('revision')
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('document_id', '=', documentId)
}

/** The newest ones first, without values. */
export async function listRevisions(
  db: Db,
  scope: ModelScope,
  documentId: string,
  limit: number,
): Promise<RevisionRecord[]> {
  const rows = await revisionsOf(db, scope, documentId)
    .select(['version', 'kind', 'source', 'created_at', 'created_by'])
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ created_at, created_by, ...row }) => ({
    ...row,
    createdAt: created_at,
    createdBy: created_by,
  }))
}

/** The values are as they were written, by an older version of the model perhaps. */
export async function findRevision(
  db: Db,
  scope: ModelScope,
  documentId: string,
  version: number,
): Promise<(RevisionRecord & { values: StoredValues }) | undefined> {
  const row = await revisionsOf(db, scope, documentId)
    .select(['version', 'kind', 'source', 'created_at', 'created_by', 'values'])
    .where('version', '=', version)
    .executeTakeFirst()
  if (!row) return undefined
  const { created_at, created_by, ...rest } = row
  return { ...rest, createdAt: created_at, createdBy: created_by }
}
