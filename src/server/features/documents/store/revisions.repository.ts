import { type SqlBool, sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'
import type { RevisionTable } from '#server/db/tables.ts'
import type { StoredValues } from '#shared/fields/document.ts'

/** The author of an imported revision. */
export interface RevisionAuthor {
  name: string
  email: string
}

export type RevisionRecord = Pick<RevisionTable, 'kind' | 'source'> & {
  version: number
  createdAt: Date
  createdBy: string | null
  /** The imported author, if that person has no account here. */
  author: RevisionAuthor | null
}

function revisionsOf(db: Db, scope: ModelScope, documentId: string) {
  return db
    .selectFrom('revision')
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('document_id', '=', documentId)
}

/** Returns revisions, newest first, without values; only those older than the version `before` if it is set. */
export async function listRevisions(
  db: Db,
  scope: ModelScope,
  documentId: string,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<RevisionRecord[]> {
  let query = revisionsOf(db, scope, documentId)
    .select(['version', 'kind', 'source', 'created_at', 'created_by', 'author'])
    .orderBy('version', 'desc')
    .limit(limit)
  if (before !== undefined) query = query.where('version', '<', before)
  const rows = await query.execute()
  return rows.map(({ created_at, created_by, ...row }) => ({
    ...row,
    createdAt: created_at,
    createdBy: created_by,
  }))
}

/** Returns a revision. Its values are as written, possibly for an older version of the model. */
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

/** Maximum number of revisions that are compared to find the author of a change. Older ones are not compared. */
const maxComparedRevisions = 50

/** A change of certain fields by one account, or by an author without an account (null). */
export interface FieldChange {
  createdBy: string | null
  createdAt: Date
}

/** Returns the last change of each author to one of these fields after version `since`, oldest first. */
export async function listFieldChanges(
  db: Db,
  scope: ModelScope,
  documentId: string,
  { since, fieldIds }: { since: number; fieldIds: string[] },
): Promise<FieldChange[]> {
  // The digest covers all fields, so that the values of a revision, which may be large, are decompressed only once.
  const digest = sql<string>`md5((SELECT jsonb_object_agg(key, value)
    FROM jsonb_each("values") WHERE key = ANY(${fieldIds}::text[]))::text)`
  const compared = revisionsOf(db, scope, documentId)
    .where('version', '>=', since)
    .select(['version', 'created_by', 'created_at', digest.as('digest')])
    .orderBy('version', 'desc')
    .limit(maxComparedRevisions)
  const rows = await db
    .with('compared', () => compared)
    .with('followed', (query) =>
      query
        .selectFrom('compared')
        .select(['version', 'created_by', 'created_at', 'digest'])
        .select(sql<string | null>`lag(digest) OVER (ORDER BY version)`.as('former'))
        .select(sql<number>`lag(version) OVER (ORDER BY version)`.as('former_version')),
    )
    .selectFrom('followed')
    .select(({ fn }) => ['created_by', fn.max('created_at').as('created_at')])
    .where('former_version', 'is not', null)
    .whereRef('digest', 'is distinct from', 'former')
    .groupBy('created_by')
    .orderBy(({ fn }) => fn.max('version'))
    .execute()
  return rows.map(({ created_by, created_at }) => ({ createdBy: created_by, createdAt: created_at }))
}

export interface CarriedRevision extends RevisionRecord {
  documentId: string
  blind: boolean
  values: StoredValues
}

/** Returns up to `limit` revisions of a model after the revision `after`, in the order of documents and versions. */
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

/** Returns names and email addresses of accounts for export. */
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
