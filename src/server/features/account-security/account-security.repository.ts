import { sql } from 'kysely'
import type { Db, Tx } from '#server/db/scope.ts'
import { whenTaken } from '#server/db/unique-violation.ts'
import type { Language } from '#shared/languages.ts'

/** Of an account, what mails to it need. */
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

/** The account, locked until the transaction ends: whoever changes its address or password takes turns. */
export async function lockPerson(tx: Tx, id: string): Promise<Person | null> {
  return (await person(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()) ?? null
}

/** The same only if its password hash is this one still; false otherwise. */
export async function lockWithPassword(tx: Tx, id: string, passwordHash: string | null): Promise<boolean> {
  const found = person(tx).where('id', '=', id).where('password_hash', '=', passwordHash)
  return (await found.forNoKeyUpdate().executeTakeFirst()) !== undefined
}

/** The account, locked also against rows that would refer to it. */
export async function lockWhole(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('account').select('id').where('id', '=', id).forUpdate().execute()
}

/** The change of the address that is under way, and which halves of it are confirmed; null for none. */
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

/** Confirms for the present address: it was never confirmed itself, so its owner may not be the account's. */
export async function markConfirmedByPresent(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('account_link')
    .set({ used_at: sql`now()` })
    .where('account_id', '=', accountId)
    .where('purpose', '=', 'oldEmail')
    .execute()
}

/** Throws `EmailIsAlreadyInUse` when somebody else has taken the address meanwhile. */
export async function setEmail(tx: Tx, id: string, email: string, emailKey: string): Promise<void> {
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

/** Sign-ins that have been begun with the password from before. */
export async function deleteChallengesOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('sign_in_challenge').where('account_id', '=', accountId).execute()
}

/** Does another account administer the installation? All who do are locked, so that two cannot go at once. */
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

/** With its sessions, links, picture and views. What it has written stays. */
export async function deleteAccount(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('account').where('id', '=', id).execute()
}
