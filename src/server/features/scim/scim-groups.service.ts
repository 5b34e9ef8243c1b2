import type { SpaceContext } from '#server/access/context.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { giveRoleOfGroups, saysSomething } from './directory-roles.ts'
import { grouped, keyOf, recordAct } from './scim-context.ts'
import * as rows from './scim-groups.repository.ts'
import { findUsers, makeKnown, type UserView } from './scim-users.service.ts'

/** Which groups come into question; what is left out is not asked for. */
export interface GroupSearch {
  id?: string | undefined
  name?: string | undefined
  externalId?: string | undefined
}

export interface GroupInput {
  name: string
  externalId: string | null
  /** ids of users; null: as they are. */
  members: string[] | null
}

export type GroupView = rows.GroupRow & { members: { id: string; name: string }[] }

/** A page of the groups, oldest first, and how many there are; without a page all of them. */
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

/** Throws 404. */
export async function requireGroup(ctx: SpaceContext, id: string, withMembers = true): Promise<GroupView> {
  const [group] = idPattern.test(id) ? (await findGroups(ctx, { id }, null, withMembers)).groups : []
  if (!group) throw new AppError('NotFound')
  return group
}

/** The space is locked. Throws `EmailIsAlreadyInUse` for a name that is taken, `ValidationFailed` for members unknown. */
export async function createGroup(ctx: SpaceContext, input: GroupInput): Promise<GroupView> {
  const id = newId()
  const { name, externalId, members } = input
  await rows.insertGroup(ctx.db, ctx.scope, id, { name, nameKey: keyOf(name), externalId })
  await recordAct(ctx, 'group.create', { id, name }, { members: members?.length ?? 0 })
  if (members) await changeMembers(ctx, { id, names: [null, name] }, new Set(), new Set(members))
  return requireGroup(ctx, id)
}

/** The space is locked. Throws as {@link createGroup}. */
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
  await recordAct(
    ctx,
    'group.update',
    { id: before.id, name },
    {
      ...(name === before.name ? {} : { changes: [{ key: 'name', before: before.name, after: name }] }),
      ...counts,
    },
  )
  await changeMembers(ctx, { id: before.id, names: [before.name, name] }, was, now)
  return requireGroup(ctx, before.id)
}

/** Who is in it loses what it gave. The space is locked. */
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
 * Puts people into a group and takes them out of it; those whom it concerns get the role of the groups that they are in
 * then. `names`: of the group before and from now on.
 */
async function changeMembers(
  ctx: SpaceContext,
  { id, names: [before, after] }: { id: string; names: [string | null, string | null] },
  was: Set<string>,
  now: Set<string>,
): Promise<void> {
  const added = [...now].filter((user) => !was.has(user))
  const removed = [...was].filter((user) => !now.has(user))
  const people = await lookUp(ctx, added)
  if (added.some((user) => !people.has(user))) throw invalid('members', 'InvalidValue')
  const concerned = before === after ? [...added, ...removed] : [...was, ...added]
  const counts =
    concerned.length > 0 &&
    (await saysSomething(
      ctx,
      [before, after].filter((name) => name !== null),
    ))
  // As they were before: the name of the group itself may have changed already.
  const former = counts ? await lookUp(ctx, concerned) : new Map<string, UserView>()
  for (const user of added) {
    const person = people.get(user)
    if (person) await makeKnown(ctx, person)
  }
  await rows.addMembers(ctx.db, ctx.scope, id, added)
  await rows.removeMembers(ctx.db, ctx.scope, id, removed)
  for (const person of former.values()) {
    const others = person.groups.filter((group) => group.id !== id).map(({ name }) => name)
    const then = was.has(person.id) && before !== null ? [...others, before] : others
    const present = now.has(person.id) && after !== null ? [...others, after] : others
    await giveRoleOfGroups(ctx, person, then, present)
  }
}

/** The users of those ids that are some. */
async function lookUp(ctx: SpaceContext, ids: string[]): Promise<Map<string, UserView>> {
  if (ids.length === 0) return new Map()
  const { users } = await findUsers(ctx, ids.length === 1 ? { id: ids[0] } : {}, null)
  const wanted = new Set(ids)
  return new Map(users.filter((user) => wanted.has(user.id)).map((user) => [user.id, user]))
}
