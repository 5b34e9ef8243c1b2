import { sql } from 'kysely'
import type { Db, Tx } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import type { Language } from '#shared/languages.ts'

/** Time in hours within which a sign-up can be completed by the mailed link. */
export const pendingHours = 24

/** Address, name and language of a visitor who signs up. */
export interface Applicant {
  email: string
  emailKey: string
  name: string
  language: Language
}

export interface PendingAccount extends Applicant {
  passwordHash: string
  /** The encrypted code of an invitation. null: no invitation. */
  invitation: string | null
}

export async function insertPending(
  db: Db,
  { id, email, emailKey, name, language, passwordHash, invitation }: PendingAccount & { id: string },
): Promise<void> {
  await db
    .insertInto('pending_account')
    .values({
      id,
      email,
      email_key: emailKey,
      password_hash: passwordHash,
      name,
      language,
      invitation,
      token_hash: null,
      expires_at: sql<Date>`now() + make_interval(hours => ${pendingHours})`,
    })
    .execute()
}

/** Sets the token of a sign-up's link. Returns the recipient of the mail. null: the sign-up no longer exists. */
export async function setToken(
  tx: Tx,
  id: string,
  token: string,
): Promise<(Applicant & { expiresAt: Date }) | null> {
  const row = await tx
    .updateTable('pending_account')
    .set({ token_hash: sha256(token) })
    .where('id', '=', id)
    .returning(['email', 'email_key as emailKey', 'name', 'language', 'expires_at as expiresAt'])
    .executeTakeFirst()
  return row ?? null
}

export async function deletePending(db: Db, id: string): Promise<void> {
  await db.deleteFrom('pending_account').where('id', '=', id).execute()
}

/** Returns the sign-up of a valid link, or null. */
export async function findPending(db: Db, token: string): Promise<PendingAccount | null> {
  const row = await db
    .selectFrom('pending_account')
    .select(['email', 'email_key as emailKey', 'name', 'language', 'invitation'])
    .select('password_hash as passwordHash')
    .where('token_hash', '=', sha256(token))
    .where(sql<boolean>`expires_at > now()`)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Deletes all sign-ups of the email address that belongs to the link. Returns false if no sign-up has the link, for
 * example because another link of the address was used in the meantime.
 */
export async function takePending(tx: Tx, token: string): Promise<boolean> {
  const taken = await tx
    .deleteFrom('pending_account')
    .where('email_key', '=', (where) =>
      where.selectFrom('pending_account').select('email_key').where('token_hash', '=', sha256(token)),
    )
    .returning('id')
    .execute()
  return taken.length > 0
}

/** Removes expired sign-ups. */
export async function deleteEndedPending(db: Db): Promise<void> {
  await db.deleteFrom('pending_account').where(sql<boolean>`expires_at <= now()`).execute()
}
