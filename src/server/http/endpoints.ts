import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { accountActor } from '#server/access/actor.ts'
import type { KeyedTransactions, PublicContext, SpaceContext } from '#server/access/context.ts'
import { previewHeader } from '#server/access/preview.ts'
import { findByProgramKey } from '#server/access/program-keys.ts'
import type { Caller } from '#server/access/security.ts'
import { findSession } from '#server/access/sessions.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { type Endpoint, responseOf, streamBody } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { preferredLanguage } from '#shared/languages.ts'
import { isAppRight, isSpaceRight } from '#shared/permissions.ts'
import { CallTrail } from './audit-trail.ts'
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
import { inSpace, ownTransactions } from './entrance.ts'
import { once } from './idempotency.ts'
import { addRoute, presentAnswer, readBody, sendAnswer } from './payloads.ts'
import {
  challengeCookieName,
  checkCsrfToken,
  checkOrigin,
  cookieName,
  deviceCookieName,
  ssoCookieName,
  writeChallengeCookie,
  writeDeviceCookie,
  writeSessionCookie,
  writeSsoCookie,
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
  if (idempotent === true && (!inSpace || responseOf(endpoint).kind !== 'json'))
    return 'only a JSON answer in a space can be remembered'
  return null
}

async function answer(
  implementation: Implementation,
  deps: EndpointDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const audit = new CallTrail(implementation.endpoint, request)
  try {
    return await answerCall(implementation, deps, request, reply, audit)
  } catch (error) {
    await audit.writeRefusal(deps.database.kysely, error)
    throw error
  }
}

async function answerCall(
  { endpoint, handle }: Implementation,
  deps: EndpointDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  audit: CallTrail,
): Promise<unknown> {
  const { config, secrets, database, storages, outgoing, fieldIndexes } = deps
  const anyOrigin = endpoint.origin === 'any'
  const sessionId = anyOrigin ? undefined : request.cookies[cookieName(config)]
  const params = request.params as Record<string, string>
  const { authorization } = request.headers
  // No page can make a browser send it: nothing else needs to be asked.
  const byKey = endpoint.programs === true && authorization !== undefined
  const found = byKey
    ? await findByProgramKey(database.kysely, secrets, authorization, params.p)
    : await findSession(database.kysely, secrets, sessionId)
  const changes = request.method !== 'GET' && request.method !== 'HEAD'
  if (changes && !anyOrigin && !byKey) checkOrigin(request, config)
  const viewAs = request.headers[previewHeader]?.toString()
  // Whoever looks with somebody else's eyes changes nothing, not even as themselves.
  if ((changes || endpoint.letsWrite) && viewAs !== undefined) throw new AppError('Forbidden')
  const mark = request.url.indexOf('?')
  // A cookie that is no session (any more) is taken back.
  let cookie: string | null | undefined = found || !sessionId || byKey ? undefined : null
  let device: string | undefined
  let challenge: string | null | undefined
  let sso: string | null | undefined
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
    ssoCookie: request.cookies[ssoCookieName(config)],
    setSsoCookie: (token) => {
      sso = token
    },
    userAgent: request.headers['user-agent'],
  }
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
    body = await run({ db: database.kysely, audit })
  } else {
    if (!isSignedIn(exchange)) throw new AppError('Unauthorized')
    if (changes && !byKey) checkCsrfToken(request, exchange.session)
    const actor = accountActor(exchange.account)
    audit.actor = actor
    if (endpoint.permission === 'admin' && !actor.isAdmin) throw new AppError('Forbidden')
    // What a space's identity provider says is good in that space only; what is the account's own is not.
    const isOfSpace = isSpaceRight(endpoint.permission) || isAppRight(endpoint.permission)
    if (!exchange.session.ownMeans && !isOfSpace && !endpoint.bySso) throw new AppError('UsualSignInRequired')
    const caller: Caller = {
      ip: request.ip,
      session: exchange.session,
      unguarded: endpoint.unguarded === true,
    }
    const context = { db: database.kysely, actor, audit, caller }
    const key = endpoint.idempotent === true ? request.headers['idempotency-key']?.toString() : undefined
    const keyring = endpoint.answersSecret ? createKeyring(secrets.encryptionKeys) : undefined
    const keyed = <T>(ctx: SpaceContext, asked: unknown, work: () => Promise<T>) =>
      key === undefined ? work() : once(ctx, { key, accountId: actor.accountId, asked, keyring }, work)
    const runOnce = (ctx: SpaceContext) =>
      keyed(ctx, [request.method, request.url, exchange.ifMatch ?? null, request.body], async () => {
        const answered = await run(ctx)
        await audit.writeDone(ctx.db, ctx.scope, answered)
        return answered
      })
    const { permission, transaction } = endpoint
    const entrance = { permission, params, viewAs }
    if (!isSpaceRight(permission) && !isAppRight(permission)) body = await run(context)
    else if (transaction !== 'own') {
      body = await inSpace(context, entrance, runOnce)
      audit.settled = true
    } else {
      await inSpace(context, entrance, async () => undefined)
      body = await run(ownTransactions(context, entrance, keyed, storages))
    }
  }
  // What no transaction of the act has written: the act was one statement, or consists of several transactions.
  if (!audit.settled) await audit.writeDone(database.kysely, audit.scope, body)
  if (cookie !== undefined) writeSessionCookie(reply, config, cookie)
  if (device !== undefined) writeDeviceCookie(reply, config, device)
  if (challenge !== undefined) writeChallengeCookie(reply, config, challenge)
  if (sso !== undefined) writeSsoCookie(reply, config, sso)
  return sendAnswer(endpoint, reply, body)
}

function isSignedIn(exchange: Exchange): exchange is SignedInExchange {
  return exchange.account !== null && exchange.session !== null
}
