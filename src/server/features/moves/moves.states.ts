import { z } from 'zod'
import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { uploadedBytes } from '#server/features/assets/signed-uploads.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import type { Job } from '#server/jobs/job.ts'
import type { StoredMoveState } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { isOpenTo } from './moves.owners.ts'
import type { MoveRow } from './moves.repository.ts'
import * as moves from './moves.repository.ts'

/** What every job of a move is given. */
export const movePayload = z.object({ moveId: z.string().regex(idPattern) })
export type MovePayload = typeof movePayload

/** A move with the bytes of its archive that have come. */
export type MoveView = MoveRow & { received: number }

/** Throws 404, also for a move that is not the caller's. */
export async function requireMove(ctx: SpaceContext, id: string): Promise<MoveRow> {
  const move = idPattern.test(id) ? await moves.findMove(ctx.db, ctx.scope, id) : null
  if (!move || !(await isOpenTo(ctx, move))) throw new AppError('NotFound')
  return move
}

/** The same, locked. */
export async function lockOwn(ctx: SpaceContext, id: string): Promise<MoveRow> {
  const move = idPattern.test(id) ? await moves.lockMove(ctx.db, ctx.scope, id) : null
  if (!move || !(await isOpenTo(ctx, move))) throw new AppError('NotFound')
  return move
}

/** Locks a move that is in one of these states. Throws 404, 409 `MoveIsNotReady`: also for a part, which goes the way of the whole. */
export async function lockIn(
  ctx: SpaceContext,
  id: string,
  states: readonly StoredMoveState[],
): Promise<MoveRow> {
  const move = await lockOwn(ctx, id)
  noteAudit(ctx, { objectId: move.id, objectName: move.fileName })
  if (!states.includes(move.state) || move.partOf !== null)
    throw new AppError('MoveIsNotReady', { details: { state: move.state } })
  return move
}

export const archiveType = 'application/zip'

export const uploadOf = (ctx: SpaceContext, { id, fileSize }: Pick<MoveRow, 'id' | 'fileSize'>) => ({
  space: ctx.scope.spaceId,
  id,
  type: archiveType,
  size: fileSize,
})

export async function view(ctx: SpaceContext, move: MoveRow): Promise<MoveView> {
  const received =
    move.state === 'uploading'
      ? await uploadedBytes(ctx.services.config.dataDir, uploadOf(ctx, move))
      : move.fileSize
  return { ...move, received }
}

/** Throws 404. */
export async function getMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  return view(ctx, await requireMove(ctx, id))
}

/** What has become of a move by an act of the caller, who may have lost it by that: with its apps. */
export async function changedMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await moves.findMove(ctx.db, ctx.scope, id)
  if (!move) throw new AppError('NotFound')
  return view(ctx, move)
}

/** Archives of a space that are looked at, or wait for it, at once. */
const mostChecked = 10

/** Throws 429 `TooManyMoves` where that many archives of the space are not through. */
export async function requireRoom({ db, scope }: Pick<SpaceContext, 'db' | 'scope'>): Promise<void> {
  if ((await moves.countChecked(db, scope)) >= mostChecked) throw new AppError('TooManyMoves')
}

/** Writes what becomes of the move, and asks for the job that does it. */
export async function run(
  ctx: SpaceContext,
  job: Job<MovePayload>,
  id: string,
  changes: moves.MoveChanges = {},
): Promise<void> {
  const jobId = await enqueue(
    ctx.db,
    job,
    { moveId: id },
    { scope: ctx.scope, requestedBy: accountOf(ctx.actor) },
  )
  await moves.updateMove(ctx.db, ctx.scope, id, { ...changes, jobId })
}
