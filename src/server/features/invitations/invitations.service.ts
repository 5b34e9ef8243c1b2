import { accountOf } from '#server/access/actor.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { newInvitationCode } from '#server/access/invitation-codes.ts'
import { admit, lockSpace, memberOf } from '#server/access/membership.ts'
import { readEmail } from '#server/features/accounts/accounts.service.ts'
import { addToApp, findMemberByEmail, type MemberRow } from '#server/features/members/members.service.ts'
import { requireGivable } from '#server/features/roles/roles.service.ts'
import { isSsoReady } from '#server/features/security/security.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { invitationDays } from '#shared/contract/invitations.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { type Language, preferredLanguage } from '#shared/languages.ts'
import { can, invitedRole, type Right } from '#shared/permissions.ts'
import * as invitations from './invitations.repository.ts'

export { acceptAtSignUp, presentTaken, takeInvitation } from './accepting.ts'
export type { InvitationRow } from './invitations.repository.ts'

/** An invitation at the one moment its address is known; null where it was mailed to the invited alone. */
export type Issued = invitations.InvitationRow & { url: string | null }

/** So many can be open in a space at a time: each may be a mail to a stranger. */
const maximumOpen = 1000
/** So many may take a link for which nobody says how many. */
const usesOfLink = 10
/** Seconds until the same one is mailed again. */
const pause = 60

const appOf = (ctx: SpaceContext | AppContext) => ('app' in ctx ? ctx.app : null)
const guard = (ctx: SpaceContext | AppContext): Right => ('app' in ctx ? 'app.manage' : 'member.manage')

/** Of the space, or those that come with the app. */
export function listInvitations(ctx: SpaceContext | AppContext): Promise<invitations.InvitationRow[]> {
  return invitations.listInvitations(ctx.db, ctx.scope, { appId: appOf(ctx)?.id ?? null, limit: 500 })
}

export interface NewInvitation {
  /** None: a link. */
  email?: string | undefined
  roleId?: string | undefined
  /** uid. */
  app?: string | undefined
  appRoleId?: string | undefined
  useSSO?: boolean | undefined
  maximumUses?: number | null | undefined
}

/**
 * Invites into the space, and into an app of it if asked, with roles that are the caller's to give. Throws
 * `ValidationFailed`, `InvalidRoleChange`, `Forbidden` (the app), `InvitedAccountAlreadyExists` for who is there already,
 * `SsoNotSetUp` when they are to come by SSO and nobody can.
 */
