import { sql } from 'kysely'
import { whoIs } from '#server/access/known-as.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { searchPattern } from '#server/db/search-pattern.ts'
import { newId } from '#server/lib/ids.ts'
import type { Language } from '#shared/languages.ts'
import type { Right } from '#shared/permissions.ts'
import { forgetAccount } from './removed.repository.ts'
import { totalOf } from './total.ts'

/** A member as shown to other members. */
export interface MemberRow {
  id: string
  accountId: string
  name: string
  email: string
  /** Whether the address is verified, by its owner or by the space's SSO or directory. */
  emailVerified: boolean
  /** `_id` of the account's picture; null for none. */
  iconId: string | null
  createdAt: Date
  lastSeenAt: Date
  /** uid of their role. */
  role: string
  /** Whether a directory created the member and no person has claimed the membership yet. */
  provisioned: boolean
  identities: ('sso' | 'scim')[]
}

/** The properties of a member that directory groups need. */
export interface MemberOfAccount {
  id: string
  accountId: string
  role: string
  /** The member's name, or the email address if the name is empty. */
  name: string
  /** Whether a directory created the member and no person has claimed the membership yet. */
  provisioned: boolean
}

export interface MemberQuery {
  search?: string | undefined
  /** Whether the search includes email addresses. */
  byAddress: boolean
  role?: string | undefined
  /** `_id` of an account. Only its member is returned. */
  account?: string | undefined
  skip: number
  limit: number
}

const identities = sql<MemberRow['identities']>`array_remove(ARRAY[
    CASE WHEN EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id = space_member.account_id
      AND sso_identity.space_id = space_member.space_id) THEN 'sso' END,
    CASE WHEN EXISTS (SELECT FROM scim_user WHERE scim_user.space_id = space_member.space_id
      AND scim_user.member_id = space_member.id) THEN 'scim' END], NULL)`

/**
 * SQL condition: the email address is confirmed. For this space, confirmation by its SSO or its directory is
 * sufficient.
 */
const emailVerified = sql<boolean>`(account.email_verified_at IS NOT NULL OR account.provisioned_by IS NOT DISTINCT FROM space_member.space_id
    OR EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id = space_member.account_id
      AND sso_identity.space_id = space_member.space_id))`

/** Returns a query for the space's members, to be narrowed. */
export const spaceMembers = (db: Db, scope: SpaceScope) =>
  db
    .selectFrom('space_member')
    .innerJoin('account', 'account.id', 'space_member.account_id')
    .select(['space_member.id', 'space_member.account_id as accountId', 'account.name', 'account.email'])
    .select(['account.icon_id as iconId', 'space_member.last_seen_at as lastSeenAt'])
    .select(sql<boolean>`account.provisioned_by IS NOT NULL`.as('provisioned'))
    .select(emailVerified.as('emailVerified'))
    .select(identities.as('identities'))
    .where('space_member.space_id', '=', scope.spaceId)

/** The email address and the language for mails to a member about the space. */
export interface Reachable {
  email: string
  language: Language
  space: { uid: string; name: string }
}

/**
 * Returns how to reach the member of an account. undefined: the email address is not confirmed, or the account is no
 * longer a member.
 */
export async function findReachable(
  db: Db,
  { spaceId }: SpaceScope,
  accountId: string,
): Promise<Reachable | undefined> {
  const { rows } = await sql<Reachable>`
    SELECT account.email, account.language, jsonb_build_object('uid', space.uid, 'name', space.name) AS space
    FROM space_member JOIN account ON account.id = space_member.account_id JOIN space ON space.id = space_member.space_id
    WHERE space_member.space_id = ${spaceId} AND account.id = ${accountId} AND ${emailVerified}`.execute(db)
  return rows[0]
}

/** Returns the addresses with these keys that are the confirmed addresses of members. */
export async function listConfirmed(
  db: Db,
  { spaceId }: SpaceScope,
  keys: readonly string[],
): Promise<{ key: string; email: string }[]> {
  const { rows } = await sql<{ key: string; email: string }>`
    SELECT lower(account.email) AS key, account.email
    FROM space_member JOIN account ON account.id = space_member.account_id
    WHERE space_member.space_id = ${spaceId} AND lower(account.email) = ANY(${keys}::text[]) AND ${emailVerified}`.execute(
    db,
  )
  return rows
}

