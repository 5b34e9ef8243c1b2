import { isIPv4, isIPv6 } from 'node:net'
import { sql } from 'kysely'
import { type Db, inTransaction } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'

/** At most `limit` attempts under `key` in `minutes`. */
export interface AttemptLimit {
  key: string
  limit: number
  minutes: number
}

const minutes = { pair: 15, network: 60, account: 1440, signup: 60, known: 43_200 }

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

/**
 * What a failed login counts against. From a network where this account signed in within 30 days the account-wide limit
 * does not apply: somebody who guesses from elsewhere must not lock the owner out.
 */
export async function loginLimits(
  db: Db,
  emailKey: string,
  ip: string,
): Promise<{ pair: AttemptLimit; shared: AttemptLimit[] }> {
  const [account, network] = [accountPart(emailKey), networkOf(ip)]
  const known = await db
    .selectFrom('attempt')
    .select('key')
    .where('key', '=', `known:${account}:${network}`)
    .where(sql<boolean>`window_start > now() - make_interval(mins => ${minutes.known})`)
    .executeTakeFirst()
  return {
    pair: { key: `pair:${account}:${network}`, limit: 10, minutes: minutes.pair },
    shared: [
      { key: `network:${network}`, limit: 100, minutes: minutes.network },
      ...(known ? [] : [{ key: `account:${account}`, limit: 200, minutes: minutes.account }]),
    ],
  }
}

/** Sign-up tells whether an address is taken, so it is counted by the address it comes from. */
export function signupLimit(ip: string): AttemptLimit {
  const from = isIPv4(unmapped(ip)) ? unmapped(ip) : networkOf(ip)
  return { key: `signup:${from}`, limit: 20, minutes: minutes.signup }
}

/**
 * Counts an attempt under every key before it is made, so that attempts at the same moment cannot slip through
 * together; under none when one is used up, and then throws 429 with `Retry-After`. Keys are always taken in the same
 * order (pair, network, account), so two attempts cannot block each other.
 */
export async function countAttempt(db: Db, limits: AttemptLimit[]): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const { key, limit, minutes } of limits) {
      const over = sql<boolean>`attempt.window_start <= now() - make_interval(mins => ${minutes})`
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
  })
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

/** After the right password: forgets the failures of this account from this network, and knows the network from now on. */
export async function clearAttempts(
  db: Db,
  { pair, shared }: { pair: AttemptLimit; shared: AttemptLimit[] },
): Promise<void> {
  await db.deleteFrom('attempt').where('key', '=', pair.key).execute()
  await uncountAttempt(db, shared)
  await db
    .insertInto('attempt')
    .values({ key: pair.key.replace(/^pair:/, 'known:'), window_start: sql`now()`, count: 0 })
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
