import { isRecord } from '#archive/shapes.ts'
import {
  type ImportedDocument,
  importDocuments,
  isTooLarge,
  openForImport,
} from '#server/features/documents/documents.service.ts'
import { Pace } from '#server/lib/pace.ts'
import { assetAddress } from '#shared/asset-address.ts'
import type { MovePlan } from '#shared/contract/moves.ts'
import { valuesByUid } from '#shared/fields/document.ts'
import { importAssets } from './moves.assets.ts'
import { copiedLines } from './moves.copies.ts'
import { readExactContent } from './moves.exact-json.ts'
import { type Importing, inApp } from './moves.importing.ts'
import { type IndexedLines, linesOf } from './moves.lines.ts'
import { Problems } from './moves.problems.ts'
import { advanceMoveModel, listMoveModels, type MoveModelRow, updateMove } from './moves.repository.ts'
import { type Survey, survey } from './moves.survey.ts'
import { type Conversion, documentId, readContentValues, sameInBothViews } from './moves.values.ts'

/** Documents in one transaction. */
const batchSize = 200
/** Bytes of contents that are gathered at most. */
const batchBytes = 4_000_000

/**
 * Imports everything that is not there yet: files first, for the addresses in texts, then documents, model by model in the order of
 * their lines. May be cut off anywhere and goes on from what it finds.
 */
export async function importArchive(importing: Importing): Promise<void> {
  const { db, scope, moveId, plan, source, manifest, workFolder, host, progress } = importing
  const found = await survey(source, manifest, workFolder, moveId)
  try {
    const rows = await listMoveModels(db, scope, moveId)
    const documents = rows.reduce((sum, { total }) => sum + total, 0)
    const total = documents + found.assets.length
    const assets = await importAssets(importing, found, (done) => progress(done, total))
    const space = await inApp(importing, async ({ space }) => space.uid)
    const addresses = new Map<string, string>()
    for (const { id, fileName, urls } of found.assets)
      if (assets.there.has(id))
        for (const url of urls)
          addresses.set(url, assetAddress(host, space, id, assets.there.get(id) ?? fileName))
    let done = found.assets.length
    const problems = new Problems(assets.problems)
    for (const row of rows) {
      const planned = plan.models.find(({ from }) => from === row.model)
      if (!planned) continue
      const model = await importModel(importing, { found, row, planned, addresses }, (count) =>
        progress(done + count, total),
      )
      done += row.total
      problems.addAll(model)
    }
    const report = {
      documents: await countDone(importing),
      assets: assets.there.size,
      problems: problems.list(),
    }
    await updateMove(db, scope, moveId, { state: 'imported', report, finishedAt: new Date() })
  } finally {
    await found.close()
  }
}

const countDone = async ({ db, scope, moveId }: Importing) =>
  (await listMoveModels(db, scope, moveId)).reduce((sum, { done }) => sum + done, 0)

interface ImportingModel {
  found: Survey
  row: MoveModelRow
  planned: MovePlan['models'][number]
  addresses: ReadonlyMap<string, string>
}

async function importModel(
  importing: Importing,
  { found, row, planned, addresses }: ImportingModel,
  onProgress: (done: number) => Promise<void>,
) {
  const { source, manifest } = importing
  const listed = manifest.models.find(({ uid }) => uid === row.model)
  let { done } = row
  let problems = new Problems(row.problems)
  const model = await inApp(importing, async (ctx) => (await openForImport(ctx, planned.uid)).model)
  const conversion: Conversion = {
    fields: planned.fields.flatMap(({ from, field: { uid } }) => {
      const field = model.fields.find((one) => one.uid === uid)
      return field ? { from, field } : []
    }),
    finder: found.finder,
    addressOf: (url) => addresses.get(url),
  }
  const pace = new Pace()
  let batch: ImportedDocument[] = []
  let read = 0
  let bytes = 0
  const write = async () => {
    const next = new Problems(problems.list())
    for (const { id, current, pub } of batch)
      for (const values of new Set([current, pub]))
        if (values && isTooLarge(valuesByUid(model, values))) next.add('documentTooLarge', row.model, id)
    await inApp(importing, async (ctx) => {
      const session = await openForImport(ctx, planned.uid)
      await importDocuments(session, batch)
      const advanced = await advanceMoveModel(ctx.db, row, {
        before: done,
        done: read,
        problems: next.list(),
      })
      if (!advanced) throw new Error('Another run of this import is at work')
    })
    problems = next
    done = read
    batch = []
    bytes = 0
    await onProgress(done)
  }
  const lines = listed ? linesOf(source, manifest, listed.api.path) : copiedLines(source, manifest, row.model)
  for await (const { text } of lines) {
    read += 1
    if (read <= done) continue
    const line = await toDocument(text, row.model, { found, conversion })
    if (line) {
      batch.push(line.document)
      for (const key of line.leftOut) problems.add('valueLeftOut', `${row.model}.${key}`, line.document.id)
    }
    bytes += text.length
    if (batch.length >= batchSize || bytes >= batchBytes) await write()
    await pace.giveWay()
  }
  if (read > done) await write()
  return problems.list()
}

