import { presentAccountIcon } from '#server/access/account.ts'
import { type AccountActor, accountOf, calledOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { type QuotaContext, requireQuota } from '#server/access/entitlements.ts'
import { type ActorGrants, findGrants } from '#server/access/grants.ts'
import { addressKey, rememberAddressesOf } from '#server/access/known-as.ts'
import { lockSpace, memberOf } from '#server/access/membership.ts'
import { appScope, type Db, type SpaceScope, type Tx } from '#server/db/scope.ts'
import {
  possibleChanges,
  requireAdmin,
  requireCommand,
  requireGivable,
} from '#server/features/roles/roles.service.ts'
import { recordEvent, recordEvents } from '#server/jobs/events.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can, creatorRoles } from '#shared/permissions.ts'
import * as appMembers from './app-members.repository.ts'
import type { MemberQuery, MemberRow } from './members.repository.ts'
import * as members from './members.repository.ts'
import * as provisioned from './provisioned.repository.ts'
import { forgetAccount } from './removed.repository.ts'

export {
  findMember,
  findMemberByEmail,
  findMemberOfAccount,
  findMembersOfAccounts,
  findReachable,
  listReachable,
  type MemberOfAccount,
  type MemberRow,
} from './members.repository.ts'
export { forgetAddresses, isRemoved, isRemovedSince, rememberAddresses } from './removed.repository.ts'

/**
 * Finds which of these addresses are confirmed addresses of members, in any spelling. Returns for each of them the
 * address of the account.
 */
export async function findConfirmed(
  db: Db,
  scope: SpaceScope,
  addresses: readonly string[],
): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map()
  const found = await members.listConfirmed(db, scope, addresses.map(addressKey))
  const emails = new Map(found.map(({ key, email }) => [key, email]))
  return new Map(
    addresses.flatMap((address) => {
      const email = emails.get(addressKey(address))
      return email === undefined ? [] : [[address, email] as const]
    }),
  )
}

type Viewer = Pick<SpaceContext, 'actor' | 'grants'>

const looksAfter = ({ grants }: Viewer) => can(grants, 'member.manage') || can(grants, 'app.manage')

/**
 * Returns a member in the form of responses. Managers of the space's or the app's members see `lastSeenAt`; managers of
 * the space's members also see `identities`. `addresses`: whether the email address is shown. Callers always see their
 * own.
 */
export const presentMember = (
  { id, role, iconId, lastSeenAt, identities, email, emailVerified, ...member }: MemberRow,
  viewer: Viewer,
  addresses = looksAfter(viewer),
) => ({
  ...member,
  ...(addresses || member.accountId === accountOf(viewer.actor)
    ? { email, emailVerified }
    : { email: null, emailVerified: null }),
  _id: id,
  roleId: role,
  icon: presentAccountIcon(member.accountId, iconId),
  lastSeenAt: looksAfter(viewer) ? lastSeenAt : null,
  identities: can(viewer.grants, 'member.manage') ? identities : null,
})

/**
 * Returns a page of members, and whether the caller sees their addresses. The search covers addresses only if they are
 * shown.
 */
export async function listMembers(ctx: SpaceContext, query: Omit<MemberQuery, 'byAddress'>) {
  const byAddress = await seesAddresses(ctx)
  return { addresses: byAddress, ...(await members.listMembers(ctx.db, ctx.scope, { ...query, byAddress })) }
}

const seesAddresses = async (ctx: SpaceContext) =>
  looksAfter(ctx) || (await members.areAddressesVisible(ctx.db, ctx.scope))

/**
 * Makes an account a member of a space and returns the member's id. If a directory created a member for the account's
 * verified email address, the account claims that member with its role. Otherwise throws `MemberQuotaExceeded` if the
 * space has no room for another member.
 */
