import { type Expression, type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { RoleModels } from '#server/db/tables.ts'

/** The roles of the space (`appId` null), or of one of its apps. */
export interface RolesOf {
  target: 'project' | 'app'
  appId: number | null
}

/** A role as stored. `rights` may contain rights unknown to this version. */
export interface RoleRow {
  uid: string
  name: string
  description: string
  target: 'project' | 'app'
  builtIn: boolean
  rights: string[]
  models: RoleModels
  version: number
}

const columns = ['space_id', 'uid', 'name', 'description', 'target', 'rights', 'models', 'version'] as const

const rolesOf = (db: Db, { spaceId }: SpaceScope, { target, appId }: RolesOf) =>
  db
    .selectFrom('role')
    .where('target', '=', target)
    .where((where) =>
      where.or([where('space_id', 'is', null), where.and([where('space_id', '=', spaceId), isOf(appId)])]),
    )

const isOf = (appId: number | null) => sql<SqlBool>`role.app_id IS NOT DISTINCT FROM ${appId}::int`

/** Returns roles, built-in ones first. */
export async function listRoles(db: Db, scope: SpaceScope, of: RolesOf): Promise<RoleRow[]> {
  const rows = await rolesOf(db, scope, of)
    .select(columns)
    .orderBy('space_id', (order) => order.asc().nullsFirst())
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('uid')
    .execute()
  return rows.map(toRole)
}

export async function findRole(db: Db, scope: SpaceScope, of: RolesOf, uid: string): Promise<RoleRow | null> {
  const row = await rolesOf(db, scope, of).select(columns).where('uid', '=', uid).executeTakeFirst()
  return row ? toRole(row) : null
}

const toRole = ({ space_id, ...role }: Omit<RoleRow, 'builtIn'> & { space_id: number | null }): RoleRow => ({
  ...role,
  builtIn: space_id === null,
})

export type RoleValues = Pick<RoleRow, 'name' | 'description' | 'rights' | 'models'>

const toColumns = ({ name, description, rights, models }: RoleValues) => ({
  name,
  description,
  rights,
  models: JSON.stringify(models),
})

export async function insertRole(
  db: Db,
  { spaceId }: SpaceScope,
  { target, appId }: RolesOf,
  { uid, ...values }: RoleValues & { uid: string },
): Promise<void> {
  await db
    .insertInto('role')
    .values({ space_id: spaceId, target, app_id: appId, uid, ...toColumns(values) })
    .execute()
}

export async function updateRole(
  db: Db,
  { spaceId }: SpaceScope,
  { target, appId }: RolesOf,
  { uid, ...values }: RoleValues & { uid: string },
): Promise<void> {
  await db
    .updateTable('role')
    .set({ ...toColumns(values), version: sql`version + 1`, updated_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where('target', '=', target)
    .where(isOf(appId))
    .where('uid', '=', uid)
    .execute()
}

export async function deleteRole(
  db: Db,
  { spaceId }: SpaceScope,
  { target, appId }: RolesOf,
  uid: string,
): Promise<void> {
  await db
    .deleteFrom('role')
    .where('space_id', '=', spaceId)
    .where('target', '=', target)
    .where(isOf(appId))
    .where('uid', '=', uid)
    .execute()
}

/** Replaces the stored role of members who left the app with the deleted role `from`. They rejoin with `to`. */
export async function replaceLeftRole(
  db: Db,
  { spaceId }: SpaceScope,
  appId: number,
  from: string,
  to: string,
): Promise<void> {
  await db
    .updateTable('left_app')
    .set({ role: to })
    .where('space_id', '=', spaceId)
    .where('app_id', '=', appId)
    .where('role', '=', from)
    .execute()
}

/**
 * Use of a role. `members`: the number of members and open invitations with the role. `isDefault`: whether new members
 * of the app get it, or a group mapping or the default of the group mappings assigns it.
 */
export interface RoleUse {
  members: number
  isDefault: boolean
}

/** Returns the use of roles by uid. Unused roles have no entry. */
export async function countUses(
  db: Db,
  { spaceId }: SpaceScope,
  { target, appId }: RolesOf,
): Promise<Map<string, RoleUse>> {
  const ofApp = (column: Expression<number | null>) => sql<SqlBool>`${column} = ${appId}::int`
  const { rows } = await sql<{ role: string; members: number; isDefault: boolean }>`
    SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault" FROM (
      ${
        target === 'project'
          ? sql`SELECT role, count(*) AS members, false AS is_default FROM space_member
              WHERE space_id = ${spaceId} GROUP BY role
            UNION ALL SELECT role, 0, true FROM group_role WHERE space_id = ${spaceId}
            UNION ALL SELECT default_role, 0, true FROM group_role_setting WHERE space_id = ${spaceId}`
          : sql`SELECT role, count(*) AS members, false AS is_default FROM app_member
              WHERE space_id = ${spaceId} AND ${ofApp(sql.ref('app_id'))} GROUP BY role
            UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ${spaceId} AND ${ofApp(sql.ref('app_id'))}
            UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ${spaceId} AND ${ofApp(sql.ref('id'))}`
      }
      UNION ALL
      SELECT ${sql.ref(target === 'project' ? 'role' : 'app_role')}, count(*), false FROM invitation
      WHERE space_id = ${spaceId} AND revoked_at IS NULL AND expires_at > now() AND (maximum_uses IS NULL OR uses < maximum_uses)
        ${target === 'app' ? sql`AND ${ofApp(sql.ref('app_id'))}` : sql``}
      GROUP BY 1
    ) AS used WHERE role IS NOT NULL GROUP BY role`.execute(db)
  return new Map(rows.map(({ role, ...use }) => [role, use]))
}

/** Returns the ids of the app's fields, by the public id of their model. */
export async function findFields(
  db: Db,
  { spaceId }: SpaceScope,
  appId: number,
): Promise<Map<string, Set<string>>> {
  const rows = await db
    .selectFrom('model')
    .select(['public_id', 'fields'])
    .where('space_id', '=', spaceId)
    .where('app_id', '=', appId)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map(({ public_id, fields }) => [public_id, new Set(fields.map(({ _id }) => _id))]))
}

/**
 * A change that can affect which members are admins: of a role's rights, of a member's role, or the removal of a
 * member.
 */
export interface AdminChange {
  role?: string
  member?: string
  removed?: string
}

/**
 * SQL condition: the row of `space_member` is a member with all rights who can sign in. Provisioned accounts cannot
 * sign in.
 */
const isAdmin = (spaceId: number, allRights: readonly string[]) => sql`space_member.space_id = ${spaceId}
  AND NOT EXISTS (SELECT FROM account WHERE account.id = space_member.account_id AND provisioned_by IS NOT NULL)
  AND space_member.role IN (SELECT uid FROM role WHERE target = 'project' AND (space_id IS NULL OR space_id = ${spaceId})
    AND rights @> ${allRights}::text[])`

/**
 * Returns the members with all rights, except provisioned members who have not signed in yet. `isExempt` marks the
 * account that is exempt from required SSO. Only reliable while the space is locked.
 */
export async function listAdmins(
  db: Db,
  { spaceId }: SpaceScope,
  allRights: readonly string[],
): Promise<{ id: string; isExempt: boolean }[]> {
  const { rows } = await sql<{ id: string; isExempt: boolean }>`
    SELECT id, EXISTS (SELECT FROM space_security WHERE space_id = ${spaceId} AND sso_required
      AND sso_exempt = space_member.account_id) AS "isExempt"
    FROM space_member WHERE ${isAdmin(spaceId, allRights)}`.execute(db)
  return rows
}

/**
 * Checks whether any member has all rights after this change and, if SSO is required, whether the exempt account still
 * does. Provisioned members who have not signed in yet do not count. Only reliable while the space is locked.
 */
export async function findAdmins(
  db: Db,
  { spaceId }: SpaceScope,
  { role, member, removed }: AdminChange,
  allRights: readonly string[],
): Promise<{ hasAdmin: boolean; hasExempt: boolean }> {
  const { rows } = await sql<{ hasAdmin: boolean; hasExempt: boolean }>`
    WITH admin AS (SELECT account_id FROM space_member
      WHERE ${isAdmin(spaceId, allRights)} AND id IS DISTINCT FROM ${removed ?? null})
    SELECT EXISTS (SELECT FROM admin) AS "hasAdmin", NOT EXISTS (SELECT FROM space_security
      JOIN space_member AS exempt ON exempt.space_id = space_security.space_id AND exempt.account_id = sso_exempt
      WHERE space_security.space_id = ${spaceId} AND sso_required
        AND (exempt.id = ${removed ?? member ?? null} OR exempt.role = ${role ?? null})
        AND sso_exempt NOT IN (SELECT account_id FROM admin)) AS "hasExempt"`.execute(db)
  return rows[0] ?? { hasAdmin: false, hasExempt: false }
}
