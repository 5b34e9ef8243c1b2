import type { PortableDocument, PortableRevision } from '#archive/app-format.ts'
import type { AppContext } from '#server/access/context.ts'
import { bringAppPicture } from '#server/features/apps/apps.service.ts'
import {
  bytesAtMost,
  type ImportedDocument,
  importBatch,
  importDocuments,
  isTooLarge,
  openForImport,
  readCarried,
} from '#server/features/documents/documents.service.ts'
import { type AssetHost, assetAddress } from '#shared/asset-address.ts'
import { type ValueModel, valuesByUid } from '#shared/fields/document.ts'
import type { OtherNames } from '#shared/fields/field-type.ts'
import { type BroughtAssets, bringAssets } from './portable-apps.assets.ts'
import { type Filling, inApp } from './portable-apps.context.ts'
import { madeId } from './portable-apps.ids.ts'
import { type CarryProblem, Problems } from './portable-apps.problems.ts'
import { advanceCarryModel, type CarryModelRow, listCarryModels } from './portable-apps.repository.ts'
import { authorFinder, PastReader, toRevisions } from './portable-apps.revisions.ts'

export interface FillReport {
  documents: number
  assets: number
  problems: CarryProblem[]
}

/** Returns a function that derives new `_id`s of documents from `carryId`. */
export const newDocumentName = (carryId: string) => (id: string) => madeId(carryId, id)

/**
 * Imports everything that is still missing into an app created by {@link makeApp}: pictures, files, then documents,
 * model by model. Can be interrupted and run again. The rows of `carry_model` list the models. Throws 404 if the app
 * was deleted.
 */
export async function fillApp(filling: Filling): Promise<FillReport> {
  const { db, services, scope, carryId, ids, progress } = filling
  await bringPictures(filling)
  const rows = await listCarryModels(db, scope, carryId)
  const documents = rows.reduce((sum, { total }) => sum + total, 0)
  const brought = await bringAssets(filling, (done, all) => progress(done, documents + all))
  const total = documents + brought.count
  const space = await inApp(filling, async (ctx) => ctx.space.uid)
  const names = namesIn(brought, {
    host: services.config,
    space,
    documentName: ids === 'new' ? newDocumentName(carryId) : undefined,
  })
  let done = brought.count
  const problems = new Problems(brought.problems)
  for (const row of rows) {
    problems.addAll(await fillModel(filling, row, names, (count) => progress(done + count, total)))
    done += row.total
  }
  const found = await listCarryModels(db, scope, carryId)
  const carried = found.reduce((sum, { done: count }) => sum + count, 0)
  return { documents: carried, assets: brought.there.size, problems: problems.list() }
}

/** Returns functions that map the `_id`s and URLs of imported documents and files. */
export const namesIn = (
  { there }: Pick<BroughtAssets, 'there'>,
  {
    host,
    space,
    documentName = (id) => id,
  }: { host: AssetHost; space: string; documentName?: ((id: string) => string) | undefined },
): OtherNames => ({
  document: documentName,
  asset: (id) => there.get(id) ?? id,
  assetAddress: (id) => {
    const here = there.get(id)
    return here === undefined ? undefined : assetAddress(host, space, here, '')
  },
})

async function bringPictures(filling: Filling): Promise<void> {
  const { carryId, appId, source } = filling
  const { icon, cover } = source.app.app
  const pictures = {
    ...filling,
    spaceId: filling.scope.spaceId,
    inSpace: <T>(work: (ctx: AppContext) => Promise<T>) => inApp(filling, work),
  }
  for (const [kind, picture] of [
    ['icon', icon],
    ['cover', cover],
  ] as const) {
    if (picture?.type !== 'image') continue
    // A removed app keeps its pictures, so an app that is created after it needs other ids.
    const id = madeId(carryId, `${appId} ${kind} ${picture.sha256}`)
    const bytes = await source.picture(picture)
    await bringAppPicture(pictures, kind, { id, bytes })
  }
}

export interface Carried {
  /** The `_id` in the source. */
  id: string
  document: ImportedDocument
  leftOut: string[]
}

