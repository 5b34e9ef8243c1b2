import { sql } from 'kysely'
import { type IdentityKey, rememberAs, whoIsTo } from '#server/access/known-as.ts'
import { ssoSignInMinutes } from '#server/access/sessions.ts'
import type { Db } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'

/** A pending sign-in. */
export interface SignInRow {
  id: string
  connectionId: string
  /**
   * Encrypted values. Before the identity provider's answer: the values to check the answer against. Afterwards: the
   * verified claims.
   */
  kept: string | null
  popup: boolean
  target: string | null
}

/** A new sign-in. `state` and `browser`, the value of the browser's cookie, are stored as hashes. */
export type NewSignIn = SignInRow & { state: string; browser: string }

const columns = ['id', 'connection_id as connectionId', 'kept', 'popup', 'target'] as const
const soon = sql<Date>`now() + make_interval(mins => ${ssoSignInMinutes})`

export async function insertSignIn(
  db: Db,
  { id, connectionId, state, browser, kept, popup, target }: NewSignIn,
): Promise<void> {
  await db
    .insertInto('sso_sign_in')
    .values({
      id,
      connection_id: connectionId,
      state_hash: sha256(state),
      browser_hash: sha256(browser),
      kept,
      popup,
      target,
      expires_at: soon,
    })
    .execute()
}

/**
 * Claims the sign-in that an answer of the identity provider belongs to. Only one of two concurrent answers gets it.
 * null: the state is unknown, expired or already answered.
 */
export async function takeState(db: Db, connectionId: string, state: string): Promise<SignInRow | null> {
  const row = await db
    .updateTable('sso_sign_in')
    .set({ answered: true })
    .where('connection_id', '=', connectionId)
    .where('state_hash', '=', sha256(state))
    .where('answered', '=', false)
    .where(sql<boolean>`expires_at > now()`)
    .returning(columns)
    .executeTakeFirst()
  return row ?? null
}

/** Stores the identity provider's answer, which can then be read with the code. */
export async function keepAnswer(db: Db, id: string, code: string, kept: string): Promise<void> {
  await db
    .updateTable('sso_sign_in')
    .set({ code_hash: sha256(code), kept, expires_at: soon })
    .where('id', '=', id)
    .execute()
}

/** Stores the answer of a sign-in that began at the identity provider. */
export async function insertAnswered(
  db: Db,
  row: { id: string; connectionId: string; code: string; kept: string },
): Promise<void> {
  await db
    .insertInto('sso_sign_in')
    .values({
      id: row.id,
      connection_id: row.connectionId,
      code_hash: sha256(row.code),
      kept: row.kept,
      answered: true,
      expires_at: soon,
    })
    .execute()
}

/** Maximum number of answered sign-ins of a connection that wait to be finished. */
export const mostAnswered = 1000

/**
 * Deletes the oldest answered sign-ins of a connection beyond {@link mostAnswered}. Sign-ins with a valid answer do not
 * count against the rate limit (`ssoLimit`). A user of the identity provider could otherwise store any number of rows.
 */
export async function dropOldestAnswered(db: Db, connectionId: string): Promise<void> {
  await db
    .deleteFrom('sso_sign_in')
    .where('id', 'in', (from) =>
      from
        .selectFrom('sso_sign_in')
        .select('id')
        .where('connection_id', '=', connectionId)
        .where('code_hash', 'is not', null)
        .orderBy('expires_at', 'desc')
        .offset(mostAnswered),
    )
    .execute()
}

/**
 * Returns the answered sign-in with that code, if this browser or the identity provider began it. Locks it until the
 * transaction ends. null: none.
 */
export async function findAnswered(
  db: Db,
  code: string,
  browser: string | undefined,
): Promise<SignInRow | null> {
  const row = await db
    .selectFrom('sso_sign_in')
    .select(columns)
    .where('code_hash', '=', sha256(code))
    .where((where) =>
      where.or([
        where('browser_hash', 'is', null),
        ...(browser === undefined ? [] : [where('browser_hash', '=', sha256(browser))]),
      ]),
    )
    .where(sql<boolean>`expires_at > now()`)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

export async function deleteSignIn(db: Db, id: string): Promise<void> {
  await db.deleteFrom('sso_sign_in').where('id', '=', id).execute()
}

/** Records an assertion until it expires. Returns false if it was used before. */
export async function useAssertion(
  db: Db,
  connectionId: string,
  assertionId: string,
  endsAt: Date,
): Promise<boolean> {
  const row = await db
    .insertInto('sso_assertion')
    .values({ connection_id: connectionId, id_hash: sha256(assertionId), expires_at: endsAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('connection_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteEndedSignIns(db: Db): Promise<void> {
  await db.deleteFrom('sso_sign_in').where(sql<boolean>`expires_at <= now()`).execute()
  await db.deleteFrom('sso_assertion').where(sql<boolean>`expires_at <= now()`).execute()
}

export interface IdentityRow {
  accountId: string
  madeAccount: boolean
}

export async function findIdentity(
  db: Db,
  { connectionId, issuer, subject }: IdentityKey,
): Promise<IdentityRow | null> {
  const row = await db
    .updateTable('sso_identity')
    .set({ last_used_at: sql`now()` })
    .where('connection_id', '=', connectionId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returning(['account_id as accountId', 'made_account as madeAccount'])
    .executeTakeFirst()
  return row ?? null
}

/**
 * Returns whether the account has an identity at this connection and issuer, and the account was created for that
 * identity.
 */
export async function madeAccount(
  db: Db,
  { connectionId, issuer }: IdentityKey,
  accountId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('sso_identity')
    .select('made_account')
    .where('connection_id', '=', connectionId)
    .where('issuer', '=', issuer)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.made_account ?? false
}

/** Stores the identity of the account at the connection. Replaces an earlier identity. */
export async function putIdentity(
  db: Db,
  identity: IdentityKey,
  { spaceId, accountId, madeAccount }: IdentityRow & { spaceId: number },
): Promise<void> {
  const { connectionId, issuer, subject } = identity
  await rememberAs(db, accountId, whoIsTo(identity))
  await db
    .insertInto('sso_identity')
    .values({
      connection_id: connectionId,
      issuer,
      subject,
      space_id: spaceId,
      account_id: accountId,
      made_account: madeAccount,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['connection_id', 'account_id'])
        .doUpdateSet({ issuer, subject, last_used_at: sql`now()` }),
    )
    .execute()
}
