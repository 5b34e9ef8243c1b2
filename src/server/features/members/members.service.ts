import type { AccountActor } from '#server/access/actor.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { type ActorGrants, findGrants } from '#server/access/grants.ts'
import { lockSpace, memberOf } from '#server/access/membership.ts'
import type { SpaceScope, Tx } from '#server/db/scope.ts'
import { emailKey } from '#server/features/accounts/accounts.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { creatorRoles, isRight, type Right } from '#shared/permissions.ts'
import type { MemberRow, RoleRow } from './members.repository.ts'
import * as members from './members.repository.ts'

export function listMembers(ctx: SpaceContext): Promise<MemberRow[]> {
  return members.listMembers(ctx.db, ctx.scope)
}

/** Makes an account a member of a space; answers the member's id. For whoever makes the space. */
export function addSpaceMember(tx: Tx, scope: SpaceScope, accountId: string, role: string): Promise<string> {
  return members.insertMember(tx, scope, accountId, role)
}

/** A role with the rights that this version knows. */
export type Role = Omit<RoleRow, 'rights'> & { rights: Right[] }

/** The roles for spaces or for apps that members of this space can be given. */
export async function listRoles(ctx: SpaceContext, target: Role['target']): Promise<Role[]> {
  const rows = await members.listRoles(ctx.db, ctx.scope, target)
  return rows.map((row) => ({ ...row, rights: row.rights.filter(isRight) }))
}

/** The role of that uid. Throws `ValidationFailed` at `path` when there is none. */
export async function requireRole(
  ctx: SpaceContext,
  target: Role['target'],
  uid: string,
  path: string,
): Promise<Role> {
  const role = (await listRoles(ctx, target)).find((candidate) => candidate.uid === uid)
  if (!role) throw invalid(path, 'InvalidValue')
  return role
}

/** Gives another member another role. Throws `ValidationFailed`, `ChangingOwnRole`, `OtherAdminMembersNotExist`, 404. */
export async function updateMember(ctx: SpaceContext, id: string, role: string): Promise<MemberRow> {
  await lockSpace(ctx, 'member.manage')
  const { rights } = await requireRole(ctx, 'project', role, 'roleId')
  const member = await requireMember(ctx, id)
  if (id === ctx.grants.memberId) throw new AppError('ChangingOwnRole')
  if (member.role === role) return member
  if (!rights.includes('member.manage')) await requireOtherAdmin(ctx, id)
  await members.updateMemberRole(ctx.db, ctx.scope, id, role)
  await recordEvent(ctx.db, ctx.scope, 'member.roleChanged', { memberId: id, role }, { actor: ctx.actor })
  return { ...member, role }
}

/**
 * Takes a member (oneself, too) out of the space and its apps; their next request finds no space. Throws
 * `OtherAdminMembersNotExist` for the last admin, 404.
 */
export async function deleteMember(ctx: SpaceContext, id: string): Promise<void> {
  await lockSpace(ctx, 'member.manage')
  await requireMember(ctx, id)
  await requireOtherAdmin(ctx, id)
  await members.deleteMember(ctx.db, ctx.scope, id)
  await recordEvent(ctx.db, ctx.scope, 'member.removed', { memberId: id }, { actor: ctx.actor })
}

/**
 * Takes an account that is being deleted out of a space. Answers false, and takes nobody out, when nobody else is in it.
 * Throws `OtherAdminMembersNotExist` for the last admin of others. The space is locked.
 */
export async function leaveSpace(tx: Tx, scope: SpaceScope, actor: AccountActor): Promise<boolean> {
  const everybody = await members.listMembers(tx, scope)
  const own = everybody.find(({ accountId }) => accountId === actor.accountId)
  if (!own) return true
  if (everybody.length === 1) return false
  if (!(await members.hasOtherHolder(tx, scope, own.id, 'member.manage')))
    throw new AppError('OtherAdminMembersNotExist')
  await members.deleteMember(tx, scope, own.id)
  await recordEvent(tx, scope, 'member.removed', { memberId: own.id }, { actor })
  return true
}

