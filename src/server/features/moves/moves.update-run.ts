import type { AnyManifest } from '#archive/manifest.ts'
import { archivesIn } from '#archive/several.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { inTransaction } from '#server/db/scope.ts'
import { deleteProgress, handOverAssets } from '#server/features/portable-apps/portable-apps.service.ts'
import { isCarried, type MovePlan } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { ImportingMove } from './moves.apps.jobs.ts'
import { countChanges } from './moves.changes.repository.ts'
import { findRefusal } from './moves.check.ts'
import { removeFiles, withArchive, workPath } from './moves.files.ts'
import type { Importing } from './moves.importing.ts'
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
import { planUpdate, type Updating, updateRefusal } from './moves.update-plan.ts'

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
    const changes = await planUpdate(await updatingOf(importing, update, { plan, source, manifest }))
    const { documents, assets } = changes.counts
    if (documents > 0 || assets > 0 || hasAdditions(changes.additions)) return { state: 'planned', changes }
    // There is nothing to be decided.
    const report = { documents: 0, assets: 0, problems: [] }
    return { state: 'accepted', changes, report, finishedAt: new Date() }
  }
  return withArchive(path, work, part)
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
  of: Pick<Importing, 'plan' | 'source' | 'manifest'>,
): Promise<Updating> {
  const { db, scope, moveId, environment } = importing
  const workFolder = workPath(environment.dataDir, scope.spaceId, moveId)
  const origin = await findMove(db, scope, originId)
  const language = (await findMove(db, scope, moveId))?.language
  const fileOwner = origin?.partOf ?? originId
  return { ...importing, ...of, appId, originId, language, workFolder, fileOwner }
}

/** Brings what was chosen. There is nothing to be taken back as a whole: every document has its history. */
export async function runUpdate(importing: ImportingMove, update: Update): Promise<void> {
  const { db, scope, moveId, environment, path } = importing
  const { originId } = update
  const plan = await findPlan(db, scope, originId)
  if (!plan || isCarried(plan)) return
  const work = async (source: ArchiveSource, read: AnyManifest) => {
    if (read.of !== 'contents') throw new TypeError('the plan is not of this archive')
    return applyUpdate(await updatingOf(importing, update, { plan, source, manifest: read.manifest }))
  }
  const { assets, problems, models } = await withArchive(path, work, (await partOf(path, plan)) ?? undefined)
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
    const origin = await lockMove(tx, scope, originId)
    if (origin?.state === 'imported') await handOverAssets(tx, scope, { from: moveId, to: originId })
    await deleteProgress(tx, scope, moveId)
  })
  await removeFiles(environment.dataDir, scope.spaceId, moveId)
}
