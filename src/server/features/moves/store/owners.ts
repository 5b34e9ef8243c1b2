import { accountOf } from '#server/access/actor.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { appsWith } from '#server/access/membership.ts'
import { movePlaces } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import type { MoveOwner, MoveRow } from './moves.repository.ts'

/*
 * A move belongs to the account that began it, an import to its app. Other members may use a move if they can manage
 * all of its apps. While it has no app, they must be able to manage every app of the space.
 */

/** Returns which moves the caller may see. */
export const ownerOf = async (ctx: SpaceContext): Promise<MoveOwner> => ({
  account: accountOf(ctx.actor),
  apps: await appsWith(ctx, 'app.manage'),
})

/** Returns whether the caller may use the move. */
export async function isOpenTo(ctx: SpaceContext | AppContext, move: MoveRow): Promise<boolean> {
  const place = movePlaces[move.kind]
  if ('app' in ctx) return place === 'app' && move.appId === ctx.scope.appId
  if (place === 'app') return false
  if (move.createdBy !== null && move.createdBy._id === accountOf(ctx.actor)) return true
  return managesAll(await appsWith(ctx, 'app.manage'), move.appIds)
}

const managesAll = (apps: readonly number[] | null, ids: readonly number[]) =>
  apps === null || (ids.length > 0 && ids.every((id) => apps.includes(id)))

/** Throws 403 for callers who may not manage the apps of the move, even if they started it. */
export async function requireItsApps(ctx: SpaceContext, { appIds }: MoveRow): Promise<void> {
  if (appIds.length > 0 && !managesAll(await appsWith(ctx, 'app.manage'), appIds))
    throw new AppError('Forbidden')
}
