import { type SqlBool, sql } from 'kysely'
import type { SpaceContext } from '#server/access/context.ts'
import type { Storages } from '#server/storage/index.ts'
import type { AssetRecord } from './assets.repository.ts'

/** A file of the library as it is carried elsewhere. */
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
  /** Names, in order. */
  tags: string[]
}

/** Which of these are `_id`s of assets outside the trash. */
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

/** The assets outside the trash among these, in the order of their `_id`s. */
export async function listCarriedAssets({ db, scope }: SpaceContext, ids: string[]): Promise<CarriedAsset[]> {
  const { rows } = await sql<CarriedAsset>`
    SELECT id, file_name AS "fileName", media_type AS "mediaType", size, hash, storage, storage_key AS "storageKey",
      title, description, alt_text AS "altText", is_private AS private,
      CASE WHEN focal_x IS NOT NULL THEN jsonb_build_object('x', focal_x, 'y', focal_y) END AS "focalPoint",
      coalesce((SELECT array_agg(tag.name ORDER BY tag.name_key) FROM asset_tag JOIN tag
        ON tag.space_id = asset_tag.space_id AND tag.id = asset_tag.tag_id
        WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id), '{}') AS tags
    FROM asset WHERE space_id = ${scope.spaceId} AND id = ANY(${ids}::text[]) AND deleted_at IS NULL
    ORDER BY id`.execute(db)
  return rows
}

/** The bytes of a file where it lies. Throws the refusals of storages. */
export async function readCarriedAsset(
  storages: Storages,
  spaceId: number,
  { storage, storageKey }: Pick<CarriedAsset, 'storage' | 'storageKey'>,
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const driver = await storages.of({ space_id: spaceId, storage })
  return driver.read(storageKey, undefined, signal)
}
