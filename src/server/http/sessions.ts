import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Config, Secrets } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import type { AccountRow, Session } from './context.ts'

/** Idle 12 hours, 14 days in all, at most 20 sessions of one account (ASVS 7.3; docs/decisions/0005). */
const idleHours = 12
const absoluteDays = 14
const perAccount = 20
/** A browser stays known for so long. */
export const deviceDays = 180

const isSecure = (config: Config) => config.url.startsWith('https:')
/** Over https the browser itself forbids that another host or path sets this cookie. */
export const cookieName = (config: Config) => (isSecure(config) ? '__Host-sid' : 'sid')

/** Only a keyed hash is stored: neither a copy of the database nor of the key alone makes a session. */
function hashId(secrets: Secrets, id: string): Buffer {
  return createHmac('sha256', secrets.sessionKey).update(id).digest()
}

/** Makes a session of its own id (never one the client chose) and ends what exceeds the limit. Answers the cookie's value. */
export async function createSession(db: Db, secrets: Secrets, accountId: string): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  await db
    .insertInto('session')
    .values({
      id_hash: hashId(secrets, id),
      account_id: accountId,
      csrf_token: randomBytes(32).toString('base64url'),
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

/** Removes sessions that have ended by themselves. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  await sql`
    DELETE FROM session WHERE last_seen_at < now() - make_interval(hours => ${idleHours})
      OR created_at < now() - make_interval(days => ${absoluteDays})`.execute(db)
}

export async function deleteSession(db: Db, session: Session): Promise<void> {
  await db.deleteFrom('session').where('id_hash', '=', session.idHash).execute()
}

/** The session behind the request's cookie, with its account; null for none, an unknown or an ended one. */
export async function findSession(
  db: Db,
  config: Config,
  secrets: Secrets,
  request: FastifyRequest,
): Promise<{ session: Session; account: AccountRow } | null> {
  const id = request.cookies[cookieName(config)]
  if (!id || id.length > 100) return null
  const row = await db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select([
      'session.id_hash',
      'session.csrf_token',
      'session.last_seen_at',
      'account.id',
      'account.email',
      'account.name',
    ])
    .select(['account.is_admin', 'account.language', 'account.color_scheme'])
    .where('session.id_hash', '=', hashId(secrets, id))
    .where(sql<boolean>`session.last_seen_at > now() - make_interval(hours => ${idleHours})`)
    .where(sql<boolean>`session.created_at > now() - make_interval(days => ${absoluteDays})`)
    .executeTakeFirst()
  if (!row) return null
  // Once a minute is often enough to know that somebody is still there.
  if (Date.now() - row.last_seen_at.getTime() > 60_000)
    await db
      .updateTable('session')
      .set({ last_seen_at: sql`now()` })
      .where('id_hash', '=', row.id_hash)
      .execute()
  return {
    session: { idHash: row.id_hash, csrfToken: row.csrf_token },
    account: {
      id: row.id,
      email: row.email,
      name: row.name,
      isAdmin: row.is_admin,
      language: row.language,
      colorScheme: row.color_scheme,
    },
  }
}

const cookieOptions = (config: Config) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(config) }) as const

export function writeSessionCookie(reply: FastifyReply, config: Config, id: string | null): void {
  const options = cookieOptions(config)
  if (id === null) reply.clearCookie(cookieName(config), options)
  else reply.setCookie(cookieName(config), id, { ...options, maxAge: absoluteDays * 86_400 })
}

/** Outlives sessions, and signs nobody in (features/accounts/known-device.ts). */
export const deviceCookieName = (config: Config) => (isSecure(config) ? '__Host-device' : 'device')

export function writeDeviceCookie(reply: FastifyReply, config: Config, value: string): void {
  const maxAge = deviceDays * 86_400
  reply.setCookie(deviceCookieName(config), value, { ...cookieOptions(config), maxAge })
}

/** A browser says where a request comes from; a foreign origin has no business here. Throws 403. */
export function checkOrigin(request: FastifyRequest, config: Config): void {
  const { origin, host } = request.headers
  const site = request.headers['sec-fetch-site']
  const own =
    origin === undefined || origin === config.url || (URL.canParse(origin) && new URL(origin).host === host)
  if (!own || site === 'cross-site')
    throw new AppError('InvalidCsrfToken', { message: 'The request comes from another origin' })
}

/** The token of this session, in the header of every call that changes something. Throws 403. */
export function checkCsrfToken(request: FastifyRequest, session: Session): void {
  const given = request.headers['x-csrf-token']
  const expected = Buffer.from(session.csrfToken)
  const actual = Buffer.from(typeof given === 'string' ? given : '')
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw new AppError('InvalidCsrfToken')
}
