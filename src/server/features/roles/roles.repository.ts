import { type Expression, type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { RoleModels } from '#server/db/tables.ts'

/** Whose roles: those of the space (`appId` null), or of one of its apps. */
export interface RolesOf {
  target: 'project' | 'app'
  appId: number | null
}

/** A role as a row: `rights` may name some that this version does not know. */
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

/** Built-in ones first. */
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

/** What people say of a role. */
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

/** Who left an app with this role comes back with the other one, for theirs is gone. */
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

/** How much a role is used: members who hold it, people invited to it, whether who joins the app, or a group of the directory, is given it. */
export interface RoleUse {
  members: number
  isDefault: boolean
}

/** By uid; of roles that nobody uses there is no entry. */
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

/** Of these models' public ids and fields' ids, those that are in the app: fields by model. */
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
 * Is anybody there, beside this member, who may do everything? Whom a directory has made and who has not come yet does not
 * count. Right only while the space is locked.
 */
export async function hasAdmin(
  db: Db,
  { spaceId }: SpaceScope,
  beside: string | null,
  allRights: readonly string[],
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM space_member WHERE space_id = ${spaceId} AND id IS DISTINCT FROM ${beside}
      AND NOT EXISTS (SELECT FROM account WHERE id = space_member.account_id AND provisioned_by IS NOT NULL)
      AND role IN (SELECT uid FROM role WHERE target = 'project' AND (space_id IS NULL OR space_id = ${spaceId})
        AND rights @> ${allRights}::text[]) LIMIT 1`.execute(db)
  return rows.length > 0
}
