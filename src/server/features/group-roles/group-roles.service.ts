import { noteAudit, writeAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { changeRoleByDirectory } from '#server/features/members/members.service.ts'
import { requireGivable } from '#server/features/roles/roles.service.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import type { GroupRoles, groupRoleEndpoints } from '#shared/contract/group-roles.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { invitedRole } from '#shared/permissions.ts'
import { normalizeUnicode } from '#shared/unicode.ts'
import * as rows from './group-roles.repository.ts'

type Input = BodyOf<(typeof groupRoleEndpoints)['updateGroupRoles']>['data']
/** What the directory's word is taken in: the transaction is in the space. `ip` and `agent` go into the audit log. */
export type DirectoryContext = Pick<SpaceContext, 'db' | 'scope' | 'actor'> & {
  ip?: string | null
  agent?: string | null
}

/** One way to write a name; upper and lower case stay different, as they may be in a directory. */
const nameOf = (group: string) => normalizeUnicode(group.trim(), 'NFC')

const present = ({ groups, defaultRole, version }: rows.GroupRolesRow): GroupRoles => ({
  groups: groups.map(({ name, role }) => ({ name, roleId: role })),
  defaultRoleId: defaultRole ?? invitedRole,
  version,
})

export async function getGroupRoles({ db, scope }: SpaceContext): Promise<GroupRoles> {
  return present(await rows.findGroupRoles(db, scope))
}

/** Throws `ValidationFailed` (no such role, a group twice), `InvalidRoleChange`, `VersionConflict`. */
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
  noteAudit(ctx, { before: present(before), objectId: ctx.space.uid, objectName: ctx.space.name })
  return present({ ...wanted, version })
}

/** The role for somebody who becomes a member by the directory: of the first line with one of their groups, or the default. */
export async function roleByGroups(
  { db, scope }: Pick<DirectoryContext, 'db' | 'scope'>,
  groups: readonly string[],
): Promise<string> {
  const found = await rows.findGroupRoles(db, scope)
  return matching(found, groups) ?? present(found).defaultRoleId
}

/**
 * Gives the account's membership the role of the first line with one of their groups. Nothing happens when they are no
 * member, when no line matches, when they have that role, and to the last who may do everything. A change is an event
 * and an entry of the audit log by `ctx.actor`. Answers the change; null for none. The space is locked.
 */
export async function applyGroups(
  ctx: DirectoryContext,
  accountId: string,
  groups: readonly string[],
): Promise<{ memberId: string; before: string; after: string } | null> {
  const role = matching(await rows.findGroupRoles(ctx.db, ctx.scope), groups)
  const change = role === null ? null : await changeRoleByDirectory(ctx, accountId, role)
  if (change === null) return null
  const { memberId, name, before, after } = change
  await writeAudit(ctx.db, ctx.scope, {
    act: 'member.update',
    outcome: 'done',
    actor: ctx.actor,
    ip: ctx.ip ?? null,
    agent: ctx.agent ?? null,
    object: { kind: 'member', id: memberId, name },
    details: { changes: [{ key: 'roleId', before, after }] },
  })
  return { memberId, before, after }
}

function matching({ groups: lines }: rows.GroupRolesRow, groups: readonly string[]): string | null {
  const names = new Set(groups.map(nameOf))
  return lines.find(({ name }) => names.has(name))?.role ?? null
}