export async function addSpaceMember(ctx: QuotaContext, accountId: string, role: string): Promise<string> {
  const { db: tx, scope } = ctx
  const email = await provisioned.findVerifiedAddress(tx, accountId)
  const person = email === null ? null : await findDirectoryPerson(tx, scope, email)
  if (person !== null && person !== 'several' && person.isProvisioned) {
    const { memberId } = person
    if (await provisioned.claimMember(tx, scope, memberId, accountId)) return memberId
  }
  await requireQuota(ctx, 'members')
  return members.insertMember(tx, scope, accountId, role)
}

/**
 * Returns the member that the space's directory has under this email address. `several`: several members have the
 * address. null: no member has it, or the membership has ended.
 */
export async function findDirectoryPerson(
  db: Db,
  scope: SpaceScope,
  email: string,
): Promise<(provisioned.DirectoryPerson & { accountId: string }) | 'several' | null> {
  const [person, ...others] = await provisioned.findDirectoryPeople(db, scope, email)
  if (others.length > 0) return 'several'
  return person && person.accountId !== null ? { ...person, accountId: person.accountId } : null
}

/**
 * Checks whether exactly one user of the space's directory has this email address, and the directory has deactivated
 * that user.
 */
export async function isDeactivated(db: Db, scope: SpaceScope, email: string): Promise<boolean> {
  const people = await provisioned.findDirectoryPeople(db, scope, email)
  return people.length === 1 && people.every((person) => person.isDeactivated)
}

/**
 * Removes all other members who are proven to have one of the email addresses of a directory's user. Ignores addresses
 * that another active user of the directory has too. Keeps admins that the space needs. Returns the removed members.
 * The space must be locked.
 */
export async function deleteOtherMembersAt(
  ctx: SpaceContext,
  addresses: readonly string[],
  memberId: string,
): Promise<{ memberId: string; name: string; accountId: string }[]> {
  const keys = addresses.map(addressKey)
  const shared = await provisioned.findSharedAddresses(ctx.db, ctx.scope, keys, memberId)
  const own = keys.filter((key) => !shared.has(key))
  if (own.length === 0) return []
  const removed = []
  for (const other of await provisioned.findOtherMembersAt(ctx.db, ctx.scope, own, memberId))
    if (await remove(ctx, other.memberId).then(() => true, whenNeeded)) removed.push(other)
  return removed
}

/** Rejection handler: returns false if the space needs the member as an admin. Rethrows other errors. */
function whenNeeded(error: unknown): false {
  const isNeeded =
    error instanceof AppError &&
    (error.code === 'OtherAdminMembersNotExist' || error.code === 'SsoExemptAdminIsNeeded')
  if (isNeeded) return false
  throw error
}

/**
 * Creates a member with this id for a directory. `again`: restores the member; earlier sessions are then not valid for
 * the space. Throws `MemberQuotaExceeded`.
 */
export async function insertProvisionedMember(
  ctx: SpaceContext,
  accountId: string,
  role: string,
  { memberId, again = false }: { memberId: string; again?: boolean },
): Promise<void> {
  await requireQuota(ctx, 'members')
  await members.insertMember(ctx.db, ctx.scope, accountId, role, { id: memberId, signInAgain: again })
  await recordEvent(ctx.db, ctx.scope, 'member.joined', { memberId, role }, { actor: ctx.actor })
}

/**
 * Links an account to the member that a directory created. If the account already is a member, links the directory's
 * user to that member instead. Returns the member's id. null: the created member was already claimed, or the existing
 * member already has another user of the directory. The space must be locked.
 */
export async function becomeProvisioned(
  tx: Tx,
  scope: SpaceScope,
  provisionedId: string,
  accountId: string,
): Promise<string | null> {
  const made = await members.findMember(tx, scope, provisionedId)
  if (made?.provisioned) await rememberAddressesOf(tx, accountId, made.accountId)
  const own = await members.findMemberOfAccount(tx, scope, accountId)
  if (own !== null) return (await provisioned.mergeMember(tx, scope, provisionedId, own)) ? own : null
  return (await provisioned.claimMember(tx, scope, provisionedId, accountId)) ? provisionedId : null
}

