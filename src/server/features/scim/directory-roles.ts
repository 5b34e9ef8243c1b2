import type { SpaceContext } from '#server/access/context.ts'
import { applyGroupsToAll, groupsWithRoles } from '#server/features/group-roles/group-roles.service.ts'
import { keyOf } from './scim-context.ts'

/* features/group-roles decides which group has which role. This module passes it the changed groups of users. */

/** A user with the names of their previous and current groups. */
export interface Regrouped {
  /** null: not a member. */
  accountId: string | null
  before: readonly string[]
  now: readonly string[]
}

/** Assigns users the roles that are mapped to their groups (`applyGroupsToAll`). The space must be locked. */
export async function giveRolesOfGroups(ctx: SpaceContext, users: readonly Regrouped[]): Promise<void> {
  const accounts = users.flatMap(({ accountId, before, now }) =>
    accountId === null ? [] : [{ accountId, groups: now, before }],
  )
  await applyGroupsToAll({ ...ctx, ...ctx.origin }, accounts)
}

/** Returns whether the group mappings of the space or of an app name any of these groups. */
export async function saysSomething(ctx: SpaceContext, names: string[]): Promise<boolean> {
  const keys = new Set(names.map(keyOf))
  return (await groupsWithRoles(ctx)).some((name) => keys.has(keyOf(name)))
}
