import type { Db } from '#server/db/scope.ts'
import { type IpRanges, ipRanges } from '#server/lib/ip-ranges.ts'
import { AppError } from '#shared/errors.ts'
import { type Grants, hasAllRights } from '#shared/permissions.ts'
import type { Session } from './sessions.ts'
import { accountHasSecondFactor } from './sign-in-challenges.ts'

/*
 * The security requirements of a space in addition to rights (docs/decisions/0050). They are checked in each
 * transaction that a user starts in a space, so that a change takes effect at the next request in all processes.
 */

export interface Entrant {
  ip: string
  session: Pick<Session, 'createdAt' | 'sso' | 'ownMeans'>
  /**
   * Skips all requirements except `UsualSignInRequired`, for endpoints that explain why other endpoints refuse the
   * caller.
   */
  unguarded?: boolean
}

/**
 * The security columns of a space and its member. The columns of `space_security` are all null if the space has no row.
 */
export interface SecurityColumns {
  ip_ranges: string[] | null
  /**
   * Time until which a member with all rights, whose IP address is in the new ranges, must confirm them. After that
   * time `ip_ranges_before` applies. null: no ranges wait for confirmation.
   */
  ip_ranges_pending_until: Date | null
  ip_ranges_before: string[] | null
  session_hours: number | null
  second_factor: boolean | null
  sso_required: boolean | null
  /** The account that may enter without SSO if the space requires SSO. */
  sso_exempt: string | null
  /**
   * A column of the member: when the membership was renewed. Sign-ins before that time do not count. null: all sign-ins
   * count.
   */
  signed_in_after: Date | null
}

/**
 * Checks the security requirements. Throws 403: `UsualSignInRequired` if the owner of the session has signed in only by
 * another space's SSO, `IpAddressNotAllowed`, `SsoRequired`, `SessionIsTooOld`, or `SecondFactorRequired`. Callers
 * signed in by the space's own SSO need no second factor here: the organization is responsible for that
 * (docs/decisions/0051).
 */
export async function checkSecurity(
  db: Db,
  { accountId, spaceId, grants }: { accountId: string; spaceId: number; grants: Grants },
  security: SecurityColumns,
  { ip, session, unguarded }: Entrant,
  now: Date,
): Promise<void> {
  const bySso = session.sso?.spaceId === spaceId ? session.sso : null
  // Applies even if the requirements are skipped, because such a session is not valid in this space.
  if (!bySso && !session.ownMeans) throw new AppError('UsualSignInRequired')
  if (unguarded) return
  if (!mayEnterFrom(security, grants, ip, now)) throw new AppError('IpAddressNotAllowed')
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

/**
 * Returns when the owner of this session signed in for this space: by the space's SSO, or otherwise at the start of the
 * session.
 */
export function signedInAt({ createdAt, sso }: Entrant['session'], spaceId: number): Date {
  return sso?.spaceId === spaceId ? sso.at : createdAt
}

type RangeColumns = Pick<SecurityColumns, 'ip_ranges' | 'ip_ranges_pending_until' | 'ip_ranges_before'>

/**
 * Returns whether a member with these rights may enter from the IP address. While new ranges wait for confirmation,
 * members with all rights may also enter from the previous ranges. Otherwise a member who only manages security could
 * lock them out by setting new ranges again and again.
 */
export const mayEnterFrom = (security: RangeColumns, grants: Grants, ip: string, now = new Date()): boolean =>
  mayComeFrom(rangesNow(security, now), ip) ||
  (security.ip_ranges_pending_until !== null &&
    hasAllRights(grants) &&
    mayComeFrom(security.ip_ranges_before, ip))

/**
 * Returns the ranges that currently apply: the new ranges until their time for confirmation ends, then the previous
 * ones.
 */
export const rangesNow = (
  { ip_ranges, ip_ranges_pending_until, ip_ranges_before }: RangeColumns,
  now = new Date(),
) =>
  ip_ranges_pending_until !== null && ip_ranges_pending_until.getTime() <= now.getTime()
    ? ip_ranges_before
    : ip_ranges

/** Cache of compiled lists of ranges, by their text. Cleared when it is full. */
const compiled = new Map<string, IpRanges>()
const mostCompiled = 1000

/** Returns whether the IP address is in one of these ranges. `ranges` null allows every address. */
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

/** Loads the columns of `space_security`. They are all null if the space has no row. */
export async function findSecurity(
  db: Db,
  spaceId: number,
): Promise<Omit<SecurityColumns, 'signed_in_after'>> {
  const row = await db
    .selectFrom('space_security')
    .select(['ip_ranges', 'ip_ranges_pending_until', 'ip_ranges_before'])
    .select(['session_hours', 'second_factor', 'sso_required', 'sso_exempt'])
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  const anywhere = { ip_ranges: null, ip_ranges_pending_until: null, ip_ranges_before: null }
  return (
    row ?? { ...anywhere, session_hours: null, second_factor: null, sso_required: null, sso_exempt: null }
  )
}

/**
 * Returns whether any space that requires SSO exempts this account, as its fallback if the identity provider fails. For
 * use outside of spaces.
 */
export async function isSsoExempt(db: Db, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom('space_security')
    .innerJoin('space', 'space.id', 'space_security.space_id')
    .select('space.id')
    .where('sso_required', '=', true)
    .where('sso_exempt', '=', accountId)
    .where('space.deleted_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}