/** Returns how to reach members whose role in the space includes these rights, longest members first. */
export async function listReachable(
  db: Db,
  { spaceId }: SpaceScope,
  rights: readonly Right[],
  limit: number,
): Promise<Reachable[]> {
  const { rows } = await sql<Reachable>`
    SELECT account.email, account.language, jsonb_build_object('uid', space.uid, 'name', space.name) AS space
    FROM space_member JOIN account ON account.id = space_member.account_id JOIN space ON space.id = space_member.space_id
    WHERE space_member.space_id = ${spaceId} AND ${emailVerified}
      AND space_member.role IN (SELECT uid FROM role WHERE target = 'project'
        AND (space_id IS NULL OR space_id = ${spaceId}) AND rights @> ${rights}::text[])
    ORDER BY space_member.created_at, space_member.id LIMIT ${limit}`.execute(db)
  return rows
}

/**
 * Returns a `where` condition: the name contains the text, or with `byAddress` also the email address. Ignores
 * character width, case and kind of kana.
 */
export const matches = (search: string, byAddress: boolean) => {
  // The first line of `search_text` is the name, the last one the address.
  const text = byAddress ? sql`account.search_text` : sql`split_part(account.search_text, E'\\n', 1)`
  return sql<boolean>`${text} LIKE ${searchPattern(search)}`
}

/** Returns a page of the space's members, oldest first, and their total number. */
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
  return { members, total: await totalOf(found, members.length, { skip, limit }) }
}

/** Like {@link listMembers} without a search. Reads account data of the members on this page only. */
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
  return { members, total: await totalOf(found, members.length, { skip, limit }) }
}

/** Checks whether all members see each other's email addresses. */
export async function areAddressesVisible(db: Db, { spaceId }: SpaceScope): Promise<boolean> {
  const row = await db
    .selectFrom('space_security')
    .select('addresses_visible')
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  return row?.addresses_visible ?? false
}

/** Returns the member with this email address, or null. */
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

/**
 * Adds a member and returns its id. Creates an id if `id` is omitted. `signInAgain`: earlier sessions are not valid for
 * the space.
 */
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

/** Returns the members of the space among these accounts. */
export function findMembersOfAccounts(
  db: Db,
  scope: SpaceScope,
  accountIds: string[],
): Promise<MemberOfAccount[]> {
  return db
    .selectFrom('space_member')
    .innerJoin('account', 'account.id', 'space_member.account_id')
    .select(['space_member.id', 'space_member.account_id as accountId', 'space_member.role'])
    .select(sql<string>`coalesce(nullif(account.name, ''), account.email)`.as('name'))
    .select(sql<boolean>`account.provisioned_by IS NOT NULL`.as('provisioned'))
    .where('space_member.space_id', '=', scope.spaceId)
    .where(sql<boolean>`space_member.account_id = ANY(${accountIds}::text[])`)
    .execute()
}

/** Sets the roles of several members. */
export async function updateMemberRoles(
  db: Db,
  { spaceId }: SpaceScope,
  changes: readonly { id: string; role: string }[],
): Promise<void> {
  await sql`UPDATE space_member SET role = given.role
    FROM unnest(${changes.map(({ id }) => id)}::text[], ${changes.map(({ role }) => role)}::text[]) AS given (id, role)
    WHERE space_member.space_id = ${spaceId} AND space_member.id = given.id`.execute(db)
}

export async function updateMemberRole(db: Db, scope: SpaceScope, id: string, role: string): Promise<void> {
  await db
    .updateTable('space_member')
    .set({ role })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', id)
    .execute()
}

/**
 * Returns the names of up to 20 unexpired tokens that the account created and whose values it therefore knows. They are
 * ordered by kind, and newest first within a kind.
 */
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

/** Removes a member from the space and, by foreign key, from its apps. Records the removal. */
export async function deleteMember(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await sql`
    WITH gone AS (DELETE FROM space_member WHERE space_id = ${spaceId} AND id = ${id} RETURNING account_id)
    INSERT INTO removed_member (space_id, who, removed_at)
    SELECT ${spaceId}, unnest(${whoIs}), clock_timestamp() FROM gone JOIN account ON account.id = gone.account_id
    ON CONFLICT DO NOTHING`.execute(db)
}

/** Returns the member id of an account in the space. null: the account is not a member. */
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
