import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { nameOf } from './directory.ts'

/** Returns the members who are in these groups according to the directory (SCIM), with all of their groups. */
export async function findGroupedAccounts(
  db: Db,
  { spaceId }: SpaceScope,
  names: ReadonlySet<string>,
): Promise<{ accountId: string; groups: string[] }[]> {
  const all = await db
    .selectFrom('scim_group')
    .select(['id', 'name'])
    .where('space_id', '=', spaceId)
    .execute()
  const ids = all.filter(({ name }) => names.has(nameOf(name))).map(({ id }) => id)
  if (ids.length === 0) return []
  const { rows } = await sql<{ accountId: string; groups: string[] }>`
    SELECT space_member.account_id AS "accountId", array_agg(scim_group.name) AS groups
    FROM scim_group_member AS inside
    JOIN scim_group ON scim_group.space_id = ${spaceId} AND scim_group.id = inside.group_id
    JOIN scim_user ON scim_user.space_id = ${spaceId} AND scim_user.id = inside.user_id
    JOIN space_member ON space_member.space_id = ${spaceId} AND space_member.id = scim_user.member_id
    WHERE inside.space_id = ${spaceId} AND inside.user_id IN (
      SELECT user_id FROM scim_group_member WHERE space_id = ${spaceId} AND group_id = ANY(${ids}::text[]))
    GROUP BY space_member.account_id`.execute(db)
  return rows
}

/** Returns the uids of the roles of members who are linked to the identity provider of the space. */
export async function findRolesOfLinked(db: Db, { spaceId }: SpaceScope): Promise<string[]> {
  const rows = await db
    .selectFrom('sso_identity')
    .innerJoin('space_member', (join) =>
      join
        .onRef('space_member.space_id', '=', 'sso_identity.space_id')
        .onRef('space_member.account_id', '=', 'sso_identity.account_id'),
    )
    .select('space_member.role')
    .distinct()
    .where('sso_identity.space_id', '=', spaceId)
    .execute()
  return rows.map(({ role }) => role)
}

/**
 * Returns the roles in apps, with the uids of the apps, of members who are linked to the identity provider of the
 * space.
 */
export function findAppRolesOfLinked(
  db: Db,
  { spaceId }: SpaceScope,
): Promise<{ app: string; role: string }[]> {
  return db
    .selectFrom('sso_identity')
    .innerJoin('space_member', (join) =>
      join
        .onRef('space_member.space_id', '=', 'sso_identity.space_id')
        .onRef('space_member.account_id', '=', 'sso_identity.account_id'),
    )
    .innerJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'space_member.space_id')
        .onRef('app_member.member_id', '=', 'space_member.id'),
    )
    .innerJoin('app', (join) =>
      join
        .onRef('app.space_id', '=', 'app_member.space_id')
        .onRef('app.id', '=', 'app_member.app_id')
        .on('app.deleted_at', 'is', null),
    )
    .select(['app.uid as app', 'app_member.role'])
    .distinct()
    .where('sso_identity.space_id', '=', spaceId)
    .execute()
}
