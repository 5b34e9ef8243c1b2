import { accountOf } from '#server/access/actor.ts'
import type { AppContext } from '#server/access/context.ts'
import { admit } from '#server/access/membership.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'

/**
 * Another app of this space, as far as the caller may read it: what they may do here says nothing of there. Throws 403,
 * also where they may
 * not read every model, and 400 `fromAppId` for one that they cannot know of.
 */
export async function openOtherApp(ctx: AppContext, uid: string): Promise<AppContext> {
  const place = { space: ctx.space.uid, app: uid }
  const admitted = await admit(ctx.db, memberAccount(ctx), place).catch(whenNotFound('fromAppId'))
  const readsAll = can(admitted.grants, 'document.read') && admitted.grants.models.size === 0
  if (!('app' in admitted) || !readsAll) throw new AppError('Forbidden')
  return { ...ctx, ...admitted }
}

/** The account that acts. Throws 403 for an actor that is none, such as a job. */
function memberAccount({ actor }: AppContext): string {
  const account = accountOf(actor)
  if (account === null) throw new AppError('Forbidden')
  return account
}

/** For `.catch()`: what a body names and is not there is a 400 that names the place. */
export function whenNotFound(path: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof AppError && error.code === 'NotFound' ? invalid(path, 'InvalidValue') : error
  }
}