/**
 * Changes another member's role, if both the old and the new role are within the caller's rights. Throws 404,
 * `ValidationFailed`, `InvalidRoleChange`, `ChangingOwnRole`, `OtherAdminMembersNotExist`, `SsoExemptAdminIsNeeded`.
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
  await requireAdmin(ctx, { member: id })
  await recordEvent(ctx.db, ctx.scope, 'member.roleChanged', { memberId: id, role }, { actor: ctx.actor })
  return { ...member, role }
}

/**
 * Sets members' roles according to group mappings. The number of statements does not depend on the number of members.
 * Skips unchanged and unknown roles, and admins that the space needs. Returns the changes made. The space must be
 * locked.
 */
export async function changeRolesByDirectory(
  ctx: Pick<SpaceContext, 'db' | 'scope' | 'actor'>,
  wanted: readonly (members.MemberOfAccount & { wanted: string })[],
): Promise<{ memberId: string; name: string; before: string; after: string }[]> {
  const changes = await possibleChanges(ctx, wanted)
  if (changes.length === 0) return []
  const given = changes.map((change) => ({ id: change.id, role: change.wanted }))
  await members.updateMemberRoles(ctx.db, ctx.scope, given)
  const events = given.map(({ id, role }) => ({
    type: 'member.roleChanged' as const,
    payload: { memberId: id, role },
  }))
  await recordEvents(ctx.db, ctx.scope, events, { actor: ctx.actor })
  return changes.map(({ id, name, role, wanted: after }) => ({ memberId: id, name, before: role, after }))
}

/** A change of a member's role in an app; `before` null: joined, `after` null: removed. */
export interface AppRoleChange {
  memberId: string
  before: string | null
  after: string | null
}

/** Changes the app's members according to group mappings. The space must be locked. */
export async function changeAppRolesByDirectory(
  ctx: Pick<SpaceContext, 'db' | 'scope' | 'actor'>,
  { id: appId, uid: app }: { id: number; uid: string },
  changes: readonly AppRoleChange[],
): Promise<void> {
  const scope = appScope(ctx.scope, appId)
  const leaving = changes.filter(({ after }) => after === null).map(({ memberId }) => memberId)
  const given = changes.flatMap(({ memberId, after: role }) => (role === null ? [] : { memberId, role }))
  if (leaving.length > 0) await appMembers.deleteAppMembers(ctx.db, scope, leaving)
  if (given.length > 0) await appMembers.saveAppMembers(ctx.db, scope, given)
  const events = changes.map(({ memberId, before, after }) =>
    after === null
      ? { type: 'member.leftApp' as const, payload: { memberId, app } }
      : before === null
        ? { type: 'member.joinedApp' as const, payload: { memberId, app, role: after } }
        : { type: 'member.roleChanged' as const, payload: { memberId, role: after } },
  )
  await recordEvents(ctx.db, ctx.scope, events, { appId, actor: ctx.actor })
}

/** Deletes the roles with which members left an app, because their groups no longer have a role there. */
export async function forgetLeftRolesByDirectory(
  { db, scope }: Pick<SpaceContext, 'db' | 'scope'>,
  appId: number,
  memberIds: string[],
): Promise<void> {
  await appMembers.forgetLeftRoles(db, appScope(scope, appId), memberIds)
}

/**
 * Removes a member (possibly the caller) from the space and its apps. Throws 404, `InvalidRoleChange` for a member
 * whose role the caller may not assign, `OtherAdminMembersNotExist` for the last admin, and `SsoExemptAdminIsNeeded`.
 */
export async function deleteMember(ctx: SpaceContext, id: string): Promise<void> {
  await lockSpace(ctx, 'member.manage')
  const member = await requireMember(ctx, id)
  if (id !== ctx.grants.memberId) await requireCommand(ctx, 'project', member.role)
  note(ctx, member)
  noteAudit(ctx, { facts: await tokensLeftBy(ctx, member.accountId) })
  await remove(ctx, id)
}

