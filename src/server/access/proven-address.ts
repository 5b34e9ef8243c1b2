import { sql } from 'kysely'
import type { Tx } from '#server/db/scope.ts'
import { deleteLinks } from './account-links.ts'
import { deleteSessionsOf, type Session } from './sessions.ts'
import { accountHasSecondFactor } from './sign-in-challenges.ts'

/** The account has its password alone; sign-ins that wait for a code end. Answers whether it had a second factor. */
export async function removeFactors(tx: Tx, accountId: string): Promise<boolean> {
  const had = await accountHasSecondFactor(tx, accountId)
  for (const table of ['totp', 'recovery_code', 'passkey', 'sign_in_challenge'] as const)
    await tx.deleteFrom(table).where('account_id', '=', accountId).execute()
  return had
}

/**
 * Notes that the owner of the account's address has shown it to be theirs. Anybody can sign up with an address, so the first
 * time everything ends by which somebody else could be signed in: second factors, sessions (but `except`) with the keys made
 * in them, linked identities, a change of the address. Answers what was removed; null where the address was proven before.
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
  // An account that a space's identity provider made is not a stranger's: only what was linked to it goes.
  await tx
    .deleteFrom('sso_identity')
    .where('account_id', '=', accountId)
    .where('made_account', '=', false)
    .execute()
  return { hadFactor }
}
