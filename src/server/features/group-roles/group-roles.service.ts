import { noteAudit, writeAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { changeRoleByDirectory } from '#server/features/members/members.service.ts'
import { requireCommand, requireGivable } from '#server/features/roles/roles.service.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import type { GroupRoles, groupRoleEndpoints } from '#shared/contract/group-roles.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { invitedRole } from '#shared/permissions.ts'
import {
  applyAppGroups,
  appRolesOfGroups,
  getAppGroups,
  groupsOfApps,
  linesOfApps,
  requireGivesInApps,
  updateAppGroups,
} from './app-groups.service.ts'
import { type DirectoryContext, nameOf } from './directory.ts'
import * as rows from './group-roles.repository.ts'

export { requireGivesInApps } from './app-groups.service.ts'

type Input = BodyOf<(typeof groupRoleEndpoints)['updateGroupRoles']>['data']
const present = ({ groups, defaultRole, version }: rows.GroupRolesRow): Omit<GroupRoles, 'appGroups'> => ({
  groups: groups.map(({ name, role }) => ({ name, roleId: role })),
  defaultRoleId: defaultRole ?? invitedRole,
  version,
})

export async function getGroupRoles(ctx: SpaceContext): Promise<GroupRoles> {
  return { ...present(await rows.findGroupRoles(ctx.db, ctx.scope)), appGroups: await getAppGroups(ctx) }
}

/** Throws `ValidationFailed` (no such role or app, a group twice), `InvalidRoleChange`, `Forbidden` (an app), `VersionConflict`. */
export async function updateGroupRoles(ctx: SpaceContext, input: Input): Promise<GroupRoles> {
  await lockSpace(ctx, 'security.manage')
  const before = await rows.findGroupRoles(ctx.db, ctx.scope)
  if (input.version !== undefined && input.version !== before.version)
    throw new AppError('VersionConflict', { details: { current: before.version } })
  const groups = input.groups.map(({ name, roleId }) => ({ name: nameOf(name), role: roleId }))
  for (const [index, { name, role }] of groups.entries()) {
    if (groups.findIndex((other) => other.name === name) < index)
      throw invalid(`data.groups.${index}.name`, 'DuplicatedValue')
    // What others have given may stay; its place among the others, too, decides who gets it.
    const kept = before.groups[index]
    if (kept?.name !== name || kept.role !== role)
      await requireGivable(ctx, 'project', role, `data.groups.${index}.roleId`)
  }
  if (input.defaultRoleId !== present(before).defaultRoleId)
    await requireGivable(ctx, 'project', input.defaultRoleId, 'data.defaultRoleId')
  const wanted = { groups, defaultRole: input.defaultRoleId }
  const version = await rows.saveGroupRoles(ctx.db, ctx.scope, wanted)
  const appsBefore = await getAppGroups(ctx)
  const appGroups = input.appGroups ? await updateAppGroups(ctx, input.appGroups) : appsBefore
  noteAudit(ctx, {
    before: { ...present(before), appGroups: appsBefore },
    objectId: ctx.space.uid,
    objectName: ctx.space.name,
  })
  return { ...present({ ...wanted, version }), appGroups }
}

/**
 * Whoever decides who is in which group gives all that groups give: roles of the space and of its apps, and the role of who is in
 * none. Throws `InvalidRoleChange` for who may not. The space is locked.
 */
export async function requireGivesAll(ctx: SpaceContext): Promise<void> {
  const found = await rows.findGroupRoles(ctx.db, ctx.scope)
  const given = new Set([...found.groups.map(({ role }) => role), present(found).defaultRoleId])
  for (const role of given) await requireCommand(ctx, 'project', role)
  await requireGivesInApps(ctx, await linesOfApps(ctx))
}

/** The role for somebody who becomes a member by the directory: of the first line with one of their groups, or the default. */
export async function roleByGroups(
  { db, scope }: Pick<DirectoryContext, 'db' | 'scope'>,
  groups: readonly string[],
): Promise<string> {
  const found = await rows.findGroupRoles(db, scope)
  return matching(found, groups) ?? present(found).defaultRoleId
}

/** What comes with these groups: in the space (null: nothing) and, by their ids, in apps. */
export async function rolesOfGroups(
  ctx: Pick<DirectoryContext, 'db' | 'scope'>,
  groups: readonly string[],
): Promise<{ role: string | null; apps: Map<number, string> }> {
  const role = matching(await rows.findGroupRoles(ctx.db, ctx.scope), groups)
  return { role, apps: await appRolesOfGroups(ctx, groups) }
}

/**
 * Gives the account's membership the role of the first line with one of their groups, and in apps likewise (`before`: the groups
 * they were in, where that is known). Nothing happens when they are no
 * member, when no line matches, when they have that role, and to the last who may do everything. A change is an event
 * and an entry of the audit log by `ctx.actor`. Answers the change; null for none. The space is locked.
 */
export async function applyGroups(
  ctx: DirectoryContext,
  accountId: string,
  groups: readonly string[],
  before: readonly string[] = [],
): Promise<{ memberId: string; before: string; after: string } | null> {
  await applyAppGroups(ctx, accountId, groups, before)
  const role = matching(await rows.findGroupRoles(ctx.db, ctx.scope), groups)
  const change = role === null ? null : await changeRoleByDirectory(ctx, accountId, role)
  if (change === null) return null
  const { memberId, name, before: had, after } = change
  await writeAudit(ctx.db, ctx.scope, {
    act: 'member.update',
    outcome: 'done',
    actor: ctx.actor,
    ip: ctx.ip ?? null,
    agent: ctx.agent ?? null,
    object: { kind: 'member', id: memberId, name },
    details: { changes: [{ key: 'roleId', before: had, after }] },
  })
  return { memberId, before: had, after }
}

/** All groups that a role comes with, in the space or in an app. */
export async function groupsWithRoles(ctx: Pick<DirectoryContext, 'db' | 'scope'>): Promise<string[]> {
  const { groups } = await rows.findGroupRoles(ctx.db, ctx.scope)
  return [...groups.map(({ name }) => name), ...(await groupsOfApps(ctx))]
}

function matching({ groups: lines }: rows.GroupRolesRow, groups: readonly string[]): string | null {
  const names = new Set(groups.map(nameOf))
  return lines.find(({ name }) => names.has(name))?.role ?? null
}
