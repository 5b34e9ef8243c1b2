import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { accountActor } from '#server/access/actor.ts'
import type {
  AccountContext,
  AppContext,
  KeyedTransactions,
  PublicContext,
  SpaceContext,
} from '#server/access/context.ts'
import { admit } from '#server/access/membership.ts'
import { findSession } from '#server/access/sessions.ts'
import { inTransaction } from '#server/db/scope.ts'
import { type Endpoint, responseOf, streamBody } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { preferredLanguage } from '#shared/languages.ts'
import { can, type Grants, isAppRight, isSpaceRight, type Permission } from '#shared/permissions.ts'
import type {
  AnswerOf,
  ContextOf,
  EndpointDeps,
  Exchange,
  ExchangeOf,
  InputOf,
  SignedInExchange,
} from './context.ts'
import { endOfCall } from './end-of-call.ts'
import { once } from './idempotency.ts'
import { addRoute, presentAnswer, readBody, sendAnswer } from './payloads.ts'
import {
  challengeCookieName,
  checkCsrfToken,
  checkOrigin,
  cookieName,
  deviceCookieName,
  writeChallengeCookie,
  writeDeviceCookie,
  writeSessionCookie,
} from './session-cookies.ts'
import { parseInput } from './validation.ts'

type Handler<E extends Endpoint> = (
  ctx: ContextOf<E>,
  input: InputOf<E>,
  exchange: ExchangeOf<E>,
) => Promise<AnswerOf<E>> | AnswerOf<E>

/** An endpoint with its handler, types forgotten: what {@link registerEndpoints} takes. */
export interface Implementation {
  name: string
  endpoint: Endpoint
  handle(
    ctx: PublicContext | KeyedTransactions<SpaceContext>,
    input: { params: Record<string, string>; query: unknown; body: unknown },
    exchange: Exchange,
  ): unknown
}

/** Pairs a feature's endpoints with its handlers. A missing, extra or mistyped handler does not compile. */
export function implement<const E extends Record<string, Endpoint>>(
  endpoints: E,
  handlers: { [Name in keyof E]: Handler<E[Name]> },
): Implementation[] {
  return Object.entries(endpoints).map(([name, endpoint]) => ({
    name,
    endpoint,
    handle: handlers[name] as unknown as Implementation['handle'],
  }))
}

/**
 * Registers the management API. Every request takes the same way: who is it (session) → may this origin and token →
 * membership and policy → input by its schema → handler → answer by its schema → commit → send. Throws for an endpoint
 * that contradicts itself.
 */
export function registerEndpoints(
  server: FastifyInstance,
  deps: EndpointDeps,
  implementations: Implementation[],
): void {
  for (const implementation of implementations) {
    const { endpoint } = implementation
    const contradiction = findContradiction(endpoint)
    if (contradiction) throw new Error(`${endpoint.route}: ${contradiction}`)
    addRoute(server, endpoint, (request, reply) => answer(implementation, deps, request, reply))
  }
}

function findContradiction(endpoint: Endpoint): string | null {
  const { permission, transaction, origin, idempotent, maximumSeconds } = endpoint
  const inSpace = isSpaceRight(permission) || isAppRight(permission)
  const streams = streamBody(endpoint) !== null || ['stream', 'file'].includes(responseOf(endpoint).kind)
  if (origin === 'any' && permission !== 'public') return 'any origin may call only what is public'
  if (transaction === 'own' && !inSpace) return 'transactions of its own need a space'
  if (maximumSeconds !== undefined && transaction !== 'own') return 'what is cut off must not commit later'
  if (transaction !== 'own' && inSpace && streams) return 'a stream would hold the transaction'
  if (idempotent && (!inSpace || responseOf(endpoint).kind !== 'json'))
    return 'only a JSON answer in a space can be remembered'
  return null
}

