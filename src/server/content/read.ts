import { CompiledQuery } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { Pace } from '#server/lib/pace.ts'
import { idPattern } from '#shared/identifiers.ts'
import { changesValues, inNewestShape } from './conversion.ts'
import { splitObject } from './fragments.ts'
import { IdList } from './id-list.ts'
import type { ContentModel, ContentSpace } from './model.ts'
import { countStatement, idsStatement, listStatement } from './query/list.ts'
import type { ListSettings } from './query/list-writer.ts'
import { oneStatement, referredStatement, type Stage } from './query/sql.ts'
import type { ParsedQuery, Step } from './query/tree.ts'
import type { TotalsCache } from './totals.ts'

/*
 * Reads content for the delivery API and the management API. Example:
 *
 *   const space = await loadSpace(handle, spaceId)             // registry.ts; or the cached registry.space(spaceId)
 *   const model = space?.apps.get(appUid)?.models.get(modelUid)
 *   const query = parseQuery(rawQueryString, model, managementList)    // query/parse.ts; throws AppError 400 or 409
 *   const handle = fromKysely(tx)                              // inside the caller's transaction, under its RLS role
 *   const { rows, total } = await selectDocuments(handle, { model, stage: 'current', query, managed: true })
 *   rows[0].values                                             // StoredValues of that stage, keyed by field _id
 *   rows[0].managed                                            // version, status, createdBy, updatedBy
 *   const row = await selectDocument(handle, { model, stage: 'current', id, managed: true })   // undefined: none
 *   const preview = await presentDocument(handle, row, { model, stage: 'current', query })     // present.ts: an object
 *
 * Stage 'current' is the draft, or else the published values, of every document outside the trash. Stage 'published' is
 * the content of the CDN API. It reveals no drafts, not even through filters, order, totals or references. A plain
 * preview uses `parseQuery('', model, oneDocument)`; parameters such as `depth=2` go into the raw string.
 */

/** Runs statements: a pg pool or client, or a transaction of the management API. */
export interface Handle {
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  /** Whether texts in rows are UTF-8 bytes, one character per byte (delivery/byte-pool.ts). */
  readonly bytes?: boolean
  /**
   * Returns the rows of {@link referredRows}. May batch the call with concurrent requests. The result may include rows
   * of other requests.
   */
  referred?(stage: Stage, wanted: Wanted[]): Promise<Record<string, unknown>[]>
  /**
   * Returns the rows of assets (assets.ts). May batch the call with concurrent requests. The result may include rows of
   * other requests.
   */
  assets?(space: ContentSpace, ids: string[]): Promise<Record<string, unknown>[]>
}

export interface Wanted {
  model: ContentModel
  ids: string[]
}

/**
 * Reads the rows of documents of several models. The result may contain additional rows. The column `model` is the
 * model's integer key.
 */
export async function referredRows(
  handle: Handle,
  stage: Stage,
  wanted: Wanted[],
): Promise<Record<string, unknown>[]> {
  if (handle.referred) return handle.referred(stage, wanted)
  const { text, values } = referredStatement(stage, wanted)
  return (await handle.query(text, values)).rows
}

/** Converts the management API's handle (a Kysely transaction) to a {@link Handle}. */
export function fromKysely(db: Db): Handle {
  return {
    async query(text, values) {
      const { rows } = await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, values))
      return { rows }
    },
  }
}

/** A stored document in one stage. Times are ISO strings in UTC with milliseconds. */
export interface DocumentRow {
  id: string
  /** Values by field `_id`, without empty ones. Parsed on first access. */
  readonly values: Record<string, unknown>
  /** The JSON text of each value; bytes if the handle returns bytes. */
  readonly fragments: Map<string, string>
  createdAt: string
  /** In stage 'published', the time of the published values: a saved draft must not be noticeable. */
  updatedAt: string
  firstPublishedAt: string | null
  publishedAt: string | null
  customOrder: number | null
  /** Set only with `managed: true`. */
  managed?: {
    version: number
    status: 'draft' | 'published' | 'changed'
    createdBy: string | null
    updatedBy: string | null
  }
}

