import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

/** A line: who is in the group of that name has the role in the app. */
export interface AppGroupRow {
  appId: number
  app: string
  name: string
  role: string
}

/** The lines of all apps that are there, each app's in their order. */
export function findAppGroups(db: Db, { spaceId }: SpaceScope): Promise<AppGroupRow[]> {
  return db
    .selectFrom('group_app_role')
    .innerJoin('app', (join) =>
      join
        .onRef('app.space_id', '=', 'group_app_role.space_id')
        .onRef('app.id', '=', 'group_app_role.app_id')
        .on('app.deleted_at', 'is', null),
    )
    .select(['app.id as appId', 'app.uid as app', 'group_app_role.name', 'group_app_role.role'])
    .where('group_app_role.space_id', '=', spaceId)
    .orderBy('app.position')
    .orderBy('app.id')
    .orderBy('group_app_role.position')
    .execute()
}

/** The apps that a member may know of: joined, open, or every one. */
export async function findVisibleApps(
  db: Db,
  { spaceId }: SpaceScope,
  { memberId, seesEveryApp }: { memberId: string | null; seesEveryApp: boolean },
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    SELECT app.id FROM app WHERE app.space_id = ${spaceId} AND app.deleted_at IS NULL
      AND (${seesEveryApp}::boolean OR app.visibility = 'open' OR EXISTS (SELECT FROM app_member
        WHERE app_member.space_id = app.space_id AND app_member.app_id = app.id AND app_member.member_id = ${memberId}))`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Puts these lines in place of those of the apps named. */
export async function saveAppGroups(
  db: Db,
  { spaceId }: SpaceScope,
  apps: ReadonlySet<number>,
  lines: Omit<AppGroupRow, 'app'>[],
): Promise<void> {
  if (apps.size > 0)
    await db
      .deleteFrom('group_app_role')
      .where('space_id', '=', spaceId)
      .where('app_id', 'in', [...apps])
      .execute()
  if (lines.length > 0)
    await db
      .insertInto('group_app_role')
      .values(
        lines.map(({ appId, name, role }, position) => ({
          space_id: spaceId,
          app_id: appId,
          position,
          name,
          role,
        })),
      )
      .execute()
}

/** The roles of an account's membership in the apps of the space, with the member; null for who is no member. */
export async function findAppRoles(
  db: Db,
  { spaceId }: SpaceScope,
  accountId: string,
): Promise<{ memberId: string; name: string; roles: Map<number, string> } | null> {
  const member = await db
    .selectFrom('space_member')
    .innerJoin('account', 'account.id', 'space_member.account_id')
    .select(['space_member.id', sql<string>`coalesce(nullif(account.name, ''), account.email)`.as('name')])
    .where('space_member.space_id', '=', spaceId)
    .where('space_member.account_id', '=', accountId)
    .executeTakeFirst()
  if (!member) return null
  const rows = await db
    .selectFrom('app_member')
    .select(['app_id', 'role'])
    .where('space_id', '=', spaceId)
    .where('member_id', '=', member.id)
    .execute()
  return { memberId: member.id, name: member.name, roles: new Map(rows.map((row) => [row.app_id, row.role])) }
}
