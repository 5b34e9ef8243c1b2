import { sql } from 'kysely'
import { sha256 } from '#server/lib/ids.ts'
import type { Keyring } from '#server/lib/keyring.ts'
import { AppError } from '#shared/errors.ts'
import type { SpaceContext } from '../context.ts'

const purpose = 'idempotency.answer'
const sealed = (keyring: Keyring, answer: unknown) => keyring.seal(JSON.stringify(answer), purpose)

/**
 * Decrypts a stored response. Throws 409 if the encryption keys were changed in the meantime: the request took effect,
 * but its response can no longer be decrypted.
 */
function unsealed(keyring: Keyring, kept: unknown): unknown {
  const text = typeof kept === 'string' ? keyring.open(kept, purpose) : null
  if (text === null) throw new AppError('IdempotencyInProgress')
  return JSON.parse(text)
}

/** Time in hours for which a stored response is returned again. */
const keptHours = 24
/** The format of a key: 1 to 255 printable ASCII characters without spaces. */
const keyPattern = /^[\x21-\x7e]{1,255}$/

export interface KeyedRequest {
  /** The `Idempotency-Key` header. */
  key: string
  /** `_id` of the account or the API token. */
  ownerId: string
  /** Identifies the request, as plain JSON. Reusing the key for a different request is refused. */
  asked: unknown
  /** Encrypts the stored response. Set only if the response contains a secret. */
  keyring?: Keyring | undefined
}

/**
 * Runs `work` once per key of an account or API token in a space. A request that repeats a key within 24 hours gets the
 * first response. The response is stored in the transaction of the work, so it exists if and only if there was an
 * effect. Throws 400 for a malformed key, and 422 `IdempotencyKeyReused` for a key that was used with another request.
 * Throws 409 `IdempotencyInProgress` while the first request is running, or if its response cannot be decrypted.
 */
export async function once<T>(
  { db, scope: { spaceId } }: Pick<SpaceContext, 'db' | 'scope'>,
  { key, ownerId, asked, keyring }: KeyedRequest,
  work: () => Promise<T>,
): Promise<T> {
  if (!keyPattern.test(key))
    throw new AppError('ValidationFailed', {
      message: 'Idempotency-Key must be 1 to 255 printable ASCII characters',
      issues: [{ path: 'idempotency-key', code: 'InvalidFormat' }],
    })
  const fingerprint = sha256(JSON.stringify(asked))
  const { rows } = await sql<{ locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`idempotency ${spaceId} ${ownerId} ${key}`}, 0)) AS locked`.execute(
    db,
  )
  if (!rows[0]?.locked) throw new AppError('IdempotencyInProgress', { headers: { 'retry-after': '1' } })

  const isOld = sql<boolean>`created_at < now() - make_interval(hours => ${keptHours})`
  const known = await db
    .selectFrom('idempotency')
    .select(['fingerprint', 'answer'])
    .where('space_id', '=', spaceId)
    .where('owner_id', '=', ownerId)
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
    .values({ space_id: spaceId, owner_id: ownerId, key, ...row })
    .onConflict((conflict) => conflict.columns(['space_id', 'owner_id', 'key']).doUpdateSet(row))
    .execute()
  // Deletes up to 20 old rows, skipping rows that another request is deleting.
  await sql`
    DELETE FROM idempotency WHERE ctid IN (SELECT ctid FROM idempotency
      WHERE space_id = ${spaceId} AND ${isOld} LIMIT 20 FOR UPDATE SKIP LOCKED)`.execute(db)
  return answer
}
