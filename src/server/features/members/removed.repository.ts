import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/*
 * Whose membership of a space has ended, by account and by address (docs/decisions/0102). Apart from what they are to its identity
 * provider, which they can end themselves.
 */

/** For SQL, of a row of `account`: as what somebody is remembered. */
export const whoIs = sql<string[]>`ARRAY[account.id::text,
  encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex')]`

const whoHas = (address: string) =>
  sha256(normalizeUnicode(address.trim(), 'NFKC').toLowerCase()).toString('hex')

/** Those whom a directory has ended are known to it by addresses, and may have no account. */
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

/** The account is a member again. */
export async function forgetAccount(db: Db, { spaceId }: SpaceScope, accountId: string): Promise<void> {
  await sql`DELETE FROM removed_member USING account
    WHERE space_id = ${spaceId} AND account.id = ${accountId} AND who = ANY(${whoIs})`.execute(db)
}

/** Has the membership of that account ended, or of who had its address or that one? Outside of a space, too. */
export async function isRemoved(
  db: Db,
  { spaceId }: SpaceScope,
  { accountId, address }: { accountId: string | null; address: string | null },
): Promise<boolean> {
  const hash = address === null ? null : whoHas(address)
  const { rows } = await sql`SELECT FROM removed_member WHERE space_id = ${spaceId}
    AND (who = ${hash} OR who IN (SELECT unnest(${whoIs}) FROM account WHERE id = ${accountId})) LIMIT 1`.execute(
    db,
  )
  return rows.length > 0
}
