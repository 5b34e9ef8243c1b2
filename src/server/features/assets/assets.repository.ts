import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { charactersOf, gramsOf } from '#server/content/text.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { ElsewhereFile, PreviousFile } from '#server/db/tables.ts'
import { searchKey } from './search-text.ts'

/** A stored file with the results of its inspection. */
export interface FileRecord {
  storage: string
  storageKey: string
  mediaType: string
  size: number
  /** SHA-256. */
  hash: Buffer
  width: number | null
  height: number | null
  placeholder: string | null
  metadata: Record<string, unknown>
}

export interface Person {
  _id: string
  name: string
}

export interface AssetRecord extends FileRecord {
  id: string
  fileName: string
  title: string
  description: string
  altText: string
  focalPoint: { x: number; y: number } | null
  private: boolean
  /** Data that delivery returns for a file that is not in the library. null: the file is in the library. */
  elsewhere: ElsewhereFile | null
  /** Whether the asset still has a record of its previous file. */
  restorable: boolean
  version: number
  createdAt: Date
  updatedAt: Date
  createdBy: Person | null
  updatedBy: Person | null
  deletedAt: Date | null
  /** `_id`s of the tags, ordered by tag name. */
  tags: string[]
  /** The `_id` of another asset of the space with the same content, outside the trash. null: no such asset. */
  duplicateOf: string | null
}

/** The columns of an {@link AssetRecord}, selected from `asset`. */
export const assetColumns = sql`
  asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere,
  CASE WHEN asset.focal_x IS NOT NULL THEN jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint",
  asset.created_at AS "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt",
  (SELECT jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account
    WHERE account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy",
  (SELECT jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account
    WHERE account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy",
  coalesce((SELECT array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag
    ON tag.space_id = asset_tag.space_id AND tag.id = asset_tag.tag_id
    WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id), '{}') AS tags,
  (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash = asset.hash
    AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"`

