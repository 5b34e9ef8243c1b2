import { isIPv4, isIPv6 } from 'node:net'
import { sql } from 'kysely'
import { type Db, inTransaction, type Tx } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'

/** At most `limit` attempts under `key` in `minutes`. */
export interface AttemptLimit {
  key: string
  limit: number
  minutes: number
}

/** How long each kind of counter counts. */
const minutes = {
  pair: 15,
  network: 60,
  account: 1440,
  slow: 15,
  device: 1440,
  signup: 60,
  mail: 60,
  mailTo: 60,
  passkey: 60,
  sso: 60,
  known: 43_200,
}

/** An IPv4 address as such, where a socket of both families writes it as one of IPv6. */
const unmapped = (ip: string) => ip.replace(/^::ffff:(?=[\d.]+$)/i, '')

/**
 * The network an address belongs to, as far as one attacker commands it: /24 of IPv4, /56 of IPv6. Everything here
 * is reckoned from what the server itself knows, so that no header or body field opens a fresh counter.
 */
export function networkOf(ip: string): string {
  const v4 = unmapped(ip)
  if (isIPv4(v4)) return `${v4.split('.').slice(0, 3).join('.')}.0/24`
  if (!isIPv6(ip)) return 'unknown'
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right].map((part) =>
    Number.parseInt(part, 16),
  )
  const [a = 0, b = 0, c = 0, d = 0] = groups
  return `${[a, b, c, d & 0xff00].map((group) => group.toString(16)).join(':')}::/56`
}

/** Keys hold a hash of the address: of one length, and no list of who tried to sign in. */
const accountPart = (emailKey: string) => sha256(emailKey).toString('base64url').slice(0, 22)

/** What a login is counted by. */
export interface LoginBrake {
  /** Sets of counters: the first in which all have room takes the attempt. */
  ways: AttemptLimit[][]
  /** The counter that the right password sets back. */
  pair: string
  /** Tells that this account has signed in from this network. */
  known: string
}

/**
 * What a login counts against. Strangers together have 100 guesses a day at an account, and then 5 in 15 minutes, so
 * nobody who guesses locks it for longer than that. Its owner is not locked out at all where they have been: from a
 * network where the account signed in within 30 days this limit does not apply, and a browser in which it signed in
 * (`device`, see known-device.ts) has 30 guesses a day of its own, after which it is a stranger's.
 */
export async function loginBrake(
  db: Db,
  emailKey: string,
  ip: string,
  device: string | null,
): Promise<LoginBrake> {
  const [account, network] = [accountPart(emailKey), networkOf(ip)]
  const known = `known:${account}:${network}`
  const isKnown = await db
    .selectFrom('attempt')
    .select('key')
    .where('key', '=', known)
    .where(sql<boolean>`window_start > now() - make_interval(mins => ${minutes.known})`)
    .executeTakeFirst()
  const here = [
    { key: `pair:${account}:${network}`, limit: 10, minutes: minutes.pair },
    { key: `network:${network}`, limit: 100, minutes: minutes.network },
  ]
  const everywhere = [
    { key: `account:${account}`, limit: 100, minutes: minutes.account },
    { key: `slow:${account}`, limit: 5, minutes: minutes.slow },
  ]
  return {
    ways: [
      ...(device === null ? [] : [[{ key: `device:${device}`, limit: 30, minutes: minutes.device }]]),
      ...(isKnown ? [here] : everywhere.map((limit) => [...here, limit])),
    ],
    pair: `pair:${account}:${network}`,
    known,
  }
}

/** Sign-up tells whether an address is taken, so it is counted by the address it comes from. */
export function signupLimit(ip: string): AttemptLimit {
  const from = isIPv4(unmapped(ip)) ? unmapped(ip) : networkOf(ip)
  return { key: `signup:${from}`, limit: 20, minutes: minutes.signup }
}

/** Mails that a visitor may have sent, by where they are: to whom they go is counted apart ({@link mailToLimit}). */
export function mailLimit(ip: string): AttemptLimit {
  return { key: `mail:${networkOf(ip)}`, limit: 30, minutes: minutes.mail }
}