/**
 * Returns details for the audit log: the tokens that still work after the member is removed, and whose values the
 * member knows.
 */
export async function tokensLeftBy(
  { db, scope }: Pick<SpaceContext, 'db' | 'scope'>,
  accountId: string,
): Promise<{ tokensLeft?: string }> {
  const names = await members.findTokensOf(db, scope, accountId)
  return names.length > 0 ? { tokensLeft: names.join(', ').slice(0, 300) } : {}
}

/**
 * Leaves the space, whatever the member's rights. Throws `Forbidden` if the actor is not a member,
 * `OtherAdminMembersNotExist`, `SsoExemptAdminIsNeeded`.
 */
export async function leaveSpace(ctx: SpaceContext): Promise<void> {
  await lockSpace(ctx, 'space.view')
  const id = memberOf(ctx)
  const account = accountOf(ctx.actor)
  const facts = account === null ? {} : await tokensLeftBy(ctx, account)
  noteAudit(ctx, { objectId: id, ...selfName(ctx), facts })
  await remove(ctx, id)
}

async function remove(ctx: Pick<SpaceContext, 'db' | 'scope' | 'actor'>, id: string): Promise<void> {
  await requireAdmin(ctx, { removed: id })
  await members.deleteMember(ctx.db, ctx.scope, id)
  await recordEvent(ctx.db, ctx.scope, 'member.removed', { memberId: id }, { actor: ctx.actor })
}

function note(ctx: SpaceContext, { id, name, email, role }: MemberRow): void {
  noteAudit(ctx, { objectId: id, objectName: name || email, before: { roleId: role } })
}

/**
 * Removes an account from a space, because the account is being deleted. Returns false without a change when it is the
 * only member. Throws `OtherAdminMembersNotExist` when no other member has all rights, `SsoExemptAdminIsNeeded`. The
 * space must be locked.
 */
export async function leaveAsAccount(tx: Tx, scope: SpaceScope, actor: AccountActor): Promise<boolean> {
  const own = await members.findMemberOfAccount(tx, scope, actor.accountId)
  if (own === null) return true
  const { total } = await members.listMembers(tx, scope, { skip: 0, limit: 1, byAddress: true })
  if (total === 1) return false
  await remove({ db: tx, scope, actor }, own)
  // The owner of a deleted account was not removed by other members, and must be able to return.
  await forgetAccount(tx, scope, actor.accountId)
  return true
}

/** Returns the member. Throws 404 for an unknown `_id`. */
export async function requireMember(ctx: SpaceContext, id: string): Promise<MemberRow> {
  const member = idPattern.test(id) ? await members.findMember(ctx.db, ctx.scope, id) : null
  if (!member) throw new AppError('NotFound')
  return member
}

/** Like {@link listMembers}, for an app. */
export async function listAppMembers(ctx: AppContext, query: Omit<MemberQuery, 'byAddress'>) {
  const byAddress = await seesAddresses(ctx)
  const page = await appMembers.listAppMembers(ctx.db, ctx.scope, { ...query, byAddress })
  return { addresses: byAddress, ...page }
}

/** Returns a page of members who left the app on their own, with the roles that they get when they rejoin. */
export const listLeftMembers = (ctx: AppContext, page: Pick<MemberQuery, 'skip' | 'limit'>) =>
  appMembers.listLeftMembers(ctx.db, ctx.scope, page)

/**
 * Adds a member of the space to the app. Returns the member, or null if they already are in the app. The space must be
 * locked and the role checked.
 */
export async function addToApp(ctx: AppContext, memberId: string, role: string): Promise<MemberRow | null> {
  if (!(await appMembers.insertAppMember(ctx.db, ctx.scope, memberId, role))) return null
  await recordJoin(ctx, memberId, role)
  return requireAppMember(ctx, memberId)
}

