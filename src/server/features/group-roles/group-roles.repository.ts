import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

export interface GroupRolesRow {
  groups: { name: string; role: string }[]
  /** null: never set. */
  defaultRole: string | null
  version: number
}

export async function findGroupRoles(db: Db, { spaceId }: SpaceScope): Promise<GroupRolesRow> {
  const groups = await db
    .selectFrom('group_role')
    .select(['name', 'role'])
    .where('space_id', '=', spaceId)
    .orderBy('position')
    .execute()
  const setting = await db
    .selectFrom('group_role_setting')
    .select(['default_role', 'version'])
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  return { groups, defaultRole: setting?.default_role ?? null, version: setting?.version ?? 0 }
}

/** Replaces the mappings and the default role. Returns the new version. */
export async function saveGroupRoles(
  db: Db,
  { spaceId }: SpaceScope,
  { groups, defaultRole }: { groups: GroupRolesRow['groups']; defaultRole: string },
): Promise<number> {
  await db.deleteFrom('group_role').where('space_id', '=', spaceId).execute()
  if (groups.length > 0)
    await db
      .insertInto('group_role')
      .values(groups.map((group, position) => ({ space_id: spaceId, position, ...group })))
      .execute()
  const { version } = await db
    .insertInto('group_role_setting')
    .values({ space_id: spaceId, default_role: defaultRole })
    .onConflict((conflict) =>
      conflict.column('space_id').doUpdateSet({
        default_role: defaultRole,
        version: sql`group_role_setting.version + 1`,
        updated_at: sql`now()`,
      }),
    )
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}
