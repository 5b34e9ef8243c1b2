import { isDeepStrictEqual } from 'node:util'
import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { findGrants } from '#server/access/grants.ts'
import { lockSpace } from '#server/access/membership.ts'
import { type Entrant, findSecurity, mayComeFrom, mayEnterFrom, signedInAt } from '#server/access/security.ts'
import { accountHasSecondFactor } from '#server/access/sign-in-challenges.ts'
import { findMemberOfAccount, requireMember } from '#server/features/members/members.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { readIpRange, removesRange } from '#server/lib/ip-ranges.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import type { Security, securityEndpoints } from '#shared/contract/security.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { hasAllRights } from '#shared/permissions.ts'
import { revertRangesJob } from './security.jobs.ts'
import {
  findSettings,
  listSsoDomains,
  noPendingRanges,
  noPendingTokenRanges,
  type SecurityRow,
  saveSettings,
} from './security.repository.ts'

export { liftRanges, liftSso, listSsoDomains, ssoIsReady } from './security.repository.ts'

type Input = BodyOf<(typeof securityEndpoints)['updateSecurity']>

/** The IP address and session of the caller, to detect settings that would lock them out. */
export type Author = Pick<Entrant, 'ip' | 'session'>

const present = (row: SecurityRow): Security => ({
  ipRanges: row.ip_ranges,
  tokenIpRanges: row.token_ip_ranges,
  sessionHours: row.session_hours,
  secondFactorRequired: row.second_factor,
  ssoRequired: row.sso_required,
  ssoExemptAccountId: row.sso_exempt,
  auditDays: row.audit_days,
  addressesVisible: row.addresses_visible,
  ipRangesPendingUntil: row.ip_ranges_pending_until?.toISOString() ?? null,
  tokenIpRangesPendingUntil: row.token_ip_ranges_pending_until?.toISOString() ?? null,
  version: row.version,
})

export async function getSecurity(ctx: SpaceContext): Promise<Security> {
  return present(await findSettings(ctx.db, ctx.scope))
}

/**
 * Updates the settings. Throws `ValidationFailed` with the path of an invalid setting, `VersionConflict`,
 * `WouldLockOutYourself`, `WouldLimitTokens`. Throws 403 for callers without all rights who limit tokens or set
 * `lockOutMyself`. Otherwise they might leave no member who can undo it.
 */
export async function updateSecurity(
  ctx: SpaceContext,
  { data, lockOutMyself = false, limitTokens = false }: Input,
  author: Author,
): Promise<Security> {
  await lockSpace(ctx, 'security.manage')
  const before = await findSettings(ctx.db, ctx.scope)
  requireVersion(before, data.version)
  const wanted: SecurityRow = {
    ...before,
    ...(data.ipRanges === undefined ? {} : { ip_ranges: readRanges('ipRanges', data.ipRanges) }),
    ...(data.tokenIpRanges === undefined
      ? {}
      : { token_ip_ranges: readRanges('tokenIpRanges', data.tokenIpRanges) }),
    ...(data.sessionHours === undefined ? {} : { session_hours: data.sessionHours }),
    ...(data.secondFactorRequired === undefined ? {} : { second_factor: data.secondFactorRequired }),
    ...(data.ssoRequired === undefined ? {} : { sso_required: data.ssoRequired }),
    ...(data.ssoExemptAccountId === undefined ? {} : { sso_exempt: data.ssoExemptAccountId }),
    ...(data.auditDays === undefined ? {} : { audit_days: data.auditDays }),
    ...(data.addressesVisible === undefined ? {} : { addresses_visible: data.addressesVisible }),
  }
  if (wanted.second_factor && !before.second_factor) await requireOwnSecondFactor(ctx)
  if (wanted.sso_required) await checkSso(ctx, before, wanted)
  if (!lockOutMyself) requireWayBack(ctx, wanted, author)
  else if (!hasAllRights(ctx.grants)) throw new AppError('Forbidden')
  // An admin who saves ranges from an IP address inside them confirms pending ranges.
  if (data.ipRanges !== undefined) Object.assign(wanted, pendingRangesOf(ctx, before, wanted, author))
  if (data.tokenIpRanges !== undefined)
    Object.assign(wanted, pendingTokenRangesOf(ctx, before, wanted, limitTokens))
  const saved = await saveSettings(ctx.db, ctx.scope, wanted)
  for (const runAt of [saved.ip_ranges_pending_until, saved.token_ip_ranges_pending_until])
    if (runAt !== null) await enqueue(ctx.db, revertRangesJob, {}, { scope: ctx.scope, runAt })
  noteAudit(ctx, {
    objectId: ctx.space.uid,
    objectName: ctx.space.name,
    before: await audited(ctx, before),
    after: await audited(ctx, saved),
  })
  return present(saved)
}

