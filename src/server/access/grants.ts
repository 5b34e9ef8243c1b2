import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { type Grants, impliedByAnyApp, isAppRight, isRight } from '#shared/permissions.ts'

/** What the actor may do, and as which member of the space. */
export interface ActorGrants extends Grants {
  /** null for an actor that is no member, such as a token. */
  memberId: string | null
  /** uid of their role in the space. */
  projectRole: string | null
  /** uid of their role in the app; null outside of apps and for who has not joined. */
  appRole: string | null
  /** Private apps and those not joined too: by a right on apps in the role in the space, never by that in an app. */
  seesEveryApp: boolean
}

/** A member's roles, as statements that join {@link rightsOf} read them. */
export interface MemberRoles {
  memberId: string
  projectRole: string
  /** null: there is no such role (any more), hence no right. */
  projectRights: string[] | null
  /** Rights held in at least one app, as far as more follows from them; null for none. */
  anyAppRights: string[] | null
  appRole: string | null
  appRights: string[] | null
}

/**
 * The rights of the role that a column of `table` names, for a select: the built-in role of that uid, or the space's own.
 */
export const rightsOf = (table: 'space_member' | 'app_member') => {
  const target = table === 'space_member' ? 'project' : 'app'
  return sql<string[] | null>`(
    SELECT role.rights FROM role WHERE role.target = ${sql.lit(target)} AND role.uid = ${sql.ref(`${table}.role`)}
      AND (role.space_id IS NULL OR role.space_id = ${sql.ref(`${table}.space_id`)}))`
}

/** Which of the rights that imply others the member (`space_member`) holds in any app, for a select. */
export const anyAppRightsOf = () => sql<string[] | null>`(
    SELECT array_agg(DISTINCT held) FROM app_member
      JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at IS NULL
      JOIN role ON role.target = 'app' AND role.uid = app_member.role
        AND (role.space_id IS NULL OR role.space_id = app_member.space_id), unnest(role.rights) AS held
    WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id
      AND held = ANY(${Object.keys(impliedByAnyApp)}::text[]))`

/** The one place where roles become rights. */
export function grantsOf({
  memberId,
  projectRole,
  projectRights,
  anyAppRights,
  ...app
}: MemberRoles): ActorGrants {
  const rights = new Set((projectRights ?? []).filter(isRight))
  for (const right of [...rights, ...(anyAppRights ?? []).filter(isRight)])
    if (isAppRight(right)) for (const implied of impliedByAnyApp[right] ?? []) rights.add(implied)
  const seesEveryApp = rights.has('document.read')
  return withAppRole({ memberId, projectRole, appRole: null, seesEveryApp, rights }, app)
}

/** The same with what the role in an app adds, which is rights on apps and no others. */
export function withAppRole(
  grants: ActorGrants,
  { appRole, appRights }: Pick<MemberRoles, 'appRole' | 'appRights'>,
): ActorGrants {
  const added = (appRights ?? []).filter(isRight).filter(isAppRight)
  return { ...grants, appRole, rights: new Set([...grants.rights, ...added]) }
}

/** What a member may do in the space, and in that app. Null for one that is not there (any more). */
export async function findGrants(
  db: Db,
  { spaceId }: SpaceScope,
  memberId: string,
  appId: number | null = null,
): Promise<ActorGrants | null> {
  const row = await db
    .selectFrom('space_member')
    .leftJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'space_member.space_id')
        .onRef('app_member.member_id', '=', 'space_member.id')
        .on('app_member.app_id', '=', appId ?? -1),
    )
    .select(['space_member.id as memberId', 'space_member.role as projectRole', 'app_member.role as appRole'])
    .select([rightsOf('space_member').as('projectRights'), rightsOf('app_member').as('appRights')])
    .select(anyAppRightsOf().as('anyAppRights'))
    .where('space_member.space_id', '=', spaceId)
    .where('space_member.id', '=', memberId)
    .executeTakeFirst()
  return row ? grantsOf(row) : null
}
