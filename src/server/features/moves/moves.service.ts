import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { dropUpload } from '#server/features/assets/signed-uploads.service.ts'
import { stopJob } from '#server/features/jobs/jobs.service.ts'
import { deleteProgress } from '#server/features/portable-apps/portable-apps.service.ts'
import type { Job } from '#server/jobs/job.ts'
import {
  type AnyMovePlan,
  type CarriedCorrections,
  type MoveCorrections,
  moveProblems,
} from '#shared/contract/move-plans.ts'
import type { AppChoices, StoredMoveState } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { findAppsMovingIn } from './moves.apps.repository.ts'
import {
  acceptParts,
  chooseApps,
  listApps,
  type MoveApps,
  openApp,
  removeParts,
  startParts,
} from './moves.apps.ts'
import { withAppClash } from './moves.clashes.ts'
import { corrected } from './moves.corrections.ts'
import { archivePath, removeFiles } from './moves.files.ts'
import { checkMoveJob, importMoveJob, undoMoveJob } from './moves.jobs.ts'
import { ownerOf, requireItsApps } from './moves.owners.ts'
import type { MoveRow } from './moves.repository.ts'
import * as moves from './moves.repository.ts'
import {
  changedMove,
  lockIn,
  type MovePayload,
  type MoveView,
  requireMove,
  requireRoom,
  run,
  view,
} from './moves.states.ts'
import { removeApp } from './moves.undo.ts'
import { checkMayStart, refuseWhileUpdated, requireMayGoOn } from './moves.updates.service.ts'

/** What moves, or has moved, into the space and is the caller's, the newest first. */
export async function listMoves(ctx: SpaceContext): Promise<MoveView[]> {
  const found = await moves.listMoves(ctx.db, ctx.scope, await ownerOf(ctx))
  return Promise.all(found.map((move) => view(ctx, move)))
}

/** What has been imported into the app, or is to be, the newest first. */
export async function listImports(ctx: AppContext): Promise<MoveView[]> {
  const found = await moves.listImports(ctx.db, ctx.scope)
  return Promise.all(found.map((move) => view(ctx, move)))
}

const startable: readonly StoredMoveState[] = ['planned', 'undone']
const forgettable: readonly StoredMoveState[] = ['uploading', 'refused', 'planned', 'accepted', 'undone']

/** The plan; of what can be started, with what is in its way now. Throws 404, also for a move that has no plan (yet). */
export async function getPlan(ctx: SpaceContext, id: string): Promise<AnyMovePlan> {
  const { state } = await requireMove(ctx, id)
  const plan = await moves.findPlan(ctx.db, ctx.scope, id)
  // That of several apps is the plans of these.
  if (!plan) throw new AppError('NotFound')
  return startable.includes(state) ? withAppClash(ctx.db, ctx.scope, plan) : plan
}

/** Takes corrections into the plan. Throws 400 naming each that cannot be, 404, 409. */
export async function correctPlan(
  ctx: SpaceContext,
  id: string,
  corrections: MoveCorrections | CarriedCorrections,
): Promise<AnyMovePlan> {
  const { partOf } = await requireMove(ctx, id)
  await lockIn(ctx, partOf ?? id, startable)
  const plan = await withAppClash(ctx.db, ctx.scope, corrected(await getPlan(ctx, id), corrections))
  await moves.updateMove(ctx.db, ctx.scope, id, { plan })
  return plan
}

/** Makes the app and its models, and asks for everything else. Throws 400, 403, 404, 409 `MovePlanHasProblems`. */
export async function startMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  if (!can(ctx.grants, 'asset.write.own')) throw new AppError('Forbidden')
  const { updates, appId: updated, apps } = await lockIn(ctx, id, startable)
  const path = archivePath(ctx.services.config.dataDir, ctx.scope.spaceId, id)
  const begun = { report: null, startedAt: new Date(), finishedAt: null }
  if (updates !== null || apps.length > 0) {
    if (updates !== null) await checkMayStart(ctx, { id, appId: updated ?? 0, updates })
    else await startParts(ctx, path, id, begun)
    await run(ctx, importMoveJob, id, { state: 'importing', ...begun })
    return changedMove(ctx, id)
  }
  const plan = await getPlan(ctx, id)
  const problem = plan.problems.find(({ code }) => moveProblems[code] === 'stops')
  if (problem) throw new AppError('MovePlanHasProblems', { details: { problem: problem.code } })
  const appId = await openApp(ctx, path, { id, plan })
  await run(ctx, importMoveJob, id, { state: 'importing', appId, ...begun })
  return changedMove(ctx, id)
}

