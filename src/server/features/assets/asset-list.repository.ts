import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { countedTo, wordsCountedTo } from '#shared/contract/common.ts'
import { type AssetRecord, assetColumns, keptDays, searchGrams } from './assets.repository.ts'
import { searchKey } from './search-text.ts'

export interface AssetFilter {
  search?: string | undefined
  /**
   * Media types (`image/png`), type wildcards (`image/*`) or file extensions (`.pdf`); an asset must match one of them.
   */
  accept?: string[] | undefined
  ids?: string[] | undefined
  createdBy?: string | undefined
  updatedBy?: string | undefined
  /** Assets must have all of these tags (`_id`s). `none`: assets without tags. */
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

const orders: Record<AssetOrder, [column: string, descending: boolean]> = {
  '-createdAt': ['created_at', true],
  createdAt: ['created_at', false],
  '-updatedAt': ['updated_at', true],
  fileName: ['file_name', false],
  '-fileName': ['file_name', true],
  fileSize: ['size', false],
  '-fileSize': ['size', true],
}

/** Maximum number of assets from the search index that are looked up by id. */
const fewFound = 1_000

/**
 * Returns a page of assets and their total number. Without filters, the total is exact. Otherwise at most `countTo`
 * assets are counted, and `isMore` is true if there are more. The default of `countTo` is lower for searches. With a
 * filter and at most `countTo` matches, the matches are read and sorted. Otherwise assets are scanned in sort order.
 */
export async function listAssets(
  db: Db,
  scope: SpaceScope,
  filter: AssetFilter,
  {
    order,
    limit,
    offset,
    countTo = words(filter.search ?? '').length > 0 ? wordsCountedTo : countedTo,
  }: { order: AssetOrder; limit: number; offset: number; countTo?: number },
): Promise<{ assets: AssetRecord[]; total: number; isMore: boolean }> {
  const where = conditions(scope, filter)
  const [name, descending] = orders[order]
  const column = sql.ref(filter.trash ? 'deleted_at' : name)
  const by = filter.trash
    ? sql`deleted_at DESC, id`
    : descending
      ? sql`${column} DESC, id DESC`
      : sql`${column}, id`
  const pageOf = (from: RawBuilder<unknown>) => sql`
    SELECT id::text FROM ${from} ORDER BY ${by} LIMIT ${limit} OFFSET ${offset}`
  const inOrder = sql`ARRAY(${pageOf(sql`asset WHERE ${where}`)})`

  if (isWhole(filter)) {
    const total = await count(db, sql`asset WHERE ${where}`)
    return { assets: await read(db, scope, inOrder), total, isMore: false }
  }
  const matching = await matches(
    db,
    filter,
    (more) => sql`SELECT id, ${column} FROM asset WHERE ${where} AND ${more}`,
  )
  const { rows } = await sql<{ total: number; page: string[] }>`
    WITH found AS MATERIALIZED (${matching} LIMIT ${countTo + 1})
    SELECT (SELECT count(*) FROM found) AS total, ARRAY(${pageOf(sql`found`)}) AS page`.execute(db)
  const { total, page } = rows[0] ?? { total: 0, page: [] }
  const isMore = total > countTo
  if (!isMore && page.length === 0) return { assets: [], total, isMore }
  const assets = await read(db, scope, isMore ? inOrder : sql`${page}::text[]`)
  return { assets, total: Math.min(total, countTo), isMore }
}

const isWhole = ({ trash, ...filter }: AssetFilter) =>
  !trash && Object.values(filter).every((value) => (Array.isArray(value) ? value.length === 0 : !value))

/**
 * Returns a query for the matching assets. If the search index finds at most `fewFound` assets, they are selected by
 * id. A search that finds more is split at a text length of 500 characters: the first part reads only an index. The
 * trash, lists without a search text, and searches with `createdBy`, `updatedBy` or `ids` use a single query.
 */
async function matches(
  db: Db,
  filter: AssetFilter,
  select: (more: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<RawBuilder<unknown>> {
  if (filter.trash || words(filter.search ?? '').length === 0) return select(sql`TRUE`)
  const ids = await findFew(db, filter)
  if (ids) return select(sql`id = ANY(${ids}::text[])`)
  // These filters use indexes of their own.
  if (filter.createdBy || filter.updatedBy || filter.ids) return select(sql`TRUE`)
  const length = sql`length(asset.search_text)`
  return sql`(${select(sql`${length} <= 500`)}) UNION ALL (${select(sql`${length} > 500`)})`
}

/** Loads the assets of an array of ids, in the order of the array. */
async function read(db: Db, { spaceId }: SpaceScope, ids: RawBuilder<unknown>): Promise<AssetRecord[]> {
  const { rows } = await sql<AssetRecord>`
    SELECT ${assetColumns} FROM asset JOIN unnest(${ids}) WITH ORDINALITY AS found (id, place)
      ON asset.space_id = ${spaceId} AND asset.id = found.id ORDER BY found.place`.execute(db)
  return rows
}

async function count(db: Db, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`SELECT count(*) AS total FROM ${from}`.execute(db)
  return rows[0]?.total ?? 0
}

/**
 * Returns the ids of assets that the search index finds. null: more than `fewFound`, or the index is not used (in the
 * trash, or without a search text).
 */
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
  // `IS TRUE` forces a hash table regardless of PostgreSQL's estimates, so that the assets' index is scanned once.
  const tagged = (tag: string) =>
    sql`(asset.id IN (SELECT asset_id FROM asset_tag WHERE space_id = ${spaceId} AND tag_id = ${tag})) IS TRUE`
  if (tags === 'none') all.push(sql`NOT asset.tagged`)
  else all.push(...(tags ?? []).map(tagged))
  if (filter.missingAlt)
    all.push(sql`asset.alt_text = '' AND asset.media_type >= 'image/' AND asset.media_type < 'image0'`)
  if (filter.duplicates)
    all.push(
      sql`asset.hash = ANY(ARRAY(SELECT hash FROM asset_copies WHERE space_id = ${spaceId} AND assets > 1))`,
    )
  all.push(...words(filter.search ?? '').map((word) => sql`strpos(asset.search_text, ${word}) > 0`))
  return sql.join(all, sql` AND `)
}

/** Returns the condition for one part of an `accept`. */
function accepted(part: string): RawBuilder<unknown> {
  if (part === '*/*' || part === '*') return sql`TRUE`
  if (part.startsWith('.')) {
    const last = part.slice(part.lastIndexOf('.'))
    const ending = sql`asset.file_ending = ${last}`
    return last === part ? ending : sql`${ending} AND lower(right(asset.file_name, ${part.length})) = ${part}`
  }
  const kind = part.endsWith('/*') ? part.slice(0, -1) : null
  return kind ? sql`starts_with(asset.media_type, ${kind})` : sql`asset.media_type = ${part}`
}
