import { AppLines } from '#archive/app-lines.ts'
import type { AnyManifest } from '#archive/manifest.ts'
import { archivesIn } from '#archive/several.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { inTransaction } from '#server/db/scope.ts'
import {
  deleteProgress,
  handOverAssets,
  inApp,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { isCarried, type MovePlan } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import { type ImportingMove, membersIn } from './moves.apps.jobs.ts'
import { countChanges } from './moves.changes.repository.ts'
import { findRefusal, planChecked } from './moves.check.ts'
import { removeFiles, withArchive, workPath } from './moves.files.ts'
import { type Incoming, incomingContents } from './moves.incoming.ts'
import { countedPartsOf, incomingApp, makeViews, partsOf } from './moves.incoming-app.ts'
import {
  findChanges,
  findMove,
  findPlan,
  listBrought,
  lockMove,
  type MoveChanges,
  updateMove,
} from './moves.repository.ts'
import { hasAdditions } from './moves.update-additions.ts'
import { applyUpdate } from './moves.update-apply.ts'
import { isAppThere } from './moves.update-models.ts'
import { planUpdate, readParts, updateRefusal } from './moves.update-plan.ts'
import type { PlannedParts, Updating } from './moves.updating.ts'

/* What the jobs of a move do for one that is an update. */

/** An update: the move whose app it brings up to date, and that app. */
interface Update {
  originId: string
  appId: number
}

const refused = (code: MoveRefusal['code']): MoveChanges => ({
  state: 'refused',
  refusal: { code, items: [], count: 0 },
})

/** What becomes of an update whose archive is there: a plan, or a refusal. */
export async function findUpdate(importing: ImportingMove, update: Update): Promise<MoveChanges> {
  const { db, scope, path } = importing
  const plan = await findPlan(db, scope, update.originId)
  if (!plan || isCarried(plan)) return refused('otherSource')
  if (!(await isAppThere({ ...importing, appId: update.appId }))) return refused('appIsGone')
  const part = await partOf(path, plan)
  if (part === null) return refused('otherSource')
  const { refusal } = await findRefusal({ path, part }, importing)
  if (refusal) return { state: 'refused', refusal }
  const work = async (source: ArchiveSource, read: AnyManifest): Promise<MoveChanges> => {
    if (read.of !== 'contents') return refused('otherSource')
    const { manifest } = read
    const refusal = updateRefusal(manifest, plan, await listBrought(db, scope, update.originId))
    if (refusal) return { state: 'refused', refusal }
    const updating = await updatingOf(importing, update, plan)
    const parts = await readParts(updating, source)
    return planned(updating, await incomingContents(updating, { source, manifest }), parts)
  }
  return withArchive(path, work, part)
}

async function planned(updating: Updating, incoming: Incoming, read: PlannedParts): Promise<MoveChanges> {
  try {
    const changes = await planUpdate(updating, incoming, read)
    const { documents, assets } = changes.counts
    if (documents > 0 || assets > 0 || hasAdditions(changes.additions)) return { state: 'planned', changes }
    // There is nothing to be decided.
    const report = { documents: 0, assets: 0, problems: [] }
    return { state: 'accepted', changes, report, finishedAt: new Date() }
  } finally {
    await incoming.close()
  }
}

async function bringUpdate(importing: ImportingMove, update: Update) {
  const { db, scope, path } = importing
  const plan = await findPlan(db, scope, update.originId)
  if (!plan || isCarried(plan)) return undefined
  const work = async (source: ArchiveSource, read: AnyManifest) => {
    if (read.of !== 'contents') throw new TypeError('the plan is not of this archive')
    const updating = await updatingOf(importing, update, plan)
    return applied(updating, await incomingContents(updating, { source, manifest: read.manifest }))
  }
  return withArchive(path, work, (await partOf(path, plan)) ?? undefined)
}

async function applied(
  updating: Updating,
  incoming: Incoming,
  onMade?: Parameters<typeof applyUpdate>[2],
): ReturnType<typeof applyUpdate> {
  try {
    return await applyUpdate(updating, incoming, onMade)
  } finally {
    await incoming.close()
  }
}

/** What becomes of an import into an app that is there: a plan, or a refusal. */
export async function findImport(importing: ImportingMove, update: Update): Promise<MoveChanges> {
  const { db, scope, moveId, path, signal, at } = importing
  const around = { ...importing, appId: update.appId }
  if (!(await isAppThere(around))) return refused('appIsGone')
  const part = await partNamed(path, await inApp(around, async ({ app }) => app.uid))
  if (part === null) return refused('severalApps')
  // Of a space the manifest is one for all of its apps, which are looked at together.
  const { refusal, signature } = await findRefusal(
    { path, part: (await membersIn(path)).length > 0 ? undefined : part },
    importing,
  )
  if (refusal) return { state: 'refused', refusal }
  const onProgress = importing.progress
  return withArchive(
    path,
    async (source, read): Promise<MoveChanges> => {
      if (read.of === 'space') return refused('severalApps')
      if (read.of === 'app') {
        const archive = { source, manifest: read.manifest }
        const parts = await countedPartsOf(archive)
        const updating = await updatingOf(importing, update, parts)
        return planned(updating, await incomingApp(updating, archive), parts)
      }
      const move = await findMove(db, scope, moveId)
      const { language, fileName = '' } = move ?? {}
      const plan = await planChecked(
        { path, part },
        { db, scope, fileName, language, signature, signal, onProgress, at },
      )
      if (isCarried(plan)) throw new TypeError('the plan is not of this archive')
      await updateMove(db, scope, moveId, { plan })
      const updating = await updatingOf(importing, update, plan)
      return planned(updating, await incomingContents(updating, { source, manifest: read.manifest }), plan)
    },
    part,
  )
}

async function bringIntoApp(importing: ImportingMove, update: Update) {
  const { db, scope, moveId, path } = importing
  const around = { ...importing, appId: update.appId }
  const part = await partNamed(path, await inApp(around, async ({ app }) => app.uid))
  return withArchive(
    path,
    async (source, read) => {
      if (read.of === 'app') {
        const archive = { source, manifest: read.manifest }
        const portable = await new AppLines(source, read.manifest).app()
        const updating = await updatingOf(importing, update, partsOf(portable))
        return applied(updating, await incomingApp(updating, archive), (app, additions) =>
          makeViews(app, portable, additions),
        )
      }
      const plan = await findPlan(db, scope, moveId)
      if (read.of !== 'contents' || !plan || isCarried(plan))
        throw new TypeError('the plan is not of this archive')
      const updating = await updatingOf(importing, update, plan)
      return applied(updating, await incomingContents(updating, { source, manifest: read.manifest }))
    },
    part ?? undefined,
  )
}

/** Of a file with several apps the folder of the one that is called so; null: none is. Undefined for a file that is one archive. */
async function partNamed(path: string, uid: string): Promise<string | undefined | null> {
  const apart = await archivesIn(path)
  const parts = apart.length > 1 ? apart : await membersIn(path)
  const [only] = parts
  if (parts.length < 2) return only === undefined || apart.length === 1 ? undefined : only
  for (const part of parts) {
    const isNamed = async (_source: ArchiveSource, { of, manifest }: AnyManifest) =>
      of !== 'space' && manifest.source.app === uid
    if (await withArchive(path, isNamed, part).catch(() => false)) return part
  }
  return null
}

/** Of archives that lie side by side, the folder of the one that is of the app; null: none is. Undefined for a file that is one archive. */
async function partOf(
  path: string,
  { source: { space, app } }: MovePlan,
): Promise<string | undefined | null> {
  const parts = await archivesIn(path)
  if (parts.length < 2) return undefined
  for (const part of parts) {
    const isOfApp = async (_source: ArchiveSource, { of, manifest }: AnyManifest) =>
      of === 'contents' && manifest.source.space === space && manifest.source.app === app
    if (await withArchive(path, isOfApp, part).catch(() => false)) return part
  }
  return null
}

async function updatingOf(
  importing: ImportingMove,
  { originId, appId }: Update,
  plan: PlannedParts,
): Promise<Updating> {
  const { db, scope, moveId, services } = importing
  const workFolder = workPath(services.config.dataDir, scope.spaceId, moveId)
  const origin = await findMove(db, scope, originId)
  const language = (await findMove(db, scope, moveId))?.language
  // Brought into an app once more, files without `_id`s are those that are there.
  const fileOwner = originId === moveId ? `app ${appId}` : (origin?.partOf ?? originId)
  return { ...importing, plan, appId, originId, language, workFolder, fileOwner }
}

/** Brings what was chosen. There is nothing to be taken back as a whole: every document has its history. */
export async function runUpdate(importing: ImportingMove, update: Update): Promise<void> {
  const { db, scope, moveId, services } = importing
  const { originId } = update
  const result = await (originId === moveId
    ? bringIntoApp(importing, update)
    : bringUpdate(importing, update))
  if (!result) return
  const { assets, problems, models } = result
  const changes = await findChanges(db, scope, moveId)
  if (!changes) return
  const left = changes.models.map((model) => ({
    ...model,
    // Whoever read the plan may have made the field.
    unknownFields: model.unknownFields.filter(
      (key) => !models.get(model.from)?.fields.some(({ from }) => from === key),
    ),
  }))
  const counted = await countChanges(db, scope, moveId)
  const documents = counted.reduce((sum, { outcome, count }) => sum + (outcome === 'taken' ? count : 0), 0)
  const report = { documents, assets, problems }
  await inTransaction(db, async (tx) => {
    const done = { state: 'accepted', report, finishedAt: new Date() } as const
    await updateMove(tx, scope, moveId, { ...done, changes: { ...changes, models: left } })
    // As long as the app can be taken back as a whole, these files go with it.
    const origin = originId === moveId ? null : await lockMove(tx, scope, originId)
    if (origin?.state === 'imported') await handOverAssets(tx, scope, { from: moveId, to: originId })
    await deleteProgress(tx, scope, moveId)
  })
  await removeFiles(services.config.dataDir, scope.spaceId, moveId)
}
