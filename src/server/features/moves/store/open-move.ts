import { z } from 'zod'
import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { uploadedBytes } from '#server/features/assets/signed-uploads.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import type { Job } from '#server/jobs/job.ts'
import { maxArchiveBytes, type StoredMoveState } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { MoveRow } from './moves.repository.ts'
import * as moves from './moves.repository.ts'
import { isOpenTo } from './owners.ts'
import { isSmall } from './turn.ts'

export const movePayload = z.object({ moveId: z.string().regex(idPattern) })
export type MovePayload = typeof movePayload

/** A move with the number of bytes of its archive that have been received. */
export type MoveView = MoveRow & { received: number }

/** Returns a move. Throws `NotFound` if it does not exist or the caller may not see it. */
export async function requireMove(
  ctx: SpaceContext,
  id: string,
  find: typeof moves.findMove = moves.findMove,
): Promise<MoveRow> {
  const move = idPattern.test(id) ? await find(ctx.db, ctx.scope, id) : null
  if (!move || !(await isOpenTo(ctx, move))) throw new AppError('NotFound')
  return move
}

/** Locks the move and returns it like {@link requireMove}. */
export const lockOwn = (ctx: SpaceContext, id: string): Promise<MoveRow> =>
  requireMove(ctx, id, moves.lockMove)

/** States in which the plan of a move can be corrected and the move can be started. */
export const startable: readonly StoredMoveState[] = ['planned', 'undone']
export const isStartable = (state: StoredMoveState): boolean => startable.includes(state)

/** Returns a 409 `MoveIsNotReady`: the move, or its update `update`, is in this state. */
export const notReady = (state: StoredMoveState, update?: string): AppError =>
  new AppError('MoveIsNotReady', { details: { state, ...(update === undefined ? {} : { update }) } })

/**
 * Locks and returns a move that is in one of these states. Throws `NotFound`. Throws `MoveIsNotReady` in other states,
 * and for a part, because actions apply to the whole move.
 */
export async function lockIn(
  ctx: SpaceContext,
  id: string,
  states: readonly StoredMoveState[],
): Promise<MoveRow> {
  const move = await lockOwn(ctx, id)
  noteAudit(ctx, { objectId: move.id, objectName: move.fileName })
  if (!states.includes(move.state) || move.partOf !== null) throw notReady(move.state)
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

/** Returns a move. Throws `NotFound`. */
export async function getMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  return view(ctx, await requireMove(ctx, id))
}

/**
 * Returns the move after an action of the caller. Does not check access: the action may have deleted the apps through
 * which the caller had access.
 */
export async function changedMove(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await moves.findMove(ctx.db, ctx.scope, id)
  if (!move) throw new AppError('NotFound')
  return view(ctx, move)
}

/**
 * Maximum number of archives that are being checked or wait for their check, per space and per account over all its
 * spaces.
 */
const mostChecked = 10

/** Throws 429 `TooManyMoves` if the space, or the caller's account, has reached the limit `mostChecked`. */
export async function requireRoom({ db, scope, actor }: Asking): Promise<void> {
  const tooMany = (of: 'space' | 'account') =>
    new AppError('TooManyMoves', { details: { limit: { of, count: mostChecked } } })
  if ((await moves.countChecked(db, scope)) >= mostChecked) throw tooMany('space')
  const account = accountOf(actor)
  if (account === null) return
  await moves.lockLimits(db, account)
  if ((await moves.countChecksOf(db, account)) >= mostChecked) throw tooMany('account')
}

type Asking = Pick<SpaceContext, 'db' | 'scope' | 'actor'>

/** Maximum number and total bytes of the archives that one account is uploading or keeps, over all its spaces. */
export const archiveLimit = { count: 100, bytes: maxArchiveBytes }

/**
 * Throws 409 `TooManyArchives` if another archive of `fileSize` bytes (0: unknown) would exceed the limits of
 * `account`. null: no limits. The move `other` is not counted.
 */
export async function requireArchiveRoom(
  { db }: Pick<SpaceContext, 'db'>,
  account: string | null,
  fileSize: number,
  other: string | null = null,
): Promise<void> {
  if (account === null) return
  await moves.lockLimits(db, account)
  const { count, bytes } = await moves.countArchivesOf(db, account, other)
  if (count < archiveLimit.count && bytes + Math.max(fileSize, 1) <= archiveLimit.bytes) return
  throw new AppError('TooManyArchives', {
    details: { limit: { of: 'account', ...archiveLimit }, count, bytes },
  })
}

/** Returns the priority of the jobs of a move. Jobs of small files run first. */
export const priorityOf = (fileSize: number) => (isSmall(fileSize) ? { priority: -1 } : {})

/** Updates the move and enqueues a job for it. */
export async function run(
  ctx: SpaceContext,
  job: Job<MovePayload>,
  { id, fileSize }: Pick<MoveRow, 'id' | 'fileSize'>,
  changes: moves.MoveChanges = {},
): Promise<void> {
  const jobId = await enqueue(
    ctx.db,
    job,
    { moveId: id },
    { scope: ctx.scope, requestedBy: accountOf(ctx.actor), ...priorityOf(fileSize) },
  )
  await moves.updateMove(ctx.db, ctx.scope, id, { ...changes, jobId })
}