export async function createInvitation(
  ctx: SpaceContext,
  { email, app: appUid, useSSO = false, maximumUses = usesOfLink, ...roles }: NewInvitation,
): Promise<Issued> {
  await lockSpace(ctx, 'member.manage')
  if (useSSO) await requireSso(ctx, 'invitation.useSSO')
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
 * Takes a member of the space into the app; invites whoever is none. Throws as {@link createInvitation}; who is in the app
 * already is `InvitedAccountAlreadyExists`.
 */
export async function addAppMember(
  ctx: AppContext,
  input: Pick<NewInvitation, 'roleId' | 'appRoleId' | 'useSSO'> & { email: string },
): Promise<{ member: MemberRow } | { invitation: Issued }> {
  await lockSpace(ctx, 'app.manage')
  // Alone, `roleId` is that of the app: the call was about members of the space only.
  const path = input.appRoleId === undefined ? 'roleId' : 'appRoleId'
  const appRole = await givableInApp(ctx, input[path], path)
  const address = requireAddress(input.email, 'email')
  const known = await findMemberByEmail(ctx.db, ctx.scope, address.email)
  if (known) {
    const member = await addToApp(ctx, known.id, appRole)
    if (!member) throw isThere('email')
    return { member }
  }
  const inSpace = path === 'roleId' ? undefined : input.roleId
  const role = await requireGivable(ctx, 'project', inSpace ?? invitedRole, 'roleId')
  if (input.useSSO) await requireSso(ctx, 'useSSO')
  const given = { address, role: role.uid, appRole, useSSO: input.useSSO ?? false, maximumUses: 1 }
  return { invitation: await issue(ctx, ctx, given) }
}

/** An invitation that nobody can take as it asks for would have to be taken in another way, or never. */
async function requireSso({ db, scope }: SpaceContext, path: string): Promise<void> {
  if (!(await isSsoReady(db, scope)))
    throw new AppError('SsoNotSetUp', { issues: [{ path, code: 'InvalidValue' }] })
}

const isThere = (path: string) =>
  new AppError('InvitedAccountAlreadyExists', { issues: [{ path, code: 'DuplicatedValue' }] })

function requireAddress(text: string, path: string): { email: string; key: string } {
  const address = readEmail(text)
  if ('issue' in address) throw new AppError('ValidationFailed', { issues: [{ ...address.issue, path }] })
  return address
}

/** An app of the space whose members the caller looks after. Throws `ValidationFailed` for one they cannot know of, 403. */
async function openApp(ctx: SpaceContext, uid: string): Promise<AppContext> {
  const account = accountOf(ctx.actor)
  if (account === null) throw new AppError('Forbidden')
  const admitted = await admit(ctx.db, account, { space: ctx.space.uid, app: uid }).catch(
    (error: unknown) => {
      throw error instanceof AppError && error.code === 'NotFound'
        ? invalid('invitation.app', 'InvalidValue')
        : error
    },
  )
  if (!('app' in admitted) || !can(admitted.grants, 'app.manage')) throw new AppError('Forbidden')
  return { ...ctx, ...admitted }
}

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

/** Asks somebody whom a directory has made a member to come and be it. The space is locked. */
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

/** What was sent to them is good for nothing more. */
export async function revokeOfProvisioned(
  { db, scope }: Pick<SpaceContext, 'db' | 'scope'>,
  memberId: string,
): Promise<void> {
  await invitations.revokeOfProvisioned(db, scope, memberId)
}

const linkOf = ({ services, space }: SpaceContext, code: string) =>
  `${services.config.url}/${encodeURIComponent(space.uid)}/invitation?code=${code}`

/** By mail to who is invited, or as an address to whoever made the link. */
async function send(ctx: SpaceContext, invitation: invitations.InvitationRow, code: string): Promise<Issued> {
  const language = ctx.actor.kind === 'account' ? ctx.actor.language : preferredLanguage()
  const link = linkOf(ctx, code)
  if (invitation.email === null) return { ...invitation, url: link }
  const values = {
    inviter: invitation.memberName,
    space: ctx.space.name,
    app: invitation.appName ?? '',
    link,
    days: invitationDays,
  }
  await ctx.services.mail.send(
    ctx.db,
    { to: invitation.email, language, template: 'invitation', values, expiresAt: invitation.expiresAt },
    { scope: ctx.scope, requestedBy: accountOf(ctx.actor) },
  )
  return { ...invitation, url: null }
}

/**
 * Sends an invitation again, or makes a new address of a link; what was sent before is good for nothing more, and the
 * caller stands for it from now on. Throws `InvalidRoleChange`, `SsoNotSetUp`, `TooManyRequests` (mailed a moment ago), 404.
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
  if (before.useSSO) await requireSso(ctx, 'useSSO')
  const wait = Math.ceil(pause - (Date.now() - before.sentAt.getTime()) / 1000)
  if (before.email !== null && wait > 0)
    throw new AppError('TooManyRequests', { headers: { 'retry-after': String(wait) } })
  const { code, hash } = newInvitationCode()
  const renewal = { codeHash: hash, memberId: memberOf(ctx), days: invitationDays }
  await invitations.renewInvitation(ctx.db, ctx.scope, id, renewal)
  await record(ctx, before.appId, 'invitation.renewed', id)
  return send(ctx, await require(ctx, id, appId), code)
}

/** Throws 404. */
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
