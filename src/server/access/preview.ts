import { sql } from 'kysely'
import type { Tx } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can } from '#shared/permissions.ts'
import { common } from './grants.ts'
import { admit, type Place } from './membership.ts'

/** Names the member (`_id`) whose rights a request is to be answered with. Requests that change something refuse it. */
export const previewHeader = 'x-imori-view-as'

/**
 * What {@link admit} would say to another member, for somebody who manages members and wants to see what that one sees.
 * The caller stays who acts; nothing can be written in the transaction from here on; and what the caller may not do
 * themselves is not given either. Call it first in the transaction. Throws as `admit`, and `Forbidden`.
 */
export async function admitAs(tx: Tx, accountId: string, place: Place, memberId: string) {
  await sql`SET TRANSACTION READ ONLY`.execute(tx)
  const caller = await admit(tx, accountId, place)
  // Where the caller's rights differ from model to model, there is no saying what both may.
  if (!can(caller.grants, 'member.manage') || caller.grants.models.size > 0) throw new AppError('Forbidden')
  const member = idPattern.test(memberId)
    ? await tx
        .selectFrom('space_member')
        .select('account_id')
        .where('space_id', '=', caller.scope.spaceId)
        .where('id', '=', memberId)
        .executeTakeFirst()
    : undefined
  if (!member) throw new AppError('NotFound')
  const shown = await admit(tx, member.account_id, place)
  const { memberId: own, seesEveryApp } = caller.grants
  const grants = common(shown.grants, caller.grants)
  if (own === null) throw new AppError('Forbidden')
  // Of apps each is asked for their own: one may see it by joining, the other by their role in the space.
  const viewer = { memberId: own, seesEveryApp }
  return { ...shown, grants: { ...grants, seesEveryApp: shown.grants.seesEveryApp, viewer } }
}
