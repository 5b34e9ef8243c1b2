import type { Db } from '#server/db/scope.ts'
import { type IpRanges, ipRanges } from '#server/lib/ip-ranges.ts'
import { AppError } from '#shared/errors.ts'
import { accountHasSecondFactor } from './sign-in-challenges.ts'

/*
 * What a space asks of its members beside their rights (docs/decisions/0050). Asked with every request that is let into a
 * space, so that a change is in force with the next one, on every process.
 */

/** Where a request comes from and since when its sender is signed in. */
export interface Caller {
  ip: string
  signedInAt: Date
  /** To be let in all the same, by endpoints that tell them why others do not. */
  unguarded?: boolean
}

/** The columns of `space_security` that are asked for; all null where a space has no row. */
export interface SecurityColumns {
  ip_ranges: string[] | null
  session_hours: number | null
  second_factor: boolean | null
}

/** Throws 403 `IpAddressNotAllowed`, `SessionIsTooOld`, `SecondFactorRequired`. */
export async function checkSecurity(
  db: Db,
  accountId: string,
  security: SecurityColumns,
  { ip, signedInAt, unguarded }: Caller,
): Promise<void> {
  if (unguarded) return
  if (!mayComeFrom(security.ip_ranges, ip)) throw new AppError('IpAddressNotAllowed')
  if (security.session_hours !== null) {
    const age = Date.now() - signedInAt.getTime()
    if (age > security.session_hours * 3_600_000) throw new AppError('SessionIsTooOld')
  }
  if (security.second_factor && !(await accountHasSecondFactor(db, accountId)))
    throw new AppError('SecondFactorRequired')
}

/** Lists are few and asked for with every request. */
const compiled = new Map<string, IpRanges>()
const mostCompiled = 1000

/** Is an address in one of these ranges? Null: every address is. */
export function mayComeFrom(ranges: readonly string[] | null, ip: string): boolean {
  if (ranges === null) return true
  const key = ranges.join(',')
  let list = compiled.get(key)
  if (!list) {
    if (compiled.size >= mostCompiled) compiled.clear()
    list = ipRanges(ranges)
    compiled.set(key, list)
  }
  return list.contains(ip)
}

/** What a space asks, by itself: for endpoints that answer it. */
export async function findSecurity(db: Db, spaceId: number): Promise<SecurityColumns> {
  const row = await db
    .selectFrom('space_security')
    .select(['ip_ranges', 'session_hours', 'second_factor'])
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  return row ?? { ip_ranges: null, session_hours: null, second_factor: null }
}
