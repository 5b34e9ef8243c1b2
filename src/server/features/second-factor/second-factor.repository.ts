import { sql } from 'kysely'
import type { Db, Tx } from '#server/db/scope.ts'

/** Returns the encrypted secret of an account's authenticator app, and whether the app is confirmed. */
export async function findTotp(db: Db, accountId: string) {
  const row = await db
    .selectFrom('totp')
    .select(['secret', 'confirmed_at'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row ? { secret: row.secret, isInUse: row.confirmed_at !== null } : null
}

/** Stores the secret of an unconfirmed app. Returns false if another app is in use. */
export async function putTotp(db: Db, accountId: string, secret: string): Promise<boolean> {
  const row = await db
    .insertInto('totp')
    .values({ account_id: accountId, secret })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ secret, created_at: sql`now()` })
        .where('totp.confirmed_at', 'is', null),
    )
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Confirms the app, with the step of the code that proved it. Returns false if the app was confirmed or replaced
 * concurrently.
 */
export async function confirmTotp(tx: Tx, accountId: string, secret: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('totp')
    .set({ confirmed_at: sql`now()`, last_step: step })
    .where('account_id', '=', accountId)
    .where('secret', '=', secret)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks a step as used. Returns false if this or a later step was already used. */
export async function takeStep(tx: Tx, accountId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('totp')
    .set({ last_step: step })
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Uses up a recovery code. Returns false if it is invalid or already used. */
export async function takeRecoveryCode(tx: Tx, accountId: string, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('recovery_code')
    .where('account_id', '=', accountId)
    .where('code_hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function countRecoveryCodes(db: Db, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_code')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Replaces all recovery codes. */
export async function replaceRecoveryCodes(tx: Tx, accountId: string, hashes: Buffer[]): Promise<void> {
  await tx.deleteFrom('recovery_code').where('account_id', '=', accountId).execute()
  await tx
    .insertInto('recovery_code')
    .values(hashes.map((code_hash) => ({ account_id: accountId, code_hash })))
    .execute()
}

/** Checks whether the account is an admin of the installation. Also works within a space. */
export async function isInstallationAdmin(db: Db, accountId: string): Promise<boolean> {
  const row = await db.selectFrom('account').select('is_admin').where('id', '=', accountId).executeTakeFirst()
  return row?.is_admin ?? false
}
