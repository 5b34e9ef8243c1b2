import { sql } from 'kysely'
import type { AppScope, Db } from '#server/db/scope.ts'
import { type MemberQuery, type MemberRow, matches, spaceMembers } from './members.repository.ts'
import { totalOf } from './total.ts'

const appMembers = (db: Db, scope: AppScope) =>
  spaceMembers(db, scope)
    .innerJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'space_member.space_id')
        .onRef('app_member.member_id', '=', 'space_member.id'),
    )
    .select(['app_member.role', 'app_member.created_at as createdAt'])
    .where('app_member.app_id', '=', scope.appId)

/** Returns a page of the app's members in order of joining, and their total number. */
export async function listAppMembers(
  db: Db,
  scope: AppScope,
  { search = '', byAddress, role, account, skip, limit }: MemberQuery,
): Promise<{ members: MemberRow[]; total: number }> {
  if (search.trim() === '' && account === undefined) return pageOfAppMembers(db, scope, { role, skip, limit })
  let found = appMembers(db, scope)
  if (search.trim() !== '') found = found.where(matches(search, byAddress))
  if (role !== undefined) found = found.where('app_member.role', '=', role)
  if (account !== undefined) found = found.where('space_member.account_id', '=', account)
  const members = await found
    .orderBy('app_member.created_at')
    .orderBy('space_member.id')
    .offset(skip)
    .limit(limit)
    .execute()
  return { members, total: await totalOf(found, members.length, { skip, limit }) }
}

/** Like {@link listAppMembers} without a search. Reads account data of the members on this page only. */
async function pageOfAppMembers(
  db: Db,
  scope: AppScope,
  { role, skip, limit }: Pick<MemberQuery, 'role' | 'skip' | 'limit'>,
): Promise<{ members: MemberRow[]; total: number }> {
  const all = db
    .selectFrom('app_member')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
  const found = role === undefined ? all : all.where('role', '=', role)
  const page = found.select('member_id').orderBy('created_at').orderBy('member_id').offset(skip).limit(limit)
  const members = await appMembers(db, scope)
    .innerJoin(page.as('page'), 'page.member_id', 'space_member.id')
    .orderBy('app_member.created_at')
    .orderBy('space_member.id')
    .execute()
  return { members, total: await totalOf(found, members.length, { skip, limit }) }
}

/**
 * Returns a page of the members who left the app on their own, latest first, and their total number. `role`: the role
 * that they get when they rejoin. `createdAt`: the time when they left.
 */
export async function listLeftMembers(
  db: Db,
  scope: AppScope,
  { skip, limit }: Pick<MemberQuery, 'skip' | 'limit'>,
): Promise<{ members: MemberRow[]; total: number }> {
  const found = spaceMembers(db, scope)
    .innerJoin('left_app', (join) =>
      join
        .onRef('left_app.space_id', '=', 'space_member.space_id')
        .onRef('left_app.member_id', '=', 'space_member.id'),
    )
    .where('left_app.app_id', '=', scope.appId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app_member')
            .whereRef('app_member.space_id', '=', 'left_app.space_id')
            .whereRef('app_member.app_id', '=', 'left_app.app_id')
            .whereRef('app_member.member_id', '=', 'left_app.member_id'),
        ),
      ),
    )
  const members = await found
    .select(['left_app.role', 'left_app.left_at as createdAt'])
    .orderBy('left_app.left_at', 'desc')
    .orderBy('space_member.id')
    .offset(skip)
    .limit(limit)
    .execute()
  return { members, total: await totalOf(found, members.length, { skip, limit }) }
}

export async function findAppMember(db: Db, scope: AppScope, memberId: string): Promise<MemberRow | null> {
  return (await appMembers(db, scope).where('space_member.id', '=', memberId).executeTakeFirst()) ?? null
}

/** Returns the role of new members of the app. null: the app is deleted. */
export async function findDefaultRole(db: Db, scope: AppScope): Promise<string | null> {
  const row = await db
    .selectFrom('app')
    .select('default_role')
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.appId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.default_role ?? null
}

/**
 * Returns the role that the member had when they last left the app on their own. null: they never did, or the stored
 * role was deleted since then, for example when they were removed.
 */
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

/** Adds a member to the app. Returns false if they already are a member of the app; their role is not changed. */
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

/** Changes the role of a member of the app. Returns false if they are not a member of the app. */
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

/**
 * Removes a member from the app. `bySelf`: their role is stored for a return. Otherwise a stored role is deleted.
 * Returns false if they were not a member.
 */
export async function deleteAppMember(
  db: Db,
  scope: AppScope,
  memberId: string,
  { bySelf }: { bySelf: boolean },
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('app_member')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('member_id', '=', memberId)
    .returning('role')
    .executeTakeFirst()
  if (!deleted) return false
  const { role } = deleted
  if (!bySelf) {
    await forgetLeftRole(db, scope, memberId)
    return true
  }
  await db
    .insertInto('left_app')
    .values({ space_id: scope.spaceId, app_id: scope.appId, member_id: memberId, role })
    .onConflict((conflict) =>
      conflict.columns(['space_id', 'app_id', 'member_id']).doUpdateSet({ role, left_at: sql`now()` }),
    )
    .execute()
  return true
}

/** Adds members to the app, or changes their roles in it. */
export async function saveAppMembers(
  db: Db,
  { spaceId, appId }: AppScope,
  given: readonly { memberId: string; role: string }[],
): Promise<void> {
  await sql`INSERT INTO app_member (space_id, app_id, member_id, role)
    SELECT ${spaceId}, ${appId}, * FROM unnest(${given.map(({ memberId }) => memberId)}::text[], ${given.map(({ role }) => role)}::text[])
    ON CONFLICT (space_id, app_id, member_id) DO UPDATE SET role = excluded.role`.execute(db)
}

/** Removes members from the app and deletes their stored roles. */
export async function deleteAppMembers(db: Db, scope: AppScope, memberIds: string[]): Promise<void> {
  await db
    .deleteFrom('app_member')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where(sql<boolean>`member_id = ANY(${memberIds}::text[])`)
    .execute()
  await forgetLeftRoles(db, scope, memberIds)
}

/** Like {@link forgetLeftRole}, for several members. */
export async function forgetLeftRoles(db: Db, scope: AppScope, memberIds: string[]): Promise<void> {
  await db
    .deleteFrom('left_app')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where(sql<boolean>`member_id = ANY(${memberIds}::text[])`)
    .execute()
}

/** Deletes the stored role, so that the member rejoins the app with the app's default role. */
export async function forgetLeftRole(db: Db, scope: AppScope, memberId: string): Promise<void> {
  await db
    .deleteFrom('left_app')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('member_id', '=', memberId)
    .execute()
}
