import { sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/*
 * A former member of a space is recognized by the account's id, e-mail address, and former addresses and identities
 * (docs/decisions/0102). Addresses and identities are stored as hashes.
 */

const addressOfRow = sql<string>`encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex')`

/** Returns a condition for a row of `account`: its current address has one of these hashes. */
export const isAt = (hashes: readonly string[]) => sql<boolean>`${addressOfRow} = ANY(${hashes}::text[])`

/**
 * Returns a condition for a row of `account`: its current address or one of its recorded addresses and identities has
 * one of these hashes.
 */
export const isKnownAs = (hashes: readonly string[]) => sql<boolean>`(${isAt(hashes)} OR EXISTS (
  SELECT FROM account_known_as WHERE account_id = account.id AND who = ANY(${hashes}::text[])))`

/**
 * SQL for a row of `account`: its id, and the hashes of its current address and of its recorded addresses and
 * identities.
 */
export const whoIs = sql<string[]>`ARRAY(SELECT account.id::text UNION SELECT ${addressOfRow}
  UNION SELECT who FROM account_known_as WHERE account_id = account.id)`

/** Normalizes an e-mail address, so that different spellings of it are equal. */
export const addressKey = (address: string) => normalizeUnicode(address.trim(), 'NFKC').toLowerCase()

export const whoHas = (address: string) => sha256(addressKey(address)).toString('hex')

export interface IdentityKey {
  connectionId: string
  issuer: string
  subject: string
}

/**
 * Returns the hash of an identity. It includes the connection, because another space's identity provider can claim any
 * issuer and subject.
 */
export const whoIsTo = ({ connectionId, issuer, subject }: IdentityKey) =>
  sha256([connectionId, issuer, subject].join('\n')).toString('hex')

/** Records these hashes of addresses and identities for the account. Also usable inside a space. */
export async function rememberAs(db: Db, accountId: string, ...known: string[]): Promise<void> {
  await db
    .insertInto('account_known_as')
    .values(known.map((who) => ({ account_id: accountId, who })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Copies the hash of the current address and all recorded hashes of the account `of` to `accountId`. */
export async function rememberAddressesOf(db: Db, accountId: string, of = accountId): Promise<void> {
  await sql`INSERT INTO account_known_as (account_id, who)
    SELECT ${accountId}, ${addressOfRow} FROM account WHERE id = ${of}
    UNION SELECT ${accountId}, who FROM account_known_as WHERE account_id = ${of}
    ON CONFLICT DO NOTHING`.execute(db)
}