/** Returns an asset, or null if it does not exist. Assets in the trash are found only with `trashed`. */
export async function findAsset(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  { trashed = false, lock = false } = {},
): Promise<AssetRecord | null> {
  const { rows } = await sql<AssetRecord>`
    SELECT ${assetColumns} FROM asset WHERE asset.space_id = ${spaceId} AND asset.id = ${id}
      ${trashed ? sql`` : sql`AND asset.deleted_at IS NULL`} ${lock ? sql`FOR UPDATE OF asset` : sql``}`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Locks these assets in the order of their ids, and returns their creators, versions and times of deletion. */
export async function lockAssets(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
): Promise<Map<string, { createdBy: string | null; deletedAt: Date | null; version: number }>> {
  const rows = await db
    .selectFrom('asset')
    .select(['id', 'created_by as createdBy', 'deleted_at as deletedAt', 'version'])
    .where('space_id', '=', spaceId)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}

interface Texts {
  fileName: string
  title: string
  description: string
  altText: string
}

/** Returns the searchable text, one line per field, with its grams. */
function searchable({ fileName, title, description, altText }: Texts) {
  const text = [fileName, title, altText, description].filter(Boolean).map(searchKey).join('\n')
  return { search_text: text, grams: searchGrams(text) }
}

/** Returns the pairs of adjacent characters and the single characters of a text. */
export const searchGrams = (text: string) => [...gramsOf(text), ...charactersOf(text)]

const fileColumns = (file: FileRecord) => ({
  media_type: file.mediaType,
  size: file.size,
  storage: file.storage,
  storage_key: file.storageKey,
  hash: file.hash,
  width: file.width,
  height: file.height,
  placeholder: file.placeholder,
  metadata: storedJson(file.metadata),
  // {@link insertAsset} overrides this for files that are not in the library.
  elsewhere: null,
})

interface NewAsset extends Partial<Texts> {
  id: string
  fileName: string
  createdBy: string | null
  file: FileRecord
  focalPoint?: { x: number; y: number } | null
  isPrivate?: boolean
  elsewhere?: ElsewhereFile | null
}

/** Inserts an asset. Returns false if an asset with that id exists. */
export async function insertAsset(
  db: Db,
  { spaceId }: SpaceScope,
  {
    id,
    fileName,
    createdBy,
    file,
    title = '',
    description = '',
    altText = '',
    focalPoint = null,
    isPrivate = false,
    elsewhere = null,
  }: NewAsset,
): Promise<boolean> {
  const texts = {
    ...searchable({ fileName, title, description, altText }),
    title,
    description,
    alt_text: altText,
  }
  const said = { focal_x: focalPoint?.x ?? null, focal_y: focalPoint?.y ?? null, is_private: isPrivate }
  const there = { elsewhere: elsewhere && storedJson(elsewhere) }
  const row = { ...fileColumns(file), ...texts, ...said, ...there, file_name: fileName }
  const inserted = await db
    .insertInto('asset')
    .values({ ...row, space_id: spaceId, id, created_by: createdBy, updated_by: createdBy })
    .onConflict((conflict) => conflict.columns(['space_id', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/**
 * Makes the asset available under its former uid as well. A uid that already belongs to another asset of the space
 * stays with that asset.
 */
export async function insertFormerUid(
  db: Db,
  { spaceId }: SpaceScope,
  uid: string,
  assetId: string,
): Promise<void> {
  await db
    .insertInto('asset_former_uid')
    .values({ space_id: spaceId, uid, asset_id: assetId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export interface AssetChanges {
  fileName?: string | undefined
  title?: string | undefined
  description?: string | undefined
  altText?: string | undefined
  focalPoint?: { x: number; y: number } | null | undefined
  private?: boolean | undefined
}

/** Writes the texts and settings of an asset as a new version. */
export async function updateAsset(
  db: Db,
  { spaceId }: SpaceScope,
  asset: AssetRecord,
  changes: AssetChanges,
  updatedBy: string | null,
): Promise<void> {
  const { focalPoint, private: isPrivate } = changes
  const texts = {
    fileName: changes.fileName ?? asset.fileName,
    title: changes.title ?? asset.title,
    description: changes.description ?? asset.description,
    altText: changes.altText ?? asset.altText,
  }
  await db
    .updateTable('asset')
    .set({
      file_name: texts.fileName,
      title: texts.title,
      description: texts.description,
      alt_text: texts.altText,
      ...searchable(texts),
      ...(focalPoint === undefined ? {} : { focal_x: focalPoint?.x ?? null, focal_y: focalPoint?.y ?? null }),
      ...(isPrivate === undefined ? {} : { is_private: isPrivate }),
      ...newVersion(asset, updatedBy),
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', asset.id)
    .execute()
}

const newVersion = ({ version }: { version: number }, updatedBy: string | null) => ({
  version: version + 1,
  updated_at: sql<Date>`now()`,
  updated_by: updatedBy,
})

/** Replaces the asset's file; {@link findPrevious} finds the replaced one. */
export async function replaceFile(
  db: Db,
  { spaceId }: SpaceScope,
  asset: AssetRecord,
  file: FileRecord,
  focalPoint: { x: number; y: number } | null,
  updatedBy: string | null,
): Promise<void> {
  const { storage, storageKey, hash, mediaType, size, width, height, placeholder, metadata } = asset
  const previous: PreviousFile = {
    mediaType,
    size,
    hash: hash.toString('hex'),
    width,
    height,
    placeholder,
    metadata,
    focalPoint: asset.focalPoint,
  }
  await db
    .updateTable('asset')
    .set({
      ...fileColumns(file),
      focal_x: focalPoint?.x ?? null,
      focal_y: focalPoint?.y ?? null,
      previous_storage: storage,
      previous_storage_key: storageKey,
      previous: storedJson(previous),
      previous_at: sql<Date>`now()`,
      ...newVersion(asset, updatedBy),
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', asset.id)
    .execute()
}

/**
 * Returns the file before the last replacement or edit. null: the file was not replaced in the last `keptDays` days.
 */
export async function findPrevious(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
): Promise<{ file: FileRecord; focalPoint: { x: number; y: number } | null } | null> {
  const row = await db
    .selectFrom('asset')
    .select(['previous', 'previous_storage as storage', 'previous_storage_key as storageKey'])
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .where(sql<SqlBool>`NOT (${longAgo(sql`previous_at`)})`)
    .executeTakeFirst()
  if (!row?.previous || !row.storage || !row.storageKey) return null
  const { focalPoint, hash, ...found } = row.previous
  const file = { ...found, hash: Buffer.from(hash, 'hex'), storage: row.storage, storageKey: row.storageKey }
  return { file, focalPoint }
}

/** Returns the sizes of assets in bytes, by `_id`. */
export async function findSizes(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('asset')
    .select(['id', 'size'])
    .where('space_id', '=', spaceId)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .execute()
  return new Map(rows.map(({ id, size }) => [id, size]))
}

/** Moves assets to the trash, or restores them. */
export async function setTrashed(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
  trashed: boolean,
): Promise<void> {
  await db
    .updateTable('asset')
    .set({ deleted_at: trashed ? sql<Date>`now()` : null })
    .where('space_id', '=', spaceId)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .execute()
}

/** Number of days that assets stay in the trash, and that replaced files can be restored. */
export const keptDays = 30

export const longAgo = (moment: RawBuilder<unknown>) => sql<SqlBool>`
  ${moment} < now() - make_interval(days => ${keptDays})`
