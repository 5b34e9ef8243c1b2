import { csvLines, csvMark, harmless } from '#server/lib/csv.ts'
import { localTimesIn } from '#server/lib/local-times.ts'
import { Pace } from '#server/lib/pace.ts'
import type { SubmissionState } from '#shared/forms/fields.ts'
import type { Language } from '#shared/languages.ts'
import type { ExportedRow } from './export.repository.ts'

/** Names of columns and states in exported tables. */
const words: Record<
  Language,
  {
    receivedAt: string
    state: string
    page: string
    others: string
    states: Record<SubmissionState, string>
  }
> = {
  ja: {
    receivedAt: '受信日時',
    state: '状態',
    page: '送信元のページ',
    others: 'その他の値',
    states: { new: '未対応', inProgress: '対応中', done: '対応済み', spam: '迷惑' },
  },
  en: {
    receivedAt: 'Received at',
    state: 'State',
    page: 'Page',
    others: 'Other values',
    states: { new: 'New', inProgress: 'In progress', done: 'Done', spam: 'Spam' },
  },
}

/** A column with the values and files of one name. */
export interface ValueColumn {
  name: string
  label: string
}

interface TableOptions {
  columns: readonly ValueColumn[]
  /** Whether a last column has the values without a column. */
  hasOthers: boolean
  language: Language
  timeZone: string
}

/** A text that no spreadsheet program interprets as a formula, although it may begin with a sign. */
const plainNumber = /^-?\d+(?:\.\d+)?$/

const cellOf = (text: string): string => (plainNumber.test(text) ? text : harmless(text))

/** Number of characters after which the collected rows are written. */
const largestPiece = 200_000

/** Writes a table for spreadsheet programs: several values of a cell are on separate lines, files are their names. */
export async function* writeCsv(
  batches: AsyncIterable<ExportedRow[]>,
  { columns, hasOthers, language, timeZone }: TableOptions,
): AsyncGenerator<Uint8Array> {
  const text = words[language]
  const timeOf = localTimesIn(timeZone, 'iso')
  const named = new Set(columns.map(({ name }) => name))
  const rowOf = (row: ExportedRow): string[] => {
    const values = valuesByName(row)
    const others = [...values].filter(([name]) => !named.has(name))
    return [
      row.id,
      timeOf(row.receivedAt),
      text.states[row.state],
      ...columns.map(({ name }) => cellOf((values.get(name) ?? []).join('\n'))),
      ...(hasOthers ? [others.length > 0 ? JSON.stringify(Object.fromEntries(others)) : ''] : []),
      cellOf(row.page ?? ''),
    ]
  }
  const header = [
    '_id',
    text.receivedAt,
    text.state,
    ...columns.map(({ label }) => cellOf(label)),
    ...(hasOthers ? [text.others] : []),
    text.page,
  ]
  yield Buffer.from(csvMark + csvLines([header]))
  yield* inPieces(batches, (row) => csvLines([rowOf(row)]))
}

/** Writes lines of JSON for programs: values as they were sent, times in UTC. */
export function writeNdjson(batches: AsyncIterable<ExportedRow[]>): AsyncGenerator<Uint8Array> {
  return inPieces(batches, ({ id, receivedAt, state, email, page, language, values, files }) => {
    const line = { _id: id, receivedAt, state, email, page, language, values, files }
    return `${JSON.stringify(line)}\n`
  })
}

/** Returns the texts of each name: its values, then the names of its files. */
function valuesByName({ values, files }: ExportedRow): Map<string, string[]> {
  const byName = new Map<string, string[]>()
  const add = (name: string, texts: string[]) => byName.set(name, [...(byName.get(name) ?? []), ...texts])
  for (const { name, value } of values) add(name, Array.isArray(value) ? value : [value])
  for (const { name, fileName } of files) add(name, [fileName])
  return byName
}

async function* inPieces(
  batches: AsyncIterable<ExportedRow[]>,
  lineOf: (row: ExportedRow) => string,
): AsyncGenerator<Uint8Array> {
  const pace = new Pace()
  for await (const rows of batches) {
    let piece = ''
    for (const row of rows) {
      piece += lineOf(row)
      if (piece.length > largestPiece) {
        yield Buffer.from(piece)
        piece = ''
      }
      await pace.giveWay()
    }
    if (piece) yield Buffer.from(piece)
  }
}
