import { changesOf } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { giveRolesOfGroups, saysSomething } from './directory-roles.ts'
import { grouped, keyOf, recordAct } from './scim-context.ts'
import * as rows from './scim-groups.repository.ts'
import { findUsers, makeAllKnown, type UserView } from './scim-users.service.ts'

export interface GroupSearch {
  id?: string | undefined
  name?: string | undefined
  externalId?: string | undefined
}

export interface GroupInput {
  name: string
  externalId: string | null
  /** ids of users; null: unchanged. */
  members: string[] | null
}

export type GroupView = rows.GroupRow & { members: { id: string; name: string }[] }

/** Returns a page of the groups, oldest first, and their total number. `page` null: all groups. */
export async function findGroups(
  ctx: SpaceContext,
  { name, ...rest }: GroupSearch,
  page: { skip: number; limit: number } | null,
  withMembers: boolean,
): Promise<{ groups: GroupView[]; total: number }> {
  const search = { ...rest, nameKey: name === undefined ? undefined : keyOf(name) }
  const found = await rows.listGroups(ctx.db, ctx.scope, search, page)
  const total = page ? await rows.countGroups(ctx.db, ctx.scope, search) : found.length
  const ids = found.map(({ id }) => id)
  const all = withMembers ? await rows.findMembers(ctx.db, ctx.scope, ids) : []
  const byGroup = grouped(all, ({ groupId }) => groupId)
  const groups = found.map((group) => ({
    ...group,
    members: (byGroup.get(group.id) ?? []).map(({ userId, name }) => ({ id: userId, name })),
  }))
  return { groups, total }
}

/** Throws 404 if the group does not exist. */
export async function requireGroup(ctx: SpaceContext, id: string, withMembers = true): Promise<GroupView> {
  const [group] = idPattern.test(id) ? (await findGroups(ctx, { id }, null, withMembers)).groups : []
  if (!group) throw new AppError('NotFound')
  return group
}

/**
 * Creates a group. The space must be locked. Throws `EmailIsAlreadyInUse` for a name that is already used,
 * `ValidationFailed` for unknown members.
 */
export async function createGroup(ctx: SpaceContext, input: GroupInput): Promise<GroupView> {
  const id = newId()
  const { name, externalId, members } = input
  await rows.insertGroup(ctx.db, ctx.scope, id, { name, nameKey: keyOf(name), externalId })
  await recordAct(ctx, 'group.create', { id, name }, { members: members?.length ?? 0 })
  if (members) await changeMembers(ctx, { id, names: [null, name] }, new Set(), new Set(members))
  return requireGroup(ctx, id)
}

/** Updates a group. The space must be locked. Throws like {@link createGroup}. */
export async function updateGroup(
  ctx: SpaceContext,
  before: GroupView,
  { name, externalId, members }: GroupInput,
): Promise<GroupView> {
  const was = new Set(before.members.map((member) => member.id))
  const now = members === null ? was : new Set(members)
  const isSame = now.size === was.size && [...now].every((id) => was.has(id))
  if (isSame && name === before.name && externalId === before.externalId) return before
  await rows.updateGroup(ctx.db, ctx.scope, before.id, { name, nameKey: keyOf(name), externalId })
  const counts = {
    added: [...now].filter((id) => !was.has(id)).length,
    removed: [...was].filter((id) => !now.has(id)).length,
  }
  const changes = changesOf({ name: before.name, externalId: before.externalId }, { name, externalId }, [
    'name',
    'externalId',
  ])
  const details = { ...(changes.length > 0 ? { changes } : {}), ...counts }
  await recordAct(ctx, 'group.update', { id: before.id, name }, details)
  await changeMembers(ctx, { id: before.id, names: [before.name, name] }, was, now)
  return requireGroup(ctx, before.id)
}

/** Deletes the group. Its members lose the roles that it assigned. The space must be locked. */
export async function deleteGroup(ctx: SpaceContext, { id, name, members }: GroupView): Promise<void> {
  await recordAct(ctx, 'group.delete', { id, name })
  await changeMembers(
    ctx,
    { id, names: [name, null] },
    new Set(members.map((member) => member.id)),
    new Set(),
  )
  await rows.deleteGroup(ctx.db, ctx.scope, id)
}

/**
 * Adds and removes members of a group, and updates their roles by the resulting groups. `names`: the name of the group
 * before and after the change. null: the group does not exist then.
 */
async function changeMembers(
  ctx: SpaceContext,
  { id, names: [before, after] }: { id: string; names: [string | null, string | null] },
  was: Set<string>,
  now: Set<string>,
): Promise<void> {
  const added = [...now].filter((user) => !was.has(user))
  const removed = [...was].filter((user) => !now.has(user))
  const concerned = before === after ? [...added, ...removed] : [...was, ...added]
  const counts =
    concerned.length > 0 &&
    (await saysSomething(
      ctx,
      [before, after].filter((name) => name !== null),
    ))
  // `people` has the groups from before the change. Only the name of this group may already be the new one.
  const people = await lookUp(ctx, counts ? concerned : added)
  const found = added.flatMap((user) => people.get(user) ?? [])
  if (found.length < added.length) throw invalid('members', 'InvalidValue')
  await makeAllKnown(ctx, found)
  await rows.addMembers(ctx.db, ctx.scope, id, added)
  await rows.removeMembers(ctx.db, ctx.scope, id, removed)
  if (!counts) return
  const regrouped = [...people.values()].map((person) => {
    const others = person.groups.filter((group) => group.id !== id).map(({ name }) => name)
    return {
      accountId: person.accountId,
      before: was.has(person.id) && before !== null ? [...others, before] : others,
      now: now.has(person.id) && after !== null ? [...others, after] : others,
    }
  })
  await giveRolesOfGroups(ctx, regrouped)
}

/** Returns the users with these ids. Unknown ids are skipped. */
async function lookUp(ctx: SpaceContext, ids: string[]): Promise<Map<string, UserView>> {
  if (ids.length === 0) return new Map()
  const { users } = await findUsers(ctx, { ids }, null)
  return new Map(users.map((user) => [user.id, user]))
}