async function answer(
  { endpoint, handle }: Implementation,
  deps: EndpointDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { config, secrets, database, storages, outgoing, fieldIndexes } = deps
  const anyOrigin = endpoint.origin === 'any'
  const sessionId = anyOrigin ? undefined : request.cookies[cookieName(config)]
  const found = await findSession(database.kysely, secrets, sessionId)
  const changes = request.method !== 'GET' && request.method !== 'HEAD'
  if (changes && !anyOrigin) checkOrigin(request, config)
  const mark = request.url.indexOf('?')
  // A cookie that is no session (any more) is taken back.
  let cookie: string | null | undefined = found || !sessionId ? undefined : null
  let device: string | undefined
  let challenge: string | null | undefined
  const { signal, timeUp } = endOfCall(reply, endpoint.maximumSeconds)
  const exchange: Exchange = {
    account: found?.account ?? null,
    session: found?.session ?? null,
    ip: request.ip,
    language: found?.account.language ?? preferredLanguage(request.headers['accept-language']?.split(',')),
    queryString: mark < 0 ? '' : request.url.slice(mark + 1),
    ifMatch: request.headers['if-match'],
    config,
    secrets,
    outgoing,
    fieldIndexes,
    signal,
    setSessionCookie: (id) => {
      cookie = id
    },
    deviceCookie: request.cookies[deviceCookieName(config)],
    setDeviceCookie: (value) => {
      device = value
    },
    challengeCookie: request.cookies[challengeCookieName(config)],
    setChallengeCookie: (token) => {
      challenge = token
    },
    userAgent: request.headers['user-agent'],
  }
  const params = request.params as Record<string, string>
  const run = async (ctx: PublicContext | KeyedTransactions<SpaceContext>) => {
    // Parsed only now: whoever may not call learns nothing of the schema.
    const input = {
      params,
      query: endpoint.query ? parseInput(endpoint.query, request.query) : undefined,
      body: readBody(endpoint, request),
    }
    return presentAnswer(endpoint, await Promise.race([handle(ctx, input, exchange), timeUp]))
  }

  let body: unknown
  if (endpoint.permission === 'public') {
    if (changes && endpoint.csrf !== 'origin' && !anyOrigin) throw new AppError('Forbidden')
    body = await run({ db: database.kysely })
  } else {
    if (!isSignedIn(exchange)) throw new AppError('Unauthorized')
    if (changes) checkCsrfToken(request, exchange.session)
    const actor = accountActor(exchange.account)
    if (endpoint.permission === 'admin' && !actor.isAdmin) throw new AppError('Forbidden')
    const context: AccountContext = { db: database.kysely, actor }
    const key = endpoint.idempotent && request.headers['idempotency-key']?.toString()
    const keyed = <T>(ctx: SpaceContext, asked: unknown, work: () => Promise<T>) =>
      key === undefined ? work() : once(ctx, { key, accountId: actor.accountId, asked }, work)
    const runOnce = (ctx: SpaceContext) =>
      keyed(ctx, [request.method, request.url, exchange.ifMatch ?? null, request.body], () => run(ctx))
    const { permission, transaction } = endpoint
    if (!isSpaceRight(permission) && !isAppRight(permission)) body = await run(context)
    else if (transaction !== 'own') body = await inSpace(context, permission, params, runOnce)
    else {
      await inSpace(context, permission, params, async () => undefined)
      body = await run({
        actor,
        storages,
        inSpace: (work) => inSpace(context, permission, params, work),
        once: (asked, change, read) =>
          inSpace(context, permission, params, async (ctx) =>
            read(ctx, await keyed(ctx, asked, () => change(ctx))),
          ),
      })
    }
  }
  if (cookie !== undefined) writeSessionCookie(reply, config, cookie)
  if (device !== undefined) writeDeviceCookie(reply, config, device)
  if (challenge !== undefined) writeChallengeCookie(reply, config, challenge)
  return sendAnswer(endpoint, reply, body)
}

function isSignedIn(exchange: Exchange): exchange is SignedInExchange {
  return exchange.account !== null && exchange.session !== null
}

/** One transaction around membership, policy and handler; the answer is sent after it has committed. */
function inSpace<T>(
  { db, actor }: AccountContext,
  permission: Permission,
  params: Record<string, string>,
  run: (ctx: SpaceContext) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    const admitted = await admit(tx, actor.accountId, { space: params.p ?? '', app: params.a })
    checkRight(admitted.grants, permission)
    const context: SpaceContext | AppContext = { db: tx, actor, ...admitted }
    return run(context)
  })
}

function checkRight(grants: Grants, permission: Permission): void {
  const allowed = (isSpaceRight(permission) || isAppRight(permission)) && can(grants, permission)
  if (!allowed) throw new AppError('Forbidden')
}
