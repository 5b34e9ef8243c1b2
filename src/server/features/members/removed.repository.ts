import { sql } from 'kysely'
import { type IdentityKey, whoHas, whoIs, whoIsTo } from '#server/access/known-as.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'

/*
 * Former members of a space, by every key that identifies their account (docs/decisions/0102). Stored separately from
 * the links to identity providers, because users can remove those links themselves.
 */

/**
 * Records the email addresses of a directory's inactive or deleted user as removed. The user may have no account that
 * could be recorded instead.
 */
export async function rememberAddresses(
  db: Db,
  { spaceId }: SpaceScope,
  addresses: readonly string[],
): Promise<void> {
  const rows = [...new Set(addresses.map(whoHas))].map((who) => ({ space_id: spaceId, who }))
  if (rows.length === 0) return
  await db
    .insertInto('removed_member')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function forgetAddresses(
  db: Db,
  { spaceId }: SpaceScope,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return
  await db
    .deleteFrom('removed_member')
    .where('space_id', '=', spaceId)
    .where('who', 'in', addresses.map(whoHas))
    .execute()
}

/** Deletes the record of the removal of an account that is a member again. */
export async function forgetAccount(db: Db, { spaceId }: SpaceScope, accountId: string): Promise<void> {
  await sql`DELETE FROM removed_member USING account
    WHERE space_id = ${spaceId} AND account.id = ${accountId} AND who = ANY(${whoIs})`.execute(db)
}

/**
 * Checks whether a membership of this account, or of a person with one of its email addresses or identities, ended at
 * or after `since`.
 */
export async function isRemovedSince(
  db: Db,
  { spaceId }: SpaceScope,
  accountId: string,
  since: Date,
): Promise<boolean> {
  const { rows } = await sql`SELECT FROM removed_member WHERE space_id = ${spaceId} AND removed_at >= ${since}
    AND who IN (SELECT unnest(${whoIs}) FROM account WHERE id = ${accountId}) LIMIT 1`.execute(db)
  return rows.length > 0
}

/**
 * Checks whether the removal of this account, of one of its email addresses or identities, or of `address` or
 * `identity` is recorded. Also works outside a space's transaction.
 */
export async function isRemoved(
  db: Db,
  { spaceId }: SpaceScope,
  {
    accountId,
    address,
    identity,
  }: { accountId: string | null; address: string | null; identity: IdentityKey },
): Promise<boolean> {
  const hash = address === null ? null : whoHas(address)
  const { rows } = await sql`SELECT FROM removed_member WHERE space_id = ${spaceId}
    AND (who = ${hash} OR who = ${whoIsTo(identity)}
      OR who IN (SELECT unnest(${whoIs}) FROM account WHERE id = ${accountId})) LIMIT 1`.execute(db)
  return rows.length > 0
}
