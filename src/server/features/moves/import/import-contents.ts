import {
  importBatch,
  importDocuments,
  importedVersion,
  isTooLarge,
  openForImport,
} from '#server/features/documents/documents.service.ts'
import {
  advanceCarryModel,
  type CarryModelRow,
  inApp,
  listCarryModels,
  Problems,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { assetAddress } from '#shared/asset-address.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import { renameLinkedModels } from '#shared/document-links.ts'
import { valuesByUid } from '#shared/fields/document.ts'
import type { Conversion } from '../archive/received-contents.ts'
import { StateChoices } from '../archive/state-choices.ts'
import { contentsOf, type Survey, survey } from '../archive/survey.ts'
import { countStatuses } from '../plan/planned-states.ts'
import { putBases, sourceStateOf } from '../store/bases.repository.ts'
import { type Converted, toDocument } from './content-to-document.ts'
import { finishImport } from './finish-import.ts'
import type { Importing } from './import-context.ts'
import { importAssets } from './import-files.ts'
import { importPictures } from './import-pictures.ts'

/**
 * Imports everything that is not imported yet, also after an interruption. Files come first, because texts need their
 * URLs; then documents, model by model, in the order of their lines.
 */
export async function importContents(importing: Importing): Promise<void> {
  const { db, scope, moveId, fileOwner, plan, source, manifest, workFolder, services, progress } = importing
  const choices = new StateChoices(manifest.source.kind, plan.models)
  const found = await survey(source, manifest, { folder: workFolder, owner: fileOwner, choices })
  try {
    const rows = await listCarryModels(db, scope, moveId)
    const documents = rows.reduce((sum, { total }) => sum + total, 0)
    const files = found.assets.length
    const total = documents + files
    const assets = await importAssets(importing, found, (done) => progress(done, total))
    const space = await inApp(importing, async ({ space }) => space.uid)
    const addresses = new Map<string, string>()
    for (const { id, fileName, urls } of found.assets)
      if (assets.there.has(id))
        for (const url of urls)
          addresses.set(url, assetAddress(services.config, space, id, assets.there.get(id) ?? fileName))
    const pictures = await importPictures(importing, found)
    // The list is not used below. This frees most of the memory that a large archive needs.
    found.assets.length = 0
    let done = files
    const problems = new Problems([...assets.problems, ...pictures])
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
      statuses: countStatuses(plan),
    }
    await finishImport(importing, report)
  } finally {
    await found.close()
  }
}

const countDone = async ({ db, scope, moveId }: Importing) =>
  (await listCarryModels(db, scope, moveId)).reduce((sum, { done }) => sum + done, 0)

const basesOf = (batch: readonly Converted[]) =>
  batch.map(({ document }) => ({
    id: document.id,
    version: importedVersion(document),
    ...sourceStateOf(document),
  }))

/** Maximum number of kinds of removed HTML that a report lists for each model. */
const mostKinds = 100

interface ImportingModel {
  found: Survey
  row: CarryModelRow
  planned: MovePlan['models'][number]
  addresses: ReadonlyMap<string, string>
}

async function importModel(
  importing: Importing,
  { found, row, planned, addresses }: ImportingModel,
  onProgress: (done: number) => Promise<void>,
) {
  const { source, manifest } = importing
  const survey = found.models.get(row.model)
  let { done } = row
  const problems = new Problems(row.problems)
  if (!survey) return problems.list()
  const model = await inApp(importing, async (ctx) => (await openForImport(ctx, planned.uid)).model)
  // Texts refer to models by their uids at the source.
  const uids = new Map(importing.plan.models.flatMap(({ from, uid }) => (from === null ? [] : [[from, uid]])))
  const conversion: Conversion = {
    model,
    fields: planned.fields.flatMap(({ from, field: { uid } }) => {
      const field = model.fields.find((one) => one.uid === uid)
      return field ? { from, field } : []
    }),
    origin: {
      asset: (value) => found.index.asset(value),
      document: (value) => found.index.document(value),
      rewrite: (text) =>
        renameLinkedModels(
          found.finder.replaceInText(text, (url) => addresses.get(url)),
          uids,
        ),
    },
  }
  const context = { ...survey, published: found.published, conversion }
  const kinds = new Set<string>()
  const noteProblems = ({ document, leftOut, changes }: Converted) => {
    const noted = new Set<string>()
    for (const { path, code, kind } of changes) {
      if (kind !== undefined && kinds.size < mostKinds) kinds.add(kind)
      const known = kind === undefined || kinds.has(kind) ? kind : '…'
      const key = JSON.stringify([path, code, known])
      if (!noted.has(key))
        problems.add(
          code,
          `${row.model}.${path}`,
          document.id,
          known === undefined ? undefined : { kind: known },
        )
      noted.add(key)
    }
    for (const key of leftOut) problems.add('valueLeftOut', `${row.model}.${key}`, document.id)
    for (const values of new Set([document.current, document.pub]))
      if (values && isTooLarge(valuesByUid(model, values)))
        problems.add('documentTooLarge', row.model, document.id)
  }
  let batch: Converted[] = []
  let read = 0
  let bytes = 0
  const write = async () => {
    await inApp(importing, async (ctx) => {
      const session = await openForImport(ctx, planned.uid)
      await importDocuments(
        session,
        batch.map(({ document }) => document),
      )
      await putBases(ctx.db, ctx.scope, { moveId: importing.moveId, modelId: row.model_id }, basesOf(batch))
      const advanced = await advanceCarryModel(ctx.db, row, {
        before: done,
        done: read,
        problems: problems.list(),
      })
      if (!advanced) throw new Error('Another run of this import is at work')
    })
    done = read
    batch = []
    bytes = 0
    await onProgress(done)
  }
  for await (const content of survey.copies?.values() ?? contentsOf(source, manifest, row.model)) {
    if (survey.choiceOf(content.sys) === 'leaveOut') continue
    read += 1
    if (read <= done) continue
    importing.at(`${row.model}/${content.id}`)
    const converted = await toDocument(content, context)
    batch.push(converted)
    noteProblems(converted)
    bytes += content.bytes
    if (batch.length >= importBatch.documents || bytes >= importBatch.bytes) await write()
  }
  if (read > done) await write()
  return problems.list()
}
