import type { Db } from '#server/db/scope.ts'
import { type IpRanges, ipRanges } from '#server/lib/ip-ranges.ts'
import { AppError } from '#shared/errors.ts'
import type { Session } from './sessions.ts'
import { accountHasSecondFactor } from './sign-in-challenges.ts'

/*
 * What a space asks of its members beside their rights (docs/decisions/0050). Asked with every request that is let into a
 * space, so that a change is in force with the next one, on every process.
 */

/** Where a request comes from, and by which session. */
export interface Entrant {
  ip: string
  session: Pick<Session, 'createdAt' | 'sso' | 'ownMeans'>
  /** To be let in all the same, by endpoints that tell them why others do not. */
  unguarded?: boolean
}

/** The columns of `space_security` that are asked for; all null where a space has no row. */
export interface SecurityColumns {
  ip_ranges: string[] | null
  /** Until when these ranges hold unless somebody inside confirms them, and what holds then; null: they hold. */
  trial_ends_at: Date | null
  ip_ranges_before: string[] | null
  session_hours: number | null
  second_factor: boolean | null
  sso_required: boolean | null
  /** The account that may come in without. */
  sso_exempt: string | null
  /** Of the member: their membership began again then, for those who sign in after it. */
  signed_in_after: Date | null
}

/**
 * Throws 403 `UsualSignInRequired` where a session that SSO made for another space ends, `IpAddressNotAllowed`,
 * `SsoRequired`, `SessionIsTooOld`, `SecondFactorRequired`. Who came by the space's own SSO is asked for no second factor of
 * ours: that is the organization's affair (docs/decisions/0051).
 */
export async function checkSecurity(
  db: Db,
  { accountId, spaceId }: { accountId: string; spaceId: number },
  security: SecurityColumns,
  { ip, session, unguarded }: Entrant,
  now: Date,
): Promise<void> {
  const bySso = session.sso?.spaceId === spaceId ? session.sso : null
  // Also where the space's own settings are not asked: this is what the session is.
  if (!bySso && !session.ownMeans) throw new AppError('UsualSignInRequired')
  if (unguarded) return
  if (!mayComeFrom(rangesNow(security, now), ip)) throw new AppError('IpAddressNotAllowed')
  if (security.sso_required && !bySso && accountId !== security.sso_exempt) throw new AppError('SsoRequired')
  const since = signedInAt(session, spaceId).getTime()
  if (security.session_hours !== null && now.getTime() - since > security.session_hours * 3_600_000)
    throw new AppError('SessionIsTooOld')
  if (security.signed_in_after !== null && since < security.signed_in_after.getTime())
    throw new AppError('SessionIsTooOld')
  if (bySso) return
  if ((security.second_factor || security.sso_required) && !(await accountHasSecondFactor(db, accountId)))
    throw new AppError('SecondFactorRequired')
}

/** Since when the owner of this session is signed in to a space. */
export function signedInAt({ createdAt, sso }: Entrant['session'], spaceId: number): Date {
  return sso?.spaceId === spaceId ? sso.at : createdAt
}

/** The ranges that hold at this moment: those on trial, until it ends. */
export const rangesNow = (
  {
    ip_ranges,
    trial_ends_at,
    ip_ranges_before,
  }: Pick<SecurityColumns, 'ip_ranges' | 'trial_ends_at' | 'ip_ranges_before'>,
  now = new Date(),
) => (trial_ends_at !== null && trial_ends_at.getTime() <= now.getTime() ? ip_ranges_before : ip_ranges)

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
export async function findSecurity(
  db: Db,
  spaceId: number,
): Promise<Omit<SecurityColumns, 'signed_in_after'>> {
  const row = await db
    .selectFrom('space_security')
    .select(['ip_ranges', 'trial_ends_at', 'ip_ranges_before'])
    .select(['session_hours', 'second_factor', 'sso_required', 'sso_exempt'])
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  const anywhere = { ip_ranges: null, trial_ends_at: null, ip_ranges_before: null }
  return (
    row ?? { ...anywhere, session_hours: null, second_factor: null, sso_required: null, sso_exempt: null }
  )
}
