import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import { foldKana, normalizeUnicode } from '#shared/unicode.ts'
import { forgetAccount, whoIs } from './removed.repository.ts'

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
  /** Whether the space's SSO and its directory know them. */
  identities: ('sso' | 'scim')[]
}

/** Which members of a list, by name or address and by role, and which page of them. */
export interface MemberQuery {
  search?: string | undefined
  /** Words are looked for in addresses, too. */
  byAddress: boolean
  role?: string | undefined
  /** `_id` of an account: the one member that it is. */
  account?: string | undefined
  skip: number
  limit: number
}

const identities = sql<MemberRow['identities']>`array_remove(ARRAY[
    CASE WHEN EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id = space_member.account_id
      AND sso_identity.space_id = space_member.space_id) THEN 'sso' END,
    CASE WHEN EXISTS (SELECT FROM scim_user WHERE scim_user.space_id = space_member.space_id
      AND scim_user.member_id = space_member.id) THEN 'scim' END], NULL)`

/** Members of a space, to be narrowed. */
export const spaceMembers = (db: Db, scope: SpaceScope) =>
  db
    .selectFrom('space_member')
    .innerJoin('account', 'account.id', 'space_member.account_id')
    .select(['space_member.id', 'space_member.account_id as accountId', 'account.name', 'account.email'])
    .select(['account.icon_id as iconId', 'space_member.last_seen_at as lastSeenAt'])
    .select(sql<boolean>`account.provisioned_by IS NOT NULL`.as('provisioned'))
    .select(identities.as('identities'))
    .where('space_member.space_id', '=', scope.spaceId)

/** Name or address hold the words, however wide, large or in whichever kana they are written; for a `where`. */
export const matches = (search: string, byAddress: boolean) => {
  const wanted = foldKana(normalizeUnicode(search.trim(), 'NFKC').toLowerCase())
  const pattern = `%${wanted.replace(/[\\%_]/g, '\\$&')}%`
  // The name is the first line of it, the address the last.
  const text = byAddress ? sql`account.search_text` : sql`split_part(account.search_text, E'\\n', 1)`
  return sql<boolean>`${text} LIKE ${pattern}`
}

/** A page of the members of a space, oldest first, and how many there are in all. */
export async function listMembers(
  db: Db,
  scope: SpaceScope,
  { search = '', byAddress, role, account, skip, limit }: MemberQuery,
): Promise<{ members: MemberRow[]; total: number }> {
  if (search.trim() === '' && account === undefined) return pageOfMembers(db, scope, { role, skip, limit })
  let found = spaceMembers(db, scope)
  if (search.trim() !== '') found = found.where(matches(search, byAddress))
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

/** Do all members see each other's addresses? */
export async function areAddressesVisible(db: Db, { spaceId }: SpaceScope): Promise<boolean> {
  const row = await db
    .selectFrom('space_security')
    .select('addresses_visible')
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  return row?.addresses_visible ?? false
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

/** Adds a member, of a new id if none is given, and answers it. `signInAgain`: sessions from before are not good for them. */
export async function insertMember(
  db: Db,
  scope: SpaceScope,
  accountId: string,
  role: string,
  { id = newId(), signInAgain = false }: { id?: string; signInAgain?: boolean } = {},
): Promise<string> {
  await db
    .insertInto('space_member')
    .values({
      space_id: scope.spaceId,
      id,
      account_id: accountId,
      role,
      signed_in_after: signInAgain ? sql<Date>`clock_timestamp()` : null,
    })
    .execute()
  await forgetAccount(db, scope, accountId)
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

/** The names of the keys that an account has made and whose values it knows, the newest first. */
export async function findTokensOf(db: Db, scope: SpaceScope, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('token')
    .select('name')
    .where('space_id', '=', scope.spaceId)
    .where('created_by', '=', accountId)
    .where(sql<boolean>`(expires_at IS NULL OR expires_at > now())`)
    .orderBy('kind')
    .orderBy('created_at', 'desc')
    .limit(20)
    .execute()
  return rows.map(({ name }) => name)
}

/** Takes a member out of the space and, by the foreign key, out of its apps; remembers that they were in it. */
export async function deleteMember(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await sql`
    WITH gone AS (DELETE FROM space_member WHERE space_id = ${spaceId} AND id = ${id} RETURNING account_id)
    INSERT INTO removed_member (space_id, who)
    SELECT ${spaceId}, unnest(${whoIs}) FROM gone JOIN account ON account.id = gone.account_id
    ON CONFLICT DO NOTHING`.execute(db)
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