/**
 * Minutes for which pending ranges apply before the former ranges return, unless an admin confirms them. IP ranges are
 * pending if they exclude their author, or if their author lacks some rights and might exclude the admins. {@link
 * pendingTokenRangesOf} decides about token ranges. Saving again does not prolong this time.
 */
const pendingMinutes = 10

function pendingRangesOf(ctx: SpaceContext, before: SecurityRow, { ip_ranges }: SecurityRow, { ip }: Author) {
  if (ip_ranges === null || (mayComeFrom(ip_ranges, ip) && hasAllRights(ctx.grants))) return noPendingRanges
  return {
    ip_ranges_pending_until: before.ip_ranges_pending_until ?? pendingUntil(ctx),
    ip_ranges_before: before.ip_ranges_pending_until === null ? before.ip_ranges : before.ip_ranges_before,
  }
}

/**
 * Returns the pending state of token ranges. Ranges that remove a confirmed IP address are always pending: no request
 * of their author shows that the sites still reach the delivery API. Saving the same ranges again neither confirms them
 * nor prolongs the pending period.
 *
 * If changed ranges remove an address, throws 403 for callers without all rights, who could otherwise stop all sites
 * again and again, and `WouldLimitTokens` unless `limitTokens` is set.
 */
function pendingTokenRangesOf(
  ctx: SpaceContext,
  before: SecurityRow,
  { token_ip_ranges }: SecurityRow,
  limitTokens: boolean,
) {
  const { token_ip_ranges_pending_until: endsAt } = before
  const confirmed = endsAt === null ? before.token_ip_ranges : before.token_ip_ranges_before
  if (!removesRange(confirmed, token_ip_ranges)) return noPendingTokenRanges
  if (!isDeepStrictEqual(token_ip_ranges, before.token_ip_ranges)) {
    if (!hasAllRights(ctx.grants)) throw new AppError('Forbidden')
    if (!limitTokens) throw new AppError('WouldLimitTokens')
  }
  return { token_ip_ranges_pending_until: endsAt ?? pendingUntil(ctx), token_ip_ranges_before: confirmed }
}

const pendingUntil = ({ services }: SpaceContext) =>
  new Date(services.clock().getTime() + pendingMinutes * 60_000)

/**
 * Confirms the pending ranges. Throws 403 for callers without all rights, `VersionConflict` if the settings changed
 * since the caller read them, and `IpAddressNotAllowed` for an IP address outside of the ranges. Changes nothing if no
 * ranges are pending.
 */
export async function confirmRanges(
  ctx: SpaceContext,
  { version, ip }: { version?: number | undefined } & Pick<Author, 'ip'>,
): Promise<Security> {
  const before = await openConfirmation(ctx, version)
  if (!mayComeFrom(before.ip_ranges, ip)) throw new AppError('IpAddressNotAllowed')
  noteAudit(ctx, {
    objectId: ctx.space.uid,
    objectName: ctx.space.name,
    facts: { ipRanges: (before.ip_ranges ?? []).join(', ').slice(0, 300) },
  })
  if (before.ip_ranges_pending_until === null) return present(before)
  return present(await saveSettings(ctx.db, ctx.scope, { ...before, ...noPendingRanges }))
}

/**
 * Confirms the pending token ranges. Throws 403 for callers without all rights, and `VersionConflict` if the settings
 * changed since the caller read them.
 */
export async function confirmTokenRanges(ctx: SpaceContext, version?: number): Promise<Security> {
  const before = await openConfirmation(ctx, version)
  noteAudit(ctx, {
    objectId: ctx.space.uid,
    objectName: ctx.space.name,
    facts: { tokenIpRanges: (before.token_ip_ranges ?? []).join(', ').slice(0, 300) },
  })
  if (before.token_ip_ranges_pending_until === null) return present(before)
  return present(await saveSettings(ctx.db, ctx.scope, { ...before, ...noPendingTokenRanges }))
}