export interface ListOptions extends ListSettings {
  model: ContentModel
  stage: Stage
  query: ParsedQuery
  /** Caches totals. Only for handles outside transactions that write. */
  totals?: TotalsCache
}

/**
 * Reads the documents of a query and their total without `limit` and `skip`. The total is exact or, with `countTo`, at
 * most `countTo` (`isMore`: there are more documents). Runs one statement, and a second one for the count if the page,
 * the model's counter and the cache do not determine the total. Throws `AnswerTooLarge` for a page of more than 32 MB.
 */
export async function selectDocuments(
  handle: Handle,
  { model, stage, query, totals, ...settings }: ListOptions,
): Promise<{ rows: DocumentRow[]; total: number; isMore: boolean }> {
  const list = listStatement(model, stage, query, settings)
  const result = await handle.query(list.text, list.values)
  const rows = await toRows(handle, model, result.rows)
  const complete = rows.length < query.limit && (rows.length > 0 || query.skip === 0)
  const exactly = (total: number) => ({ rows, total, isMore: false })
  if (complete) return exactly(query.skip + rows.length)

  const seen = result.rows[0]?.total
  if (seen != null) return exactly(Number(seen))
  if (result.rows[0]?.isMore && list.countTo !== undefined) return { rows, total: list.countTo, isMore: true }
  // Counter and rows come from one snapshot, so a total cached under this counter is valid for these rows.
  const counter = result.rows[0]?.counter
  if (counter != null && list.counts) return exactly(Number(counter))
  const count = countStatement(model, stage, query, settings)
  const key = totals && counter != null ? JSON.stringify([count.text, counter, ...count.values]) : undefined
  const known = key === undefined ? undefined : totals?.get(key)
  const cut = (total: number) => {
    const isMore = count.countTo !== undefined && total > count.countTo
    return { rows, total: isMore ? Number(count.countTo) : total, isMore }
  }
  if (known !== undefined) return cut(known)
  const total = Number((await handle.query(count.text, count.values)).rows[0]?.total)
  if (key !== undefined) totals?.set(key, total)
  return cut(total)
}

/**
 * Reads the `_id`s of the documents that a query selects, in order. `query.limit` may be very large, because each `_id`
 * takes 12 bytes.
 */
export async function selectIds(
  handle: Handle,
  { model, stage, query, ...settings }: Omit<ListOptions, 'totals'>,
): Promise<IdList> {
  const { text, values } = idsStatement(model, stage, query, settings)
  return new IdList(((await handle.query(text, values)).rows[0]?.ids ?? Buffer.alloc(0)) as Buffer)
}

