import { sql } from 'kysely'
import { ssoSignInMinutes } from '#server/access/sessions.ts'
import type { Db } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'

/** A sign-in under way. */
export interface SignInRow {
  id: string
  connectionId: string
  /** Sealed: what the answer is checked against, then what it said. */
  kept: string | null
  popup: boolean
  target: string | null
}

/** What is kept of one that begins. */
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
 * The sign-in that an answer of the identity provider belongs to. It can be answered once: of two answers at the same moment
 * one finds it. null for any other state.
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

/** Keeps what the identity provider said, for who has the code. */
export async function keepAnswer(db: Db, id: string, code: string, kept: string): Promise<void> {
  await db
    .updateTable('sso_sign_in')
    .set({ code_hash: sha256(code), kept, expires_at: soon })
    .where('id', '=', id)
    .execute()
}

/** The same for a sign-in that the identity provider began. */
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

/** The answered sign-in of that code, if this browser began it, or none did; held until the transaction ends. */
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

/** Remembers an assertion until it ends by itself; false when it was used before. */
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

export interface IdentityKey {
  connectionId: string
  issuer: string
  subject: string
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

/** Did this connection, with this issuer, make the account? */
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

/** Who they are to the connection from now on; another identity of the account with it is gone. */
export async function putIdentity(
  db: Db,
  { connectionId, issuer, subject }: IdentityKey,
  { spaceId, accountId, madeAccount }: IdentityRow & { spaceId: number },
): Promise<void> {
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