async function openConfirmation(ctx: SpaceContext, version: number | undefined): Promise<SecurityRow> {
  await lockSpace(ctx, 'security.manage')
  if (!hasAllRights(ctx.grants)) throw new AppError('Forbidden')
  const before = await findSettings(ctx.db, ctx.scope)
  requireVersion(before, version)
  return before
}

function requireVersion(row: SecurityRow, version: number | undefined): void {
  if (version !== undefined && version !== row.version)
    throw new AppError('VersionConflict', { details: { current: row.version } })
}

/**
 * Returns the settings for the audit log. The account exempt from SSO is given by its name or email address, or by its
 * id if it is not a member.
 */
async function audited(ctx: SpaceContext, row: SecurityRow) {
  const { sso_exempt: exempt } = row
  const memberId = exempt === null ? null : await findMemberOfAccount(ctx.db, ctx.scope, exempt)
  const member = memberId === null ? null : await requireMember(ctx, memberId)
  return { ...present(row), ssoExempt: member ? member.name || member.email : exempt }
}

function readRanges(name: 'ipRanges' | 'tokenIpRanges', given: string[] | null): string[] | null {
  if (given === null) return null
  const ranges = given.map((text, index) => {
    const range = readIpRange(text)
    if (range === null) throw invalid(`data.${name}.${index}`, 'InvalidFormat')
    return range
  })
  return [...new Set(ranges)]
}

async function requireOwnSecondFactor(ctx: SpaceContext): Promise<void> {
  const accountId = accountOf(ctx.actor)
  if (accountId === null || !(await accountHasSecondFactor(ctx.db, accountId)))
    throw invalid('data.secondFactorRequired', 'InvalidValue')
}

/**
 * Checks that SSO can become mandatory: it must be set up, and an admin with a second factor must be exempt, in case
 * the identity provider fails. Throws `ValidationFailed`.
 */
async function checkSso(ctx: SpaceContext, before: SecurityRow, wanted: SecurityRow): Promise<void> {
  const exempt = wanted.sso_exempt
  if (before.sso_required && before.sso_exempt === exempt) return
  if ((await listSsoDomains(ctx.db, ctx.scope)).length === 0)
    throw invalid('data.ssoRequired', 'InvalidValue')
  if (exempt === null) throw invalid('data.ssoExemptAccountId', 'Required')
  const memberId = await findMemberOfAccount(ctx.db, ctx.scope, exempt)
  const grants = memberId === null ? null : await findGrants(ctx.db, ctx.scope, memberId)
  if (grants === null || !hasAllRights(grants) || !(await accountHasSecondFactor(ctx.db, exempt)))
    throw invalid('data.ssoExemptAccountId', 'InvalidValue')
}

/** Throws `WouldLockOutYourself` with the `reason` if the settings would lock out the caller. */
function requireWayBack(
  { scope, actor }: SpaceContext,
  { ip_ranges, session_hours, sso_required, sso_exempt }: SecurityRow,
  { ip, session }: Author,
): void {
  if (!mayComeFrom(ip_ranges, ip)) throw wouldLockOut('address')
  const age = Date.now() - signedInAt(session, scope.spaceId).getTime()
  if (session_hours !== null && age > session_hours * 3_600_000) throw wouldLockOut('session')
  const bySso = session.sso?.spaceId === scope.spaceId
  if (sso_required && !bySso && accountOf(actor) !== sso_exempt) throw wouldLockOut('sso')
}

const wouldLockOut = (reason: 'address' | 'session' | 'sso') =>
  new AppError('WouldLockOutYourself', { details: { reason } })

/** Checks whether the caller has the second factor that the space requires. */
export async function validateSecondFactor({ db, scope, actor }: SpaceContext) {
  const { second_factor: isRequired } = await findSecurity(db, scope.spaceId)
  const accountId = accountOf(actor)
  if (!isRequired) return { isValid: true, isRequired: false }
  return { isValid: accountId !== null && (await accountHasSecondFactor(db, accountId)), isRequired: true }
}

export async function validateIp({ db, scope, grants }: SpaceContext, ip: string) {
  return { isValid: mayEnterFrom(await findSecurity(db, scope.spaceId), grants, ip), address: ip }
}
