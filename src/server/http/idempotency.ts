import { sql } from 'kysely'
import type { SpaceContext } from '#server/access/context.ts'
import { sha256 } from '#server/lib/ids.ts'
import type { Keyring } from '#server/lib/keyring.ts'
import { AppError } from '#shared/errors.ts'

const purpose = 'idempotency.answer'
const sealed = (keyring: Keyring, answer: unknown) => keyring.seal(JSON.stringify(answer), purpose)

/** Throws 409 when the keys have been changed meanwhile: what it did is done, and cannot be shown any more. */
function unsealed(keyring: Keyring, kept: unknown): unknown {
  const text = typeof kept === 'string' ? keyring.open(kept, purpose) : null
  if (text === null) throw new AppError('IdempotencyInProgress')
  return JSON.parse(text)
}

/** For how long an answer is kept. */
const keptHours = 24
/** Printable ASCII. */
const keyPattern = /^[\x21-\x7e]{1,255}$/

export interface KeyedRequest {
  /** The header `Idempotency-Key`. */
  key: string
  /** Whose key it is. */
  accountId: string
  /** What the key stands for, as JSON: with another one it is refused. */
  asked: unknown
  /** Seals the answer where it is kept, because it shows a secret. */
  keyring?: Keyring | undefined
}

/**
 * Does `work` once for each key of an account in a space: asked again with the same key, it gives the answer of the
 * first time. The answer is stored in the transaction of the work, so there is one if and only if there was an effect.
 * Throws 400 for a key that is none, 409 `IdempotencyInProgress` while the first request is under way, and 422
 * `IdempotencyKeyReused` for a key that came with another request.
 */
export async function once<T>(
  { db, scope: { spaceId } }: Pick<SpaceContext, 'db' | 'scope'>,
  { key, accountId, asked, keyring }: KeyedRequest,
  work: () => Promise<T>,
): Promise<T> {
  if (!keyPattern.test(key))
    throw new AppError('ValidationFailed', {
      message: 'Idempotency-Key must be 1 to 255 printable ASCII characters',
      issues: [{ path: 'idempotency-key', code: 'InvalidFormat' }],
    })
  const fingerprint = sha256(JSON.stringify(asked))
  const { rows } = await sql<{ locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`idempotency ${spaceId} ${accountId} ${key}`}, 0)) AS locked`.execute(
    db,
  )
  if (!rows[0]?.locked) throw new AppError('IdempotencyInProgress', { headers: { 'retry-after': '1' } })

  const isOld = sql<boolean>`created_at < now() - make_interval(hours => ${keptHours})`
  const known = await db
    .selectFrom('idempotency')
    .select(['fingerprint', 'answer'])
    .where('space_id', '=', spaceId)
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .where(sql<boolean>`NOT ${isOld}`)
    .executeTakeFirst()
  if (known && !known.fingerprint.equals(fingerprint)) throw new AppError('IdempotencyKeyReused')
  if (known) return (keyring ? unsealed(keyring, known.answer) : known.answer) as T

  const answer = await work()
  const row = {
    fingerprint,
    answer: JSON.stringify(keyring ? sealed(keyring, answer) : answer),
    created_at: sql<Date>`now()`,
  }
  await db
    .insertInto('idempotency')
    .values({ space_id: spaceId, account_id: accountId, key, ...row })
    .onConflict((conflict) => conflict.columns(['space_id', 'account_id', 'key']).doUpdateSet(row))
    .execute()
  // A few at a time, and none that another request is about to remove.
  await sql`
    DELETE FROM idempotency WHERE ctid IN (SELECT ctid FROM idempotency
      WHERE space_id = ${spaceId} AND ${isOld} LIMIT 20 FOR UPDATE SKIP LOCKED)`.execute(db)
  return answer
}
