import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { requireQuota } from '#server/access/entitlements.ts'
import { newInvitationCode } from '#server/access/invitation-codes.ts'
import { intoAppNamed, lockSpace, memberOf } from '#server/access/membership.ts'
import { readEmail } from '#server/features/accounts/accounts.service.ts'
import {
  addOtherToApp,
  findMemberByEmail,
  type MemberRow,
  requireMember,
} from '#server/features/members/members.service.ts'
import { requireGivable } from '#server/features/roles/roles.service.ts'
import { listSsoDomains } from '#server/features/security/security.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { domainOf } from '#server/lib/email-domain.ts'
import { findMailTroubles } from '#server/mailing/mail-troubles.ts'
import { type InvitationSsoProblem, invitationDays } from '#shared/contract/invitations.ts'
import { AppError, type ErrorCode, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { type Language, preferredLanguage } from '#shared/languages.ts'
import { invitedRole, type Right } from '#shared/permissions.ts'
import * as invitations from './invitations.repository.ts'

export { acceptAtSignUp, InvitationIsUsed, presentTaken, type Taken, takeInvitation } from './accepting.ts'
export type { InvitationRow } from './invitations.repository.ts'

/**
 * A new or renewed invitation with its link, which is not stored. `isMailed`: a mail server sends it to the email
 * address.
 */
export type Issued = invitations.InvitationRow & { url: string; isMailed: boolean }

/**
 * Maximum number of open invitations per space, because each may be a mail to a stranger. Not checked for invitations
 * by a directory.
 */
const maximumOpen = 1000
/** Default number of uses of a link. */
const usesOfLink = 10
/** Minimum seconds between two mails of the same invitation. */
const pause = 60

const appOf = (ctx: SpaceContext | AppContext) => ('app' in ctx ? ctx.app : null)
const guard = (ctx: SpaceContext | AppContext): Right => ('app' in ctx ? 'app.manage' : 'member.manage')

/** An invitation with the reason why it cannot be accepted by SSO. null: it can, or it does not require SSO. */
export type ListedInvitation = invitations.InvitationRow & { ssoProblem: InvitationSsoProblem | null }

/**
 * Returns up to 500 invitations of the space, or of the app, and the domains whose users can accept invitations that
 * require SSO. No domains: SSO cannot be used.
 */
export async function listInvitations(
  ctx: SpaceContext | AppContext,
): Promise<{ invitations: ListedInvitation[]; ssoDomains: string[] }> {
  const of = { appId: appOf(ctx)?.id ?? null, limit: 500 }
  const rows = await invitations.listInvitations(ctx.db, ctx.scope, of)
  const ssoDomains = await listSsoDomains(ctx.db, ctx.scope)
  const listed = rows.map((row) => ({
    ...row,
    ssoProblem: row.useSSO ? ssoProblemOf(row.email, ssoDomains) : null,
  }))
  return { invitations: listed, ssoDomains }
}

/** Returns the number of mails of the space from the last seven days that could not be sent so far. */
export async function countUnsentMails({ db, scope }: SpaceContext): Promise<number> {
  const troubles = await findMailTroubles(db, scope)
  return troubles ? troubles.waiting + troubles.givenUp : 0
}

/** Returns why an invitation by SSO cannot be accepted. null: it can be accepted. `email` null: a link. */
function ssoProblemOf(email: string | null, ssoDomains: readonly string[]): InvitationSsoProblem | null {
  if (ssoDomains.length === 0) return 'notSetUp'
  const domain = email === null ? null : domainOf(email.toLowerCase())
  return domain === null || ssoDomains.includes(domain) ? null : 'domain'
}

export interface NewInvitation {
  /** Absent: a link. */
  email?: string | undefined
  roleId?: string | undefined
  /** uid of the app. */
  app?: string | undefined
  appRoleId?: string | undefined
  useSSO?: boolean | undefined
  maximumUses?: number | null | undefined
}

/**
 * Creates an invitation to the space, and optionally to an app, with roles that the caller may assign. Throws
 * `ValidationFailed`, `InvalidRoleChange`, `Forbidden` if the caller does not manage the app, and
 * `InvitedAccountAlreadyExists` for a member. Throws `SsoNotSetUp` and `SsoDomainIsNotVerified` if SSO is required but
 * cannot be used, or not with this address. Throws `MemberQuotaExceeded` if the space has no room for another member.
 */
export async function createInvitation(
  ctx: SpaceContext,
  { email, app: appUid, useSSO = false, maximumUses = usesOfLink, ...roles }: NewInvitation,
): Promise<Issued> {
  await lockSpace(ctx, 'member.manage')
  if (useSSO) await requireSso(ctx, email ?? null, 'invitation.')
  const app = appUid === undefined ? null : await openApp(ctx, appUid)
  const role = await requireGivable(ctx, 'project', roles.roleId ?? invitedRole, 'invitation.roleId')
  const appRole = app && (await givableInApp(app, roles.appRoleId, 'invitation.appRoleId'))
  const address = email === undefined ? null : requireAddress(email, 'invitation.email')
  const member = address && (await findMemberByEmail(ctx.db, ctx.scope, address.email))
  if (member) throw isThere('invitation.email')
  const uses = address ? 1 : maximumUses
  return issue(ctx, app, { address, role: role.uid, appRole, useSSO, maximumUses: uses })
}

/**
 * Adds a member of the space to the app. Invites any other person. Throws like {@link createInvitation}, and 404 for an
 * unknown `memberId`. Throws `InvitedAccountAlreadyExists` for a member of the app. Throws `MemberEmailIsNotVerified`
 * if a member's address is unverified and may belong to another person; the caller must then send `memberId`.
 */
export async function addAppMember(
  ctx: AppContext,
  input: Pick<NewInvitation, 'roleId' | 'appRoleId' | 'useSSO'> & {
    email?: string | undefined
    memberId?: string | undefined
  },
): Promise<{ member: MemberRow } | { invitation: Issued }> {
  await lockSpace(ctx, 'app.manage')
  // Without `appRoleId`, `roleId` is the role in the app, for clients that only add members of the space.
  const path = input.appRoleId === undefined ? 'roleId' : 'appRoleId'
  const appRole = await givableInApp(ctx, input[path], path)
  const take = async ({ id }: MemberRow, from: 'email' | 'memberId') => {
    const member = await addOtherToApp(ctx, id, appRole)
    if (!member) throw isThere(from)
    return { member }
  }
  if (input.memberId !== undefined) return take(await requireMember(ctx, input.memberId), 'memberId')
  const address = requireAddress(input.email ?? '', 'email')
  const known = await findMemberByEmail(ctx.db, ctx.scope, address.email)
  if (known?.emailVerified) return take(known, 'email')
  if (known) {
    const { id, name } = known
    throw new AppError('MemberEmailIsNotVerified', { details: { member: { _id: id, name } } })
  }
  const inSpace = path === 'roleId' ? undefined : input.roleId
  const role = await requireGivable(ctx, 'project', inSpace ?? invitedRole, 'roleId')
  if (input.useSSO) await requireSso(ctx, address.email)
  const given = { address, role: role.uid, appRole, useSSO: input.useSSO ?? false, maximumUses: 1 }
  return { invitation: await issue(ctx, ctx, given) }
}

/**
 * Throws `SsoNotSetUp` if SSO cannot be used, and `SsoDomainIsNotVerified` if it cannot be used with this address. An
 * invitation that requires SSO could then not be accepted.
 */
async function requireSso({ db, scope }: SpaceContext, email: string | null, place = ''): Promise<void> {
  const problem = ssoProblemOf(email, await listSsoDomains(db, scope))
  const refuse = (code: ErrorCode, name: string) =>
    new AppError(code, { issues: [{ path: `${place}${name}`, code: 'InvalidValue' }] })
  if (problem === 'notSetUp') throw refuse('SsoNotSetUp', 'useSSO')
  if (problem === 'domain') throw refuse('SsoDomainIsNotVerified', 'email')
}

const isThere = (path: string) =>
  new AppError('InvitedAccountAlreadyExists', { issues: [{ path, code: 'DuplicatedValue' }] })

function requireAddress(text: string, path: string): { email: string; key: string } {
  const address = readEmail(text)
  if ('issue' in address) throw new AppError('ValidationFailed', { issues: [{ ...address.issue, path }] })
  return address
}

/**
 * Returns the context of an app in which the caller may manage members. Throws `ValidationFailed` if the app does not
 * exist or is not visible to the caller, and `Forbidden` if the caller lacks `app.manage`.
 */
const openApp = (ctx: SpaceContext, uid: string) => intoAppNamed(ctx, uid, 'app.manage', 'invitation.app')

const givableInApp = async (ctx: AppContext, uid: string | undefined, path: string) =>
  (await requireGivable(ctx, 'app', uid ?? ctx.app.defaultRole, path)).uid

interface Given {
  address: { email: string; key: string } | null
  role: string
  appRole: string | null
  useSSO: boolean
  maximumUses: number | null
}

async function issue(
  ctx: SpaceContext,
  app: AppContext | null,
  { appRole, ...given }: Given,
): Promise<Issued> {
  const appId = app?.app.id ?? null
  if (given.address) await invitations.revokeEarlier(ctx.db, ctx.scope, given.address.key, appId)
  if ((await invitations.countOpen(ctx.db, ctx.scope)) >= maximumOpen)
    throw invalid('invitation', 'TooManyItems', { maximum: maximumOpen })
  // An invitation reserves no membership. Accepting it checks the quota again.
  await requireQuota(ctx, 'members')
  const { code, hash } = newInvitationCode()
  const id = await invitations.insertInvitation(ctx.db, ctx.scope, {
    ...given,
    codeHash: hash,
    app: app && appRole !== null ? { id: app.app.id, role: appRole } : null,
    memberId: memberOf(ctx),
    days: invitationDays,
  })
  await record(ctx, appId, 'invitation.created', id)
  return send(ctx, await require(ctx, id, appId), code)
}

/** Mails an invitation to claim the member that a directory created for a person. The space must be locked. */
export async function inviteProvisioned(
  ctx: SpaceContext,
  { memberId, email, role, language }: { memberId: string; email: string; role: string; language: Language },
): Promise<void> {
  const address = requireAddress(email, 'emails')
  await invitations.revokeEarlier(ctx.db, ctx.scope, address.key, null)
  const { code, hash } = newInvitationCode()
  const id = await invitations.insertInvitation(ctx.db, ctx.scope, {
    address,
    role,
    app: null,
    useSSO: false,
    maximumUses: 1,
    codeHash: hash,
    memberId,
    provisioned: memberId,
    days: invitationDays,
  })
  await record(ctx, null, 'invitation.created', id)
  const { expiresAt } = await require(ctx, id, null)
  const link = linkOf(ctx, code)
  const values = { space: ctx.space.name, link, days: invitationDays }
  const mail = { to: address.email, language, template: 'provisioned', values, expiresAt } as const
  await ctx.services.mail.send(ctx.db, mail, { scope: ctx.scope })
}

/** Revokes the invitations to claim this member. */
export async function revokeOfProvisioned(
  { db, scope }: Pick<SpaceContext, 'db' | 'scope'>,
  memberId: string,
): Promise<void> {
  await invitations.revokeOfProvisioned(db, scope, memberId)
}

const linkOf = ({ services, space }: SpaceContext, code: string) =>
  `${services.config.url}/${encodeURIComponent(space.uid)}/invitation?code=${code}`

async function send(ctx: SpaceContext, invitation: invitations.InvitationRow, code: string): Promise<Issued> {
  const language = ctx.actor.kind === 'account' ? ctx.actor.language : preferredLanguage()
  // Recorded only if the invitation requires SSO, because most do not.
  if (invitation.useSSO) noteAudit(ctx, { facts: { useSSO: true } })
  const link = linkOf(ctx, code)
  if (invitation.email === null) return { ...invitation, url: link, isMailed: false }
  const values = {
    inviter: invitation.memberName,
    space: ctx.space.name,
    app: invitation.appName ?? '',
    role: { uid: invitation.role, name: invitation.roleName },
    appRole: invitation.appRole === null ? null : { uid: invitation.appRole, name: invitation.appRoleName },
    ssoEmail: invitation.useSSO ? invitation.email : null,
    link,
    days: invitationDays,
  }
  await ctx.services.mail.send(
    ctx.db,
    { to: invitation.email, language, template: 'invitation', values, expiresAt: invitation.expiresAt },
    { scope: ctx.scope, requestedBy: accountOf(ctx.actor) },
  )
  return { ...invitation, url: link, isMailed: ctx.services.config.mail.url !== undefined }
}

/**
 * Mails an invitation again, or renews a link. The former code becomes invalid and the caller becomes the inviter.
 * Throws 404, `InvalidRoleChange`, `SsoNotSetUp`, `SsoDomainIsNotVerified`, and `TooManyRequests` for an invitation
 * that was mailed less than a minute ago.
 */
export async function renewInvitation(ctx: SpaceContext | AppContext, id: string): Promise<Issued> {
  await lockSpace(ctx, guard(ctx))
  const appId = appOf(ctx)?.id ?? null
  const before = await require(ctx, id, appId)
  await requireGivable(ctx, 'project', before.role, 'roleId')
  if (before.appUid !== null && before.appRole !== null) {
    const app = 'app' in ctx ? ctx : await openApp(ctx, before.appUid)
    await requireGivable(app, 'app', before.appRole, 'appRoleId')
  }
  if (before.useSSO) await requireSso(ctx, before.email)
  const wait = Math.ceil(pause - (Date.now() - before.sentAt.getTime()) / 1000)
  if (before.email !== null && wait > 0)
    throw new AppError('TooManyRequests', { headers: { 'retry-after': String(wait) } })
  const { code, hash } = newInvitationCode()
  const renewal = { codeHash: hash, memberId: memberOf(ctx), days: invitationDays }
  await invitations.renewInvitation(ctx.db, ctx.scope, id, renewal)
  await record(ctx, before.appId, 'invitation.renewed', id)
  return send(ctx, await require(ctx, id, appId), code)
}

/** Revokes an invitation. Throws 404. */
export async function revokeInvitation(ctx: SpaceContext | AppContext, id: string): Promise<void> {
  const { appId } = await require(ctx, id, appOf(ctx)?.id ?? null)
  await invitations.revokeInvitation(ctx.db, ctx.scope, { id, appId })
  await record(ctx, appId, 'invitation.revoked', id)
}

async function require(
  ctx: SpaceContext,
  id: string,
  appId: number | null,
): Promise<invitations.InvitationRow> {
  const found = idPattern.test(id) ? await invitations.findInvitation(ctx.db, ctx.scope, { id, appId }) : null
  if (!found) throw new AppError('NotFound')
  return found
}

async function record(
  ctx: SpaceContext,
  appId: number | null,
  type: 'invitation.created' | 'invitation.renewed' | 'invitation.revoked',
  invitationId: string,
): Promise<void> {
  const subject = { ...(appId === null ? {} : { appId }), actor: ctx.actor }
  await recordEvent(ctx.db, ctx.scope, type, { invitationId }, subject)
}
