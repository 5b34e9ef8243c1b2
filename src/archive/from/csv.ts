import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { BrokenSource, nothingRead } from './broken-source.ts'
import type { Collector } from './collected.ts'
import type { Sign } from './publication/publication-of.ts'
import { signOfKey } from './publication/signs.ts'
import { areAccounts, isSecretKey, privateListOf } from './secret-keys.ts'
import { defineSource } from './source.ts'
import { type SourceFile, type SourceFiles, stemOf } from './source-files.ts'
import { Column, type ColumnKind, cellValue } from './tables.ts'
import { isZeroDate, momentOf, typeOfName } from './values.ts'

const delimiters = [',', '\t', ';'] as const
/**
 * Maximum length of a record: the characters of its complete fields plus the bytes of the current one. Without a limit,
 * an unclosed quote would consume the rest of the file.
 */
const longestRecord = 10_000_000
const mostColumns = 1_000

interface Table {
  file: SourceFile
  delimiter: string
}

/** Tables: the first line contains the field names, and every further record is a content. */
export const csv = defineSource<Table[]>({
  kind: 'csv',
  async recognise(files) {
    const found: Table[] = []
    for (const file of files.files) {
      if (typeOfName(file.path) !== '' && !/\.(?:csv|txt)$/i.test(file.path)) continue
      const delimiter = delimiterOf(await files.beginning(file))
      if (delimiter !== undefined) found.push({ file, delimiter })
    }
    return found.length > 0 ? found : undefined
  },
  async convert(files, into, found) {
    for (const table of found) await addTable(files, into, table, found.length > 1)
  },
})

/**
 * Returns the delimiter of a table; undefined for other text. The delimiter must split the first line into at least two
 * cells, and at least half of the next lines into the same number of cells. If only a truncated line follows, it must
 * not have more cells than the first line.
 */
function delimiterOf(beginning: string | undefined): string | undefined {
  if (beginning === undefined || /^[<{[]/.test(beginning)) return undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: tables contain none of these characters
  if (/[\u0000-\u0008\u000e-\u001f]/.test(beginning)) return undefined
  const counts = delimiters.map((delimiter) => {
    const {
      counts: [first = 0, ...others],
      begun,
    } = columnsOf(beginning, delimiter)
    const alike = others.filter((count) => count === first).length
    const isAlike = others.length > 0 ? alike * 2 >= others.length : begun > 0 && begun <= first
    return { delimiter, isTable: first > 1 && isAlike, first }
  })
  const [best] = counts.filter(({ isTable }) => isTable).sort((a, b) => b.first - a.first)
  return best?.delimiter
}

/** Minimum length of a truncated beginning in characters. A shorter beginning is assumed to be the whole file. */
const shortestBeginning = 20_000

/**
 * Returns the number of cells in each of the first records (at most six), and in the truncated record at the end
 * (`begun`). `begun` is 0 if no record is truncated, or if the truncated one has no delimiter and does not start with a
 * quote.
 */
function columnsOf(text: string, delimiter: string): { counts: number[]; begun: number } {
  const counts: number[] = []
  let start = ''
  let cells = 1
  let isQuoted = false
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted
    else if (!isQuoted && sign === delimiter) cells += 1
    else if (!isQuoted && sign === '\n') {
      if (start !== '') counts.push(cells)
      cells = 1
      start = ''
      if (counts.length >= 6) return { counts, begun: 0 }
      continue
    }
    if (start === '') start = sign.trim()
  }
  const isWhole = text.length < shortestBeginning
  if (start !== '' && isWhole) counts.push(cells)
  return { counts, begun: !isWhole && (cells > 1 || start === '"') ? cells : 0 }
}

/**
 * Adds the rows of a table. `isOfDump`: the upload contains other tables. A table of accounts, settings or keys is then
 * not imported.
 */
async function addTable(files: SourceFiles, into: Collector, table: Table, isOfDump: boolean): Promise<void> {
  const model = stemOf(table.file.path)
  const columns = await judge(files, into, table)
  const kind = isOfDump ? privateListOf(model) : undefined
  if (kind && (kind !== 'account' || areAccounts(columns.map(({ key }) => key)))) {
    for await (const _ of recordsOf(files, table)) into.leaveOut(kind, model)
    return
  }
  await into.model({ uid: model })
  const at = (names: RegExp) => columns.findIndex(({ key, kind }) => names.test(key) && kind === 'moment')
  const created = at(
    /^(?:created_?at|created|date|published_?at|created at|作成日時?|公開日時?|投稿日時?|日付)$/i,
  )
  const updated = at(/^(?:updated_?at|updated at|updated|modified|更新日時?)$/i)
  const kept = columns.flatMap((column, index) => (column.isSecret ? [] : [{ ...column, index }]))
  for (const { key, isSecret } of columns) if (isSecret) into.leaveOut('secret', `${model}.${key}`, 0)
  for await (const { cells, row } of recordsOf(files, table)) {
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== ''))
      into.lost(model, `${table.file.path}:${row}`, 'cells')
    for (const [index, { key, isSecret }] of columns.entries())
      if (isSecret && cells[index]) into.leaveOut('secret', `${model}.${key}`)
    const entries = kept.map(({ key, kind, index }): [string, unknown] => {
      const value = cellValue(cells[index] ?? '', kind, into.zone)
      return [key, kind === 'file' && typeof value === 'string' ? into.remote(value) : value]
    })
    for (const { index } of kept) into.embedded(cells[index] ?? '')
    for (const [index, { key, kind }] of columns.entries())
      if (kind === 'moment' && isZeroDate(cells[index] ?? ''))
        into.note('undated', model, `${table.file.path}:${row} (${key})`)
    await into.add(model, {
      id: `${table.file.path}:${row}`,
      createdAt: momentOf(cells[created], into.zone),
      updatedAt: momentOf(cells[updated], into.zone),
      publication: into.publicationOf(...signsOfRow(columns, cells)),
      values: Object.fromEntries(entries),
    })
  }
}

