import { type Selectable, sql } from 'kysely'
import { type AppScope, appScope, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import type { AppTable, SpaceTable } from '#server/db/tables.ts'
import { AppError } from '#shared/errors.ts'
import { uidPattern } from '#shared/identifiers.ts'
import { can, type Right } from '#shared/permissions.ts'
import type { AppContext, AppRow, SpaceContext, SpaceRow } from './context.ts'
import { type ActorGrants, anyAppRightsOf, findGrants, grantsOf, rightsOf, withAppRole } from './grants.ts'

/** A row of `space` as the rest of the server knows it. */
export const toSpaceRow = (
  row: Pick<Selectable<SpaceTable>, 'id' | 'uid' | 'name' | 'plan' | 'created_at' | 'updated_at'>,
): SpaceRow => ({
  id: row.id,
  uid: row.uid,
  name: row.name,
  plan: row.plan,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** A row of `app` as the rest of the server knows it; `appRole` is the caller's, null when not joined. */
export const toAppRow = (row: Selectable<AppTable>, appRole: string | null): AppRow => ({
  id: row.id,
  uid: row.uid,
  name: row.name,
  description: row.description,
  icon: row.icon,
  visibility: row.visibility,
  defaultRole: row.default_role,
  joined: appRole !== null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/**
 * The space of that uid as this account's, with its rights. Throws 404 for a space that does not exist and for one the
 * account is no member of: the two must not differ.
 */
export async function findMembership(
  tx: Tx,
  accountId: string,
  uid: string,
): Promise<{ scope: SpaceScope; space: SpaceRow; grants: ActorGrants }> {
  if (!uidPattern.test(uid)) throw new AppError('NotFound')
  const row = await tx
    .selectFrom('space')
    .innerJoin('space_member', 'space_member.space_id', 'space.id')
    .select(['space.id', 'space.uid', 'space.name', 'space.plan', 'space.created_at', 'space.updated_at'])
    .select(['space_member.id as memberId', 'space_member.role as projectRole'])
    .select([rightsOf('space_member').as('projectRights'), anyAppRightsOf().as('anyAppRights')])
    .where(sql`lower(space.uid)`, '=', uid.toLowerCase())
    .where('space.deleted_at', 'is', null)
    .where('space_member.account_id', '=', accountId)
    .executeTakeFirst()
  if (!row) throw new AppError('NotFound')
  return {
    scope: spaceScope(row.id),
    space: toSpaceRow(row),
    grants: grantsOf({ ...row, appRole: null, appRights: null }),
  }
}

/**
 * The app of that uid, when this member may know of it: joined, open to the space, or the member sees every app; with
 * what they may do in it. Throws 404 otherwise.
 */
export async function findApp(
  tx: Tx,
  scope: SpaceScope,
  grants: ActorGrants,
  uid: string,
): Promise<{ scope: AppScope; app: AppRow; grants: ActorGrants }> {
  if (!uidPattern.test(uid)) throw new AppError('NotFound')
  const row = await tx
    .selectFrom('app')
    .leftJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'app.space_id')
        .onRef('app_member.app_id', '=', 'app.id')
        .on('app_member.member_id', '=', sql<string>`${grants.memberId}`),
    )
    .selectAll('app')
    .select(['app_member.role as appRole', rightsOf('app_member').as('appRights')])
    .where('app.space_id', '=', scope.spaceId)
    .where('app.uid', '=', uid)
    .where('app.deleted_at', 'is', null)
    .executeTakeFirst()
  const visible = row && (row.appRole !== null || row.visibility === 'open' || grants.seesEveryApp)
  if (!visible) throw new AppError('NotFound')
  return {
    scope: appScope(scope, row.id),
    app: toAppRow(row, row.appRole),
    grants: withAppRole(grants, row),
  }
}

/**
 * Locks the space until the transaction ends, so that whoever changes members, roles or orders takes turns, and asks
 * again whether the caller holds `right`. Take it before any other lock. Throws 404 or 403 for who was removed or
 * demoted after this request was let in.
 */
export async function lockSpace(ctx: SpaceContext | AppContext, right: Right): Promise<void> {
  const space = await ctx.db
    .selectFrom('space')
    .select('id')
    .where('id', '=', ctx.scope.spaceId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate() // every event refers to its space: FOR UPDATE would wait for all writers, and they for it
    .executeTakeFirst()
  if (!space) throw new AppError('NotFound')
  const { memberId } = ctx.grants
  const appId = 'app' in ctx ? ctx.app.id : null
  const grants = memberId === null ? ctx.grants : await findGrants(ctx.db, ctx.scope, memberId, appId)
  if (!grants) throw new AppError('NotFound')
  if (!can(grants, right)) throw new AppError('Forbidden')
}

/** The actor as a member of the space. Throws 403 for one that is none, such as a token. */
export function memberOf({ grants }: SpaceContext): string {
  if (grants.memberId === null) throw new AppError('Forbidden')
  return grants.memberId
}
