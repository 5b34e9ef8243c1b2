import { accountOf } from '#server/access/actor.ts'
import { noteAudit, writeAudits } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { holdSpace, lockSpace } from '#server/access/membership.ts'
import {
  type AppRoleChange,
  changeRolesByDirectory,
  findMembersOfAccounts,
} from '#server/features/members/members.service.ts'
import { requireCommand, requireGivable } from '#server/features/roles/roles.service.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import type { GroupRoles, groupRoleEndpoints } from '#shared/contract/group-roles.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { invitedRole } from '#shared/permissions.ts'
import {
  type AppGroupRow,
  applyAppGroups,
  appRolesOfGroups,
  concernsAny,
  type GroupedMember,
  getAppGroups,
  givesOtherwise,
  groupsOfApps,
  linesOfApps,
  requireGivesInApps,
  updateAppGroups,
} from './app-groups.service.ts'
import { changedRules } from './changed-rules.ts'
import { findAppRolesOfLinked, findGroupedAccounts, findRolesOfLinked } from './directory.repository.ts'
import { type DirectoryContext, nameOf } from './directory.ts'
import * as rows from './group-roles.repository.ts'

type Input = BodyOf<(typeof groupRoleEndpoints)['updateGroupRoles']>['data']
const present = ({ groups, defaultRole, version }: rows.GroupRolesRow): Omit<GroupRoles, 'appGroups'> => ({
  groups: groups.map(({ name, role }) => ({ name, roleId: role })),
  defaultRoleId: defaultRole ?? invitedRole,
  version,
})

export async function getGroupRoles(ctx: SpaceContext): Promise<GroupRoles> {
  return { ...present(await rows.findGroupRoles(ctx.db, ctx.scope)), appGroups: await getAppGroups(ctx) }
}

/**
 * Replaces the mappings. Throws `ValidationFailed` for an unknown role or app or a repeated group, `Forbidden` for an
 * app that the caller does not manage, `InvalidRoleChange`, and `VersionConflict`.
 */
export async function updateGroupRoles(ctx: SpaceContext, input: Input): Promise<GroupRoles> {
  await lockSpace(ctx, 'security.manage')
  const before = await rows.findGroupRoles(ctx.db, ctx.scope)
  if (input.version !== undefined && input.version !== before.version)
    throw new AppError('VersionConflict', { details: { current: before.version } })
  const groups = input.groups.map(({ name, roleId }) => ({ name: nameOf(name), role: roleId }))
  for (const [index, { name }] of groups.entries())
    if (groups.findIndex((other) => other.name === name) < index)
      throw invalid(`data.groups.${index}.name`, 'DuplicatedValue')
  const { given, taken, losesGroup } = changedRules(before.groups, groups)
  for (const { index, role } of given)
    await requireGivable(ctx, 'project', role, `data.groups.${index}.roleId`)
  for (const { role } of taken) await requireCommand(ctx, 'project', role)
  // The mapping also replaces roles set by admins, when the members next sign in by SSO.
  if (given.length > 0) await requireCommandOfLinkedInSpace(ctx)
  // Members of a group without a mapping get the default role.
  if (losesGroup || input.defaultRoleId !== present(before).defaultRoleId)
    await requireGivable(ctx, 'project', input.defaultRoleId, 'data.defaultRoleId')
  const wanted = { groups, defaultRole: input.defaultRoleId }
  const allAppsBefore = await linesOfApps(ctx)
  const version = await rows.saveGroupRoles(ctx.db, ctx.scope, wanted)
  const appsBefore = await getAppGroups(ctx)
  const appGroups = input.appGroups ? await updateAppGroups(ctx, input.appGroups) : appsBefore
  noteAudit(ctx, {
    before: { ...present(before), appGroups: appsBefore },
    objectId: ctx.space.uid,
    objectName: ctx.space.name,
  })
  const space = { ...wanted, version }
  // `applyLines` detects changed mappings by comparing array references, so this must be a copy. Members whose role the
  // change does not affect then keep roles that admins assigned.
  const apps = input.appGroups ? await linesOfApps(ctx) : [...allAppsBefore]
  await applyChangedLines(ctx, { space: before, apps: allAppsBefore }, { space, apps })
  return { ...present(space), appGroups }
}

