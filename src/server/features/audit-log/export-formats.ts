import { csvLines, csvMark, harmless } from '#server/lib/csv.ts'
import { shownAct } from '#shared/audit.ts'
import type { AuditEntry } from '#shared/contract/audit-log.ts'
import english from '#shared/i18n/en/audit-act.json'
import japanese from '#shared/i18n/ja/audit-act.json'
import type { Language } from '#shared/languages.ts'

type Pages = AsyncIterable<AuditEntry[]>

const words: Record<Language, Record<string, Record<string, string>>> = { ja: japanese, en: english }

/** Returns the action's label in the admin UI, or its name if this version has no label for it. */
function wordsOf(entry: AuditEntry, language: Language): string {
  const [kind = '', verb = ''] = shownAct(entry).split('.')
  return words[language][kind]?.[verb] ?? entry.act
}

const columns: [string, (entry: AuditEntry, language: Language) => string | null][] = [
  ['_id', (entry) => entry._id],
  ['at', (entry) => entry.at],
  ['act', wordsOf],
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

/** Writes CSV for people: actions are labelled in the reader's language. */
async function* csv(pages: Pages, language: Language): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvMark + csvLines([columns.map(([name]) => name)]))
  for await (const entries of pages)
    yield Buffer.from(
      csvLines(entries.map((entry) => columns.map(([, read]) => harmless(read(entry, language) ?? '')))),
    )
}

/** Writes lines of JSON for programs: entries as in responses. */
async function* ndjson(pages: Pages): AsyncGenerator<Uint8Array> {
  for await (const entries of pages)
    yield Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}

/** The export formats by the value of the `format` parameter: media type and writer. */
export const writers = {
  csv: { type: 'text/csv; charset=utf-8', write: csv },
  ndjson: { type: 'application/x-ndjson; charset=utf-8', write: ndjson },
}
