import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Db, Tx } from '#server/db/scope.ts'
import type { AccountLinkTable } from '#server/db/tables.ts'
import { sha256 } from '#server/lib/ids.ts'

export type LinkPurpose = AccountLinkTable['purpose']

/** Lifetime of mailed links, in minutes. */
export const linkMinutes = {
  confirmEmail: 24 * 60,
  resetPassword: 30,
  newEmail: 24 * 60,
  oldEmail: 24 * 60,
  resetFactor: 24 * 60,
} as const satisfies Record<LinkPurpose, number>

/** Path of the page that the link opens. */
const pages: Record<LinkPurpose, string> = {
  confirmEmail: '/confirm',
  resetPassword: '/reset-password',
  newEmail: '/confirm',
  oldEmail: '/confirm',
  resetFactor: '/two-factor-authentication/reset',
}

export interface AccountLink {
  accountId: string
  purpose: LinkPurpose
  email: string
  emailKey: string
}

/**
 * Issues a single-use link with limited lifetime and invalidates the account's earlier link for the same purpose.
 * Returns its URL and expiry time. `email` is the e-mail address that the link is bound to: the account's address or,
 * for a change of address, the new one. The token is in the fragment (`#`), so that it appears in no server log and no
 * `Referer` header. Only its hash is stored.
 */
export async function issueLink(
  tx: Tx,
  { url }: Config,
  { accountId, purpose, email, emailKey }: AccountLink,
): Promise<{ link: string; expiresAt: Date }> {
  const token = randomBytes(32).toString('base64url')
  const row = {
    token_hash: sha256(token),
    email,
    email_key: emailKey,
    created_at: sql<Date>`now()`,
    expires_at: sql<Date>`now() + make_interval(mins => ${linkMinutes[purpose]})`,
    used_at: null,
  }
  const { expires_at: expiresAt } = await tx
    .insertInto('account_link')
    .values({ account_id: accountId, purpose, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'purpose']).doUpdateSet(row))
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { link: `${url}${pages[purpose]}#${token}`, expiresAt }
}

/**
 * Returns the account, purpose and e-mail address of a valid link, without using it up. null: an unknown, used or
 * expired token, or one for another purpose.
 */
export async function lookAtLink(
  db: Db,
  token: string,
  purposes: LinkPurpose[],
): Promise<AccountLink | null> {
  const row = await db
    .selectFrom('account_link')
    .select(['account_id as accountId', 'purpose', 'email', 'email_key as emailKey'])
    .where('token_hash', '=', sha256(token))
    .where('purpose', 'in', purposes)
    .where('used_at', 'is', null)
    .where(sql<boolean>`expires_at > now()`)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Uses up a link and returns its account, purpose and e-mail address. Only one of several concurrent calls succeeds.
 * null: an unknown, used or expired token, or one for another purpose.
 */
export async function useLink(tx: Tx, token: string, purposes: LinkPurpose[]): Promise<AccountLink | null> {
  const row = await tx
    .updateTable('account_link')
    .set({ used_at: sql`now()` })
    .where('token_hash', '=', sha256(token))
    .where('purpose', 'in', purposes)
    .where('used_at', 'is', null)
    .where(sql<boolean>`expires_at > now()`)
    .returning(['account_id as accountId', 'purpose', 'email', 'email_key as emailKey'])
    .executeTakeFirst()
  return row ?? null
}

/** Invalidates all links of an account for these purposes. */
export async function deleteLinks(db: Db, accountId: string, purposes: LinkPurpose[]): Promise<void> {
  await db
    .deleteFrom('account_link')
    .where('account_id', '=', accountId)
    .where('purpose', 'in', purposes)
    .execute()
}

/** Deletes expired links. */
export async function deleteEndedLinks(db: Db): Promise<void> {
  await db.deleteFrom('account_link').where(sql<boolean>`expires_at <= now()`).execute()
}
