import type { SpaceContext } from '#server/access/context.ts'
import { movePlaces } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { can, type Right } from '#shared/permissions.ts'
import type { MoveRow } from '../store/moves.repository.ts'
import { isOpenTo, requireItsApps } from '../store/owners.ts'

/**
 * Throws 403 if the caller lacks a right in `others`, or lacks the right to upload files while the move is importing.
 */
export function requireToImport(ctx: SpaceContext, { state }: MoveRow, ...others: Right[]): void {
  const needed: Right[] = state === 'importing' ? [...others, 'asset.write.own'] : others
  if (!needed.every((right) => can(ctx.grants, right))) throw new AppError('Forbidden')
}

/**
 * Throws 403 if the caller may not create apps, may not upload files while the move is importing, or may not see the
 * move.
 */
export async function requireToMove(ctx: SpaceContext, move: MoveRow): Promise<void> {
  requireToImport(ctx, move, 'app.create')
  if (!(await isOpenTo(ctx, move))) throw new AppError('Forbidden')
}

/** Throws 403 like {@link requireToMove}, and if the caller may not manage the apps of the move. */
export async function requireToMoveApps(ctx: SpaceContext, move: MoveRow): Promise<void> {
  await requireToMove(ctx, move)
  await requireItsApps(ctx, move)
}

/** Throws 403 if the caller may not cancel the move through its own endpoint in the space or in its app. */
export async function requireMayStop(ctx: SpaceContext, move: MoveRow): Promise<void> {
  const inSpace = movePlaces[move.kind] === 'space'
  if (inSpace && !(can(ctx.grants, 'app.create') && (await isOpenTo(ctx, move))))
    throw new AppError('Forbidden')
  await requireItsApps(ctx, move)
}
