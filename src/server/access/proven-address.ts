import { sql } from 'kysely'
import type { Tx } from '#server/db/scope.ts'
import { deleteLinks } from './account-links.ts'
import { deleteSessionsOf, type Session } from './sessions.ts'
import { accountHasSecondFactor } from './sign-in-challenges.ts'

/**
 * Removes the second factors (authenticator app, passkeys, recovery codes), pending sign-ins and pending passkey
 * registrations of an account. Returns whether it had a second factor.
 */
export async function removeFactors(tx: Tx, accountId: string): Promise<boolean> {
  const had = await accountHasSecondFactor(tx, accountId)
  for (const table of ['totp', 'recovery_code', 'passkey', 'sign_in_challenge'] as const)
    await tx.deleteFrom(table).where('account_id', '=', accountId).execute()
  return had
}

/**
 * Records that the e-mail address of an account is proven. Before that, anyone can sign up with another person's
 * address and prepare access for themselves. The first proof therefore removes second factors, sessions (except
 * `except`) with their program keys, linked identities, and a pending change of address. Returns whether the account
 * had a second factor. null: the address was already proven.
 */
export async function proveAddress(
  tx: Tx,
  accountId: string,
  except: Session | null,
): Promise<{ hadFactor: boolean } | null> {
  const first = await tx
    .updateTable('account')
    .set({ email_verified_at: sql`now()` })
    .where('id', '=', accountId)
    .where('email_verified_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!first) return null
  const hadFactor = await removeFactors(tx, accountId)
  await deleteSessionsOf(tx, accountId, except)
  await deleteLinks(tx, accountId, ['newEmail', 'oldEmail'])
  // Identities whose identity provider created the account are trusted. Only identities that were linked later are
  // removed.
  await tx
    .deleteFrom('sso_identity')
    .where('account_id', '=', accountId)
    .where('made_account', '=', false)
    .execute()
  return { hadFactor }
}
