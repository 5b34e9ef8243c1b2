import { archivesIn } from '#archive/several.ts'
import { isCarried, type MovePlan } from '#shared/contract/move-plans.ts'
import { withArchive } from '../archive/archive-files.ts'
import { refusalOf } from '../archive/refusal.ts'
import { findRefusal, findUnverified, planParts, refuse } from '../check/check-archive.ts'
import type { MoveWork } from '../import/import-context.ts'
import { findMove, findMovePlan, listBrought, type MoveRow } from '../store/moves.repository.ts'
import { requireItsApps } from '../store/owners.ts'
import { baselineOfOrigin } from '../update/baseline.ts'
import { incomingContents } from '../update/incoming-contents.ts'
import { updateRefusal } from '../update/plan-update.ts'
import { bringIncoming, findPart, finishCheck, planIncoming, updatingOf } from '../update/run-update.ts'
import { isAppThere } from '../update/updated-models.ts'
import { checkMayUpdate } from '../update/updates.service.ts'
import { contradicts } from './app-kind.ts'
import { intoApp, requireToBring } from './into-app.ts'
import type { Kind } from './move-kind.ts'
import { requireToMove, requireToMoveApps } from './rights.ts'

/** Updates an imported app from its source. */
export const update: Kind = {
  ...intoApp,
  async check(work) {
    const { db, scope, move, path, archives } = work
    const plan = await planOfOrigin(work)
    if (!plan) return refuse(work, refusalOf('otherSource'))
    if (move.appId === null || !(await isAppThere({ ...work, appId: move.appId })))
      return refuse(work, refusalOf('appIsGone'))
    const looked = await findUnverified(() => partOf(path, archives, plan), work)
    if (looked.refusal) return refuse(work, looked.refusal)
    const part = looked.found
    if (part === null) return refuse(work, refusalOf('otherSource'))
    const { refusal } = await findRefusal({ path, part }, work)
    if (refusal) return refuse(work, refusal)
    await withArchive(
      path,
      async (source, read) => {
        if (read.of !== 'contents') return refuse(work, refusalOf('otherSource'))
        const { manifest } = read
        const refusal = updateRefusal(manifest, plan, await listBrought(db, scope, originOf(move)))
        if (refusal) return refuse(work, refusal)
        const updating = await withBaseline(work, plan)
        const parts = await planParts({ path, part }, work)
        const incoming = await incomingContents(updating, { source, manifest }, plan)
        await finishCheck(work, await planIncoming(updating, incoming, parts))
      },
      part,
    )
  },
  async start(ctx, move) {
    await requireToBring(ctx, move)
    return {}
  },
  async run(work) {
    const { path } = work
    const plan = await planOfOrigin(work)
    if (!plan) return
    const part = await partOf(path, await archivesIn(path), plan)
    await withArchive(
      path,
      async (source, read) => {
        if (read.of !== 'contents') throw contradicts()
        const updating = await withBaseline(work, plan)
        await bringIncoming(
          updating,
          await incomingContents(updating, { source, manifest: read.manifest }, plan),
        )
      },
      part ?? undefined,
    )
  },
  async requireMayGoOn(ctx, move) {
    if (move.state !== 'importing') {
      await requireToMoveApps(ctx, move)
      return checkMayUpdate(ctx, move.appId ?? 0)
    }
    await requireToMove(ctx, move)
    await update.start(ctx, move, {})
  },
  async forget(ctx, move) {
    await requireItsApps(ctx, move)
    await intoApp.forget(ctx, move)
  },
}

/** Returns the id of the move that created the app. */
const originOf = ({ updates, id }: MoveRow): string => updates ?? id

/** Returns the plan of the move that created the app. undefined: that move is deleted, or its archive is from Imori. */
async function planOfOrigin({ db, scope, move }: MoveWork): Promise<MovePlan | undefined> {
  const plan = await findMovePlan(db, scope, originOf(move))
  return plan && !isCarried(plan) ? plan : undefined
}

async function withBaseline(work: MoveWork, plan: MovePlan) {
  const { db, scope, moveId, move } = work
  const originId = originOf(move)
  const origin = await findMove(db, scope, originId)
  const baseline = baselineOfOrigin(scope, { moveId, originId, plan })
  return updatingOf(work, { plan, baseline, fileOwner: origin?.partOf ?? originId })
}

/**
 * Returns the folder of the app's archive if the file contains several archives. null: none of the archives is from the
 * app's source. undefined: the file is one archive.
 */
async function partOf(
  path: string,
  parts: readonly string[],
  { source: { space, app } }: MovePlan,
): Promise<string | undefined | null> {
  if (parts.length < 2) return undefined
  return findPart(
    path,
    parts,
    ({ of, manifest }) => of === 'contents' && manifest.source.space === space && manifest.source.app === app,
  )
}
