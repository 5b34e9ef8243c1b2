import type { ContentModel } from '../model.ts'
import { type ListSettings, ListWriter, storedCount } from './list-writer.ts'
import { integer, type Stage } from './row-sql.ts'
import { outer, type Statement, withJson } from './sql.ts'
import type { ParsedQuery } from './tree.ts'

/**
 * Returns the statement for one page of a list. Each row has `counter`. Without filters (`counts`), it is the model's
 * stored document count. With filters, it is the sum of the versions of all models in the query. The sum grows with
 * every change that may affect the number of matching documents, so it is part of the cache key of that number.
 *
 * If known, rows also have `total`, the number of documents without `limit` and `skip`, or `isMore`, if there are more
 * documents than are counted.
 */
export function listStatement(
  model: ContentModel,
  stage: Stage,
  query: ParsedQuery,
  settings: ListSettings = {},
): Statement & { counts: boolean; countTo?: number | undefined } {
  const list = new ListWriter(model, stage, query, settings)
  const { writer, isFiltered } = list
  const page = list.page()
  const counter = isFiltered
    ? `SELECT sum(s.version)::bigint FROM model_stat s WHERE s.model_id IN (${[...writer.modelIds].map(integer).join(', ')})`
    : storedCount(model, stage)
  const columns = `${outer(list.columns)}, (${counter}) AS counter`
  // Sorting uses the stored rows. Only the rows of the page are converted to text.
  const text =
    `${writer.with()}SELECT ${columns}${list.knowsTotal ? ', q.total' : ''}${list.isCut}` +
    ` FROM ${withJson(page, query.limit)}`
  return { text, values: writer.values, counts: !isFiltered, countTo: list.countTo }
}

/**
 * Returns the statement that counts the documents of a query without `limit` and `skip`. It has one row with `total`,
 * which is `countTo` + 1 if there are more than `countTo`. Without filters, `total` is the stored number of documents.
 */
export function countStatement(
  model: ContentModel,
  stage: Stage,
  query: ParsedQuery,
  settings: ListSettings = {},
): Statement & { countTo?: number } {
  const list = new ListWriter(model, stage, query, settings)
  if (!list.isFiltered) return { text: `SELECT (${storedCount(model, stage)}) AS total`, values: [] }
  const { countTo } = list
  const limit = countTo === undefined ? '' : ` LIMIT ${integer(countTo)} + 1`
  const where = list.counted(limit)
  const { writer } = list
  return {
    ...(countTo === undefined ? {} : { countTo }),
    text: `${writer.with()}SELECT count(*) AS total FROM (SELECT FROM ${writer.tables.documents} d WHERE ${where}${limit}) q`,
    values: writer.values,
  }
}

/**
 * Returns the statement for the `_id`s of a list's documents in order. It has one row with `ids`, their concatenated
 * bytes.
 */
export function idsStatement(
  model: ContentModel,
  stage: Stage,
  query: ParsedQuery,
  settings: ListSettings = {},
): Statement {
  const list = new ListWriter(model, stage, query, settings)
  const page = list.page()
  const text = `${list.writer.with()}SELECT string_agg(decode(q.id, 'hex'), '') AS ids FROM (${page}) q`
  return { text, values: list.writer.values }
}
