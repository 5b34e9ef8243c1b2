import { type SqlBool, sql } from 'kysely'
import type { Db, ModelScope, SpaceScope } from '#server/db/scope.ts'
import type { StoredValues } from '#shared/fields/document.ts'

/* Referenced documents, referring documents, and unique values. */

/** Returns the ids that exist in a model outside the trash. Locks these documents until the transaction ends. */
export async function lockReferred(
  db: Db,
  scope: SpaceScope,
  modelId: number,
  ids: string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('document')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', modelId)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map((row) => row.id))
}

/**
 * Returns the unique values that other documents than `documentId` have: true if a published document has the value,
 * false if only drafts do. Keys: `<fieldId> <hash in hex>`.
 */
export async function findTaken(
  db: Db,
  scope: ModelScope,
  documentId: string | null,
  wanted: { fieldId: string; hash: Buffer }[],
): Promise<Map<string, boolean>> {
  if (wanted.length === 0) return new Map()
  // Published documents and drafts are selected separately, because each has its own index.
  const held = (
    published: boolean,
  ) => sql`SELECT document_id, ${published}::boolean AS published FROM document_unique
    WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId} AND field_id = wanted.field_id
      AND value_hash = wanted.value_hash AND stage ${published ? sql`IN (1, 2)` : sql`= 0`}`
  const { rows } = await sql<{ field_id: string; value_hash: Buffer; published: boolean }>`
    SELECT wanted.field_id, wanted.value_hash, bool_or(held.published) AS published
    FROM unnest(${wanted.map((item) => item.fieldId)}::text[], ${wanted.map((item) => item.hash)}::bytea[])
      AS wanted (field_id, value_hash)
    CROSS JOIN LATERAL (${held(true)} UNION ALL ${held(false)}) AS held
    WHERE held.document_id IS DISTINCT FROM ${documentId}
    GROUP BY wanted.field_id, wanted.value_hash`.execute(db)
  return new Map(rows.map((row) => [`${row.field_id} ${row.value_hash.toString('hex')}`, row.published]))
}

export interface Referrer {
  id: string
  modelUid: string
  shape: number
  /** The value of the title field only, in the shape `shape`, because documents may be large. */
  title: StoredValues
  published: boolean
}

/**
 * Returns the documents that refer to this one in any stage. They are outside the trash, in models of the app that are
 * not deleted.
 */
export async function listReferrers(
  db: Db,
  scope: ModelScope,
  documentId: string,
  /** Ids of the models that the caller may read. */
  readable: number[],
  limit: number,
): Promise<{ referrers: Referrer[]; total: number }> {
  const { rows } = await sql<{
    id: string
    uid: string
    shape: number
    title: StoredValues
    published: boolean
    total: number
  }>`
    SELECT document.id, model.uid, document.shape,
      CASE WHEN model.title_field IS NULL THEN '{}' ELSE jsonb_strip_nulls(jsonb_build_object(
        model.title_field, coalesce(document.draft, document.pub)->model.title_field)) END AS title,
      document.published_at IS NOT NULL AS published, count(*) OVER () AS total
    FROM (SELECT DISTINCT from_model_id, from_id FROM document_reference
      WHERE space_id = ${scope.spaceId} AND to_model_id = ${scope.modelId} AND to_id = ${documentId}) AS reference
    JOIN document ON document.space_id = ${scope.spaceId} AND document.model_id = reference.from_model_id
      AND document.id = reference.from_id AND document.deleted_at IS NULL
    JOIN model ON model.space_id = ${scope.spaceId} AND model.app_id = ${scope.appId}
      AND model.id = document.model_id AND model.deleted_at IS NULL AND model.id = ANY(${readable}::int[])
    ORDER BY document.updated_at DESC, document.id LIMIT ${limit}`.execute(db)
  return {
    referrers: rows.map(({ uid, total: _, ...row }) => ({ ...row, modelUid: uid })),
    total: rows[0]?.total ?? 0,
  }
}

/** The data of an asset needed to check references to it. */
export interface ReferredAsset {
  /** File name. */
  name: string
  /** Media type. */
  type: string
}

/** Returns the assets of the space outside the trash that have one of these ids. */
export async function findLiveAssets(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
): Promise<Map<string, ReferredAsset>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<ReferredAsset & { id: string }>`
    SELECT id, file_name AS name, coalesce(elsewhere ->> 'fileType', media_type) AS type FROM asset
    WHERE space_id = ${spaceId} AND id = ANY(${ids}::text[]) AND deleted_at IS NULL`.execute(db)
  return new Map(rows.map(({ id, ...asset }) => [id, asset]))
}

/**
 * Returns the names of these assets of the space, including assets in the trash, and whether they are outside the
 * trash.
 */
export async function findAssetNames(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
): Promise<Map<string, { name: string; isLive: boolean }>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string; isLive: boolean }>`
    SELECT id, file_name AS name, deleted_at IS NULL AS "isLive" FROM asset
    WHERE space_id = ${spaceId} AND id = ANY(${ids}::text[])`.execute(db)
  return new Map(rows.map(({ id, ...asset }) => [id, asset]))
}

/**
 * Returns the ids, sorted, of the documents among `ids` that use a missing asset in any of their states: an asset in
 * the trash or deleted.
 */
export async function findUsersOfMissing(
  db: Db,
  scope: ModelScope,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT use.document_id AS id FROM asset_reference AS use
    WHERE use.space_id = ${scope.spaceId} AND use.model_id = ${scope.modelId}
      AND use.document_id = ANY(${ids}::text[])
      AND NOT EXISTS (SELECT FROM asset WHERE asset.space_id = use.space_id AND asset.id = use.asset_id
        AND asset.deleted_at IS NULL)
    ORDER BY 1`.execute(db)
  return rows.map(({ id }) => id)
}
