import { formatVersion } from '#archive/format.ts'
import { inTransaction } from '#server/db/scope.ts'
import { deleteProgress, handOverAssets } from '#server/features/portable-apps/portable-apps.service.ts'
import { isCarried, type MoveRefusal } from '#shared/contract/moves.ts'
import { countChanges } from './moves.changes.repository.ts'
import { removeFiles, withArchive } from './moves.files.ts'
import type { Importing } from './moves.importing.ts'
import {
  findChanges,
  findPlan,
  listBrought,
  lockMove,
  type MoveChanges,
  updateMove,
} from './moves.repository.ts'
import { applyUpdate } from './moves.update-apply.ts'
import { isAppThere } from './moves.update-models.ts'
import { planUpdate, type Updating, updateRefusal } from './moves.update-plan.ts'

/* What the jobs of a move do for one that is an update. */

type Around = Omit<Importing, 'plan' | 'source' | 'manifest'>
interface Archive {
  /** The move whose app is brought up to date. */
  originId: string
  path: string
}

const refused = (code: MoveRefusal['code']): MoveChanges => ({
  state: 'refused',
  refusal: { code, items: [], count: 0 },
})

/** What becomes of an update once its archive was verified: a plan, or a refusal. */
export async function findUpdate(around: Around, { originId, path }: Archive): Promise<MoveChanges> {
  const { db, scope } = around
  const plan = await findPlan(db, scope, originId)
  if (!plan || isCarried(plan)) return refused('otherSource')
  if (!(await isAppThere(around))) return refused('appIsGone')
  return withArchive(path, async (source, read): Promise<MoveChanges> => {
    if (read.version !== formatVersion) return refused('otherSource')
    const { manifest } = read
    const refusal = updateRefusal(manifest, plan, await listBrought(db, scope, originId))
    if (refusal) return { state: 'refused', refusal }
    const changes = await planUpdate({ ...around, originId, plan, source, manifest })
    const { documents, assets } = changes.counts
    if (documents > 0 || assets > 0) return { state: 'planned', changes }
    // There is nothing to be decided.
    const report = { documents: 0, assets: 0, problems: [] }
    return { state: 'accepted', changes, report, finishedAt: new Date() }
  })
}

/** Brings what was chosen. There is nothing to be taken back as a whole: every document has its history. */
export async function runUpdate(around: Around, { originId, path }: Archive): Promise<void> {
  const { db, scope, moveId, environment } = around
  const plan = await findPlan(db, scope, originId)
  if (!plan || isCarried(plan)) return
  const { assets, problems, models } = await withArchive(path, (source, read) => {
    if (read.version !== formatVersion) throw new TypeError('the plan is not of this archive')
    const updating: Updating = { ...around, originId, plan, source, manifest: read.manifest }
    return applyUpdate(updating)
  })
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
