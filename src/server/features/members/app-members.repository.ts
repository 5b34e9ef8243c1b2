import { sql } from 'kysely'
import type { AppScope, Db } from '#server/db/scope.ts'
import { type MemberQuery, type MemberRow, matches, spaceMembers } from './members.repository.ts'

const appMembers = (db: Db, scope: AppScope) =>
  spaceMembers(db, scope)
    .innerJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'space_member.space_id')
        .onRef('app_member.member_id', '=', 'space_member.id'),
    )
    .select(['app_member.role', 'app_member.created_at as createdAt'])
    .where('app_member.app_id', '=', scope.appId)

/** A page of the members of an app in the order they joined, and how many there are in all. */
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
  if (members.length < limit && (members.length > 0 || skip === 0))
    return { members, total: skip + members.length }
  const { total } = await found
    .clearSelect()
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { members, total }
}

/** The same without words to look for: nobody's name is read but those of the page. */
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
  if (members.length < limit && (members.length > 0 || skip === 0))
    return { members, total: skip + members.length }
  const { total } = await found
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { members, total }
}

export async function findAppMember(db: Db, scope: AppScope, memberId: string): Promise<MemberRow | null> {
  return (await appMembers(db, scope).where('space_member.id', '=', memberId).executeTakeFirst()) ?? null
}

/** What who joins the app is given now; null for an app that was deleted. */
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

/** The role with which they last left the app by themselves; null when they never did, or were taken out of it since. */
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

/**
 * Remembers the role of who leaves by themselves; who is taken out by somebody else leaves none behind. False when they were no
 * member of the app.
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
    await db
      .deleteFrom('left_app')
      .where('space_id', '=', scope.spaceId)
      .where('app_id', '=', scope.appId)
      .where('member_id', '=', memberId)
      .execute()
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
