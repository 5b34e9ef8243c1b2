import type { SpaceContext } from '#server/access/context.ts'
import type { Message } from '#shared/contract/endpoint.ts'
import { recordListing } from '../scim.service.ts'
import {
  createGroup,
  deleteGroup,
  type GroupView,
  requireGroup,
  updateGroup,
} from '../scim-groups.service.ts'
import {
  createUser,
  deleteUser,
  lockDirectory,
  requireUser,
  type UserView,
  updateUser,
} from '../scim-users.service.ts'
import { groups, users } from './attributes.ts'
import { listAnswer, resourceTypes, schemas, serviceProviderConfig } from './documents.ts'
import { findResources, type Kind, type Query } from './lists.ts'
import { applyPatch, type Values } from './patch.ts'
import { isShown, presentGroup, presentUser, project, readGroup, readUser, versionOf } from './resources.ts'
import { ScimError } from './scim-error.ts'

/* The calls of SCIM 2.0 (RFC 7643, RFC 7644) at `/scim/v2/{space}` (docs/decisions/0052). */

/** A request, in a transaction of the space. */
export interface Call {
  ctx: SpaceContext
  id: string
  query: Query
  body: Values
  /** The versions that the request names, in the format of `If-Match` and `If-None-Match`. */
  ifMatch: string | undefined
  ifNoneMatch: string | undefined
  /** Base URI of the service in this space. */
  base: string
}

const ok = (body: Values): Message<200> => ({ status: 200, body })

/** Returns the response with a resource and its ETag, limited to the requested attributes. */
function shown<S extends number>(status: S, resource: Values, { query }: Call, kind: Kind): Message<S> {
  const meta = resource.meta as { version: string; location: string }
  return {
    status,
    body: project(resource, query.shown, kind),
    headers: { etag: meta.version, location: meta.location },
  }
}

/** Throws 412 if `If-Match` names only other versions of the resource. */
function checkVersion({ ifMatch: wanted }: Call, { version }: { version: number }): void {
  if (wanted === undefined || wanted.trim() === '*') return
  const known = wanted.split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (!known.includes(versionOf(version).replace('W/', '')))
    throw new ScimError(412, 'The resource has changed since')
}

const isKnown = ({ ifNoneMatch }: Call, { version }: { version: number }) =>
  ifNoneMatch?.replace(/^W\//, '') === versionOf(version).replace('W/', '')

export const userCalls = {
  list: (call: Call) => findResources(call, users),
  read: async (call: Call): Promise<Message<200 | 304>> => {
    const user = await requireUser(call.ctx, call.id)
    return isKnown(call, user) ? { status: 304 } : shown(200, presentUser(user, call.base), call, users)
  },
  create: async (call: Call) => {
    await lockDirectory(call.ctx)
    const user = await createUser(call.ctx, readUser(call.body))
    return shown(201, presentUser(user, call.base), call, users)
  },
  replace: (call: Call) => changeUser(call, (user) => readUser(call.body, user.isActive)),
  patch: (call: Call) =>
    changeUser(call, async (user) =>
      readUser(await applyPatch(presentUser(user, call.base), call.body, users), user.isActive),
    ),
  remove: async (call: Call): Promise<Message<204>> => {
    await lockDirectory(call.ctx)
    const user = await requireUser(call.ctx, call.id)
    checkVersion(call, user)
    await deleteUser(call.ctx, user)
    return { status: 204 }
  },
}

async function changeUser(
  call: Call,
  read: (user: UserView) => ReturnType<typeof readUser> | Promise<ReturnType<typeof readUser>>,
): Promise<Message<200>> {
  await lockDirectory(call.ctx)
  const before = await requireUser(call.ctx, call.id)
  checkVersion(call, before)
  const user = await updateUser(call.ctx, before, await read(before))
  return shown(200, presentUser(user, call.base), call, users)
}

export const groupCalls = {
  list: (call: Call) => findResources(call, groups),
  read: async (call: Call): Promise<Message<200 | 304>> => {
    const group = await requireGroup(call.ctx, call.id, isShown(call.query.shown, 'members'))
    if (isKnown(call, group)) return { status: 304 }
    if (group.members.length > 1) await recordListing(call.ctx, 'groups')
    return shown(200, presentGroup(group, call.base), call, groups)
  },
  create: async (call: Call) => {
    await lockDirectory(call.ctx)
    const group = await createGroup(call.ctx, readGroup(call.body, false))
    return shown(201, presentGroup(group, call.base), call, groups)
  },
  replace: (call: Call) => changeGroup(call, () => readGroup(call.body, false)),
  patch: (call: Call) =>
    changeGroup(call, async (group) =>
      readGroup(await applyPatch(presentGroup(group, call.base), call.body, groups), false),
    ),
  remove: async (call: Call): Promise<Message<204>> => {
    await lockDirectory(call.ctx)
    const group = await requireGroup(call.ctx, call.id)
    checkVersion(call, group)
    await deleteGroup(call.ctx, group)
    return { status: 204 }
  },
}

async function changeGroup(
  call: Call,
  read: (group: GroupView) => ReturnType<typeof readGroup> | Promise<ReturnType<typeof readGroup>>,
): Promise<Message<200>> {
  await lockDirectory(call.ctx)
  const before = await requireGroup(call.ctx, call.id)
  checkVersion(call, before)
  const group = await updateGroup(call.ctx, before, await read(before))
  return shown(200, presentGroup(group, call.base), call, groups)
}

export const documentCalls = {
  config: ({ base }: Call) => ok(serviceProviderConfig(base)),
  resourceTypes: ({ base }: Call) => ok(listAnswer(resourceTypes(base))),
  resourceType: ({ base, id }: Call) => oneOf(resourceTypes(base), id),
  schemas: ({ base }: Call) => ok(listAnswer(schemas(base))),
  schema: ({ base, id }: Call) => oneOf(schemas(base), id),
}

function oneOf(all: (Values & { id: string })[], id: string): Message<200> {
  const found = all.find((each) => each.id.toLowerCase() === id.toLowerCase())
  if (!found) throw new ScimError(404, 'There is none of that id')
  return ok(found)
}
