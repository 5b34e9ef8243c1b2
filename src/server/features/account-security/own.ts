import type { AccountContext } from '#server/access/context.ts'
import { AppError } from '#shared/errors.ts'

/** Any other account's id is 404, whether it exists or not. */
export function requireOwn(ctx: AccountContext, id: string): void {
  if (id !== ctx.actor.accountId) throw new AppError('NotFound')
}
