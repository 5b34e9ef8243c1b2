import { sql } from 'kysely'
import type { Tx } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can } from '#shared/permissions.ts'
import { common } from './grants.ts'
import { admit, type Place } from './membership.ts'

/** A header with the member (`_id`) whose rights apply to a request. Requests that change something refuse it. */
export const previewHeader = 'x-imori-view-as'

/**
 * The result of {@link admit} for another member, for a caller with `member.manage` who previews what that member sees. The
 * caller remains the actor, the transaction becomes read-only, and rights that the caller lacks are excluded.
 * Must be called first in the transaction. Throws as `admit`, and `Forbidden`.
 */
export async function admitAs(tx: Tx, accountId: string, place: Place, memberId: string) {
  await sql`SET TRANSACTION READ ONLY`.execute(tx)
  const caller = await admit(tx, accountId, place)
  // When the caller's rights differ between models, the common rights cannot be computed.
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
  // Visibility of apps is checked per member: one may see an app by joining it, the other by the role in the space.
  const viewer = { memberId: own, seesEveryApp }
  return { ...shown, grants: { ...grants, seesEveryApp: shown.grants.seesEveryApp, viewer } }
}