/** Reads the documents with these `_id`s, in this order, without missing ones. */
export async function selectByIds(
  handle: Handle,
  { model, stage, ids, managed = false }: Omit<OneOptions, 'id'> & { ids: string[] },
): Promise<DocumentRow[]> {
  const { text, values } = oneStatement(model, stage, ids, { managed })
  const rows = await toRows(handle, model, (await handle.query(text, values)).rows)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

export interface OneOptions {
  model: ContentModel
  stage: Stage
  id: string
  managed?: boolean
}

/** Reads one document of a model by `_id`; undefined if it does not exist in that stage or the id is malformed. */
export async function selectDocument(
  handle: Handle,
  { model, stage, id, managed = false }: OneOptions,
): Promise<DocumentRow | undefined> {
  if (!idPattern.test(id)) return undefined
  const { text, values } = oneStatement(model, stage, [id], { managed })
  const { rows } = await handle.query(text, values)
  return (await toRows(handle, model, rows.slice(0, 1)))[0]
}

export type Referred = Map<ContentModel, DocumentRow[]>

/**
 * Reads documents of a model by `_id`, in any order. Also reads the contents to which the reference fields `expand`
 * point, at most `limit` × number of `ids` per target model.
 *
 * Throws `AnswerTooLarge` if the contents of one target model are too large together. They may be small enough if each
 * document is read alone.
 */
export async function selectWithReferences(
  handle: Handle,
  { model, stage, ids }: Pick<OneOptions, 'model' | 'stage'> & { ids: string[] },
  expand: Step[],
  limit: number,
): Promise<{ rows: DocumentRow[]; referred: Referred }> {
  const referred: Referred = new Map()
  const { text, values } = oneStatement(model, stage, ids, { expand, limit })
  const targets = new Map(expand.map(({ target }) => [target.id, target]))
  const { rows: found } = await handle.query(text, values)
  const of = (wanted: number | null) =>
    found.filter(({ model: id }) => (id == null ? null : Number(id)) === wanted)
  for (const target of targets.values()) referred.set(target, await toRows(handle, target, of(target.id)))
  const own = expand.length > 0 ? of(null) : found
  return { rows: await toRows(handle, model, own), referred }
}

/** The error for a response that would be too large to send or to keep in memory. */
export class AnswerTooLarge extends Error {}

/**
 * Converts rows of the statements in query/sql.ts to {@link DocumentRow}s in the shape of the model's current fields.
 * Throws `AnswerTooLarge` if a row was not read because of its size, and 503 if the processes that render Markdown are
 * overloaded.
 */
export async function toRows(
  handle: Handle,
  model: ContentModel,
  found: Record<string, unknown>[],
): Promise<DocumentRow[]> {
  const rows = found.map((row) => {
    if (row.json === null) throw new AnswerTooLarge()
    return new Row(row)
  })
  if (model.conversions.length === 0) return rows
  const pace = new Pace()
  for (const row of rows) {
    await row.convert(handle, model)
    await pace.giveWay()
  }
  return rows
}

/**
 * Formats a time in ISO 8601 with milliseconds, from a Date or from PostgreSQL's text in UTC (`2026-11-21
 * 09:00:00.5+00`), which is much cheaper than to_char.
 */
function isoOf(moment: unknown): string | null {
  if (moment == null) return null
  if (moment instanceof Date) return moment.toISOString()
  const text = String(moment)
  const end = text.length - 3
  if (text.charCodeAt(10) !== 0x20 || !text.endsWith('+00') || end > 23)
    throw new TypeError(`not in UTC: ${text}`)
  const fraction = end > 19 ? text.slice(19, end).padEnd(4, '0') : '.000'
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}Z`
}

class Row implements DocumentRow {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly firstPublishedAt: string | null
  readonly publishedAt: string | null
  readonly customOrder: number | null
  readonly managed?: NonNullable<DocumentRow['managed']>
  private readonly shape: number
  private readonly json: string
  private parsed: Record<string, unknown> | undefined
  private split: Map<string, string> | undefined

  constructor(row: Record<string, unknown>) {
    this.json = String(row.json)
    this.shape = Number(row.shape)
    this.id = String(row.id)
    this.createdAt = isoOf(row.createdAt) ?? ''
    this.updatedAt = isoOf(row.updatedAt) ?? ''
    this.firstPublishedAt = isoOf(row.firstPublishedAt)
    this.publishedAt = isoOf(row.publishedAt)
    this.customOrder = row.customOrder as number | null
    if (row.version === undefined) return
    const { version, status, createdBy, updatedBy } = row
    this.managed = { version, status, createdBy, updatedBy } as NonNullable<DocumentRow['managed']>
  }

  async convert(handle: Handle, model: ContentModel): Promise<void> {
    if (!changesValues(model, this.shape)) return
    const stored = handle.bytes ? Buffer.from(this.json, 'latin1').toString() : this.json
    const encode = (json: string) => (handle.bytes ? Buffer.from(json).toString('latin1') : json)
    this.parsed = await inNewestShape(model, this.shape, JSON.parse(stored))
    this.split = new Map(
      Object.entries(this.parsed).map(([fieldId, value]) => [fieldId, encode(JSON.stringify(value))]),
    )
  }

  get values(): Record<string, unknown> {
    this.parsed ??= JSON.parse(this.json) as Record<string, unknown>
    return this.parsed
  }

  get fragments(): Map<string, string> {
    this.split ??= splitObject(this.json)
    return this.split
  }
}
