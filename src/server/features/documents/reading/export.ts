import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import type { ContentModel } from '#server/content/model.ts'
import { badQuery } from '#server/content/query/bad-query.ts'
import { type Headings, parseTable } from '#server/content/query/parse.ts'
import { resolvePaths } from '#server/content/query/paths.ts'
import { isOnly } from '#server/content/query/tree.ts'
import { fromKysely, selectByIds, selectIds } from '#server/content/read.ts'
import { requireModel } from '#server/features/models/models.service.ts'
import { csvLines, csvMark, harmless } from '#server/lib/csv.ts'
import { Pace } from '#server/lib/pace.ts'
import { portableFileName } from '#server/lib/portable-file-name.ts'
import type { FileAnswer } from '#shared/contract/endpoint.ts'
import { typeOf } from '#shared/fields/index.ts'
import type { Language } from '#shared/languages.ts'
import { type SystemColumn, systemColumns } from '#shared/views.ts'
import { type Document, presentRows } from '../store/present.ts'
import { cellText, tableWords, timesIn } from './csv-cells.ts'
import { bounded, contentModel } from './read.ts'

/** Number of documents that are read at a time. Each has at most 1 MB. */
const batchSize = 25
/** Number of characters after which the collected rows are written. */
const largestPiece = 200_000

type Format = 'csv' | 'json'

/** A column of the export: a field, a field nested in a single value, or a system column. */
type Column =
  | { path: string[]; label: string; moment: 'date' | 'datetime' | null }
  | { system: SystemColumn; label: string }

interface Reader {
  language: Language
  timeZone: string
  headings: Headings
}

/**
 * Exports all documents of a list. The list and its order are read at the start, each document's state only when its
 * batch is read. Only the `_id`s of all documents and one batch of documents are in memory. No connection is occupied
 * while the client is slow. Throws 400 `InvalidQueryParameter`, 404 and 429, like lists.
 */
export async function exportDocuments(
  ctx: OwnTransactions<AppContext>,
  modelUid: string,
  queryString: string,
  format: Format,
  { signal, language }: { signal: AbortSignal; language: Language },
): Promise<FileAnswer> {
  const { ids, columns, timeZone, headings, fileName } = await ctx.inSpace(async (inside) => {
    const model = await contentModel(inside, modelUid)
    const { query, columns: names, headings } = parseTable(queryString, model)
    const options = {
      model,
      stage: 'current',
      query: { ...query, limit: Number.MAX_SAFE_INTEGER },
      managed: true,
    } as const
    const ids = await bounded(inside, query, () => selectIds(fromKysely(inside.db), options))
    const { name } = await requireModel(inside, modelUid)
    noteAudit(inside, { objectId: modelUid, objectName: name, facts: { format, exported: ids.length } })
    return {
      ids,
      columns: readColumns(model, names, { language, headings }),
      timeZone: inside.space.timeZone,
      headings,
      fileName: portableFileName(inside.app.name, name),
    }
  })
  async function* batches(): AsyncGenerator<Document[]> {
    for (let start = 0; start < ids.length; start += batchSize) {
      signal.throwIfAborted()
      yield await ctx.inSpace(async (inside) => {
        const model = await contentModel(inside, modelUid)
        const wanted = ids.slice(start, start + batchSize)
        const options = { model, stage: 'current', ids: wanted, managed: true } as const
        return presentRows(inside.db, model, await selectByIds(fromKysely(inside.db), options))
      })
    }
  }
  const reader = { language, timeZone, headings }
  const writers = { csv: writeCsv, json: writeJson }
  return {
    bytes: encoded(writers[format](columns, batches(), reader)),
    fileName: `${fileName}.${format}`,
    type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
  }
}

function readColumns(
  model: ContentModel,
  names: string[] | undefined,
  { language, headings }: { language: Language; headings: Headings },
): Column[] {
  const labelled = (name: string, label: string) => (headings === 'uids' ? name : label)
  const read = (name: string): Column => {
    const system = systemColumns.find((candidate) => candidate === name)
    if (system) return { system, label: labelled(name, tableWords[language].columns[system]) }
    const parameter = `select=${name}`
    const [found, another] = resolvePaths(name, model, { parameter, maximumSteps: 0 })
    if (found?.leaf.kind !== 'field' || another || found.leaf.inside?.some((item) => !isOnly(item)))
      throw badQuery(parameter, 'is no column of a table')
    const { field, inside = [] } = found.leaf
    const names = [...inside.map((item) => item.field), field].map((one) => one.name)
    const moment = typeOf(field).moment?.(field) ?? null
    return { path: name.split('.'), label: labelled(name, names.join(' › ')), moment }
  }
  return (names ?? model.fields.map(({ uid }) => uid)).map(read)
}

async function* writeCsv(
  columns: Column[],
  batches: AsyncIterable<Document[]>,
  reader: Reader,
): AsyncGenerator<string> {
  const cellOf = cellsFor(reader)
  yield csvMark + csvLines([['_id', ...columns.map(({ label }) => harmless(label))]])
  const pace = new Pace()
  for await (const documents of batches) {
    let rows: string[][] = []
    let size = 0
    for (const document of documents) {
      const row = [document._id, ...columns.map((column) => cellOf(document, column))]
      rows.push(row)
      size += row.reduce((sum, cell) => sum + cell.length, 0)
      if (size < largestPiece) continue
      yield csvLines(rows)
      rows = []
      size = 0
      await pace.giveWay()
    }
    if (rows.length > 0) yield csvLines(rows)
  }
}

async function* writeJson(columns: Column[], batches: AsyncIterable<Document[]>): AsyncGenerator<string> {
  const pace = new Pace()
  let separator = '['
  for await (const documents of batches)
    for (const document of documents) {
      yield `${separator}\n${JSON.stringify(pick(document, columns))}`
      separator = ','
      await pace.giveWay()
    }
  yield separator === '[' ? '[]\n' : '\n]\n'
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text)
}

type SystemName = keyof Document['_sys']
const systemName = (column: SystemColumn) => column.slice('_sys.'.length) as SystemName

function pick(document: Document, columns: Column[]): object {
  const picked: Record<string, unknown> = { _id: document._id }
  const sys: Partial<Record<SystemName, unknown>> = {}
  for (const column of columns)
    if ('path' in column) putAt(picked, column.path, valueAt(document, column.path))
    else sys[systemName(column.system)] = document._sys[systemName(column.system)]
  return Object.keys(sys).length > 0 ? { ...picked, _sys: sys } : picked
}

function valueAt(document: Document, path: string[]): unknown {
  let value: unknown = document
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return value
}

function putAt(picked: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    picked[name] = value
    return
  }
  const inner = { ...(picked[name] as Record<string, unknown> | null | undefined) }
  picked[name] = inner
  putAt(inner, rest, value)
}

function cellsFor({ language, timeZone, headings }: Reader): (document: Document, column: Column) => string {
  // Tables with uids are for programs, other tables for spreadsheets.
  const timeOf = timesIn(timeZone, headings === 'uids' ? 'iso' : 'spreadsheet')
  const { statuses } = tableWords[language]
  return (document, column) => {
    if ('path' in column) {
      const value = valueAt(document, column.path)
      if (value == null || column.moment === null) return cellText(value)
      return column.moment === 'date' ? String(value).slice(0, 10) : timeOf(value)
    }
    const name = systemName(column.system)
    const value = document._sys[name]
    if (value == null) return ''
    if (name === 'status') return statuses[document._sys.status]
    return typeof value === 'object' ? cellText(value.name) : timeOf(value)
  }
}
