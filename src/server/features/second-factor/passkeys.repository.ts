import { sql } from 'kysely'
import type { Db, Tx } from '#server/db/scope.ts'
import { hasState } from '#server/db/sql-states.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'

/** A passkey as shown to its owner. */
export interface PasskeyRow {
  id: string
  name: string
  createdAt: Date
  usedAt: Date | null
}

/** The properties with which the browser finds a passkey and the server verifies it. */
export interface Credential {
  id: string
  publicKey: Buffer
  counter: number
  transports: string[]
}

export function listPasskeys(db: Db, accountId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkey')
    .select(['id', 'name', 'created_at as createdAt', 'used_at as usedAt'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

const credentials = (db: Db) =>
  db
    .selectFrom('passkey')
    .select([
      'credential as id',
      'public_key as publicKey',
      'counter',
      'transports',
      'account_id as accountId',
    ])

export function listCredentials(db: Db, accountId: string): Promise<(Credential & { accountId: string })[]> {
  return credentials(db).where('account_id', '=', accountId).execute()
}

/** Returns the passkey with the credential id that a browser sent. null: unknown. */
export async function findCredential(
  db: Db,
  credential: string,
): Promise<(Credential & { accountId: string }) | null> {
  return (await credentials(db).where('credential', '=', credential).executeTakeFirst()) ?? null
}

/** Inserts a passkey. Throws `SecondFactorIsInUse` if it is already registered. */
export async function insertPasskey(
  tx: Tx,
  accountId: string,
  { id, publicKey, counter, transports, name }: Credential & { name: string },
): Promise<void> {
  await tx
    .insertInto('passkey')
    .values({
      id: newId(),
      account_id: accountId,
      credential: id,
      public_key: publicKey,
      counter,
      transports,
      name,
    })
    .execute()
    .catch((error: unknown) => {
      throw hasState(error, 'uniqueViolation') ? new AppError('SecondFactorIsInUse') : error
    })
}

/**
 * Stores a use of a passkey and its new counter. Returns false if a concurrent use has changed the counter. Passkeys
 * without a counter always have 0.
 */
export async function noteUse(
  tx: Tx,
  credential: string,
  { before, after }: { before: number; after: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('passkey')
    .set({ counter: after, used_at: sql`now()` })
    .where('credential', '=', credential)
    .where('counter', '=', before)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a passkey. Returns false if the account has no passkey with that id. */
export async function deletePasskey(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('passkey')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