/**
 * Returns the statements of a row about its visibility. Empty cells make no statement, with one exception: a row
 * without a status and without a publication time was never published.
 */
function signsOfRow(
  columns: readonly { key: string; sign: Sign['kind'] | undefined }[],
  cells: readonly string[],
): Sign[] {
  const all = columns.flatMap(({ key, sign }, index): Sign[] =>
    sign ? [{ kind: sign, key, value: cells[index] ?? '' }] : [],
  )
  const filled = all.filter(({ value }) => String(value).trim() !== '')
  const hasStatus = filled.some(
    ({ kind }) => kind === 'status' || kind === 'published' || kind === 'publishedAt',
  )
  return hasStatus ? filled : [...filled, ...all.filter(({ kind }) => kind === 'publishedAt')]
}

/** Determines the name and the kind of each column, in a first pass over the table. */
async function judge(files: SourceFiles, into: Collector, table: Table) {
  let header: string[] | undefined
  let columns: Column[] = []
  for await (const { cells } of recordsOf(files, table, true)) {
    if (!header) {
      header = cells
      if (header.length > mostColumns) throw nothingRead([{ file: table.file.path, why: 'columns' }])
      columns = header.map(() => new Column(into.zone))
    } else for (const [index, column] of columns.entries()) column.add(cells[index] ?? '')
  }
  const taken = new Set<string>()
  return (header ?? []).map((name, index) => {
    const base = name.trim() || `column${index + 1}`
    let key = base
    for (let number = 2; taken.has(key); number++) key = `${base}-${number}`
    taken.add(key)
    const kind: ColumnKind = columns[index]?.kind ?? 'text'
    return { key, kind, sign: signOfKey(base), isSecret: isSecretKey(base) }
  })
}

/**
 * Yields the records of a table with their numbers. The header is row 1 and is omitted unless `withHeader`. Empty lines
 * are not counted. Throws `BrokenSource`.
 */
async function* recordsOf(
  files: SourceFiles,
  { file, delimiter }: Table,
  withHeader = false,
): AsyncGenerator<{ cells: string[]; row: number }> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: longestRecord,
  })
  const source = Readable.from(files.text(file))
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  let row = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1
      if (row > 1 || withHeader) yield { cells, row }
    }
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (!code.startsWith('CSV_')) throw error
    throw new BrokenSource('broken', [{ file: `${file.path}:${row + 1}`, why: code }])
  } finally {
    source.destroy()
  }
}