async function fillModel(
  filling: Filling,
  row: CarryModelRow,
  names: OtherNames,
  onProgress: (done: number) => Promise<void>,
): Promise<CarryProblem[]> {
  const { model: uid } = row
  let { done } = row
  const problems = new Problems(row.problems)
  let batch: Carried[] = []
  let bytes = 0
  const model = await inApp(filling, async (ctx) => (await openForImport(ctx, uid)).model)
  const noteProblems = ({ document, leftOut }: Carried) => {
    for (const path of leftOut) problems.add('valueLeftOut', `${uid}.${path}`, document.id)
    for (const values of new Set([document.current, document.pub]))
      if (values && isTooLarge(valuesByUid(model, values))) problems.add('documentTooLarge', uid, document.id)
  }
  const write = async () => {
    const last = batch.at(-1)?.id ?? null
    await inApp(filling, async (ctx) => {
      const session = await openForImport(ctx, uid)
      await importDocuments(
        session,
        batch.map(({ document }) => document),
      )
      const isOurs = await advanceCarryModel(ctx.db, row, {
        before: done,
        done: done + batch.length,
        lastId: last,
        problems: problems.list(),
      })
      if (!isOurs) throw new Error('Another run of this work goes on')
    })
    done += batch.length
    batch = []
    bytes = 0
    await onProgress(done)
  }
  const past = new PastReader(filling.source, uid, row.last_id)
  const findAuthor = authorFinder(filling.db, filling.scope)
  try {
    for await (const portable of filling.source.documents(uid, row.last_id)) {
      filling.signal?.throwIfAborted()
      filling.at(`${uid}/${portable._id}`)
      const before = await past.of(portable._id)
      const carried = await carriedDocument(filling, model, portable, names)
      const revisions = before && (await withPast(filling, model, { carried, before, names, findAuthor }))
      batch.push(revisions ? { ...carried, document: { ...carried.document, revisions } } : carried)
      noteProblems(carried)
      for (let count = before?.leftOut ?? 0; count > 0; count--)
        problems.add('revisionLeftOut', uid, portable._id)
      bytes += bytesAtMost(portable.current) + (before?.bytes ?? 0)
      if (batch.length >= importBatch.documents || bytes >= importBatch.bytes) await write()
    }
  } finally {
    await past.close()
  }
  if (batch.length > 0) await write()
  return problems.list()
}

function withPast(
  { trusted }: Filling,
  model: ValueModel,
  {
    carried,
    before,
    names,
    findAuthor,
  }: {
    carried: Carried
    before: { revisions: PortableRevision[] }
    names: OtherNames
    findAuthor: ReturnType<typeof authorFinder>
  },
) {
  const read = async (values: Record<string, unknown>) =>
    (await readCarried(model, values, { names, trusted })).values
  return toRevisions(before.revisions, carried.document, read, findAuthor)
}

/** Returns a document of a portable app in its stored form, with the keys of values that no field accepts. */
export async function carriedDocument(
  { trusted }: Pick<Filling, 'trusted'>,
  model: ValueModel,
  { _id, current, published, customOrder, ...times }: PortableDocument,
  names: OtherNames,
): Promise<Carried> {
  const read = (values: Record<string, unknown>) => readCarried(model, values, { names, trusted })
  const now = await read(current)
  const before = published === null || published === 'same' ? now : await read(published)
  const time = (text: string | null) => (text === null ? null : new Date(text))
  // Repairs inconsistent metadata: a published document must have a publication time.
  const isPublished = published !== null
  const publishedAt = isPublished ? (time(times.publishedAt) ?? new Date(times.updatedAt)) : null
  const leftOut = [...now.issues, ...before.issues].map(({ path }) => path.split('.')[0] ?? path)
  return {
    id: _id,
    leftOut: [...new Set(leftOut)],
    document: {
      id: names.document(_id),
      current: now.values,
      pub: isPublished ? before.values : null,
      customOrder,
      createdAt: new Date(times.createdAt),
      updatedAt: new Date(times.updatedAt),
      firstPublishedAt: time(times.firstPublishedAt) ?? publishedAt,
      publishedAt,
      publishedUpdatedAt: isPublished ? (time(times.publishedUpdatedAt) ?? new Date(times.updatedAt)) : null,
    },
  }
}
