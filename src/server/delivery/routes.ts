import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ContentSpace } from '#server/content/model.ts'
import type { Registry } from '#server/content/registry.ts'
import type { Database } from '#server/db/connection.ts'
import type { KnownIndexes } from '#server/db/field-indexes.ts'
import { strictTransport } from '#server/http/browsers/security-headers.ts'
import { createGate, type Visitor } from '#server/lib/gate.ts'
import type { AssetHost } from '#shared/asset-address.ts'
import { type Answer, sendAnswer, sendDeliveryError, sendPreflight } from './answers.ts'
import { createApiCalls } from './api-calls.ts'
import type { AssetDelivery } from './assets.ts'
import { openBytePool } from './byte-pool.ts'
import { DeliveryError, overloaded, toDeliveryError } from './errors.ts'
import { createReader } from './reader.ts'
import { nothingThere, siteOf } from './site.ts'
import { createSiteRequests } from './site-requests.ts'
import { allowedAddresses, createTokens, type DeliveryToken } from './tokens.ts'

/**
 * Limits of concurrent requests that use the database: twice the default number of its connections. Newt's clients have
 * no timeout and retry only three times. Therefore other requests wait as long as proxies allow and memory suffices
 * (about 3,000 requests). One space gets enough of the capacity to build a site at full speed, and the rest is for
 * other spaces.
 */
const limits = {
  active: 16,
  activePerLine: 12,
  waiting: 64 * 1024 * 1024, // bytes
  patience: 50_000,
  refusal: overloaded,
}
/** Memory of a waiting request in addition to its URL and headers, in bytes: its socket and related objects. */
const requestBytes = 20 * 1024

export interface DeliveryDeps {
  config: AssetHost
  database: Pick<Database, 'pool' | 'deliveryPool'>
  registry: Registry
  fieldIndexes?: KnownIndexes
  /** If missing, the URLs of assets return 404. */
  assets?: AssetDelivery
}

/**
 * Registers the public read API under `/v1`: lists, single contents and app information of a token's space, and the
 * files of media libraries. The server needs `rewriteUrl: rewriteDeliveryUrl(config)` (site.ts) for the other forms of
 * URLs.
 */
export function registerDelivery(
  server: FastifyInstance,
  { config, database, registry, fieldIndexes, assets }: DeliveryDeps,
): void {
  const tokens = createTokens(database, (error) =>
    server.log.warn({ err: error }, 'Recording the use of a token failed'),
  )
  const siteRequests = createSiteRequests(database, (error) =>
    server.log.warn({ err: error }, 'Recording the site of a request failed'),
  )
  const apiCalls = createApiCalls(database.pool, {
    onError: (error) => server.log.warn({ err: error }, 'Counting the calls of the delivery API failed'),
  })
  const pool = openBytePool(database.deliveryPool, (error) =>
    server.log.warn({ err: error }, 'A connection to PostgreSQL was lost'),
  )
  const reader = createReader(pool, registry.versions, config, fieldIndexes)
  const gate = createGate(limits)
  const strict = Object.entries(strictTransport(config))

  /**
   * Finds the token and the space of a request: the cached ones or, if `now` is set, those with the versions in `now`.
   * Throws `Unauthorized` if the token is unknown.
   */
  async function find(authorization: string | undefined, now?: { tokens: string; models: string }) {
    const token = await tokens.find(authorization, now?.tokens)
    const known = token && (await registry.space(token.token.spaceId, now?.models))
    if (!known) throw unauthorized()
    return { token, known }
  }

  /**
   * Responds with the cached token and space, and reads their current versions at the same time. The same statement
   * also validates the cached response. If a version has changed, the response is built again from the current data.
   * Counts the call once, if it succeeds.
   */
  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<Sent> {
    const { authorization } = request.headers
    const { token, known } = await find(authorization)
    const [answered, now] = await Promise.all([
      settled(answer(request, reply, token.token, known.space)),
      registry.versions.ofSpace(known.space.id),
    ])
    if (now?.tokens === token.version && now.models === known.version) {
      const result = answered()
      apiCalls.count(token.token)
      return result
    }
    const current = await find(authorization, now)
    const result = await answer(request, reply, current.token.token, current.known.space)
    apiCalls.count(current.token.token)
    return result
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    token: DeliveryToken,
    space: ContentSpace,
  ): Promise<Sent> {
    const site = siteOf(request.raw)
    if (!fits(site, token, space.uid)) throw unauthorized()
    if (token.expiresAt !== null && token.expiresAt <= Date.now()) throw expired()
    if (allowedAddresses(token)?.contains(request.ip) === false) throw notFromThere()
    tokens.used(token)
    if (site.malformed) throw malformed()

    const { segments, query } = parts(request.raw.url ?? '')
    if (segments[0] === 'space' && segments[1] === 'apps' && segments.length === 3) {
      const app = space.apps.get(segments[2] ?? '')
      if (!mayRead(token, app?.id)) throw permissionDenied()
      if (!app) throw notFound()
      return sent(reader.app(app, token.kind), token)
    }
    const [appUid, modelUid, contentId] = segments
    if (segments.length < 2 || segments.length > 3 || !appUid || !modelUid) throw notFound()
    const app = space.apps.get(appUid)
    if (!mayRead(token, app?.id)) throw permissionDenied()
    const model = app?.models.get(modelUid)
    if (!model) throw notFound()
    const { origin, referer, 'user-agent': agent } = request.headers
    siteRequests.note(token, model.id, { origin, referer, agent })
    const visitor = visitorOf(request, reply, token)
    if (contentId === undefined)
      return sent(await gate.run(visitor, () => reader.list(model, token.kind, query)), token)
    const one = await gate.run(visitor, () => reader.one(model, token.kind, contentId, query))
    if (!one) throw notFound()
    return sent(one, token)
  }

  async function answerAsset(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!assets) throw notFound()
    const site = siteOf(request.raw)
    if (site.malformed) throw malformed()
    const { segments, query } = parts(request.raw.url ?? '')
    return assets.answer(request, reply, site, segments, query)
  }

  server.register(
    async (app) => {
      // This hook responds instead of a handler. Plug-ins of the admin add hooks to all routes of the server, and none
      // of these hooks runs after this one.
      app.addHook('onRequest', async (request, reply) => {
        const { method } = request
        for (const [name, value] of strict) reply.raw.setHeader(name, value)
        if (method === 'OPTIONS') return sendPreflight(request, reply)
        const { refusal, allow } = siteOf(request.raw)
        if (allow !== undefined) return sendDeliveryError(reply, methodNotAllowed(allow, refusal))
        if (refusal !== undefined) return sendDeliveryError(reply, notFound(refusal))
        if (method !== 'GET' && method !== 'HEAD') return sendDeliveryError(reply, methodNotAllowed())
        if (siteOf(request.raw).kind === 'assets') return answerAsset(request, reply)
        return sendAnswer(request, reply, await handle(request, reply))
      })
      app.setErrorHandler((error, request, reply) => {
        const known = toDeliveryError(error)
        if (known.status >= 500) request.log.error({ err: error }, known.code)
        return sendDeliveryError(reply, known)
      })
      const answered = async (_request: FastifyRequest, reply: FastifyReply) => reply
      app.setNotFoundHandler(answered) // for methods that Fastify does not route
      app.all('/*', answered)
      app.all('/', answered)
    },
    { prefix: '/v1' },
  )
  server.addHook('onClose', async () => {
    await Promise.all([tokens.close(), siteRequests.close(), apiCalls.close(), pool.end()])
  })
}

