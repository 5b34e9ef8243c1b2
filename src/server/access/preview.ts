import { sql } from 'kysely'
import type { Tx } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can } from '#shared/permissions.ts'
import { common } from './grants.ts'
import { admit, type Place } from './membership.ts'

/**
 * Request header with the `_id` of the member whose rights apply to the request. Requests that change something are
 * refused if they have it.
 */
export const previewHeader = 'x-imori-view-as'

/**
 * Admits the caller with the rights of another member, for a preview. The caller needs `member.manage` and remains the
 * actor. The transaction becomes read-only, and rights that the caller lacks are excluded. Throws the errors of {@link
 * admit}, `NotFound` for an unknown member, and `Forbidden` for a caller without `member.manage` or with different
 * rights in single models.
 */
export async function admitAs(tx: Tx, accountId: string, place: Place, memberId: string) {
  await sql`SET TRANSACTION READ ONLY`.execute(tx)
  const caller = await admit(tx, accountId, place)
  // The common rights cannot be computed if the caller's rights differ between models.
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
  // Visibility of apps is checked per member: one member may see an app by joining it, the other by the role in the
  // space.
  const viewer = { memberId: own, seesEveryApp }
  return { ...shown, grants: { ...grants, seesEveryApp: shown.grants.seesEveryApp, viewer } }
}
