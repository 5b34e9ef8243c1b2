import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { newId, sha256 } from '#server/lib/ids.ts'

/** Lifetime of a pending sign-in in minutes, and the maximum number of attempts to complete it. */
const minutes = 5
const tries = 5
export const challengeSeconds = minutes * 60

/** A pending sign-in, or the pending registration of a passkey. */
export interface Challenge {
  id: string
  /** null if the passkey determines the account. */
  accountId: string | null
  webauthn: string | null
}

/** Returns whether this account has a second factor. Also usable inside a space, where accounts cannot be read. */
export async function accountHasSecondFactor(db: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`SELECT has_second_factor(${accountId}) AS has`.execute(db)
  return rows[0]?.has ?? false
}

/**
 * Starts a sign-in, or the registration of a passkey, that another call from the same browser completes. `id` may be
 * sent to the page, and `token` is stored in a cookie. The two values alone do not sign a user in.
 */
export async function beginChallenge(
  db: Db,
  { accountId, webauthn }: { accountId: string | null; webauthn: string | null },
): Promise<{ id: string; token: string }> {
  const [id, token] = [newId(), randomBytes(32).toString('base64url')]
  await db
    .insertInto('sign_in_challenge')
    .values({ id, token_hash: sha256(token), account_id: accountId, webauthn })
    .execute()
  return { id, token }
}

/**
 * Returns the pending sign-in or passkey registration with that id. Counts one of its attempts first, so that
 * concurrent guesses count too. null: it is unknown, belongs to another browser, has expired, or has no attempts left.
 */
export async function tryChallenge(
  db: Db,
  { id, token }: { id: string; token: string | undefined },
): Promise<Challenge | null> {
  if (token === undefined) return null
  const row = await db
    .updateTable('sign_in_challenge')
    .set({ failures: sql`failures + 1` })
    .where('id', '=', id)
    .where('token_hash', '=', sha256(token))
    .where('failures', '<', tries)
    .where(sql<boolean>`created_at > now() - make_interval(mins => ${minutes})`)
    .returning(['id', 'account_id as accountId', 'webauthn'])
    .executeTakeFirst()
  return row ?? null
}

/** Like {@link tryChallenge}, but counts no attempt. For calls that cannot be used for guessing. */
export async function findChallenge(
  db: Db,
  { id, token }: { id: string; token: string | undefined },
): Promise<Challenge | null> {
  if (token === undefined) return null
  const row = await db
    .selectFrom('sign_in_challenge')
    .select(['id', 'account_id as accountId', 'webauthn'])
    .where('id', '=', id)
    .where('token_hash', '=', sha256(token))
    .where('failures', '<', tries)
    .where(sql<boolean>`created_at > now() - make_interval(mins => ${minutes})`)
    .executeTakeFirst()
  return row ?? null
}

/** Stores the WebAuthn challenge that a passkey must sign. */
export async function setChallengeOfPasskey(db: Db, id: string, webauthn: string): Promise<void> {
  await db.updateTable('sign_in_challenge').set({ webauthn }).where('id', '=', id).execute()
}

/** Deletes a completed sign-in or registration. Returns true for only one of several concurrent calls. */
export async function endChallenge(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('sign_in_challenge').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes expired pending sign-ins and passkey registrations. */
export async function deleteEndedChallenges(db: Db): Promise<void> {
  await db
    .deleteFrom('sign_in_challenge')
    .where(sql<boolean>`created_at <= now() - make_interval(mins => ${minutes})`)
    .execute()
}
