import type { SpaceContext } from '#server/access/context.ts'
import { applyGroupsToAll, groupsWithRoles } from '#server/features/group-roles/group-roles.service.ts'
import { keyOf } from './scim-context.ts'

/* The space decides which group gives which role (features/group-roles); this module triggers it. */

/** A user with the names of their previous and current groups. */
export interface Regrouped {
  /** null: not a member. */
  accountId: string | null
  before: readonly string[]
  now: readonly string[]
}

/** Gives users the roles of their groups (`applyGroupsToAll`). The space is locked. */
export async function giveRolesOfGroups(ctx: SpaceContext, users: readonly Regrouped[]): Promise<void> {
  const accounts = users.flatMap(({ accountId, before, now }) =>
    accountId === null ? [] : [{ accountId, groups: now, before }],
  )
  await applyGroupsToAll({ ...ctx, ...ctx.origin }, accounts)
}

/** Whether any of these groups gives a role. Avoids loading all members of groups that give none. */
export async function saysSomething(ctx: SpaceContext, names: string[]): Promise<boolean> {
  const keys = new Set(names.map(keyOf))
  return (await groupsWithRoles(ctx)).some((name) => keys.has(keyOf(name)))
}
