import { type SqlBool, sql } from 'kysely'
import type { SpaceContext } from '#server/access/context.ts'
import type { ElsewhereFile } from '#server/db/tables.ts'
import type { AssetRecord } from './assets.repository.ts'

/** The properties of an asset that are written to an archive. */
export type CarriedAsset = Pick<
  AssetRecord,
  | 'id'
  | 'fileName'
  | 'mediaType'
  | 'size'
  | 'hash'
  | 'storage'
  | 'storageKey'
  | 'title'
  | 'description'
  | 'altText'
  | 'focalPoint'
  | 'private'
> & {
  /** Tag names in alphabetical order. */
  tags: string[]
  /**
   * Data that delivery returns for a file that is not in the library, with its imported metadata. null: the file is in
   * the library.
   */
  elsewhere: (ElsewhereFile & { metadata: Record<string, unknown> }) | null
}

/** Returns which of `ids` belong to assets outside the trash. */
export async function findAssetIds({ db, scope }: SpaceContext, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('asset')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('deleted_at', 'is', null)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns the assets with these `_id`s, except assets in the trash, ordered by `_id`. */
export async function listCarriedAssets({ db, scope }: SpaceContext, ids: string[]): Promise<CarriedAsset[]> {
  const { rows } = await sql<CarriedAsset>`
    SELECT id, file_name AS "fileName", media_type AS "mediaType", size, hash, storage, storage_key AS "storageKey",
      title, description, alt_text AS "altText", is_private AS private,
      CASE WHEN focal_x IS NOT NULL THEN jsonb_build_object('x', focal_x, 'y', focal_y) END AS "focalPoint",
      coalesce((SELECT array_agg(tag.name ORDER BY tag.name_key) FROM asset_tag JOIN tag
        ON tag.space_id = asset_tag.space_id AND tag.id = asset_tag.tag_id
        WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id), '{}') AS tags,
      CASE WHEN elsewhere IS NOT NULL THEN elsewhere || jsonb_build_object('metadata', metadata) END AS elsewhere
    FROM asset WHERE space_id = ${scope.spaceId} AND id = ANY(${ids}::text[]) AND deleted_at IS NULL
    ORDER BY id`.execute(db)
  return rows
}
