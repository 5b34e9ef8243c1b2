import { isIPv4, isIPv6 } from 'node:net'
import { sql } from 'kysely'
import { type Db, inTransaction, type SpaceScope, type Tx } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import { formMailLimits } from '#shared/forms/mail.ts'
import { addressKey } from './known-as.ts'
import { ssoSignInMinutes } from './sessions.ts'

export interface AttemptLimit {
  key: string
  limit: number
  minutes: number
}

/** The window of each kind of counter, in minutes. */
const minutes = {
  pair: 15,
  network: 60,
  account: 1440,
  slow: 15,
  device: 1440,
  signup: 60,
  taken: 60,
  takenTo: 60,
  pending: 60,
  mail: 60,
  mailTo: 60,
  passkey: 60,
  sso: ssoSignInMinutes,
  known: 43_200,
  rate: 1,
  formMail: 60,
  formReplies: 1440,
  formReply: 1440,
}

/** Converts an IPv4-mapped IPv6 address, as dual-stack sockets report it, to IPv4. */
const unmapped = (ip: string) => ip.replace(/^::ffff:(?=[\d.]+$)/i, '')

/**
 * Returns the network of an IP address: /24 for IPv4, /56 for IPv6. One attacker is assumed to control a whole network.
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

/** Returns the part of a key that identifies an account: a hash, so that the key does not reveal the e-mail address. */
const accountPart = (emailKey: string) => sha256(emailKey).toString('base64url').slice(0, 22)

/** The counters of a login, or of another check of a password or code. */
export interface LoginBrake {
  /** Alternative sets of counters: an attempt counts in the first set that is below all its limits. */
  ways: AttemptLimit[][]
  /** The counter that a correct password or code resets. */
  pair: string
  /** The key that records a sign-in of this account from this network. */
  known: string
}

/**
 * Returns the counters of a login. From one network, an account allows 10 failures per 15 minutes, and all accounts
 * together 100 per hour. From all unknown networks together, an account allows 100 failures per day, then 5 per 15
 * minutes, so that guessing cannot lock the owner out for longer. A network is known for 30 days after a sign-in of the
 * account from it. A browser in which the account signed in (`device`, see known-device.ts) has 30 extra failures per
 * day.
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

/**
 * Returns the source that counts as one visitor. It is the full IPv4 address, or the network of an IPv6 address,
 * because one attacker has billions of IPv6 addresses.
 */
export const sourceOf = (ip: string) => (isIPv4(unmapped(ip)) ? unmapped(ip) : networkOf(ip))

/** Returns the limit of attempts to sign up, successful or not, per source. */
export function signupLimit(ip: string): AttemptLimit {
  return { key: `signup:${sourceOf(ip)}`, limit: 20, minutes: minutes.signup }
}

/**
 * Returns the limits of sign-ups with an e-mail address that already has an account, per source and per e-mail address.
 * Attempts are counted before the address is looked up, and uncounted if it has no account. A source over its limit is
 * therefore refused for every e-mail address and learns nothing.
 */
export function takenLimits(ip: string, emailKey: string): AttemptLimit[] {
  return [
    { key: `taken:${sourceOf(ip)}`, limit: 5, minutes: minutes.taken },
    { key: `takenTo:${accountPart(emailKey)}`, limit: 20, minutes: minutes.takenTo },
  ]
}

/**
 * Returns the limit of sign-ups that require a mailed link, per e-mail address. It applies whether or not the address
 * has an account.
 */
export function pendingLimit(emailKey: string): AttemptLimit {
  return { key: `pending:${accountPart(emailKey)}`, limit: 6, minutes: minutes.pending }
}

/**
 * Returns the limit of mails that a visitor can trigger, and of attempts to use a mailed link, per network. Recipients
 * are limited separately ({@link mailToLimit}).
 */
export function mailLimit(ip: string): AttemptLimit {
  return { key: `mail:${networkOf(ip)}`, limit: 30, minutes: minutes.mail }
}

/**
 * Returns the limit, per network, of sign-ins that start with a passkey instead of a password. Each pending sign-in
 * stores a row. Completed sign-ins are uncounted, because a whole company may share one IP address.
 */
export function passkeyLimit(ip: string): AttemptLimit {
  return { key: `passkey:${networkOf(ip)}`, limit: 200, minutes: minutes.passkey }
}

/**
 * Returns the limit, per network, of SSO sign-ins for which the identity provider has not returned a valid response.
 * Each pending sign-in stores a row for {@link ssoSignInMinutes} and may call the identity provider. A sign-in is
 * uncounted after a valid response, because a whole company may share one IP address.
 */
