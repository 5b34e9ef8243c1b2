import { noteAudit } from '#server/access/audit.ts'
import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { localTimesIn } from '#server/lib/local-times.ts'
import { portableFileName } from '#server/lib/portable-file-name.ts'
import type { FileAnswer } from '#shared/contract/endpoint.ts'
import type { FormField, SubmissionState } from '#shared/forms/fields.ts'
import { type Language, languages } from '#shared/languages.ts'
import { requireForm } from '../definition/definition.service.ts'
import {
  type ExportedPart,
  type ExportedRow,
  readExported,
  readNames,
  startExport,
} from './export.repository.ts'
import { type ValueColumn, writeCsv, writeNdjson } from './export-formats.ts'
import { statesOf } from './inbox.service.ts'

/** Number of the newest submissions whose names get a column, and the number of these columns. */
const searchedRows = 10_000
const maxOtherColumns = 500
/** Number of submissions whose names are read at a time. */
const searchedAtOnce = 1_000

/**
 * Exports the submissions of a form, newest first, as CSV or NDJSON. Each batch is a transaction of its own, so that
 * the export has one batch in memory, and no connection while the client is slow. Submissions that arrive after the
 * start are omitted. Throws 404.
 */
export async function exportSubmissions(
  ctx: OwnTransactions<SpaceContext>,
  formId: string,
  { format, state }: { format: 'csv' | 'ndjson'; state?: SubmissionState | undefined },
  { signal, language }: { signal: AbortSignal; language: Language },
): Promise<FileAnswer> {
  const states = statesOf(state)
  const { form, count, start, timeZone } = await ctx.inSpace(async (inside) => {
    const form = await requireForm(inside, formId)
    const { count, now } = await startExport(inside.db, inside.scope, { formId, states })
    const facts = { format, ...(state === undefined ? {} : { state }), exported: count }
    noteAudit(inside, { objectName: form.name, facts })
    const before = { receivedAt: now, id: 'f'.repeat(24) }
    return { form, count, start: { formId, states, before }, timeZone: inside.space.timeZone }
  })
  const day = localTimesIn(timeZone, 'iso')(start.before.receivedAt).slice(0, 10)
  const fileName = `${portableFileName(form.name, day)}.${format}`
  const batches = readBatches(ctx, start, signal)
  if (format === 'ndjson')
    return { bytes: writeNdjson(batches), fileName, type: 'application/x-ndjson; charset=utf-8' }
  const columns = form.fields.map(({ name, label }) => ({ name, label: labelIn(label, language) }))
  const others = await findOtherNames(ctx, start, new Set(columns.map(({ name }) => name)), signal)
  const options = {
    columns: [...columns, ...others.map((name): ValueColumn => ({ name, label: name }))],
    hasOthers: count > searchedRows || others.length === maxOtherColumns,
    language,
    timeZone,
  }
  return { bytes: writeCsv(batches, options), fileName, type: 'text/csv; charset=utf-8' }
}

async function* readBatches(
  ctx: OwnTransactions<SpaceContext>,
  start: ExportedPart,
  signal: AbortSignal,
): AsyncGenerator<ExportedRow[]> {
  let { before } = start
  for (;;) {
    signal.throwIfAborted()
    const rows = await ctx.inSpace(({ db, scope }) => readExported(db, scope, { ...start, before }))
    const last = rows.at(-1)
    if (!last) return
    yield rows
    before = last
  }
}

/**
 * Returns names that are not `known`, in the order in which they are first sent. They are searched in the newest
 * submissions only, because a table begins with its columns and reading all submissions would take minutes.
 */
async function findOtherNames(
  ctx: OwnTransactions<SpaceContext>,
  start: ExportedPart,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Set<string>()
  let { before } = start
  for (let searched = 0; searched < searchedRows; searched += searchedAtOnce) {
    signal.throwIfAborted()
    const part = { rows: searchedAtOnce, limit: known.size + maxOtherColumns }
    const { names, last } = await ctx.inSpace(({ db, scope }) =>
      readNames(db, scope, { ...start, before }, part),
    )
    for (const name of names) if (!known.has(name)) found.add(name)
    if (last === null || found.size >= maxOtherColumns) break
    before = last
  }
  return [...found].slice(0, maxOtherColumns)
}

/** Returns the label in the language of the reader, or in another one if it has none there. */
const labelIn = (label: FormField['label'], language: Language): string =>
  [language, ...languages].map((one) => label[one].trim()).find((text) => text !== '') ?? ''
