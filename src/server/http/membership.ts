import { sql } from 'kysely'
import { type AppScope, appScope, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import type { Grants } from '#shared/permissions.ts'
import type { AppRow, SpaceRow } from './context.ts'

/**
 * The space of that uid as this account's, with its role. Throws 404 for a space that does not exist and for one the
 * account is no member of: the two must not differ.
 */
export async function findMembership(
  tx: Tx,
  accountId: string,
  uid: string,
): Promise<{ scope: SpaceScope; space: SpaceRow; memberId: string; projectRole: Grants['projectRole'] }> {
  const row = await tx
    .selectFrom('space')
    .innerJoin('space_member', 'space_member.space_id', 'space.id')
    .select(['space.id', 'space.uid', 'space.name', 'space.plan', 'space.created_at', 'space.updated_at'])
    .select(['space_member.id as member_id', 'space_member.role'])
    .where(sql`lower(space.uid)`, '=', uid.toLowerCase())
    .where('space.deleted_at', 'is', null)
    .where('space_member.account_id', '=', accountId)
    .executeTakeFirst()
  if (!row) throw new AppError('NotFound')
  return {
    scope: spaceScope(row.id),
    space: {
      id: row.id,
      uid: row.uid,
      name: row.name,
      plan: row.plan,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    },
    memberId: row.member_id,
    projectRole: row.role,
  }
}

/**
 * The app of that uid, when this member may know of it: joined, open to the space, or the member is the space's
 * admin. Throws 404 otherwise.
 */
export async function findApp(
  tx: Tx,
  scope: SpaceScope,
  member: { memberId: string; projectRole: Grants['projectRole'] },
  uid: string,
): Promise<{ scope: AppScope; app: AppRow; appRole: Grants['appRole'] }> {
  const row = await tx
    .selectFrom('app')
    .leftJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'app.space_id')
        .onRef('app_member.app_id', '=', 'app.id')
        .on('app_member.member_id', '=', member.memberId),
    )
    .selectAll('app')
    .select('app_member.role as app_role')
    .where('app.space_id', '=', scope.spaceId)
    .where('app.uid', '=', uid)
    .where('app.deleted_at', 'is', null)
    .executeTakeFirst()
  const visible =
    row && (row.app_role !== null || row.visibility === 'open' || member.projectRole === 'pjt-Admin')
  if (!visible) throw new AppError('NotFound')
  return {
    scope: appScope(scope, row.id),
    app: {
      id: row.id,
      uid: row.uid,
      name: row.name,
      description: row.description,
      icon: row.icon,
      visibility: row.visibility,
      defaultRole: row.default_role,
      joined: row.app_role !== null,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    },
    appRole: row.app_role,
  }
}
