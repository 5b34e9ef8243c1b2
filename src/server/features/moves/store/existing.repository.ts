import { type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { StoredValues } from '#shared/fields/document.ts'

/** A document of the app, possibly in the trash. */
export interface ExistingDocument {
  version: number
  isTrashed: boolean
  customOrder: number | null
  updatedAt: Date
  publishedAt: Date | null
}

/** Returns the documents of a model by `_id`. `ids`: only these documents. */
export async function existingDocuments(
  db: Db,
  { spaceId }: SpaceScope,
  modelId: number,
  ids?: readonly string[],
): Promise<Map<string, ExistingDocument>> {
  const rows = db
    .selectFrom('document')
    .select(['id', 'version', 'custom_order as customOrder'])
    .select(['updated_at as updatedAt', 'published_at as publishedAt'])
    .select(sql<boolean>`deleted_at IS NOT NULL`.as('isTrashed'))
    .where('space_id', '=', spaceId)
    .where('model_id', '=', modelId)
  const found = await (ids ? rows.where(sql<SqlBool>`id = ANY(${[...ids]}::text[])`) : rows).execute()
  return new Map(found.map(({ id, ...here }) => [id, here]))
}

/**
 * The values of a document. `current`: the draft, or the published values if there is no draft. `pub`: the published
 * values, null if the document is not published.
 */
export interface ExistingValues {
  current: StoredValues
  pub: StoredValues | null
}

/** Returns the values of these documents by `_id`. */
export async function existingValues(
  db: Db,
  { spaceId }: SpaceScope,
  modelId: number,
  ids: readonly string[],
): Promise<Map<string, ExistingValues>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('document')
    .select(['id', 'pub', sql<StoredValues>`coalesce(draft, pub)`.as('current')])
    .where('space_id', '=', spaceId)
    .where('model_id', '=', modelId)
    .where(sql<SqlBool>`id = ANY(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map(({ id, current, pub }) => [id, { current, pub }]))
}

/** Returns the titles of these documents by `_id`. */
export async function existingTitles(
  db: Db,
  { spaceId }: SpaceScope,
  { modelId, titleField }: { modelId: number; titleField: string | null },
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (titleField === null || ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('document')
    .select(['id', sql<string | null>`coalesce(draft, pub)->>${titleField}`.as('title')])
    .where('space_id', '=', spaceId)
    .where('model_id', '=', modelId)
    .where(sql<SqlBool>`id = ANY(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map(({ id, title }) => [id, title ?? '']))
}

/**
 * Returns the names of the files with these `_id`s that are in the library (trash excluded), by `_id`. With
 * `delivered`, only files that this installation delivers itself.
 */
export async function existingAssets(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
  { delivered = false } = {},
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('asset')
    .select(['id', 'file_name as fileName'])
    .where(delivered ? sql<SqlBool>`elsewhere IS NULL` : sql<SqlBool>`true`)
    .where('space_id', '=', spaceId)
    .where('deleted_at', 'is', null)
    .where(sql<SqlBool>`id = ANY(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map(({ id, fileName }) => [id, fileName]))
}
