import { sql } from 'kysely'
import { appScope, type Db, type ModelScope, modelScope, spaceScope } from '#server/db/scope.ts'
import type { StoredValues } from '#shared/fields/document.ts'

export async function readDocuments(db: Db, scope: ModelScope, ids: string[]): Promise<StoredDocument[]> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'version', 'shape', 'draft', 'pub', 'deleted_at'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map(({ deleted_at, ...document }) => ({ ...document, trashed: deleted_at !== null }))
}

/** Returns the scopes of all models. Deleted models, and models of deleted apps and spaces, are omitted. */
export async function listModelScopes(db: Db): Promise<ModelScope[]> {
  const rows = await db
    .selectFrom('model')
    .innerJoin('app', 'app.id', 'model.app_id')
    .innerJoin('space', 'space.id', 'model.space_id')
    .select(['model.space_id', 'model.app_id', 'model.id'])
    .where('model.deleted_at', 'is', null)
    .where('app.deleted_at', 'is', null)
    .where('space.deleted_at', 'is', null)
    .orderBy('model.id')
    .execute()
  return rows.map(({ space_id, app_id, id }) => modelScope(appScope(spaceScope(space_id), app_id), id))
}

/** Locks the documents until the transaction ends. Returns their versions and shapes. */
export async function lockDocuments(db: Db, scope: ModelScope, ids: string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'version', 'shape'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return new Map(rows.map(({ id, version, shape }) => [id, `${version} ${shape}`]))
}

/** Writes both states of the documents, and their shape unless it is null. */
export async function updateValues(
  db: Db,
  scope: ModelScope,
  changed: readonly Pick<StoredDocument, 'id' | 'draft' | 'pub'>[],
  shape: number | null,
): Promise<void> {
  const json = (values: StoredValues | null) => values && JSON.stringify(values)
  await sql`
    UPDATE document SET draft = changed.draft, pub = changed.pub, shape = coalesce(${shape}::int, shape)
    FROM unnest(${changed.map((document) => document.id)}::text[],
      ${changed.map((document) => json(document.draft))}::jsonb[],
      ${changed.map((document) => json(document.pub))}::jsonb[]) AS changed (id, draft, pub)
    WHERE document.space_id = ${scope.spaceId} AND document.model_id = ${scope.modelId}
      AND document.id = changed.id`.execute(db)
}

/** Marks documents as stored in this shape. */
export async function updateShape(db: Db, scope: ModelScope, ids: string[], shape: number): Promise<void> {
  await sql`
    UPDATE document SET shape = ${shape}
    WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId}
      AND id = ANY(${ids}::text[])`.execute(db)
}

/*
 * Reads and writes stored values for their conversion after a change of the model's fields (models.conversion.ts). A
 * small number of documents is converted in one transaction, others in batches while users read and save
 * (docs/decisions/0026). Revisions stay as written.
 */

export interface StoredDocument {
  id: string
  version: number
  shape: number
  draft: StoredValues | null
  pub: StoredValues | null
  trashed: boolean
}