/** Sign-ins that begin with a passkey: each keeps a row for a while. */
export function passkeyLimit(ip: string): AttemptLimit {
  return { key: `passkey:${networkOf(ip)}`, limit: 200, minutes: minutes.passkey }
}

/** Sign-ins by SSO that are begun: each keeps a row for a while, and may ask the identity provider. */
export function ssoLimit(ip: string): AttemptLimit {
  return { key: `sso:${networkOf(ip)}`, limit: 200, minutes: minutes.sso }
}

/** Mails with links that one person can be sent. */
export function mailToLimit(person: string): AttemptLimit {
  return { key: `mailTo:${accountPart(person)}`, limit: 6, minutes: minutes.mailTo }
}

/**
 * Counts an attempt under every key of the first way in which all have room, before it is made, so that attempts at the
 * same moment cannot slip through together. Answers that way; throws 429 with `Retry-After` when there is none. Keys
 * are always taken in the same order (pair, network, account), so two attempts cannot block each other.
 */
export async function countAttempt(db: Db, ways: AttemptLimit[][]): Promise<AttemptLimit[]> {
  let refusal: AppError | undefined
  for (const way of ways)
    try {
      await inTransaction(db, (tx) => countAll(tx, way))
      return way
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refusal = error
    }
  throw refusal ?? new AppError('TooManyRequests')
}

async function countAll(tx: Tx, limits: AttemptLimit[]): Promise<void> {
  for (const { key, limit, minutes } of limits) {
    // A window that begins in time to come was begun before the clock was set back: it would last for as long.
    const over = sql<boolean>`(attempt.window_start <= now() - make_interval(mins => ${minutes})
      OR attempt.window_start > now() + interval '1 minute')`
    const counted = await tx
      .insertInto('attempt')
      .values({ key, window_start: sql`now()`, count: 1 })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet({
            window_start: sql`CASE WHEN ${over} THEN now() ELSE attempt.window_start END`,
            count: sql`CASE WHEN ${over} THEN 1 ELSE attempt.count + 1 END`,
          })
          .where((where) => where.or([over, where('attempt.count', '<', limit)])),
      )
      .returning('key')
      .executeTakeFirst()
    if (!counted) throw await tooMany(tx, key, minutes)
  }
}

async function tooMany(db: Db, key: string, minutes: number): Promise<AppError> {
  const row = await db
    .selectFrom('attempt')
    .select(sql<number>`ceil(extract(epoch FROM window_start - now()) + ${minutes * 60})::int`.as('seconds'))
    .where('key', '=', key)
    .executeTakeFirst()
  return new AppError('TooManyRequests', {
    headers: { 'retry-after': String(Math.max(1, row?.seconds ?? 1)) },
  })
}

/** Takes back an attempt that was none: no password was compared, or the right one was given. */
export async function uncountAttempt(db: Db, limits: AttemptLimit[]): Promise<void> {
  for (const { key } of limits)
    await db
      .updateTable('attempt')
      .set({ count: sql`count - 1` })
      .where('key', '=', key)
      .where('count', '>', 0)
      .execute()
}

/**
 * After the right password: takes back the attempt, forgets the failures of this account from this network, and knows the
 * network from now on.
 */
export async function clearAttempts(
  db: Db,
  counted: AttemptLimit[],
  { pair, known }: LoginBrake,
): Promise<void> {
  await uncountAttempt(db, counted)
  await db.deleteFrom('attempt').where('key', '=', pair).execute()
  await rememberNetwork(db, known)
}

/** Knows the network of a sign-in from now on. */
export async function rememberNetwork(db: Db, known: LoginBrake['known']): Promise<void> {
  await db
    .insertInto('attempt')
    .values({ key: known, window_start: sql`now()`, count: 0 })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ window_start: sql`now()` }))
    .execute()
}

/** Removes what no limit looks at any more. */
export async function deleteOldAttempts(db: Db): Promise<void> {
  for (const [kind, age] of Object.entries(minutes))
    await db
      .deleteFrom('attempt')
      .where('key', 'like', `${kind}:%`)
      .where(sql<boolean>`window_start <= now() - make_interval(mins => ${age})`)
      .execute()
}