/** A content with both of its states; undefined for a line that is none. */
async function toDocument(
  line: Buffer,
  model: string,
  { found, conversion }: { found: Survey; conversion: Conversion },
): Promise<{ document: ImportedDocument; leftOut: string[] } | undefined> {
  const api = readExactContent(line)
  if (!api) return undefined
  const { cdn, texts } = found.models.get(model) ?? { cdn: null, texts: { api: null, cdn: null } }
  const published = await readLine(cdn, api.id)
  const { values: current, leftOut } = await readContentValues(
    conversion,
    api.fields,
    await textsOf(texts.api, api.id, api.updatedAt),
  )
  const sys = timesOf(api.fields)
  const isPublished = cdn === null ? sys.publishedAt !== null : published !== undefined
  const document: ImportedDocument = {
    id: documentId(api.id),
    current,
    pub: isPublished ? current : null,
    customOrder: sys.customOrder,
    createdAt: sys.createdAt ?? new Date(),
    updatedAt: sys.updatedAt ?? sys.createdAt ?? new Date(),
    firstPublishedAt: sys.firstPublishedAt,
    publishedAt: null,
    publishedUpdatedAt: null,
  }
  if (!isPublished) return { document, leftOut }
  const publishedSys = published ? timesOf(published.fields) : sys
  document.publishedAt = publishedSys.publishedAt ?? sys.publishedAt ?? document.updatedAt
  document.firstPublishedAt ??= document.publishedAt
  document.publishedUpdatedAt = publishedSys.updatedAt ?? document.updatedAt
  if (!published) return { document, leftOut }
  const same = sameInBothViews(api.fields, published.fields, found.published)
  const keys = conversion.fields.filter(
    ({ from }) => !same.has(from) && (from in api.fields || from in published.fields),
  )
  if (keys.length === 0) return { document, leftOut }
  const texted = await textsOf(texts.cdn, api.id, published.updatedAt)
  const other = await readContentValues({ ...conversion, fields: keys }, published.fields, texted)
  const pub = { ...current }
  for (const { field } of keys) delete pub[field._id]
  Object.assign(pub, other.values)
  return { document: { ...document, pub }, leftOut: [...new Set([...leftOut, ...other.leftOut])] }
}

async function readLine(lines: IndexedLines | null, id: string) {
  const line = await lines?.read(id)
  return line && readExactContent(line)
}

/** The texts of a content, if nobody saved it between the two passes that read it. */
async function textsOf(lines: IndexedLines | null, id: string, updatedAt: string) {
  const found = await readLine(lines, id)
  return found?.updatedAt === updatedAt ? found.fields : undefined
}

function timesOf({ _sys }: Record<string, unknown>) {
  const sys = isRecord(_sys) ? _sys : {}
  const raw = isRecord(sys.raw) ? sys.raw : {}
  const time = (value: unknown) => {
    const date = typeof value === 'string' ? new Date(value) : undefined
    const year = date?.getUTCFullYear() ?? Number.NaN
    return date && year >= 1 && year <= 9999 ? date : null
  }
  const { customOrder } = sys
  return {
    createdAt: time(raw.createdAt) ?? time(sys.createdAt),
    updatedAt: time(raw.updatedAt) ?? time(sys.updatedAt),
    firstPublishedAt: time(raw.firstPublishedAt),
    publishedAt: time(raw.publishedAt),
    customOrder: typeof customOrder === 'number' && Number.isFinite(customOrder) ? customOrder : null,
  }
}
