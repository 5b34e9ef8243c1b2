import type { AppManifest } from '#archive/app-format.ts'
import { AppLines } from '#archive/app-lines.ts'
import type { Signature } from '#archive/signature.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { SpaceContext } from '#server/access/context.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import {
  appInArchive,
  archivedApp,
  fillApp,
  isOwnKey,
  type MadeModel,
  makeApp,
  newDocumentName,
  readPortableApp,
} from '#server/features/portable-apps/portable-apps.service.ts'
import type { CarriedPlan } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { refusalOf } from '../archive/refusal.ts'
import { MovePlanProblems } from '../plan/move-plan-problems.ts'
import { isAppTaken, takenAssets, takenDocuments } from '../store/clashes.repository.ts'
import { finishImport } from './finish-import.ts'
import type { MoveWork } from './import-context.ts'

const idsAtATime = 5_000

interface MovePlanContext {
  db: Db
  scope: SpaceScope
  signature: Signature | null
  onProgress(done: number, total: number): Promise<void>
  at(what: string): void
}

/** Plans the import of a verified archive of an app. Throws `InvalidLine`. */
export async function planCarried(
  source: ArchiveSource,
  manifest: AppManifest,
  { db, scope, signature, onProgress, at }: MovePlanContext,
): Promise<CarriedPlan> {
  const lines = new AppLines(source, manifest)
  const { app, models, customFieldTypes, views, roles } = await appInArchive(source, manifest)
  const { counts } = manifest
  const problems = new MovePlanProblems()
  if (await isAppTaken(db, scope, app.uid)) problems.add('appUidTaken', '', 1, app.uid)
  let ids: string[] = []
  const look = async () => {
    for (const id of await takenDocuments(db, scope, ids)) problems.add('documentIdsTaken', '', 1, id)
    ids = []
  }
  let done = 0
  for (const { uid } of models) {
    for await (const { _id } of lines.documents(uid)) {
      at(`${uid}/${_id}`)
      done += 1
      if (ids.push(_id) < idsAtATime) continue
      await look()
      await onProgress(done, counts.documents)
    }
  }
  if (ids.length > 0) await look()
  for await (const { _id, path, fileName } of lines.assets()) {
    if (path === null) problems.add('missingAssets', '', 1, fileName)
    for (const id of await takenAssets(db, scope, [_id])) problems.add('assetIdsTaken', '', 1, id)
  }
  const { state = 'none', key = null } = signature ?? {}
  const isOwn = key !== null && (await isOwnKey(db, key))
  const names = ({ uid, name }: { uid: string; name: string }) => ({ uid, name })
  return {
    source: {
      ...manifest.source,
      status: 'complete',
      finishedAt: manifest.finishedAt,
      signature: { state: state === 'none' ? 'none' : isOwn ? 'own' : 'other', key },
    },
    app: names(app),
    ids: 'kept',
    models: models.map((model) => ({
      ...names(model),
      documents: manifest.models.find(({ uid }) => uid === model.uid)?.documents.count ?? 0,
      fields: model.fields.map((field) => ({ ...names(field), type: field.type })),
    })),
    customTypes: customFieldTypes.map(names),
    views: views.length,
    roles: roles.map(names),
    ...(counts.revisions === undefined ? {} : { revisions: counts.revisions }),
    counts: { documents: counts.documents, assets: counts.assets.files, bytes: counts.assets.bytes },
    problems: problems.list(),
  }
}

/** Checks the app of an archive whose files are intact; returns undefined if it is valid. */
export async function carriedRefusal(
  source: ArchiveSource,
  manifest: AppManifest,
): Promise<MoveRefusal | undefined> {
  try {
    await readPortableApp(await appInArchive(source, manifest))
    return undefined
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    const items = error.issues.map(({ path, code }) => ({ kind: 'schema', what: `${path}: ${code}` }))
    return refusalOf('damaged', items)
  }
}

/**
 * Creates the app of a plan, without documents. Throws `AppUidIsAlreadyInUse`. Throws 400 if views or roles contradict
 * the models.
 */
export async function makeCarriedApp(
  ctx: SpaceContext,
  { source, manifest }: { source: ArchiveSource; manifest: AppManifest },
  { moveId, plan }: { moveId: string; plan: CarriedPlan },
): Promise<{ appId: number; models: MadeModel[] }> {
  const read = await readPortableApp(await appInArchive(source, manifest))
  const { app, models } = await makeApp(ctx, read, {
    names: plan.app,
    ...(plan.ids === 'new' ? { documentName: newDocumentName(moveId) } : {}),
  })
  return {
    appId: app.scope.appId,
    models: models.map(({ uid, scope }) => ({
      model: uid,
      modelId: scope.modelId,
      total: plan.models.find((model) => model.uid === uid)?.documents ?? 0,
    })),
  }
}

/** Imports everything of an app's archive that is not imported yet. Can be interrupted at any time. */
export async function importCarried(
  work: MoveWork & { appId: number },
  archive: { source: ArchiveSource; manifest: AppManifest },
  plan: CarriedPlan,
): Promise<void> {
  const { moveId } = work
  const report = await fillApp({
    ...work,
    carryId: moveId,
    source: await archivedApp(archive.source, archive.manifest),
    ids: plan.ids,
    assets: 'brought',
    // An archive that this installation signed is not trusted either: its bytes may have been changed after it was
    // signed.
    trusted: false,
  })
  await finishImport(work, report)
}
