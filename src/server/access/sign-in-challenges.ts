import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { newId, sha256 } from '#server/lib/ids.ts'

/** A sign-in that is not finished lasts so long, and so many wrong codes. */
const minutes = 5
const tries = 5
export const challengeSeconds = minutes * 60

/** A sign-in that is not finished. */
export interface Challenge {
  id: string
  /** null: a passkey says whose. */
  accountId: string | null
  webauthn: string | null
}

/** Does this account ask for more than its password? */
export async function accountHasSecondFactor(db: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    SELECT EXISTS (SELECT FROM totp WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL)
      OR EXISTS (SELECT FROM passkey WHERE account_id = ${accountId}) AS has`.execute(db)
  return rows[0]?.has ?? false
}

/**
 * Begins a sign-in that is to be finished by another call of the same browser: `id` may be told to its page, `token` goes
 * into its cookie. Neither signs anybody in.
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
 * The sign-in of that id, with one of its tries used up, so that guesses at the same moment count, too. null when it is not this
 * browser's, has ended, or was tried too often.
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

/** What a passkey is to sign in this sign-in. */
export async function setChallengeOfPasskey(db: Db, id: string, webauthn: string): Promise<void> {
  await db.updateTable('sign_in_challenge').set({ webauthn }).where('id', '=', id).execute()
}

/** Ends a sign-in, because it is finished: only one call may do it. */
export async function endChallenge(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('sign_in_challenge').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Removes those that have ended. */
export async function deleteEndedChallenges(db: Db): Promise<void> {
  await db
    .deleteFrom('sign_in_challenge')
    .where(sql<boolean>`created_at <= now() - make_interval(mins => ${minutes})`)
    .execute()
}
