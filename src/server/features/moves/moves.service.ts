import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { dropUpload } from '#server/features/assets/signed-uploads.service.ts'
import { stopJob } from '#server/features/jobs/jobs.service.ts'
import { deleteProgress } from '#server/features/portable-apps/portable-apps.service.ts'
import type { Job } from '#server/jobs/job.ts'
import {
  type AnyMovePlan,
  type CarriedCorrections,
  isCarried,
  type MoveCorrections,
} from '#shared/contract/move-plans.ts'
import type { AppChoices, StoredMoveState } from '#shared/contract/moves.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import type { PublicationChoice } from '#shared/publication-states.ts'
import { removeFiles } from './archive/archive-files.ts'
import { kinds } from './kinds/kinds.ts'
import { chooseApps, listApps, type MoveApps } from './kinds/several.ts'
import { checkMoveJob, importMoveJob, undoMoveJob } from './moves.jobs.ts'
import { withStateChoices } from './plan/corrections.ts'
import * as moves from './store/moves.repository.ts'
import {
  changedMove,
  isStartable,
  lockIn,
  type MovePayload,
  type MoveView,
  notReady,
  requireMove,
  requireRoom,
  run,
  startable,
  view,
} from './store/open-move.ts'
import { ownerOf, requireItsApps } from './store/owners.ts'
import { findAppsMovingIn } from './store/parts.repository.ts'
import type { ChangeChoices } from './update/updates.service.ts'
import * as updates from './update/updates.service.ts'

/** Returns the moves of the space that the caller may see, newest first. */
export async function listMoves(ctx: SpaceContext): Promise<MoveView[]> {
  const found = await moves.listMoves(ctx.db, ctx.scope, await ownerOf(ctx))
  return Promise.all(found.map((move) => view(ctx, move)))
}

/** Returns the imports into the app, newest first. */
export async function listImports(ctx: AppContext): Promise<MoveView[]> {
  const found = await moves.listImports(ctx.db, ctx.scope)
  return Promise.all(found.map((move) => view(ctx, move)))
}

/**
 * Returns the plan. For a move that can be started, the plan contains its current clashes. Throws 404, also for a move
 * without a plan.
 */
export async function getMovePlan(ctx: SpaceContext, id: string): Promise<AnyMovePlan> {
  const move = await requireMove(ctx, id)
  return kinds[move.kind].plan(ctx, move)
}

/** Stores corrections of the plan and returns the corrected plan. Throws 404, 409, and 400 with every invalid value. */
export async function correctMovePlan(
  ctx: SpaceContext,
  id: string,
  corrections: MoveCorrections | CarriedCorrections,
): Promise<AnyMovePlan> {
  const move = await requireMove(ctx, id)
  await lockIn(ctx, move.partOf ?? id, startable)
  const plan = await kinds[move.kind].correct(ctx, move, corrections)
  await moves.updateMove(ctx.db, ctx.scope, id, { plan })
  return plan
}

interface ImportChoices extends ChangeChoices {
  states: { from: string; key: string; choice: PublicationChoice }[]
  confirmed?: boolean
}

/**
 * Stores choices about an update or import. Checks the archive again if there are choices for states of an import.
 * Throws 400 with the items that cannot be chosen, and 409 unless the move is `planned`. Throws 403, 404, 429.
 */
export async function chooseChanges(
  ctx: SpaceContext,
  id: string,
  { states, confirmed, ...choices }: ImportChoices,
): Promise<void> {
  await updates.chooseChanges(ctx, id, choices)
  if (states.length === 0 && confirmed === undefined) return
  const move = await lockIn(ctx, id, ['planned'])
  const plan = move.kind === 'import' ? await moves.findMovePlan(ctx.db, ctx.scope, id) : null
  if (!plan || isCarried(plan))
    throw invalid(states.length > 0 ? 'data.states' : 'data.confirmed', 'InvalidValue')
  await moves.updateMove(ctx.db, ctx.scope, id, { plan: withStateChoices(plan, states, confirmed) })
  if (states.length === 0) return
  await requireRoom(ctx)
  await run(ctx, checkMoveJob, move, { state: 'checking' })
}

