import { csvLines, csvMark, harmless } from '#server/lib/csv.ts'
import type { AuditEntry } from '#shared/contract/audit-log.ts'

type Pages = AsyncIterable<AuditEntry[]>

const columns: [string, (entry: AuditEntry) => string | null][] = [
  ['_id', (entry) => entry._id],
  ['at', (entry) => entry.at],
  ['act', (entry) => entry.act],
  ['outcome', (entry) => entry.outcome],
  ['actor.kind', (entry) => entry.actor.kind],
  ['actor._id', (entry) => entry.actor._id],
  ['actor.name', (entry) => entry.actor.name],
  ['ip', (entry) => entry.ip],
  ['userAgent', (entry) => entry.userAgent],
  ['object.kind', (entry) => entry.object.kind],
  ['object._id', (entry) => entry.object._id],
  ['object.name', (entry) => entry.object.name],
  ['details', (entry) => (Object.keys(entry.details).length > 0 ? JSON.stringify(entry.details) : null)],
]

async function* csv(pages: Pages): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvMark + csvLines([columns.map(([name]) => name)]))
  for await (const entries of pages)
    yield Buffer.from(
      csvLines(entries.map((entry) => columns.map(([, read]) => harmless(read(entry) ?? '')))),
    )
}

async function* ndjson(pages: Pages): AsyncGenerator<Uint8Array> {
  for await (const entries of pages)
    yield Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}

/** In which forms the log leaves. */
export const writers = {
  csv: { type: 'text/csv; charset=utf-8', write: csv },
  ndjson: { type: 'application/x-ndjson; charset=utf-8', write: ndjson },
}
