import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { forgetAccount } from './removed.repository.ts'

/* Members whom a directory has made and whom nobody has become yet (docs/decisions/0052). */

/**
 * The member whom a directory has made for this account's address, which its owner has confirmed, and whom nobody has
 * become yet; null for none.
 */
export async function findProvisionedFor(
  db: Db,
  { spaceId }: SpaceScope,
  accountId: string,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    SELECT space_member.id FROM account AS owner
    JOIN account ON lower(account.email) = lower(owner.email) AND account.provisioned_by = ${spaceId}
    JOIN space_member ON space_member.space_id = ${spaceId} AND space_member.account_id = account.id
    WHERE owner.id = ${accountId} AND owner.provisioned_by IS NULL AND owner.email_verified_at IS NOT NULL`.execute(
    db,
  )
  return rows[0]?.id ?? null
}

/** The member whom a directory has made for this address and whom nobody has become yet; null for none. Outside of a space, too. */
export async function findProvisionedAt(
  db: Db,
  { spaceId }: SpaceScope,
  email: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('account')
    .innerJoin('space_member', 'space_member.account_id', 'account.id')
    .select('space_member.id')
    .where('account.provisioned_by', '=', spaceId)
    .where('space_member.space_id', '=', spaceId)
    .where(sql<boolean>`lower(account.email) = lower(${email})`)
    .executeTakeFirst()
  return row?.id ?? null
}

/** Makes somebody the member whom a directory has made; false when somebody has become it meanwhile. */
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
 * The same for somebody who is a member already: the directory means that one from now on. False when it knows them by
 * another name, or somebody has become the other member meanwhile.
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
