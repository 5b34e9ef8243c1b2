import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Secrets } from '#server/config.ts'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import type { Db } from '#server/db/scope.ts'
import { storableTextOf } from '#shared/unicode.ts'
import type { AccountRow } from './account.ts'
import type { CallOrigin } from './call-origin.ts'

export interface Session {
  idHash: Buffer
  csrfToken: string
  createdAt: Date
  /** The space whose SSO created the session, with the connection and the time. null: not created by SSO. */
  sso: { spaceId: number; connectionId: string; at: Date } | null
  /**
   * Whether the owner has signed in with their own means (a password or passkey). Otherwise the session is valid only
   * in the space of `sso`.
   */
  ownMeans: boolean
}

/**
 * Sessions end after 12 hours without use and after 14 days in all. An account has at most 20 sessions (ASVS 7.3;
 * docs/decisions/0005).
 */
const idleHours = 12
export const absoluteDays = 14
const perAccount = 20
/** Maximum duration of an SSO sign-in, in minutes. */
export const ssoSignInMinutes = 15
/** Number of days for which the cookie of a known browser is valid (known-device.ts). */
export const deviceDays = 180

/**
 * Returns the hash that is stored instead of the session id. It is keyed, so that neither a copy of the database nor
 * the key alone is enough to forge a session.
 */
function hashId(secrets: Secrets, id: string): Buffer {
  return createHmac('sha256', secrets.sessionKey).update(id).digest()
}

/** The SSO sign-in that creates a session, and the account's earlier session that the new session continues. */
export interface SsoAdmission {
  spaceId: number
  connectionId: string
  /**
   * null: none. If the owner of the earlier session signed in by their own means, the new session is valid in all
   * spaces too. It then ends no later than 14 days after the earlier session began.
   */
  continues: Session | null
}

/**
 * Creates a session with a generated id (never one chosen by the client) and deletes the account's expired and surplus
 * sessions. Returns the id.
 */
export async function createSession(
  db: Db,
  secrets: Secrets,
  accountId: string,
  { ip, agent }: CallOrigin = { ip: '', agent: null },
  sso: SsoAdmission | null = null,
): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  await db
    .insertInto('session')
    .values({
      id_hash: hashId(secrets, id),
      account_id: accountId,
      csrf_token: randomBytes(32).toString('base64url'),
      user_agent: storableTextOf(agent ?? '').slice(0, 400),
      ip,
      ...(sso && {
        sso_space_id: sso.spaceId,
        sso_connection_id: sso.connectionId,
        sso_at: sql<Date>`now()`,
        own_means: sso.continues?.ownMeans ?? false,
        ...(sso.continues?.ownMeans ? { created_at: sso.continues.createdAt } : {}),
      }),
    })
    .execute()
  await sql`
    DELETE FROM session WHERE account_id = ${accountId} AND (
      last_seen_at < now() - make_interval(hours => ${idleHours}) OR created_at < now() - make_interval(days => ${absoluteDays})
      OR id_hash IN (SELECT id_hash FROM session WHERE account_id = ${accountId} ORDER BY last_seen_at DESC OFFSET ${perAccount}))`.execute(
    db,
  )
  return id
}

/** Deletes expired sessions. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  await sql`
    DELETE FROM session WHERE last_seen_at < now() - make_interval(hours => ${idleHours})
      OR created_at < now() - make_interval(days => ${absoluteDays})`.execute(db)
}

export async function deleteSession(db: Db, session: Session): Promise<void> {
  await db.deleteFrom('session').where('id_hash', '=', session.idHash).execute()
}

/** Ends all sessions of an account, except `except`. */
export async function deleteSessionsOf(
  db: Db,
  accountId: string,
  except: Session | null = null,
): Promise<void> {
  let query = db.deleteFrom('session').where('account_id', '=', accountId)
  if (except) query = query.where('id_hash', '!=', except.idHash)
  await query.execute()
}

export interface SessionRow {
  /** A short id that cannot be used as a session cookie, only to end the session. */
  id: string
  userAgent: string
  ip: string
  createdAt: Date
  lastSeenAt: Date
  isCurrent: boolean
}

const publicId = sql<string>`substr(encode(id_hash, 'hex'), 1, 24)`

/** Returns the active sessions of an account, the most recently used first. `present`: the caller's own session. */
export async function listSessions(db: Db, accountId: string, present: Session): Promise<SessionRow[]> {
  const rows = await db
    .selectFrom('session')
    .select(['id_hash', 'user_agent as userAgent', 'ip', 'created_at as createdAt'])
    .select(['last_seen_at as lastSeenAt', publicId.as('id')])
    .where('account_id', '=', accountId)
    .where(sql<boolean>`last_seen_at > now() - make_interval(hours => ${idleHours})`)
    .where(sql<boolean>`created_at > now() - make_interval(days => ${absoluteDays})`)
    .orderBy('last_seen_at', 'desc')
    .execute()
  return rows.map(({ id_hash, ...row }) => ({ ...row, isCurrent: id_hash.equals(present.idHash) }))
}

/** Ends one session of an account. Returns false if the account has no session with that id. */
export async function deleteSessionOf(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where(publicId, '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns the session with that id and its account. null: a missing, unknown or expired id. */
export async function findSession(
  db: Db,
  secrets: Secrets,
  id: string | undefined,
): Promise<{ session: Session; account: AccountRow } | null> {
  return id && id.length <= 100 ? findSessionByHash(db, hashId(secrets, id)) : null
}

const findWithAccount = compileOnce((db, { idHash }: Placeholders<{ idHash: Buffer }>) =>
  db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select(['session.id_hash', 'session.csrf_token', 'session.last_seen_at', 'session.created_at'])
    .select(['account.id', 'account.email', 'account.name'])
    .select(['account.is_admin', 'account.language', 'account.color_scheme', 'account.icon_id'])
    .select(['account.email_verified_at', 'session.own_means', 'session.sso_space_id'])
    .select(['session.sso_connection_id', 'session.sso_at'])
    .where('session.id_hash', '=', idHash)
    .where(sql<boolean>`session.last_seen_at > now() - make_interval(hours => ${idleHours})`)
    .where(sql<boolean>`session.created_at > now() - make_interval(days => ${absoluteDays})`)
    .compile(),
)

/** Returns the session whose id has this hash, with its account. null: unknown or expired. */
export async function findSessionByHash(
  db: Db,
  idHash: Buffer,
): Promise<{ session: Session; account: AccountRow } | null> {
  const [row] = await findWithAccount(db, { idHash })
  if (!row) return null
  // Updated at most once per minute.
  if (Date.now() - row.last_seen_at.getTime() > 60_000)
    await db
      .updateTable('session')
      .set({ last_seen_at: sql`now()` })
      .where('id_hash', '=', row.id_hash)
      .execute()
  return {
    session: {
      idHash: row.id_hash,
      csrfToken: row.csrf_token,
      createdAt: row.created_at,
      sso: ssoOf(row),
      ownMeans: row.own_means,
    },
    account: {
      id: row.id,
      email: row.email,
      name: row.name,
      isAdmin: row.is_admin,
      emailVerified: row.email_verified_at !== null,
      language: row.language,
      colorScheme: row.color_scheme,
      iconId: row.icon_id,
    },
  }
}

/** All three columns are set, or none (a check constraint). */
function ssoOf(row: {
  sso_space_id: number | null
  sso_connection_id: string | null
  sso_at: Date | null
}): Session['sso'] {
  const { sso_space_id: spaceId, sso_connection_id: connectionId, sso_at: at } = row
  return spaceId === null || connectionId === null || at === null ? null : { spaceId, connectionId, at }
}
