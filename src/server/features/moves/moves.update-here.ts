import { type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

/** A document as it lies here, the trash included. */
export interface DocumentHere {
  version: number
  isTrashed: boolean
  customOrder: number | null
  updatedAt: Date
  publishedAt: Date | null
}

/** The documents of a model, or some of them, by `_id`. */
export async function documentsHere(
  db: Db,
  { spaceId }: SpaceScope,
  modelId: number,
  ids?: readonly string[],
): Promise<Map<string, DocumentHere>> {
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

/** What documents are called here, by `_id`. */
export async function titlesHere(
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

/** What files of these `_id`s are called that are in the library and not in its trash; `delivered`: of those alone that we deliver. */
export async function assetsHere(
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