/**
 * Applies the changed mappings to the members that the directory (SCIM) reports in a group. Groups from SSO sign-ins
 * are not stored, so other members get their role at their next sign-in. The caller's own role does not change. Throws
 * `InvalidRoleChange` unless the caller may change the role of every affected member.
 */
async function applyChangedLines(ctx: SpaceContext, before: Lines, now: Lines): Promise<void> {
  const says = ({ space, apps }: Lines) => JSON.stringify([space.groups, apps])
  if (says(now) === says(before)) return
  const names = [before, now].flatMap(({ space, apps }) => [...space.groups, ...apps].map(({ name }) => name))
  const people = await findGroupedAccounts(ctx.db, ctx.scope, new Set(names))
  const concerned = people.filter(
    ({ accountId, groups }) =>
      accountId !== accountOf(ctx.actor) &&
      (matching(before.space, groups) !== matching(now.space, groups) ||
        givesOtherwise(before.apps, now.apps, groups)),
  )
  if (concerned.length === 0) return
  const accounts = concerned.map((person) => ({ ...person, before: person.groups }))
  const { changes, appChanges } = await applyLines({ ...ctx, ...ctx.origin }, accounts, now, before)
  // An error rolls back the changes with the transaction. Mappings that other members created are checked too, because
  // they may begin to apply now.
  for (const role of new Set(changes.flatMap((change) => [change.before, change.after])))
    await requireCommand(ctx, 'project', role)
  const inApps = appChanges.flatMap(({ app, before, after }) =>
    [before, after].map((role) => ({ app, role })),
  )
  await requireGivesInApps(
    ctx,
    inApps.flatMap(({ app, role }) => (role === null ? [] : [{ app, role }])),
  )
}

/**
 * Throws `InvalidRoleChange` unless the caller may assign the roles of all members linked to SSO, in the space and in
 * its apps.
 */
export async function requireCommandOfLinked(ctx: SpaceContext): Promise<void> {
  await requireCommandOfLinkedInSpace(ctx)
  await requireGivesInApps(ctx, await findAppRolesOfLinked(ctx.db, ctx.scope))
}

async function requireCommandOfLinkedInSpace(ctx: SpaceContext): Promise<void> {
  for (const role of await findRolesOfLinked(ctx.db, ctx.scope)) await requireCommand(ctx, 'project', role)
}

/**
 * Throws `InvalidRoleChange` unless the caller may assign the default role and every role that groups have in the space
 * and its apps. A caller who decides on the members of groups assigns all of these roles. The space must be locked.
 */
export async function requireGivesAll(ctx: SpaceContext): Promise<void> {
  const found = await rows.findGroupRoles(ctx.db, ctx.scope)
  const given = new Set([...found.groups.map(({ role }) => role), present(found).defaultRoleId])
  for (const role of given) await requireCommand(ctx, 'project', role)
  await requireGivesInApps(ctx, await linesOfApps(ctx))
}

/**
 * Returns the role of a user who becomes a member through the directory or SSO: the role of the first mapping with one
 * of their groups, or the default role.
 */
export async function roleByGroups(
  { db, scope }: Pick<DirectoryContext, 'db' | 'scope'>,
  groups: readonly string[],
): Promise<string> {
  const found = await rows.findGroupRoles(db, scope)
  return matching(found, groups) ?? present(found).defaultRoleId
}

/** Returns the roles of these groups: in the space (null: no role), and in apps by app id. */
export async function rolesOfGroups(
  ctx: Pick<DirectoryContext, 'db' | 'scope'>,
  groups: readonly string[],
): Promise<{ role: string | null; apps: Map<number, string> }> {
  const role = matching(await rows.findGroupRoles(ctx.db, ctx.scope), groups)
  return { role, apps: await appRolesOfGroups(ctx, groups) }
}

/**
 * An account with its current groups in the directory or at the identity provider. `before`: its former groups, if
 * known.
 */
export interface GroupedAccount {
  accountId: string
  groups: readonly string[]
  before?: readonly string[]
}

interface Lines {
  space: rows.GroupRolesRow
  apps: AppGroupRow[]
}

export interface RoleChange {
  memberId: string
  before: string
  after: string
}

