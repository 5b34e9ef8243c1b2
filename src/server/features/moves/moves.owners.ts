import { accountOf } from '#server/access/actor.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { appsWith } from '#server/access/membership.ts'
import { AppError } from '#shared/errors.ts'
import type { MoveOwner, MoveRow } from './moves.repository.ts'

/*
 * Whose a move is: of who began it. To others it is open if they may manage all of its apps; while it has none, if they may manage
 * every app of the space.
 */

/** Whose moves are the caller's. */
export const ownerOf = async (ctx: SpaceContext): Promise<MoveOwner> => ({
  account: accountOf(ctx.actor),
  apps: await appsWith(ctx, 'app.manage'),
})

/** Is a move the caller's? One into an app that was there before it is asked for there, by who may manage it. */
export async function isOpenTo(ctx: SpaceContext | AppContext, move: MoveRow): Promise<boolean> {
  const isImport = move.updates === move.id
  if ('app' in ctx) return isImport && move.appId === ctx.scope.appId
  if (isImport) return false
  if (move.createdBy !== null && move.createdBy._id === accountOf(ctx.actor)) return true
  return managesAll(await appsWith(ctx, 'app.manage'), move.appIds)
}

const managesAll = (apps: readonly number[] | null, ids: readonly number[]) =>
  apps === null || (ids.length > 0 && ids.every((id) => apps.includes(id)))

/** Throws 403 for who may not manage what the move has made, even if they began it. */
export async function requireItsApps(ctx: SpaceContext, { appIds }: MoveRow): Promise<void> {
  if (appIds.length > 0 && !managesAll(await appsWith(ctx, 'app.manage'), appIds))
    throw new AppError('Forbidden')
}