/** Creates the move's new apps with their models, and enqueues the import. Throws 400, 403, 404, 409. */
export async function startMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  if (!can(ctx.grants, 'asset.write.own')) throw new AppError('Forbidden')
  const move = await lockIn(ctx, id, startable)
  const begun = { report: null, startedAt: new Date(), finishedAt: null }
  const changes = await kinds[move.kind].start(ctx, move, begun)
  await run(ctx, importMoveJob, move, { state: 'importing', ...begun, ...changes })
  return changedMove(ctx, id)
}

/** Returns the planned apps of a move of several apps. Throws 404. */
export async function getApps(ctx: SpaceContext, id: string): Promise<MoveApps> {
  const { state } = await requireMove(ctx, id)
  return listApps(ctx, id, isStartable(state))
}

/** Stores which apps are imported and under which names. Throws 400, 404, 409. */
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

/** Cancels the job of the move. Throws 404, 409, and 403 if the caller may not manage the apps of the move. */
export async function cancelMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['checking', 'importing', 'undoing'])
  await requireItsApps(ctx, move)
  const { jobId } = move
  if (jobId) await stopJob(ctx, jobId)
  return changedMove(ctx, id)
}

/** Resumes a stopped job. Throws 404, 409, 429, and 403 if the caller lacks a right that the job requires. */
export async function retryMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['checking', 'importing', 'undoing'])
  await kinds[move.kind].requireMayGoOn(ctx, move)
  const { state, stopped } = move
  const job = jobOf[state]
  if (!job || !stopped) return changedMove(ctx, id)
  if (state === 'checking') await requireRoom(ctx)
  await run(ctx, job, move)
  return changedMove(ctx, id)
}

/**
 * Undoes the move. Deletes its apps, including later edits, and enqueues a job that removes their contents and files.
 * Throws 404, and 403 if the caller may not manage the apps. Throws 409 in other states and while the import is
 * running.
 */
export async function undoMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['importing', 'imported'])
  if (move.state === 'importing' && !move.stopped) throw notReady(move.state)
  await kinds[move.kind].undo(ctx, move)
  await run(ctx, undoMoveJob, move, { state: 'undoing' })
  return changedMove(ctx, id)
}

/**
 * Makes the import permanent and deletes the archive. Throws 404, 409, and 403 if the caller may not manage the apps of
 * the move.
 */
export async function acceptMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['imported'])
  await requireItsApps(ctx, move)
  await moves.updateMove(ctx.db, ctx.scope, id, { state: 'accepted' })
  await kinds[move.kind].accept(ctx, move)
  await deleteProgress(ctx.db, ctx.scope, id)
  await removeFiles(ctx.services.config.dataDir, ctx.scope.spaceId, id)
  return changedMove(ctx, id)
}

const forgettable: readonly StoredMoveState[] = ['uploading', 'refused', 'planned', 'accepted', 'undone']

/**
 * Deletes the move and its archive. Throws 404, and 403 if the caller may not manage the apps of the move. Throws 409
 * while the move is running or can be undone.
 */
export async function deleteMove(ctx: SpaceContext, id: string): Promise<void> {
  const move = await lockIn(ctx, id, [...forgettable, 'checking', 'importing'])
  if (!forgettable.includes(move.state) && !move.stopped) throw notReady(move.state)
  await kinds[move.kind].forget(ctx, move)
  await moves.deleteMove(ctx.db, ctx.scope, id)
  await dropUpload(ctx.services.config.dataDir, { space: ctx.scope.spaceId, id })
  await removeFiles(ctx.services.config.dataDir, ctx.scope.spaceId, id)
}

/** Returns the new apps that are being imported, except apps whose import has stopped. */
export const appsMovingIn = ({ db, scope }: Pick<SpaceContext, 'db' | 'scope'>): Promise<number[]> =>
  findAppsMovingIn(db, scope)
