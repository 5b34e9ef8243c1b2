import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SpaceContext } from '#server/access/context.ts'
import { asDirectory, recordListing } from '#server/features/scim/scim.service.ts'
import {
  createGroup,
  deleteGroup,
  type GroupView,
  requireGroup,
  updateGroup,
} from '#server/features/scim/scim-groups.service.ts'
import {
  createUser,
  deleteUser,
  lockDirectory,
  requireUser,
  type UserView,
  updateUser,
} from '#server/features/scim/scim-users.service.ts'
import type { ServerDeps } from '#server/http/context.ts'
import { toAppError } from '#server/http/errors.ts'
import { parseJsonBody } from '#server/http/validation.ts'
import { AppError } from '#shared/errors.ts'
import type { PublicRoute } from '../public-route.ts'
import { groups, users } from './attributes.ts'
import { listAnswer, resourceTypes, schemas, serviceProviderConfig } from './documents.ts'
import { findResources, type Kind, type Query, readQuery, readSearchBody } from './lists.ts'
import { applyPatch, type Values } from './patch.ts'
import { isShown, presentGroup, presentUser, project, readGroup, readUser, versionOf } from './resources.ts'
import { refused, ScimError } from './scim-error.ts'

/* SCIM 2.0 (RFC 7643, RFC 7644) at `/scim/v2/{space}`, authorised by the space's SCIM token (docs/decisions/0052). */

const perMinute = 1200
const maximumBytes = 1024 * 1024
const mediaType = 'application/scim+json'

/** A request, in a transaction of the space. */
interface Call {
  ctx: SpaceContext
  request: FastifyRequest
  id: string
  query: Query
  body: Values
  base: string
}

interface ScimAnswer {
  status: number
  body?: Values
  headers?: Record<string, string>
}

const ok = (body: Values): ScimAnswer => ({ status: 200, body })

/** Returns the response with a resource and its ETag, limited to the requested attributes. */
function shown(resource: Values, { query }: Call, kind: Kind, status = 200): ScimAnswer {
  const meta = resource.meta as { version: string; location: string }
  return {
    status,
    body: project(resource, query.shown, kind),
    headers: { etag: meta.version, location: meta.location },
  }
}

/** Throws 412 if `If-Match` names only other versions of the resource. */
function checkVersion({ request }: Call, { version }: { version: number }): void {
  const wanted = request.headers['if-match']
  if (wanted === undefined || wanted.trim() === '*') return
  const known = wanted.split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (!known.includes(versionOf(version).replace('W/', '')))
    throw new ScimError(412, 'The resource has changed since')
}

