import { sql } from 'kysely'
import { addressKey, isAt, isKnownAs, whoHas } from '#server/access/known-as.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { forgetAccount } from './removed.repository.ts'

/* Members that a directory created and that no account has claimed yet (docs/decisions/0052). */

/** A member that has an email address according to the space's directory. */
export interface DirectoryPerson {
  memberId: string
  /** The account of the member. null: the membership has ended. */
  accountId: string | null
  /** Whether the directory created the member and no account has claimed it yet. */
  isProvisioned: boolean
  /** Whether the directory has deactivated the user. false if only the space's admins ended the membership. */
  isDeactivated: boolean
}

/**
 * Returns all members that have this email address according to the directory, as their `userName` or as any of their
 * addresses. Also works outside a space's transaction.
 */
export async function findDirectoryPeople(
  db: Db,
  { spaceId }: SpaceScope,
  email: string,
): Promise<DirectoryPerson[]> {
  const key = addressKey(email)
  // Members that a directory created remain after its connection has ended, without a row of `scim_user`.
  const { rows } = await sql<DirectoryPerson>`
    SELECT known.member_id AS "memberId", account.id AS "accountId",
      account.provisioned_by IS NOT NULL AS "isProvisioned", known.kept IS NOT NULL AS "isDeactivated"
    FROM scim_user AS known
    LEFT JOIN space_member AS member ON member.space_id = ${spaceId} AND member.id = known.member_id
    LEFT JOIN account ON account.id = member.account_id
    WHERE known.space_id = ${spaceId} AND (known.user_name_key = ${key} OR ${key} IN (
      SELECT ${keyOfValue} FROM jsonb_path_query(known.attributes, '$.emails[*].value') AS value))
    UNION SELECT member.id, account.id, true, false FROM account
    JOIN space_member AS member ON member.space_id = ${spaceId} AND member.account_id = account.id
    WHERE account.provisioned_by = ${spaceId} AND lower(account.email) = ${key}`.execute(db)
  return rows
}

/** Like `addressKey`, for a JSON text. */
const keyOfValue = sql`lower(normalize(btrim(value #>> '{}'), NFKC))`

/** Returns which of these email addresses (as keys) another active user of the directory has too. */
export async function findSharedAddresses(
  db: Db,
  { spaceId }: SpaceScope,
  keys: readonly string[],
  exceptMemberId: string,
): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    SELECT DISTINCT address.key FROM scim_user AS known
    JOIN space_member AS member ON member.space_id = ${spaceId} AND member.id = known.member_id,
      LATERAL (SELECT known.user_name_key AS key
        UNION SELECT ${keyOfValue} FROM jsonb_path_query(known.attributes, '$.emails[*].value') AS value) AS address
    WHERE known.space_id = ${spaceId} AND known.member_id <> ${exceptMemberId}
      AND address.key = ANY(${keys}::text[])`.execute(db)
  return new Set(rows.map(({ key }) => key))
}

/**
 * Returns other members who are proven to have one of these email addresses, in one of two ways. The address belongs to
 * their account, which is verified or was created by a directory. Or they have an identity at the space's SSO and were
 * recorded with the address. Excludes members with a user of their own in the directory.
 */
export async function findOtherMembersAt(
  db: Db,
  { spaceId }: SpaceScope,
  addresses: readonly string[],
  exceptMemberId: string,
): Promise<{ memberId: string; accountId: string; name: string }[]> {
  const hashes = addresses.map(whoHas)
  const { rows } = await sql<{ memberId: string; accountId: string; name: string }>`
    SELECT space_member.id AS "memberId", account.id AS "accountId",
      coalesce(nullif(account.name, ''), account.email) AS name
    FROM space_member JOIN account ON account.id = space_member.account_id
    WHERE space_member.space_id = ${spaceId} AND space_member.id <> ${exceptMemberId}
      AND ((${isAt(hashes)} AND (email_verified_at IS NOT NULL OR provisioned_by IS NOT NULL))
        OR (${isKnownAs(hashes)} AND EXISTS (SELECT FROM sso_identity
          WHERE sso_identity.account_id = account.id AND sso_identity.space_id = ${spaceId})))
      AND NOT EXISTS (SELECT FROM scim_user
        WHERE scim_user.space_id = ${spaceId} AND scim_user.member_id = space_member.id)
    ORDER BY space_member.id`.execute(db)
  return rows
}

/** Returns the verified email address of an account. null: it is not verified, or a directory created the account. */
export async function findVerifiedAddress(db: Db, accountId: string): Promise<string | null> {
  const { rows } = await sql<{ email: string }>`SELECT email FROM account
    WHERE id = ${accountId} AND provisioned_by IS NULL AND email_verified_at IS NOT NULL`.execute(db)
  return rows[0]?.email ?? null
}

/**
 * Links an account to a member that a directory created. Returns false if the member was claimed or removed in the
 * meantime.
 */
export async function claimMember(
  db: Db,
  scope: SpaceScope,
  id: string,
  accountId: string,
): Promise<boolean> {
  const { spaceId } = scope
  const { rows } = await sql`
    UPDATE space_member SET account_id = ${accountId}, last_seen_at = now() FROM account
    WHERE space_member.space_id = ${spaceId} AND space_member.id = ${id} AND account.id = space_member.account_id
      AND account.provisioned_by = ${spaceId} RETURNING space_member.id`.execute(db)
  if (rows.length === 0) return false
  await forgetAccount(db, scope, accountId)
  return true
}

/**
 * Links the directory's user to an existing member, and deletes the member that the directory created for the user.
 * Returns false if the existing member already has another user of the directory, or if the created member was claimed
 * or removed in the meantime.
 */
export async function mergeMember(
  db: Db,
  { spaceId }: SpaceScope,
  provisionedId: string,
  memberId: string,
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE scim_user SET member_id = ${memberId} WHERE space_id = ${spaceId} AND member_id = ${provisionedId}
      AND NOT EXISTS (SELECT FROM scim_user WHERE space_id = ${spaceId} AND member_id = ${memberId})
      AND EXISTS (SELECT FROM space_member JOIN account ON account.id = space_member.account_id
        WHERE space_member.space_id = ${spaceId} AND space_member.id = ${provisionedId}
          AND account.provisioned_by = ${spaceId}) RETURNING id`.execute(db)
  if (rows.length === 0) return false
  await db
    .deleteFrom('space_member')
    .where('space_id', '=', spaceId)
    .where('id', '=', provisionedId)
    .execute()
  return true
}