/**
 * Like {@link addToApp}, for another member than the caller. For a member who left on their own, `role` replaces the
 * stored role with which they would rejoin. Throws `InvalidRoleChange` if the stored role has more rights than the
 * caller.
 */
export async function addOtherToApp(
  ctx: AppContext,
  memberId: string,
  role: string,
): Promise<MemberRow | null> {
  if ((await appMembers.findAppMember(ctx.db, ctx.scope, memberId)) !== null) return null
  const left = await appMembers.findLeftRole(ctx.db, ctx.scope, memberId)
  if (left !== null) await requireCommand(ctx, 'app', left)
  return addToApp(ctx, memberId, role)
}

/**
 * Adds the caller to the app with the role that they had when they left on their own, or with the app's default role.
 * Existing members keep their role. Throws 404 if the app is deleted in the meantime.
 */
export async function joinApp(ctx: AppContext): Promise<MemberRow> {
  const memberId = memberOf(ctx)
  // The lock serialises joining with role changes, so that the assigned role exists and cannot be deleted in the
  // meantime.
  await lockSpace(ctx, 'space.view')
  const defaultRole = await appMembers.findDefaultRole(ctx.db, ctx.scope)
  if (defaultRole === null) throw new AppError('NotFound')
  const role = (await appMembers.findLeftRole(ctx.db, ctx.scope, memberId)) ?? defaultRole
  return (await addToApp(ctx, memberId, role)) ?? requireAppMember(ctx, memberId)
}

/** Removes the caller from the app. Does nothing if the caller has not joined it. */
export async function leaveApp(ctx: AppContext): Promise<void> {
  // Without the lock, an admin who removes the member at the same time would find neither the member nor the stored
  // role.
  await lockSpace(ctx, 'space.view')
  await removeFromApp(ctx, memberOf(ctx))
}

/**
 * Removes a member from the app, or deletes the stored role of a member who left. Throws 404, and `InvalidRoleChange`
 * for a member with more rights in the app than the caller.
 */
export async function deleteAppMember(ctx: AppContext, id: string): Promise<void> {
  await lockSpace(ctx, 'app.manage')
  const left = idPattern.test(id) ? await appMembers.findLeftRole(ctx.db, ctx.scope, id) : null
  if (left !== null && (await appMembers.findAppMember(ctx.db, ctx.scope, id)) === null) {
    const member = await requireMember(ctx, id)
    await requireCommand(ctx, 'app', left)
    note(ctx, { ...member, role: left })
    return appMembers.forgetLeftRole(ctx.db, ctx.scope, id)
  }
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

/** Makes the creator of an app its admin; returns their grants in it. */
export async function addAppCreator(ctx: AppContext): Promise<ActorGrants> {
  const memberId = memberOf(ctx)
  await appMembers.insertAppMember(ctx.db, ctx.scope, memberId, creatorRoles.app)
  await recordJoin(ctx, memberId, creatorRoles.app)
  return (await findGrants(ctx.db, ctx.scope, memberId, ctx.app.id)) ?? ctx.grants
}

/**
 * Changes the role of another member of the app. Throws 404, `ValidationFailed`, `InvalidRoleChange`,
 * `ChangingOwnRole`.
 */
export async function updateAppMember(ctx: AppContext, id: string, role: string): Promise<MemberRow> {
  await lockSpace(ctx, 'app.manage')
  await requireGivable(ctx, 'app', role, 'roleId')
  const member = await requireAppMember(ctx, id)
  if (id === ctx.grants.memberId) throw new AppError('ChangingOwnRole')
  note(ctx, member)
  if (member.role === role) return member
  await requireCommand(ctx, 'app', member.role)
  // For a member who left meanwhile, the call must not report success.
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

/** Returns the member of the app. Throws 404 if they are not in the app. */
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