const isKnown = ({ request }: Call, { version }: { version: number }) =>
  request.headers['if-none-match']?.replace(/^W\//, '') === versionOf(version).replace('W/', '')

const userCalls = {
  list: (call: Call) => findResources(call, users),
  read: async (call: Call) => {
    const user = await requireUser(call.ctx, call.id)
    return isKnown(call, user) ? { status: 304 } : shown(presentUser(user, call.base), call, users)
  },
  create: async (call: Call) => {
    await lockDirectory(call.ctx)
    const user = await createUser(call.ctx, readUser(call.body))
    return shown(presentUser(user, call.base), call, users, 201)
  },
  replace: (call: Call) => changeUser(call, (user) => readUser(call.body, user.isActive)),
  patch: (call: Call) =>
    changeUser(call, async (user) =>
      readUser(await applyPatch(presentUser(user, call.base), call.body, users), user.isActive),
    ),
  remove: async (call: Call) => {
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
): Promise<ScimAnswer> {
  await lockDirectory(call.ctx)
  const before = await requireUser(call.ctx, call.id)
  checkVersion(call, before)
  const user = await updateUser(call.ctx, before, await read(before))
  return shown(presentUser(user, call.base), call, users)
}

const groupCalls = {
  list: (call: Call) => findResources(call, groups),
  read: async (call: Call) => {
    const group = await requireGroup(call.ctx, call.id, isShown(call.query.shown, 'members'))
    if (isKnown(call, group)) return { status: 304 }
    if (group.members.length > 1) await recordListing(call.ctx, 'groups')
    return shown(presentGroup(group, call.base), call, groups)
  },
  create: async (call: Call) => {
    await lockDirectory(call.ctx)
    const group = await createGroup(call.ctx, readGroup(call.body, false))
    return shown(presentGroup(group, call.base), call, groups, 201)
  },
  replace: (call: Call) => changeGroup(call, () => readGroup(call.body, false)),
  patch: (call: Call) =>
    changeGroup(call, async (group) =>
      readGroup(await applyPatch(presentGroup(group, call.base), call.body, groups), false),
    ),
  remove: async (call: Call) => {
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
): Promise<ScimAnswer> {
  await lockDirectory(call.ctx)
  const before = await requireGroup(call.ctx, call.id)
  checkVersion(call, before)
  const group = await updateGroup(call.ctx, before, await read(before))
  return shown(presentGroup(group, call.base), call, groups)
}

const documents = {
  '/ServiceProviderConfig': ({ base }: Call) => ok(serviceProviderConfig(base)),
  '/ResourceTypes': ({ base }: Call) => ok(listAnswer(resourceTypes(base))),
  '/ResourceTypes/:id': ({ base, id }: Call) => oneOf(resourceTypes(base), id),
  '/Schemas': ({ base }: Call) => ok(listAnswer(schemas(base))),
  '/Schemas/:id': ({ base, id }: Call) => oneOf(schemas(base), id),
}

function oneOf(all: (Values & { id: string })[], id: string): ScimAnswer {
  const found = all.find((each) => each.id.toLowerCase() === id.toLowerCase())
  if (!found) throw new ScimError(404, 'There is none of that id')
  return ok(found)
}

type Answering = (call: Call) => ScimAnswer | Promise<ScimAnswer>

/**
 * Returns all routes of the protocol. Other paths respond with 404 in SCIM format, `GET /Me` and `POST /Bulk` with 501.
 */
export function scimRoutes(deps: ServerDeps): PublicRoute[] {
  const at = (method: PublicRoute['method'], path: string, answer: Answering): PublicRoute => ({
    method,
    url: `/scim/v2/:space${path}`,
    perMinute,
    sendError: sendScimError,
    handle: (request, reply) => respond(deps, request, reply, answer),
  })
  const resource = (path: string, calls: typeof userCalls): PublicRoute[] => [
    at('GET', path, calls.list),
    at('POST', path, calls.create),
    at('POST', `${path}/.search`, calls.list),
    at('GET', `${path}/:id`, calls.read),
    at('PUT', `${path}/:id`, calls.replace),
    at('PATCH', `${path}/:id`, calls.patch),
    at('DELETE', `${path}/:id`, calls.remove),
  ]
  const missing: Answering = () => {
    throw new ScimError(404, 'There is no such resource')
  }
  const unsupported: Answering = () => {
    throw new ScimError(501, 'This is not supported')
  }
  return [
    ...resource('/Users', userCalls),
    ...resource('/Groups', groupCalls),
    ...Object.entries(documents).map(([path, answer]) => at('GET', path, answer)),
    at('GET', '/Me', unsupported),
    at('POST', '/Bulk', unsupported),
    ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => at(method, '/*', missing)),
  ]
}

async function respond(
  { services, database }: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answering,
): Promise<FastifyReply> {
  const { space = '', id = '' } = request.params as { space?: string; id?: string }
  const [, token] = /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(request.headers.authorization ?? '') ?? []
  if (token === undefined) throw new AppError('Unauthorized')
  const base = `${services.config.url}/scim/v2/${encodeURIComponent(space)}`
  const origin = { ip: request.ip, agent: request.headers['user-agent'] ?? null }
  // The body is read before the transaction, so that a slow sender does not occupy a connection.
  const body = await readBody(request)
  const isSearch = request.url.split('?', 1)[0]?.endsWith('/.search')
  const answered = await asDirectory(
    { db: database.kysely, services },
    { space, token, origin },
    async (ctx) => {
      const query = isSearch ? readSearchBody(body) : readQuery(request.query as Values)
      return answer({ ctx, request, id, query, body, base })
    },
  )
  reply.code(answered.status).headers(answered.headers ?? {})
  if (answered.body === undefined) return reply.send()
  return reply.type(mediaType).send(JSON.stringify(answered.body))
}

/**
 * Reads a JSON body with one of the two media types for SCIM. Returns `{}` for an empty body, and for GET and DELETE.
 * Throws 400 `invalidSyntax`, 413, 415.
 */
async function readBody({ method, body, headers }: FastifyRequest): Promise<Values> {
  if (!(body instanceof Readable)) return {}
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maximumBytes) throw new AppError('RequestFileTooLarge')
    chunks.push(chunk)
  }
  if (size === 0 || method === 'GET' || method === 'DELETE') return {}
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== mediaType && type !== 'application/json') throw new AppError('UnsupportedMediaType')
  let value: unknown
  try {
    value = parseJsonBody(Buffer.concat(chunks))
  } catch (error) {
    throw refused('invalidSyntax', (error as Error).message)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refused('invalidSyntax', 'The body is an object')
  return value as Values
}

/** Sends an error in the format of RFC 7644 §3.12. */
function sendScimError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = error instanceof ScimError ? error : fromAppError(toAppError(error))
  if (known.status >= 500 && known.status !== 501) request.log.error({ err: error }, 'SCIM')
  return reply
    .code(known.status)
    .headers({ 'cache-control': 'no-store', ...known.headers })
    .type(mediaType)
    .send(
      JSON.stringify({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: String(known.status),
        ...(known.scimType ? { scimType: known.scimType } : {}),
        detail: known.message,
      }),
    )
}

function fromAppError({ code, status, message, issues, headers = {} }: AppError): ScimError {
  const paths = (issues ?? []).map(({ path }) => path).join(', ')
  if (code === 'EmailIsAlreadyInUse')
    return new ScimError(409, `${paths} is in use`, { scimType: 'uniqueness' })
  if (code === 'OtherAdminMembersNotExist')
    return new ScimError(409, 'The last admin of the space stays a member', { scimType: 'mutability' })
  if (code === 'SsoExemptAdminIsNeeded')
    return new ScimError(409, 'The admin who comes in without SSO stays a member while SSO is required', {
      scimType: 'mutability',
    })
  if (code === 'ValidationFailed')
    return new ScimError(400, paths ? `${paths} has a value that is not allowed` : message, {
      scimType: 'invalidValue',
    })
  if (code === 'Unauthorized')
    return new ScimError(401, 'The token is not valid here', { headers: { 'www-authenticate': 'Bearer' } })
  return new ScimError(status, message, { headers })
}
