import type { SpaceContext } from '#server/access/context.ts'
import {
  applyGroups,
  groupsWithRoles,
  roleByGroups,
} from '#server/features/group-roles/group-roles.service.ts'
import { changeRoleByDirectory } from '#server/features/members/members.service.ts'
import { keyOf, recordAct } from './scim-context.ts'
import type { UserRow } from './scim-users.repository.ts'

/*
 * Which role comes with which group is for the space to say (features/group-roles); here is when it is asked.
 */

/**
 * Gives a member the role of their groups. Who had what their former groups gave, and is in none any more that gives one,
 * has that of who is in none; a role that people gave stays. The space is locked.
 */
export async function giveRoleOfGroups(
  ctx: SpaceContext,
  { accountId, memberId, role, name, email }: UserRow,
  before: readonly string[],
  now: readonly string[],
): Promise<void> {
  if (accountId === null) return
  if (await applyGroups(ctx, accountId, now, before)) return
  if (before.length === 0 || (await roleByGroups(ctx, before)) !== role) return
  const wanted = await roleByGroups(ctx, now)
  if (wanted === role) return
  const changed = await changeRoleByDirectory(ctx, accountId, wanted)
  if (changed)
    await recordAct(
      ctx,
      'member.update',
      { id: memberId, name: name || email || '' },
      {
        changes: [{ key: 'roleId', before: changed.before, after: changed.after }],
      },
    )
}

/** Does a role come with one of these groups? Asked before everybody in them is looked at. */
export async function saysSomething(ctx: SpaceContext, names: string[]): Promise<boolean> {
  const keys = new Set(names.map(keyOf))
  return (await groupsWithRoles(ctx)).some((name) => keys.has(keyOf(name)))
}
