import { sql } from 'kysely'
import { rightsOf } from '#server/access/grants.ts'
import type { AppScope, Db, SpaceScope } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import type { SpaceRight } from '#shared/permissions.ts'

/** A member as colleagues see them. */
export interface MemberRow {
  id: string
  accountId: string
  name: string
  email: string
  /** `_id` of the account's picture; null for none. */
  iconId: string | null
  createdAt: Date
  /** uid of their role. */
  role: string
}

/** A role as a row: `rights` may name some that this version does not know. */
export interface RoleRow {
  uid: string
  name: string
  target: 'project' | 'app'
  builtIn: boolean
  rights: string[]
}

const spaceMembers = (db: Db, scope: SpaceScope) =>
  db
    .selectFrom('space_member')
    .innerJoin('account', 'account.id', 'space_member.account_id')
    .select(['space_member.id', 'space_member.account_id as accountId', 'account.name', 'account.email'])
    .select('account.icon_id as iconId')
    .where('space_member.space_id', '=', scope.spaceId)

/** The members of a space, oldest first. */
export function listMembers(db: Db, scope: SpaceScope): Promise<MemberRow[]> {
  return spaceMembers(db, scope)
    .select(['space_member.role', 'space_member.created_at as createdAt'])
    .orderBy('space_member.created_at')
    .orderBy('space_member.id')
    .execute()
}

export async function findMember(db: Db, scope: SpaceScope, id: string): Promise<MemberRow | null> {
  const row = await spaceMembers(db, scope)
    .select(['space_member.role', 'space_member.created_at as createdAt'])
    .where('space_member.id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Adds a member of a new id and answers it. */
export async function insertMember(
  db: Db,
  scope: SpaceScope,
  accountId: string,
  role: string,
): Promise<string> {
  const id = newId()
  await db
    .insertInto('space_member')
    .values({ space_id: scope.spaceId, id, account_id: accountId, role })
    .execute()
  return id
}

export async function updateMemberRole(db: Db, scope: SpaceScope, id: string, role: string): Promise<void> {
  await db
    .updateTable('space_member')
    .set({ role })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', id)
    .execute()
}

/** Takes a member out of the space and, by the foreign key, out of its apps. */
export async function deleteMember(db: Db, scope: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('space_member').where('space_id', '=', scope.spaceId).where('id', '=', id).execute()
}

/** Has the space a member beside this one whose role gives the right? Right only while the space is locked. */
export async function hasOtherHolder(
  db: Db,
  scope: SpaceScope,
  id: string,
  right: SpaceRight,
): Promise<boolean> {
  const holder = await db
    .selectFrom('space_member')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('id', '!=', id)
    .where(sql<boolean>`${rightsOf('space_member')} @> ARRAY[${right}]::text[]`)
    .limit(1)
    .executeTakeFirst()
  return holder !== undefined
}

/** The roles for spaces or for apps that this space knows: built-in ones first. */
export async function listRoles(db: Db, scope: SpaceScope, target: RoleRow['target']): Promise<RoleRow[]> {
  const rows = await db
    .selectFrom('role')
    .select(['space_id', 'uid', 'name', 'target', 'rights'])
    .where('target', '=', target)
    .where((where) => where.or([where('space_id', 'is', null), where('space_id', '=', scope.spaceId)]))
    .orderBy('space_id', (order) => order.asc().nullsFirst())
    .orderBy('position')
    .orderBy('uid')
    .execute()
  return rows.map(({ space_id, ...role }) => ({ ...role, builtIn: space_id === null }))
}

const appMembers = (db: Db, scope: AppScope) =>
  spaceMembers(db, scope)
    .innerJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'space_member.space_id')
        .onRef('app_member.member_id', '=', 'space_member.id'),
    )
    .select(['app_member.role', 'app_member.created_at as createdAt'])
    .where('app_member.app_id', '=', scope.appId)

/** The members of an app, in the order they joined. */
export function listAppMembers(db: Db, scope: AppScope): Promise<MemberRow[]> {
  return appMembers(db, scope).orderBy('app_member.created_at').orderBy('space_member.id').execute()
}

export async function findAppMember(db: Db, scope: AppScope, memberId: string): Promise<MemberRow | null> {
  return (await appMembers(db, scope).where('space_member.id', '=', memberId).executeTakeFirst()) ?? null
}

/** The role with which they last left the app; null when they never did. */
export async function findLeftRole(db: Db, scope: AppScope, memberId: string): Promise<string | null> {
  const row = await db
    .selectFrom('left_app')
    .select('role')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('member_id', '=', memberId)
    .executeTakeFirst()
  return row?.role ?? null
}

/** False when they are a member of the app already; their role then stays as it is. */
export async function insertAppMember(
  db: Db,
  scope: AppScope,
  memberId: string,
  role: string,
): Promise<boolean> {
  const inserted = await db
    .insertInto('app_member')
    .values({ space_id: scope.spaceId, app_id: scope.appId, member_id: memberId, role })
    .onConflict((conflict) => conflict.doNothing())
    .returning('member_id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** False when they are no member of the app (any more). */
export async function updateAppMemberRole(
  db: Db,
  scope: AppScope,
  memberId: string,
  role: string,
): Promise<boolean> {
  const updated = await db
    .updateTable('app_member')
    .set({ role })
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('member_id', '=', memberId)
    .returning('member_id')
    .executeTakeFirst()
  return updated !== undefined
}

/** Remembers the role they leave with. False when they were no member of the app. */
export async function deleteAppMember(db: Db, scope: AppScope, memberId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('app_member')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('member_id', '=', memberId)
    .returning('role')
    .executeTakeFirst()
  if (!deleted) return false
  const { role } = deleted
  await db
    .insertInto('left_app')
    .values({ space_id: scope.spaceId, app_id: scope.appId, member_id: memberId, role })
    .onConflict((conflict) =>
      conflict.columns(['space_id', 'app_id', 'member_id']).doUpdateSet({ role, left_at: sql`now()` }),
    )
    .execute()
  return true
}