/** The apps of a move of several, as they are planned. Throws 404. */
export async function getApps(ctx: SpaceContext, id: string): Promise<MoveApps> {
  const { state } = await requireMove(ctx, id)
  return listApps(ctx, id, startable.includes(state))
}

/** Takes along the apps that are chosen, under their names. Throws 400, 404, 409. */
export async function updateApps(ctx: SpaceContext, id: string, choices: AppChoices): Promise<MoveApps> {
  await lockIn(ctx, id, startable)
  await chooseApps(ctx, id, choices)
  return listApps(ctx, id, true)
}

const jobOf: Partial<Record<StoredMoveState, Job<MovePayload>>> = {
  checking: checkMoveJob,
  importing: importMoveJob,
  undoing: undoMoveJob,
}

/** Stops the job at its next step. Throws 403 for who may not manage its apps (any more), 404, 409. */
export async function cancelMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['checking', 'importing', 'undoing'])
  await requireItsApps(ctx, move)
  const { jobId } = move
  if (jobId) await stopJob(ctx, jobId)
  return changedMove(ctx, id)
}

/** Goes on with what has stopped. Throws 403 for who may no longer do in its app what it does, 404, 409, 429. */
export async function retryMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['checking', 'importing', 'undoing'])
  await requireMayGoOn(ctx, move)
  const { state, stopped } = move
  const job = jobOf[state]
  if (!job || !stopped) return changedMove(ctx, id)
  if (state === 'checking') await requireRoom(ctx)
  await run(ctx, job, id)
  return changedMove(ctx, id)
}

/** The move, and those of its apps where it has several. */
const withApps = ({ id, apps }: MoveRow): string[] => [id, ...apps.map(({ _id }) => _id)]

/**
 * Takes back what the move made: the app is gone at once, with what was written in it since, and the rest follows. Throws 403 for who may
 * not manage it (any more), 404, 409 also while the import is at work.
 */
export async function undoMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['importing', 'imported'])
  // What an update has brought is taken back document by document.
  if (move.updates !== null || (move.state === 'importing' && !move.stopped))
    throw new AppError('MoveIsNotReady', { details: { state: move.state } })
  await requireItsApps(ctx, move)
  for (const one of withApps(move)) await refuseWhileUpdated(ctx, one)
  if (move.appId !== null) await removeApp(ctx, move.appId)
  await removeParts(ctx, id)
  await run(ctx, undoMoveJob, id, { state: 'undoing' })
  return changedMove(ctx, id)
}

/** From now on it cannot be undone; the archive goes. Throws 403 for who may not manage its apps (any more), 404, 409. */
export async function acceptMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  await requireItsApps(ctx, await lockIn(ctx, id, ['imported']))
  await moves.updateMove(ctx.db, ctx.scope, id, { state: 'accepted' })
  await acceptParts(ctx, id)
  await deleteProgress(ctx.db, ctx.scope, id)
  await removeFiles(ctx.services.config.dataDir, ctx.scope.spaceId, id)
  return changedMove(ctx, id)
}

/** Throws 403 for who may not manage its apps (any more), 404, 409 while something of it is under way, or imported and not accepted. */
export async function deleteMove(ctx: SpaceContext, id: string): Promise<void> {
  const move = await lockIn(ctx, id, [...forgettable, 'checking', 'importing'])
  const isIdle = forgettable.includes(move.state) || move.stopped !== null
  // What an import has made so far is taken back, not forgotten; what an update has brought so far stays.
  if (!isIdle || (move.state === 'importing' && move.updates === null))
    throw new AppError('MoveIsNotReady', { details: { state: move.state } })
  await requireItsApps(ctx, move)
  for (const one of withApps(move)) {
    await refuseWhileUpdated(ctx, one)
    await deleteProgress(ctx.db, ctx.scope, one)
  }
  await moves.deleteMove(ctx.db, ctx.scope, id)
  await dropUpload(ctx.services.config.dataDir, { space: ctx.scope.spaceId, id })
  await removeFiles(ctx.services.config.dataDir, ctx.scope.spaceId, id)
}

/** The apps whose contents are moving in, those excepted whose import has stopped. */
export const appsMovingIn = ({ db, scope }: Pick<SpaceContext, 'db' | 'scope'>): Promise<number[]> =>
  findAppsMovingIn(db, scope)