export function ssoLimit(ip: string): AttemptLimit {
  return { key: `sso:${networkOf(ip)}`, limit: 500, minutes: minutes.sso }
}

/**
 * Returns the limit of mails with links to one recipient. `person`: the key of the e-mail address, or the account's id
 * for mails that a signed-in user requests.
 */
export function mailToLimit(person: string): AttemptLimit {
  return { key: `mailTo:${accountPart(person)}`, limit: 6, minutes: minutes.mailTo }
}

/** Returns the limit of submissions of a form per hour that are mailed singly. */
export function formMailLimit(formId: string): AttemptLimit {
  return { key: `formMail:${formId}`, limit: formMailLimits.singlePerHour, minutes: minutes.formMail }
}

/**
 * Returns the daily limits of automatic replies: of all forms to one address, and of one space. Tags such as `+news` in
 * an address do not count, because mail to them reaches the same person.
 */
export function formReplyLimits(
  { spaceId }: SpaceScope,
  email: string,
): { address: AttemptLimit; space: AttemptLimit } {
  const untagged = addressKey(email).replace(/(?<=^[^@+]+)\+[^@]*(?=@)/, '')
  return {
    address: {
      key: `formReply:${accountPart(untagged)}`,
      limit: formMailLimits.repliesPerAddress,
      minutes: minutes.formReply,
    },
    space: {
      key: `formReplies:${spaceId}`,
      limit: formMailLimits.repliesPerSpace,
      minutes: minutes.formReplies,
    },
  }
}

/**
 * Returns the limit of requests to one operation per minute. `of`: the space or object that they are about, which a
 * client without access to it may name too.
 */
export function requestLimit(operation: string, of: string, perMinute: number): AttemptLimit {
  return { key: `rate:${operation}:${of}`, limit: perMinute, minutes: minutes.rate }
}

/**
 * Counts an attempt, before it is made, under every key of the first set that is below all its limits. Concurrent
 * attempts therefore cannot exceed the limits. Returns the set in which the attempt was counted. Throws 429 with
 * `Retry-After` if every set has reached a limit. Each set must list its keys in the same order (pair, network,
 * account), so that two attempts cannot deadlock.
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

/**
 * Condition that the window of a counter is over. A window that starts in the future was created before the clock was
 * set back, and would otherwise last too long.
 */
const windowIsOver = (minutes: number) =>
  sql<boolean>`(attempt.window_start <= now() - make_interval(mins => ${minutes})
    OR attempt.window_start > now() + interval '1 minute')`

async function countAll(tx: Tx, limits: AttemptLimit[]): Promise<void> {
  for (const { key, limit, minutes } of limits) {
    const over = windowIsOver(minutes)
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

/**
 * Counts `count` attempts in the caller's transaction if they are within the limit together. Returns whether they were
 * counted.
 */
export async function countWithin(
  db: Tx,
  { key, limit, minutes }: AttemptLimit,
  count: number,
): Promise<boolean> {
  if (count > limit) return false
  const { rows } = await sql`
    INSERT INTO attempt (key, window_start, count) VALUES (${key}, now(), ${count})
    ON CONFLICT (key) DO UPDATE SET
      window_start = CASE WHEN ${windowIsOver(minutes)} THEN now() ELSE attempt.window_start END,
      count = CASE WHEN ${windowIsOver(minutes)} THEN 0 ELSE attempt.count END + ${count}
    WHERE ${windowIsOver(minutes)} OR attempt.count + ${count} <= ${limit}
    RETURNING key`.execute(db)
  return rows.length > 0
}

/** Undoes the count of an attempt that must not count, such as a successful one. */
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
 * Undoes the count of an attempt with a correct password or code, resets the failures of this account from this
 * network, and records the network as known.
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

/** Records the network of a sign-in as known. */
export async function rememberNetwork(db: Db, known: LoginBrake['known']): Promise<void> {
  await db
    .insertInto('attempt')
    .values({ key: known, window_start: sql`now()`, count: 0 })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ window_start: sql`now()` }))
    .execute()
}

/** Deletes counters whose window is over. */
export async function deleteOldAttempts(db: Db): Promise<void> {
  for (const [kind, age] of Object.entries(minutes))
    await db
      .deleteFrom('attempt')
      .where('key', 'like', `${kind}:%`)
      .where(sql<boolean>`window_start <= now() - make_interval(mins => ${age})`)
      .execute()
}
