import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { type AssetRecord, assetColumns, keptDays, searchGrams } from './assets.repository.ts'
import { searchKey } from './search-text.ts'

/** What a page of the library shows. */
export interface AssetFilter {
  search?: string | undefined
  /** Media types, whole (`image/png`) or by kind (`image/*`), and endings of file names (`.pdf`); any of them. */
  accept?: string[] | undefined
  /** None but these. */
  ids?: string[] | undefined
  createdBy?: string | undefined
  updatedBy?: string | undefined
  /** All of them; `none`: assets without any. */
  tags?: string[] | 'none' | undefined
  missingAlt?: boolean
  duplicates?: boolean
  trash?: boolean
}

export type AssetOrder =
  | '-createdAt'
  | 'createdAt'
  | '-updatedAt'
  | 'fileName'
  | '-fileName'
  | '-fileSize'
  | 'fileSize'

const orders: Record<AssetOrder, RawBuilder<unknown>> = {
  '-createdAt': sql`created_at DESC, id DESC`,
  createdAt: sql`created_at, id`,
  '-updatedAt': sql`updated_at DESC, id DESC`,
  fileName: sql`file_name, id`,
  '-fileName': sql`file_name DESC, id DESC`,
  fileSize: sql`size, id`,
  '-fileSize': sql`size DESC, id DESC`,
}
const trashOrder = sql`deleted_at DESC, id`

/** Few enough that they are gathered and put in order; more are looked for in the order of the page. */
const fewFound = 1_000

/** A page of assets and how many there are in all, exactly. */
export async function listAssets(
  db: Db,
  scope: SpaceScope,
  filter: AssetFilter,
  { order, limit, offset }: { order: AssetOrder; limit: number; offset: number },
): Promise<{ assets: AssetRecord[]; total: number }> {
  const where = conditions(scope, filter)
  const by = filter.trash ? trashOrder : orders[order]
  const page = (from: RawBuilder<unknown>) => sql<AssetRecord>`
    SELECT ${assetColumns} FROM asset JOIN unnest(ARRAY(
      SELECT id::text FROM asset ${from} ORDER BY ${by} LIMIT ${limit} OFFSET ${offset})) WITH ORDINALITY AS found (id, place)
      ON asset.space_id = ${scope.spaceId} AND asset.id = found.id ORDER BY found.place`
  if (filter.search) {
    const ids = await findFew(db, filter)
    if (ids) {
      const among = sql`WHERE ${where} AND id = ANY(${ids}::text[])`
      const total = await count(db, among)
      return { assets: total > 0 ? (await page(among).execute(db)).rows : [], total }
    }
  }
  const all = sql`WHERE ${where}`
  const total = filter.search && !filter.trash ? await countFound(db, all) : await count(db, all)
  const { rows } = await page(all).execute(db)
  return { assets: rows, total }
}

/** In two parts, of which the first needs nothing but an index. */
async function countFound(db: Db, where: RawBuilder<unknown>): Promise<number> {
  const short = await count(db, sql`${where} AND length(asset.search_text) <= 500`)
  return short + (await count(db, sql`${where} AND length(asset.search_text) > 500`))
}

async function count(db: Db, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`SELECT count(*) AS total FROM asset ${where}`.execute(db)
  return rows[0]?.total ?? 0
}

/** The ids of those that hold the words, by their index; null when there are many. */
async function findFew(db: Db, { search = '', trash }: AssetFilter): Promise<string[] | null> {
  const wanted = words(search).flatMap(searchGrams)
  if (trash || wanted.length === 0) return null
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM asset_candidates(${wanted}::int[], ${fewFound + 1}) AS id`.execute(db)
  return rows.length > fewFound ? null : rows.map(({ id }) => id)
}

const words = (search: string) => searchKey(search).split(/\s+/u).filter(Boolean)

function conditions({ spaceId }: SpaceScope, filter: AssetFilter): RawBuilder<unknown> {
  const all: RawBuilder<unknown>[] = [
    sql`asset.space_id = ${spaceId}`,
    filter.trash
      ? sql`asset.deleted_at > now() - make_interval(days => ${sql.lit(keptDays)})`
      : sql`asset.deleted_at IS NULL`,
  ]
  const { accept, ids, createdBy, updatedBy, tags } = filter
  if (ids) all.push(sql`asset.id = ANY(${ids}::text[])`)
  if (accept && accept.length > 0) all.push(sql`(${sql.join(accept.map(accepted), sql` OR `)})`)
  if (createdBy) all.push(sql`asset.created_by = ${createdBy}`)
  if (updatedBy) all.push(sql`asset.updated_by = ${updatedBy}`)
  const tagged = sql`SELECT FROM asset_tag WHERE asset_tag.space_id = ${spaceId} AND asset_tag.asset_id = asset.id`
  if (tags === 'none') all.push(sql`NOT EXISTS (${tagged})`)
  else for (const tag of tags ?? []) all.push(sql`EXISTS (${tagged} AND asset_tag.tag_id = ${tag})`)
  if (filter.missingAlt)
    all.push(sql`asset.alt_text = '' AND asset.media_type >= 'image/' AND asset.media_type < 'image0'`)
  if (filter.duplicates)
    all.push(
      sql`asset.hash IN (SELECT hash FROM asset WHERE space_id = ${spaceId} AND deleted_at IS NULL GROUP BY hash HAVING count(*) > 1)`,
    )
  all.push(...words(filter.search ?? '').map((word) => sql`strpos(asset.search_text, ${word}) > 0`))
  return sql.join(all, sql` AND `)
}

/** One of the parts of an `accept`. */
function accepted(part: string): RawBuilder<unknown> {
  if (part === '*/*' || part === '*') return sql`TRUE`
  if (part.startsWith('.')) return sql`lower(right(asset.file_name, ${part.length})) = ${part}`
  const kind = part.endsWith('/*') ? part.slice(0, -1) : null
  return kind ? sql`left(asset.media_type, ${kind.length}) = ${kind}` : sql`asset.media_type = ${part}`
}