/** Resolves with a function that returns the promise's value or throws its error. */
const settled = <Value>(work: Promise<Value>): Promise<() => Value> =>
  work.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error
    },
  )

type Sent = Parameters<typeof sendAnswer>[2]

/**
 * Adds `shared`: whether shared caches may store the response. They may not if the space restricts the IP addresses of
 * readers. The headers of API responses forbid storing anyway.
 */
const sent = (answer: Answer, token: DeliveryToken): Sent => ({
  answer,
  shared: token.kind === 'api' || allowedAddresses(token) === null,
})

function visitorOf({ raw }: FastifyRequest, reply: FastifyReply, { spaceId }: DeliveryToken): Visitor {
  let bytes = requestBytes + (raw.url?.length ?? 0)
  for (const text of raw.rawHeaders) bytes += text.length
  return {
    line: spaceId,
    weight: bytes,
    onGone(leave) {
      if (reply.raw.destroyed) queueMicrotask(leave)
      reply.raw.once('close', leave)
      return () => reply.raw.off('close', leave)
    },
  }
}

/**
 * Checks whether the token is valid for the host and path of the request. Host names are case-insensitive, so the
 * `uid`s of spaces are compared without case.
 */
function fits(site: ReturnType<typeof siteOf>, token: DeliveryToken, spaceUid: string): boolean {
  return (
    (site.kind === null || site.kind === token.kind) &&
    (site.space === null || site.space === spaceUid.toLowerCase())
  )
}

/**
 * Checks whether the token may read the app. A token limited to some apps gets the same refusal for every other `uid`,
 * so that it cannot find out which apps exist.
 */
const mayRead = (token: DeliveryToken, appId: number | undefined) =>
  token.appIds === null || (appId !== undefined && token.appIds.includes(appId))

/** Returns the decoded segments of the path after `/v1/`, and the raw query string. */
function parts(url: string): { segments: string[]; query: string } {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const segments = path.slice('/v1/'.length).split('/')
  return {
    segments: path.includes('%') ? segments.map(decodeURIComponent) : segments,
    query: mark < 0 ? '' : url.slice(mark + 1),
  }
}

const unauthorized = () =>
  new DeliveryError('Unauthorized', 'A valid token is required: Authorization: Bearer <token>.', {
    'www-authenticate': 'Bearer',
  })
const expired = () =>
  new DeliveryError('Unauthorized', 'This token has expired.', {
    'www-authenticate': 'Bearer error="invalid_token"',
  })
const notFromThere = () =>
  new DeliveryError(
    'IpAddressNotAllowed',
    'The space does not allow its tokens to be used from this address.',
  )
const malformed = () => new DeliveryError('BadRequest', 'The path is not percent-encoded UTF-8.')
const permissionDenied = () => new DeliveryError('PermissionDenied', 'The token may not read this app.')
const notFound = (message = nothingThere) => new DeliveryError('NotFound', message)
const methodNotAllowed = (allow = 'GET, HEAD, OPTIONS', message?: string) =>
  new DeliveryError('MethodNotAllowed', message ?? 'Only GET, HEAD and OPTIONS are answered here.', { allow })