async function requireMember(ctx: SpaceContext, id: string): Promise<MemberRow> {
  const member = idPattern.test(id) ? await members.findMember(ctx.db, ctx.scope, id) : null
  if (!member) throw new AppError('NotFound')
  return member
}

/** Somebody else must be able to manage members, or the space would be nobody's. */
async function requireOtherAdmin(ctx: SpaceContext, id: string): Promise<void> {
  if (!(await members.hasOtherHolder(ctx.db, ctx.scope, id, 'member.manage')))
    throw new AppError('OtherAdminMembersNotExist')
}

export function listAppMembers(ctx: AppContext): Promise<MemberRow[]> {
  return members.listAppMembers(ctx.db, ctx.scope)
}

/**
 * Takes a member of the space into the app. An address that is no member's is a `ValidationFailed` on `email`,
 * whether an account has it or not; who is in the app already is `InvitedAccountAlreadyExists`.
 */
export async function addAppMember(ctx: AppContext, email: string, role: string): Promise<MemberRow> {
  await lockSpace(ctx, 'app.manage')
  await requireRole(ctx, 'app', role, 'roleId')
  const key = emailKey(email)
  const colleagues = key === null ? [] : await members.listMembers(ctx.db, ctx.scope)
  const colleague = colleagues.find((member) => emailKey(member.email) === key)
  if (!colleague) throw invalid('email', 'InvalidValue')
  if (!(await members.insertAppMember(ctx.db, ctx.scope, colleague.id, role)))
    throw new AppError('InvitedAccountAlreadyExists', {
      issues: [{ path: 'email', code: 'DuplicatedValue' }],
    })
  await recordJoin(ctx, colleague.id, role)
  return requireAppMember(ctx, colleague.id)
}

/**
 * Joins the app with its default role, or with the role they left it with; who has joined already stays as they are.
 */
export async function joinApp(ctx: AppContext): Promise<MemberRow> {
  const memberId = memberOf(ctx)
  const role = (await members.findLeftRole(ctx.db, ctx.scope, memberId)) ?? ctx.app.defaultRole
  if (await members.insertAppMember(ctx.db, ctx.scope, memberId, role)) await recordJoin(ctx, memberId, role)
  return requireAppMember(ctx, memberId)
}

/** Leaves the app; who has not joined has nothing to leave, which is no error. */
export async function leaveApp(ctx: AppContext): Promise<void> {
  const memberId = memberOf(ctx)
  if (!(await members.deleteAppMember(ctx.db, ctx.scope, memberId))) return
  const payload = { memberId, app: ctx.app.uid }
  await recordEvent(ctx.db, ctx.scope, 'member.leftApp', payload, {
    appId: ctx.app.id,
    actor: ctx.actor,
  })
}

/** Makes the one who created an app its admin; answers what they may do in it. */
export async function addAppCreator(ctx: AppContext): Promise<ActorGrants> {
  const memberId = memberOf(ctx)
  await members.insertAppMember(ctx.db, ctx.scope, memberId, creatorRoles.app)
  await recordJoin(ctx, memberId, creatorRoles.app)
  return (await findGrants(ctx.db, ctx.scope, memberId, ctx.app.id)) ?? ctx.grants
}

/** Gives another member of the app another role there. Throws `ChangingOwnRole`, 404. */
export async function updateAppMember(ctx: AppContext, id: string, role: string): Promise<MemberRow> {
  await lockSpace(ctx, 'app.manage')
  await requireRole(ctx, 'app', role, 'roleId')
  const member = await requireAppMember(ctx, id)
  if (id === ctx.grants.memberId) throw new AppError('ChangingOwnRole')
  if (member.role === role) return member
  // Who left meanwhile has no role to change, and must not seem to have.
  if (!(await members.updateAppMemberRole(ctx.db, ctx.scope, id, role))) throw new AppError('NotFound')
  await recordEvent(
    ctx.db,
    ctx.scope,
    'member.roleChanged',
    { memberId: id, role },
    { appId: ctx.app.id, actor: ctx.actor },
  )
  return { ...member, role }
}

async function requireAppMember(ctx: AppContext, id: string): Promise<MemberRow> {
  const member = idPattern.test(id) ? await members.findAppMember(ctx.db, ctx.scope, id) : null
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
