import { sql } from 'kysely'
import { rememberAddressesOf } from '#server/access/known-as.ts'
import type { Db, Tx } from '#server/db/scope.ts'
import { whenTaken } from '#server/db/unique-violation.ts'
import type { Language } from '#shared/languages.ts'

/** The data of an account that mails need. */
export interface Person {
  id: string
  email: string
  emailKey: string
  name: string
  language: Language
  isAdmin: boolean
  emailVerified: boolean
}

const person = (db: Db) =>
  db
    .selectFrom('account')
    .select(['id', 'email', 'email_key as emailKey', 'name', 'language', 'is_admin as isAdmin'])
    .select(sql<boolean>`email_verified_at IS NOT NULL`.as('emailVerified'))

export async function findPersonByEmail(db: Db, emailKey: string): Promise<Person | null> {
  return (await person(db).where('email_key', '=', emailKey).executeTakeFirst()) ?? null
}

/**
 * Returns the account and locks it until the transaction ends, to serialise changes of its email address and password.
 */
export async function lockPerson(tx: Tx, id: string): Promise<Person | null> {
  return (await person(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()) ?? null
}

/** Locks the account if it still has this password hash. Returns false otherwise. */
export async function lockWithPassword(tx: Tx, id: string, passwordHash: string | null): Promise<boolean> {
  const found = person(tx).where('id', '=', id).where('password_hash', '=', passwordHash)
  return (await found.forNoKeyUpdate().executeTakeFirst()) !== undefined
}

/** Locks the account, also against new rows that refer to it. */
export async function lockWhole(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('account').select('id').where('id', '=', id).forUpdate().execute()
}

/**
 * Returns the pending change of the email address, and which of its two confirmations are done. null: no pending
 * change.
 */
export async function findEmailChange(db: Db, accountId: string) {
  const rows = await db
    .selectFrom('account_link')
    .select(['purpose', 'email', 'email_key as emailKey', 'used_at'])
    .where('account_id', '=', accountId)
    .where('purpose', 'in', ['newEmail', 'oldEmail'])
    .where(sql<boolean>`expires_at > now()`)
    .execute()
  const [of, by] = [
    rows.find(({ purpose }) => purpose === 'newEmail'),
    rows.find(({ purpose }) => purpose === 'oldEmail'),
  ]
  if (!of || !by || of.emailKey !== by.emailKey) return null
  return {
    email: of.email,
    emailKey: of.emailKey,
    confirmedByNew: of.used_at !== null,
    confirmedByPresent: by.used_at !== null,
  }
}

/**
 * Marks the current email address's confirmation as done. Used for an address that was never verified, because its
 * mailbox may belong to another person.
 */
export async function markConfirmedByPresent(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('account_link')
    .set({ used_at: sql`now()` })
    .where('account_id', '=', accountId)
    .where('purpose', '=', 'oldEmail')
    .execute()
}

/**
 * Changes the email address. The former address is recorded for the account. Throws `EmailIsAlreadyInUse` if another
 * account has taken the new one in the meantime.
 */
export async function setEmail(tx: Tx, id: string, email: string, emailKey: string): Promise<void> {
  await rememberAddressesOf(tx, id)
  await tx
    .updateTable('account')
    .set({ email, email_key: emailKey })
    .where('id', '=', id)
    .execute()
    .catch(whenTaken('account_email_key_key', 'EmailIsAlreadyInUse', 'email'))
}

export async function setPasswordHash(tx: Tx, id: string, passwordHash: string): Promise<void> {
  await tx.updateTable('account').set({ password_hash: passwordHash }).where('id', '=', id).execute()
}

/** Deletes the account's pending sign-ins and passkey registrations, which began with the former password. */
export async function deleteChallengesOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('sign_in_challenge').where('account_id', '=', accountId).execute()
}

/**
 * Checks whether another account administers the installation. Locks all admins of the installation, so that two of
 * them cannot be deleted concurrently.
 */
export async function hasOtherInstallationAdmin(tx: Tx, id: string): Promise<boolean> {
  const admins = await tx
    .selectFrom('account')
    .select('id')
    .where('is_admin', '=', true)
    .orderBy('id')
    .forUpdate()
    .execute()
  return admins.some((admin) => admin.id !== id)
}

/**
 * Deletes an account. Foreign keys also delete, for example, its sessions, second factors, passkeys, SSO identities,
 * pending mail links, icon and private views. Its documents stay.
 */
export async function deleteAccount(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('account').where('id', '=', id).execute()
}
