import { sql } from 'kysely'
import type { AppScope, Db, SpaceScope } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import { foldKana, normalizeUnicode } from '#shared/unicode.ts'

/** A member as colleagues see them. */
export interface MemberRow {
  id: string
  accountId: string
  name: string
  email: string
  /** `_id` of the account's picture; null for none. */
  iconId: string | null
  createdAt: Date
  lastSeenAt: Date
  /** uid of their role. */
  role: string
  /** A directory has made them a member, and they have not come yet. */
  provisioned: boolean
}

/** Which members of a list, by name or address and by role, and which page of them. */
export interface MemberQuery {
  search?: string | undefined
  role?: string | undefined
  /** `_id` of an account: the one member that it is. */
  account?: string | undefined
  skip: number
  limit: number
}

const spaceMembers = (db: Db, scope: SpaceScope) =>
  db
    .selectFrom('space_member')
    .innerJoin('account', 'account.id', 'space_member.account_id')
    .select(['space_member.id', 'space_member.account_id as accountId', 'account.name', 'account.email'])
    .select(['account.icon_id as iconId', 'space_member.last_seen_at as lastSeenAt'])
    .select(sql<boolean>`account.provisioned_by IS NOT NULL`.as('provisioned'))
    .where('space_member.space_id', '=', scope.spaceId)

/** Name or address hold the words, however wide, large or in whichever kana they are written; for a `where`. */
const matches = (search: string) => {
  const wanted = foldKana(normalizeUnicode(search.trim(), 'NFKC').toLowerCase())
  const pattern = `%${wanted.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`account.search_text LIKE ${pattern}`
}

/** A page of the members of a space, oldest first, and how many there are in all. */
export async function listMembers(
  db: Db,
  scope: SpaceScope,
  { search = '', role, account, skip, limit }: MemberQuery,
): Promise<{ members: MemberRow[]; total: number }> {
  if (search.trim() === '' && account === undefined) return pageOfMembers(db, scope, { role, skip, limit })
  let found = spaceMembers(db, scope)
  if (search.trim() !== '') found = found.where(matches(search))
  if (role !== undefined) found = found.where('space_member.role', '=', role)
  if (account !== undefined) found = found.where('space_member.account_id', '=', account)
  const members = await found
    .select(['space_member.role', 'space_member.created_at as createdAt'])
    .orderBy('space_member.created_at')
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
async function pageOfMembers(
  db: Db,
  scope: SpaceScope,
  { role, skip, limit }: Pick<MemberQuery, 'role' | 'skip' | 'limit'>,
): Promise<{ members: MemberRow[]; total: number }> {
  const all = db.selectFrom('space_member').where('space_id', '=', scope.spaceId)
  const found = role === undefined ? all : all.where('role', '=', role)
  const page = found.select('id').orderBy('created_at').orderBy('id').offset(skip).limit(limit)
  const members = await spaceMembers(db, scope)
    .innerJoin(page.as('page'), 'page.id', 'space_member.id')
    .select(['space_member.role', 'space_member.created_at as createdAt'])
    .orderBy('space_member.created_at')
    .orderBy('space_member.id')
    .execute()
  if (members.length < limit && (members.length > 0 || skip === 0))
    return { members, total: skip + members.length }
  const { total } = await found
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { members, total }
}

/** The member who has this address; null for none. */
export async function findMemberByEmail(db: Db, scope: SpaceScope, email: string): Promise<MemberRow | null> {
  const row = await spaceMembers(db, scope)
    .select(['space_member.role', 'space_member.created_at as createdAt'])
    .where(sql<boolean>`lower(account.email) = ${email.toLowerCase()}`)
    .executeTakeFirst()
  return row ?? null
}

export async function findMember(db: Db, scope: SpaceScope, id: string): Promise<MemberRow | null> {
  const row = await spaceMembers(db, scope)
    .select(['space_member.role', 'space_member.created_at as createdAt'])
    .where('space_member.id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Adds a member, of a new id if none is given, and answers it. */
export async function insertMember(
  db: Db,
  scope: SpaceScope,
  accountId: string,
  role: string,
  id = newId(),
): Promise<string> {
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
  { search = '', role, account, skip, limit }: MemberQuery,
): Promise<{ members: MemberRow[]; total: number }> {
  if (search.trim() === '' && account === undefined) return pageOfAppMembers(db, scope, { role, skip, limit })
  let found = appMembers(db, scope)
  if (search.trim() !== '') found = found.where(matches(search))
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

/** As which member an account is in the space; null for one that is not. */
export async function findMemberOfAccount(
  db: Db,
  scope: SpaceScope,
  accountId: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('space_member')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.id ?? null
}

/** An app of the space as one member stands to it: `role` null when they have not joined. */
export interface AppOfMember {
  id: number
  uid: string
  name: string
  visibility: 'open' | 'private'
  role: string | null
  roleName: string | null
}

/** Every app of the space, in its order. */
export function findAppsOf(db: Db, scope: SpaceScope, memberId: string): Promise<AppOfMember[]> {
  return db
    .selectFrom('app')
    .leftJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'app.space_id')
        .onRef('app_member.app_id', '=', 'app.id')
        .on('app_member.member_id', '=', memberId),
    )
    .leftJoin('role', (join) =>
      join
        .onRef('role.space_id', '=', 'app.space_id')
        .onRef('role.app_id', '=', 'app.id')
        .onRef('role.uid', '=', 'app_member.role'),
    )
    .select(['app.id', 'app.uid', 'app.name', 'app.visibility', 'app_member.role', 'role.name as roleName'])
    .where('app.space_id', '=', scope.spaceId)
    .where('app.deleted_at', 'is', null)
    .orderBy('app.position')
    .orderBy('app.id')
    .execute()
}

/** Every model of the space, in the order of its app. */
export function findModelsOf(db: Db, scope: SpaceScope) {
  return db
    .selectFrom('model')
    .select(['public_id as publicId', 'app_id as appId', 'uid', 'name', 'fields'])
    .where('space_id', '=', scope.spaceId)
    .where('deleted_at', 'is', null)
    .orderBy('position')
    .orderBy('id')
    .execute()
}
