import { sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'
import type { StoredValues } from '#shared/fields/document.ts'

/** A document with the values of some fields only, because complete documents may be large. */
export interface DocumentValues {
  id: string
  version: number
  /** The model's version in which the values are stored. */
  shape: number
  draft: StoredValues | null
  pub: StoredValues | null
  trashed: boolean
}

/** Number of documents in a page. */
const pageSize = 1_000

/** Returns the values of these fields in the given documents of the model, including the trash. */
export function readValues(
  db: Db,
  scope: ModelScope,
  fieldIds: string[],
  ids: string[],
): Promise<DocumentValues[]> {
  return select(db, scope, fieldIds).where(sql<boolean>`id = ANY(${ids}::text[])`).execute().then(toValues)
}

/**
 * Returns the values of these fields for the next {@link pageSize} documents with ids greater than `after`, by
 * ascending id. {@link isLastPage} tests whether more pages follow.
 */
export function readPage(
  db: Db,
  scope: ModelScope,
  fieldIds: string[],
  after: string,
): Promise<DocumentValues[]> {
  return select(db, scope, fieldIds)
    .where('id', '>', after)
    .orderBy('id')
    .limit(pageSize)
    .execute()
    .then(toValues)
}

/**
 * Finds the documents that the documents `ids` reference, in the models `modelUids` of the app, including the trash.
 * Returns the model uid of each found document by its `_id`.
 */
export async function readReferred(
  db: Db,
  scope: ModelScope,
  modelUids: string[],
  ids: string[],
): Promise<Map<string, string>> {
  if (modelUids.length === 0 || ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; uid: string }>`
    SELECT DISTINCT document.id, model.uid
    FROM model
    JOIN document_reference AS reference ON reference.space_id = ${scope.spaceId}
      AND reference.from_model_id = ${scope.modelId} AND reference.from_id = ANY(${ids}::text[])
      AND reference.to_model_id = model.id
    JOIN document ON document.space_id = ${scope.spaceId} AND document.model_id = model.id
      AND document.id = reference.to_id
    WHERE model.space_id = ${scope.spaceId} AND model.app_id = ${scope.appId} AND model.deleted_at IS NULL
      AND model.uid = ANY(${modelUids}::text[])`.execute(db)
  return new Map(rows.map(({ id, uid }) => [id, uid]))
}

export const isLastPage = (page: DocumentValues[]) => page.length < pageSize

function select(db: Db, scope: ModelScope, fieldIds: string[]) {
  const picked = (column: 'draft' | 'pub') => {
    const values = sql.ref(column)
    const pairs = fieldIds.map((id) => sql`${id}::text, ${values}->${id}::text`)
    return sql<StoredValues | null>`CASE WHEN ${values} IS NOT NULL THEN jsonb_build_object(${sql.join(pairs)}) END`
  }
  return db
    .selectFrom('document')
    .select(['id', 'version', 'shape', 'deleted_at'])
    .select([picked('draft').as('draft'), picked('pub').as('pub')])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>

function toValues(rows: Row[]): DocumentValues[] {
  return rows.map(({ id, version, shape, deleted_at, draft, pub }) => ({
    id,
    version,
    shape,
    draft: draft && present(draft),
    pub: pub && present(pub),
    trashed: deleted_at !== null,
  }))
}

/** Removes fields without a value; empty values are never stored. */
const present = (values: StoredValues): StoredValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
