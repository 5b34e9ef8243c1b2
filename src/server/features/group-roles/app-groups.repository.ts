import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

/** A mapping: members of the group with this name have the role in the app. */
export interface AppGroupRow {
  appId: number
  app: string
  name: string
  role: string
}

/** Returns the mappings of all existing apps, ordered by app and position. */
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

/** Returns the ids of the apps visible to a member: joined and open apps, or all apps with `seesEveryApp`. */
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

/** Replaces the mappings of these apps. */
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

/** Returns the roles of members in the apps of the space, by member id and app id. */
export async function findAppRoles(
  db: Db,
  { spaceId }: SpaceScope,
  memberIds: string[],
): Promise<Map<string, Map<number, string>>> {
  const rows = await db
    .selectFrom('app_member')
    .select(['member_id', 'app_id', 'role'])
    .where('space_id', '=', spaceId)
    .where(sql<boolean>`member_id = ANY(${memberIds}::text[])`)
    .execute()
  const found = new Map(memberIds.map((id) => [id, new Map<number, string>()]))
  for (const { member_id, app_id, role } of rows) found.get(member_id)?.set(app_id, role)
  return found
}