/** Like {@link applyGroupsToAll}, for one account. Returns the change of its role in the space; null: no change. */
export async function applyGroups(
  ctx: DirectoryContext,
  accountId: string,
  groups: readonly string[],
  before: readonly string[] = [],
): Promise<RoleChange | null> {
  const [change] = await applyGroupsToAll(ctx, [{ accountId, groups, before }])
  return change ?? null
}

/**
 * Assigns members the role of the first mapping with one of their groups, in the space and likewise in apps. If no
 * mapping matches, the default role replaces the role of a former group, but not a role assigned by an admin. The last
 * admin keeps the admin role. Writes an event and an audit log entry by `ctx.actor` per change, and returns the changes
 * in the space. Locks the space. The number of statements is independent of the number of accounts.
 */
export async function applyGroupsToAll(
  ctx: DirectoryContext,
  accounts: readonly GroupedAccount[],
): Promise<RoleChange[]> {
  const lines = { space: await rows.findGroupRoles(ctx.db, ctx.scope), apps: await linesOfApps(ctx) }
  return (await applyLines(ctx, accounts, lines, lines)).changes
}

/**
 * Like {@link applyGroupsToAll}. `lines`: the current mappings. `was`: the former mappings, or `lines` if they did not
 * change.
 */
async function applyLines(
  ctx: DirectoryContext,
  accounts: readonly GroupedAccount[],
  lines: Lines,
  was: Lines,
): Promise<{ changes: RoleChange[]; appChanges: (AppRoleChange & { app: string })[] }> {
  const told = accounts.map(({ before = [], ...account }) => ({ ...account, before }))
  const isConcerned = told.some(
    ({ groups, before }) => before.length > 0 || matching(lines.space, groups) !== null,
  )
  if (!isConcerned && !concernsAny(lines.apps, told)) return { changes: [], appChanges: [] }
  await holdSpace(ctx.db, ctx.scope)
  const ids = told.map(({ accountId }) => accountId)
  const members = new Map(
    (await findMembersOfAccounts(ctx.db, ctx.scope, ids)).map((member) => [member.accountId, member]),
  )
  const people = told.flatMap(({ accountId, groups, before }) => {
    const member = members.get(accountId)
    return member ? [{ ...member, groups, before }] : []
  })
  const appChanges = await applyAppGroups(ctx, lines.apps, people, was.apps)
  const wanted = people.flatMap((person) => {
    const role = roleFor(lines.space, was.space, person)
    return role === null ? [] : [{ ...person, wanted: role }]
  })
  const changes = await changeRolesByDirectory(ctx, wanted)
  const entries = changes.map(({ memberId, name, before, after }) => ({
    act: 'member.update' as const,
    outcome: 'done',
    actor: ctx.actor,
    ip: ctx.ip ?? null,
    agent: ctx.agent ?? null,
    object: { kind: 'member' as const, id: memberId, name },
    details: { changes: [{ key: 'roleId', before, after }] },
  }))
  await writeAudits(ctx.db, ctx.scope, entries)
  return {
    changes: changes.map(({ memberId, before, after }) => ({ memberId, before, after })),
    appChanges,
  }
}

/** Returns the role in the space that a member's groups assign. null: no change. `was`: the former mappings. */
function roleFor(
  lines: rows.GroupRolesRow,
  was: rows.GroupRolesRow,
  { role, groups, before }: GroupedMember,
): string | null {
  const matched = matching(lines, groups)
  // Changed mappings affect only the members that get another role.
  if (was !== lines && matched === matching(was, before)) return null
  if (matched !== null || before.length === 0) return matched
  return role === (matching(was, before) ?? present(was).defaultRoleId) ? present(lines).defaultRoleId : null
}

/** Returns the names of all groups that have a role in the space or in an app. */
export async function groupsWithRoles(ctx: Pick<DirectoryContext, 'db' | 'scope'>): Promise<string[]> {
  const { groups } = await rows.findGroupRoles(ctx.db, ctx.scope)
  return [...groups.map(({ name }) => name), ...(await groupsOfApps(ctx))]
}

function matching({ groups: lines }: rows.GroupRolesRow, groups: readonly string[]): string | null {
  const names = new Set(groups.map(nameOf))
  return lines.find(({ name }) => names.has(name))?.role ?? null
}
