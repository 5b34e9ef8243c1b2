import { presentAccountIcon } from '#server/access/account.ts'
import { type AccountActor, accountOf, calledOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { type ActorGrants, findGrants } from '#server/access/grants.ts'
import { holdSpace, lockSpace, memberOf } from '#server/access/membership.ts'
import { appScope, type SpaceScope, type Tx } from '#server/db/scope.ts'
import {
  hasAdmin,
  requireAdmin,
  requireCommand,
  requireGivable,
  rightsOfRole,
} from '#server/features/roles/roles.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { allRights, can, creatorRoles } from '#shared/permissions.ts'
import * as appMembers from './app-members.repository.ts'
import type { MemberQuery, MemberRow } from './members.repository.ts'
import * as members from './members.repository.ts'
import * as provisioned from './provisioned.repository.ts'
import { forgetAccount } from './removed.repository.ts'

export { findMember, findMemberByEmail, findMemberOfAccount, type MemberRow } from './members.repository.ts'
export { findProvisionedAt } from './provisioned.repository.ts'
export { forgetAddresses, isRemoved, rememberAddresses, whoIs } from './removed.repository.ts'

type Viewer = Pick<SpaceContext, 'actor' | 'grants'>

/** Do they look after the members of where they are? */
const looksAfter = ({ grants }: Viewer) => can(grants, 'member.manage') || can(grants, 'app.manage')

/**
 * When somebody was last here, and how they come in, is for those to know who look after members; so is their address, unless the
 * space shows it to all (`addresses`) or it is the caller's own.
 */
export const presentMember = (
  { id, role, iconId, lastSeenAt, identities, email, ...member }: MemberRow,
  viewer: Viewer,
  addresses = looksAfter(viewer),
) => ({
  ...member,
  email: addresses || member.accountId === accountOf(viewer.actor) ? email : null,
  _id: id,
  roleId: role,
  icon: presentAccountIcon(member.accountId, iconId),
  lastSeenAt: looksAfter(viewer) ? lastSeenAt : null,
  identities: can(viewer.grants, 'member.manage') ? identities : null,
})

/** A page of the members, and whether the caller sees their addresses: nobody is found by one that is not shown. */
export async function listMembers(ctx: SpaceContext, query: Omit<MemberQuery, 'byAddress'>) {
  const byAddress = await seesAddresses(ctx)
  return { addresses: byAddress, ...(await members.listMembers(ctx.db, ctx.scope, { ...query, byAddress })) }
}

const seesAddresses = async (ctx: SpaceContext) =>
  looksAfter(ctx) || (await members.areAddressesVisible(ctx.db, ctx.scope))

/**
 * Makes an account a member of a space; answers the member's id. Whoever a directory has made a member for, by an address
 * that they have confirmed, becomes that one, with the role that it has.
 */
export async function addSpaceMember(
  tx: Tx,
  scope: SpaceScope,
  accountId: string,
  role: string,
): Promise<string> {
  const made = await provisioned.findProvisionedFor(tx, scope, accountId)
  if (made !== null && (await provisioned.claimMember(tx, scope, made, accountId))) return made
  return members.insertMember(tx, scope, accountId, role)
}

/**
 * Makes somebody a member in the directory's name, as the member of that id, or makes them that one again, for whom sessions from
 * before are not good.
 */
export async function insertProvisionedMember(
  ctx: SpaceContext,
  accountId: string,
  role: string,
  { memberId, again = false }: { memberId: string; again?: boolean },
): Promise<void> {
  await members.insertMember(ctx.db, ctx.scope, accountId, role, { id: memberId, signInAgain: again })
  await recordEvent(ctx.db, ctx.scope, 'member.joined', { memberId, role }, { actor: ctx.actor })
}

/**
 * Makes an account the member whom a directory has made, or tells the directory which member it is already. Answers the
 * member's id; null when somebody else has become that one, or the directory knows this member by another name. The space
 * is locked.
 */
export async function becomeProvisioned(
  tx: Tx,
  scope: SpaceScope,
  provisionedId: string,
  accountId: string,
): Promise<string | null> {
  const own = await members.findMemberOfAccount(tx, scope, accountId)
  if (own !== null) return (await provisioned.mergeMember(tx, scope, provisionedId, own)) ? own : null
  return (await provisioned.claimMember(tx, scope, provisionedId, accountId)) ? provisionedId : null
}

/**
 * Gives another member another role, if both that one and the one they have are within what the caller may do. Throws
 * `ValidationFailed`, `InvalidRoleChange`, `ChangingOwnRole`, `OtherAdminMembersNotExist`, 404.
 */
export async function updateMember(ctx: SpaceContext, id: string, role: string): Promise<MemberRow> {
  await lockSpace(ctx, 'member.manage')
  await requireGivable(ctx, 'project', role, 'roleId')
  const member = await requireMember(ctx, id)
  if (id === ctx.grants.memberId) throw new AppError('ChangingOwnRole')
  note(ctx, member)
  if (member.role === role) return member
  await requireCommand(ctx, 'project', member.role)
  await members.updateMemberRole(ctx.db, ctx.scope, id, role)
  await requireAdmin(ctx, null)
  await recordEvent(ctx.db, ctx.scope, 'member.roleChanged', { memberId: id, role }, { actor: ctx.actor })
  return { ...member, role }
}

/**
 * Gives the account's membership another role, which the organization's directory says. Answers null, and changes nothing,
 * when they are no member, have that role already, there is no such role, or nobody else may do everything. Locks the space.
 */
export async function changeRoleByDirectory(
  ctx: Pick<SpaceContext, 'db' | 'scope' | 'actor'>,
  accountId: string,
  role: string,
): Promise<{ memberId: string; name: string; before: string; after: string } | null> {
  await holdSpace(ctx.db, ctx.scope)
  const memberId = await members.findMemberOfAccount(ctx.db, ctx.scope, accountId)
  const member = memberId === null ? null : await members.findMember(ctx.db, ctx.scope, memberId)
  if (member === null || member.role === role) return null
  const given = await rightsOfRole(ctx, 'project', role)
  if (given.size === 0) return null
  const { id, name, email } = member
  if (!allRights.every((right) => given.has(right)) && !(await hasAdmin(ctx, id))) return null
  await members.updateMemberRole(ctx.db, ctx.scope, id, role)
  await recordEvent(ctx.db, ctx.scope, 'member.roleChanged', { memberId: id, role }, { actor: ctx.actor })
  return { memberId: id, name: name || email, before: member.role, after: role }
}

/** Takes a member into an app, out of it, or gives them another role there, as the organization's directory says. The space is locked. */
export async function giveAppRoleByDirectory(
  ctx: Pick<SpaceContext, 'db' | 'scope' | 'actor'>,
  app: { id: number; uid: string },
  memberId: string,
  { before, after }: { before: string | null; after: string | null },
): Promise<void> {
  const scope = appScope(ctx.scope, app.id)
  const subject = { appId: app.id, actor: ctx.actor }
  if (after === null) {
    await appMembers.deleteAppMember(ctx.db, scope, memberId, { bySelf: false })
    await recordEvent(ctx.db, ctx.scope, 'member.leftApp', { memberId, app: app.uid }, subject)
  } else if (before === null) {
    await appMembers.insertAppMember(ctx.db, scope, memberId, after)
    await recordEvent(ctx.db, ctx.scope, 'member.joinedApp', { memberId, app: app.uid, role: after }, subject)
  } else {
    await appMembers.updateAppMemberRole(ctx.db, scope, memberId, after)
    await recordEvent(ctx.db, ctx.scope, 'member.roleChanged', { memberId, role: after }, subject)
  }
}

/**
 * Takes a member (oneself, too) out of the space and its apps; their next request finds no space. Throws
 * `InvalidRoleChange` for who may do more than the caller, `OtherAdminMembersNotExist` for the last admin, 404.
 */
export async function deleteMember(ctx: SpaceContext, id: string): Promise<void> {
  await lockSpace(ctx, 'member.manage')
  const member = await requireMember(ctx, id)
  if (id !== ctx.grants.memberId) await requireCommand(ctx, 'project', member.role)
  note(ctx, member)
  noteAudit(ctx, { facts: await tokensLeftBy(ctx, member.accountId) })
  await remove(ctx, id)
}

/** For the audit log: which keys go on working when somebody goes, although they know the values. */
export async function tokensLeftBy(
  { db, scope }: Pick<SpaceContext, 'db' | 'scope'>,
  accountId: string,
): Promise<{ tokensLeft?: string }> {
  const names = await members.findTokensOf(db, scope, accountId)
  return names.length > 0 ? { tokensLeft: names.join(', ').slice(0, 300) } : {}
}

/** Leaves the space, whatever one may do in it. Throws `OtherAdminMembersNotExist`, 403 for an actor that is no member. */
export async function leaveSpace(ctx: SpaceContext): Promise<void> {
  await lockSpace(ctx, 'space.view')
  const id = memberOf(ctx)
  const account = accountOf(ctx.actor)
  const facts = account === null ? {} : await tokensLeftBy(ctx, account)
  noteAudit(ctx, { objectId: id, ...selfName(ctx), facts })
  await remove(ctx, id)
}

async function remove(ctx: Pick<SpaceContext, 'db' | 'scope' | 'actor'>, id: string): Promise<void> {
  await requireAdmin(ctx, id)
  await members.deleteMember(ctx.db, ctx.scope, id)
  await recordEvent(ctx.db, ctx.scope, 'member.removed', { memberId: id }, { actor: ctx.actor })
}

/** Whom the act is about, and the role they had. */
function note(ctx: SpaceContext, { id, name, email, role }: MemberRow): void {
  noteAudit(ctx, { objectId: id, objectName: name || email, before: { roleId: role } })
}

/**
 * Takes an account that is being deleted out of a space. Answers false, and takes nobody out, when nobody else is in it.
 * Throws `OtherAdminMembersNotExist` for the last of others who may do everything. The space is locked.
 */
export async function leaveAsAccount(tx: Tx, scope: SpaceScope, actor: AccountActor): Promise<boolean> {
  const own = await members.findMemberOfAccount(tx, scope, actor.accountId)
  if (own === null) return true
  const { total } = await members.listMembers(tx, scope, { skip: 0, limit: 1, byAddress: true })
  if (total === 1) return false
  await remove({ db: tx, scope, actor }, own)
  // With the account they have taken themselves out of everything, which is nobody's decision about them.
  await forgetAccount(tx, scope, actor.accountId)
  return true
}

/** Throws 404 for what is no member's `_id`. */
export async function requireMember(ctx: SpaceContext, id: string): Promise<MemberRow> {
  const member = idPattern.test(id) ? await members.findMember(ctx.db, ctx.scope, id) : null
  if (!member) throw new AppError('NotFound')
  return member
}

/** The same of an app, as {@link listMembers}. */
export async function listAppMembers(ctx: AppContext, query: Omit<MemberQuery, 'byAddress'>) {
  const byAddress = await seesAddresses(ctx)
  const page = await appMembers.listAppMembers(ctx.db, ctx.scope, { ...query, byAddress })
  return { addresses: byAddress, ...page }
}

/**
 * Takes a member of the space into the app, whose space is locked and whose role is the caller's to give. Null when they
 * are in it already.
 */
export async function addToApp(ctx: AppContext, memberId: string, role: string): Promise<MemberRow | null> {
  if (!(await appMembers.insertAppMember(ctx.db, ctx.scope, memberId, role))) return null
  await recordJoin(ctx, memberId, role)
  return requireAppMember(ctx, memberId)
}

/**
 * Joins the app with its default role, or with the role with which they left it by themselves; who has joined already stays as they are.
 * Throws 404 when the app went meanwhile.
 */
export async function joinApp(ctx: AppContext): Promise<MemberRow> {
  const memberId = memberOf(ctx)
  // In turn with those who change roles: what is given here is there, and stays.
  await lockSpace(ctx, 'space.view')
  const defaultRole = await appMembers.findDefaultRole(ctx.db, ctx.scope)
  if (defaultRole === null) throw new AppError('NotFound')
  const role = (await appMembers.findLeftRole(ctx.db, ctx.scope, memberId)) ?? defaultRole
  return (await addToApp(ctx, memberId, role)) ?? requireAppMember(ctx, memberId)
}

/** Leaves the app; who has not joined has nothing to leave, which is no error. */
export async function leaveApp(ctx: AppContext): Promise<void> {
  await removeFromApp(ctx, memberOf(ctx))
}

/** Takes a member out of the app. Throws `InvalidRoleChange` for who may do more in it than the caller, 404. */
export async function deleteAppMember(ctx: AppContext, id: string): Promise<void> {
  await lockSpace(ctx, 'app.manage')
  const member = await requireAppMember(ctx, id)
  if (id !== ctx.grants.memberId) await requireCommand(ctx, 'app', member.role)
  note(ctx, member)
  if (!(await removeFromApp(ctx, id))) throw new AppError('NotFound')
}

async function removeFromApp(ctx: AppContext, memberId: string): Promise<boolean> {
  const bySelf = memberId === ctx.grants.memberId
  if (bySelf) noteAudit(ctx, { objectId: memberId, ...selfName(ctx) })
  if (!(await appMembers.deleteAppMember(ctx.db, ctx.scope, memberId, { bySelf }))) return false
  const payload = { memberId, app: ctx.app.uid }
  await recordEvent(ctx.db, ctx.scope, 'member.leftApp', payload, {
    appId: ctx.app.id,
    actor: ctx.actor,
  })
  return true
}

const selfName = ({ actor }: SpaceContext) =>
  actor.kind === 'account' ? { objectName: calledOf(actor) } : {}

/** Makes the one who created an app its admin; answers what they may do in it. */
export async function addAppCreator(ctx: AppContext): Promise<ActorGrants> {
  const memberId = memberOf(ctx)
  await appMembers.insertAppMember(ctx.db, ctx.scope, memberId, creatorRoles.app)
  await recordJoin(ctx, memberId, creatorRoles.app)
  return (await findGrants(ctx.db, ctx.scope, memberId, ctx.app.id)) ?? ctx.grants
}

/** Gives another member of the app another role there. Throws `InvalidRoleChange`, `ChangingOwnRole`, 404. */
export async function updateAppMember(ctx: AppContext, id: string, role: string): Promise<MemberRow> {
  await lockSpace(ctx, 'app.manage')
  await requireGivable(ctx, 'app', role, 'roleId')
  const member = await requireAppMember(ctx, id)
  if (id === ctx.grants.memberId) throw new AppError('ChangingOwnRole')
  note(ctx, member)
  if (member.role === role) return member
  await requireCommand(ctx, 'app', member.role)
  // Who left meanwhile has no role to change, and must not seem to have.
  if (!(await appMembers.updateAppMemberRole(ctx.db, ctx.scope, id, role))) throw new AppError('NotFound')
  await recordEvent(
    ctx.db,
    ctx.scope,
    'member.roleChanged',
    { memberId: id, role },
    { appId: ctx.app.id, actor: ctx.actor },
  )
  return { ...member, role }
}

/** Throws 404 for who is not in the app. */
export async function requireAppMember(ctx: AppContext, id: string): Promise<MemberRow> {
  const member = idPattern.test(id) ? await appMembers.findAppMember(ctx.db, ctx.scope, id) : null
  if (!member) throw new AppError('NotFound')
  return member
}

async function recordJoin(ctx: AppContext, memberId: string, role: string): Promise<void> {
  const payload = { memberId, app: ctx.app.uid, role }
  await recordEvent(ctx.db, ctx.scope, 'member.joinedApp', payload, {
    appId: ctx.app.id,
    actor: ctx.actor,
  })
}
