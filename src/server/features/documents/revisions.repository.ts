import { type SqlBool, sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'
import type { RevisionTable } from '#server/db/tables.ts'
import type { StoredValues } from '#shared/fields/document.ts'

/** Who wrote something elsewhere. */
export interface RevisionAuthor {
  name: string
  email: string
}

export type RevisionRecord = Pick<RevisionTable, 'kind' | 'source'> & {
  version: number
  createdAt: Date
  createdBy: string | null
  /** Who wrote it elsewhere, where nobody here is that person. */
  author: RevisionAuthor | null
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
    .select(['version', 'kind', 'source', 'created_at', 'created_by', 'author'])
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
    .select(['version', 'kind', 'source', 'created_at', 'created_by', 'author', 'values'])
    .where('version', '=', version)
    .executeTakeFirst()
  if (!row) return undefined
  const { created_at, created_by, ...rest } = row
  return { ...rest, createdAt: created_at, createdBy: created_by }
}

/** A revision as it is carried elsewhere. */
export interface CarriedRevision extends RevisionRecord {
  documentId: string
  blind: boolean
  values: StoredValues
}

/** Revisions of a model in the order of their documents, the oldest of each first, those behind one of them. */
export async function listRevisionsBehind(
  db: Db,
  { spaceId, modelId }: ModelScope,
  after: { documentId: string; version: number },
  limit: number,
): Promise<CarriedRevision[]> {
  const rows = await db
    .selectFrom('revision')
    .select([
      'document_id',
      'version',
      'kind',
      'source',
      'blind',
      'created_at',
      'created_by',
      'author',
      'values',
    ])
    .where('space_id', '=', spaceId)
    .where('model_id', '=', modelId)
    .where(sql<SqlBool>`(document_id, version) > (${after.documentId}, ${after.version}::int)`)
    .orderBy('document_id')
    .orderBy('version')
    .limit(limit)
    .execute()
  return rows.map(({ document_id, created_at, created_by, ...row }) => ({
    ...row,
    documentId: document_id,
    createdAt: created_at,
    createdBy: created_by,
  }))
}

/** What accounts are known by elsewhere. */
export async function findAuthors(
  db: Db,
  ids: Iterable<string | null>,
): Promise<Map<string, RevisionAuthor>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db
    .selectFrom('account')
    .select(['id', 'name', 'email'])
    .where('id', 'in', wanted)
    .execute()
  return new Map(rows.map(({ id, name, email }) => [id, { name, email }]))
}
