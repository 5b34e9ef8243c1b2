import { CompiledQuery } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { ContentModel } from './model.ts'
import { countStatement, listStatement, oneStatement, type Stage } from './query/sql.ts'
import type { ParsedQuery } from './query/tree.ts'
import type { TotalsCache } from './totals.ts'

/*
 * Reading content, for the delivery API and for the management API alike.
 *
 *   const space = await loadSpace(handle, spaceId)             // registry.ts; or the cached registry.space(spaceId)
 *   const model = space?.apps.get(appUid)?.models.get(modelUid)
 *   const query = parseQuery(rawQueryString, model, managementList)          // query/parse.ts; throws AppError 400
 *   const handle = fromKysely(tx)                              // inside the caller's transaction, under its RLS role
 *   const { rows, total } = await selectDocuments(handle, { model, stage: 'current', query, managed: true })
 *   rows[0].values                                             // StoredValues of that stage, keyed by field _id
 *   rows[0].managed                                            // version, status, createdBy, updatedBy
 *   const row = await selectDocument(handle, { model, stage: 'current', id, managed: true })   // undefined: none
 *   const preview = await presentDocument(handle, row, { model, stage: 'current', query })     // present.ts: an object
 *
 * stage 'current': draft or else published values, everything that is not in the trash. 'published': what the CDN
 * API shows, and nothing of drafts, not through filters, order, totals or references.
 * A plain preview is `parseQuery('', model, oneDocument)`; `depth=2` and the like go into the raw string.
 * The write side calls documentText(model, values) (text.ts) for both stages and sanitizeRichText(html) (html.ts).
 */

/** Anything that runs a statement: a pg pool or client, or a transaction of the management API. */
export interface Handle {
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

/** The management API's handle (a Kysely transaction) as a {@link Handle}. */
export function fromKysely(db: Db): Handle {
  return {
    async query(text, values) {
      const { rows } = await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, values))
      return { rows }
    },
  }
}

/** A document as stored, of one stage. Times are ISO strings in UTC with milliseconds. */
export interface DocumentRow {
  id: string
  /** Values by field `_id`, empty ones left out. */
  values: Record<string, unknown>
  createdAt: string
  /** In stage 'published' never later than `publishedAt`: a saved draft must not show. */
  updatedAt: string
  firstPublishedAt: string | null
  publishedAt: string | null
  customOrder: number | null
  /** Only when asked for with `managed: true`. */
  managed?: {
    version: number
    status: 'draft' | 'published' | 'changed'
    createdBy: string | null
    updatedBy: string | null
  }
}

export interface ListOptions {
  model: ContentModel
  stage: Stage
  query: ParsedQuery
  managed?: boolean
  /** Remembers exact totals; only for handles outside transactions that write. */
  totals?: TotalsCache
}

/**
 * The documents a query asks for, and how many there are without `limit` and `skip`, exactly. One statement; a
 * second one counts when neither the page, the model's counter nor the cache tells the total.
 */
export async function selectDocuments(
  handle: Handle,
  { model, stage, query, managed = false, totals }: ListOptions,
): Promise<{ rows: DocumentRow[]; total: number }> {
  const list = listStatement(model, stage, query, managed)
  const result = await handle.query(list.text, list.values)
  const rows = result.rows.map(toRow)
  const complete = rows.length < query.limit && (rows.length > 0 || query.skip === 0)
  if (complete) return { rows, total: query.skip + rows.length }

  // Counter and rows come from one snapshot, so a total kept under this counter belongs to these rows.
  const counter = result.rows[0]?.counter
  if (counter != null && list.counts) return { rows, total: Number(counter) }
  const count = countStatement(model, stage, query)
  const key = totals && counter != null ? JSON.stringify([count.text, counter, ...count.values]) : undefined
  const known = key === undefined ? undefined : totals?.get(key)
  if (known !== undefined) return { rows, total: known }
  const total = Number((await handle.query(count.text, count.values)).rows[0]?.total)
  if (key !== undefined) totals?.set(key, total)
  return { rows, total }
}

export interface OneOptions {
  model: ContentModel
  stage: Stage
  id: string
  managed?: boolean
}

/** One document of a model by `_id`; undefined when there is none in that stage (or the id is no id). */
export async function selectDocument(
  handle: Handle,
  { model, stage, id, managed = false }: OneOptions,
): Promise<DocumentRow | undefined> {
  if (!idPattern.test(id)) return undefined
  const { text, values } = oneStatement(model, stage, id, managed)
  const row = (await handle.query(text, values)).rows[0]
  return row && toRow(row)
}

/** A row of the statements in query/sql.ts as a {@link DocumentRow}. */
export function toRow(row: Record<string, unknown>): DocumentRow {
  const { id, values, createdAt, updatedAt, firstPublishedAt, publishedAt, customOrder } = row
  const document = { id, values, createdAt, updatedAt, firstPublishedAt, publishedAt, customOrder }
  if (!('version' in row)) return document as DocumentRow
  const { version, status, createdBy, updatedBy } = row
  return { ...document, managed: { version, status, createdBy, updatedBy } } as DocumentRow
}
