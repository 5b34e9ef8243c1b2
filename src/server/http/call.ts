import type { FastifyReply, FastifyRequest } from 'fastify'
import { accountActor } from '#server/access/actor.ts'
import type { CallOrigin } from '#server/access/call-origin.ts'
import type { KeyedTransactions, PublicContext, SpaceContext } from '#server/access/context.ts'
import { previewHeader } from '#server/access/preview.ts'
import { findByProgramKey } from '#server/access/program-keys.ts'
import { findSession } from '#server/access/sessions.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { preferredLanguage } from '#shared/languages.ts'
import { isAppRight, isSpaceRight } from '#shared/permissions.ts'
import { CallTrail } from './audit-trail.ts'
import type { EndpointDeps, Exchange, SignedInExchange } from './context.ts'
import { CookieJar } from './cookie-jar.ts'
import { endOfCall } from './end-of-call.ts'
import { checkCsrfToken, checkOrigin } from './own-pages.ts'

/** An endpoint with its handler. The types of their input and output are erased. */
export interface Implementation {
  name: string
  endpoint: Endpoint
  handle(
    ctx: PublicContext | SpaceContext | KeyedTransactions<SpaceContext>,
    input: { params: Record<string, string>; query: unknown; body: unknown },
    exchange: Exchange,
  ): unknown
}

export interface Call {
  implementation: Implementation
  deps: EndpointDeps
  request: FastifyRequest
  params: Record<string, string>
  origin: CallOrigin
  exchange: Exchange
  cookies: CookieJar
  audit: CallTrail
  /** Whether the request's method implies a change. */
  changes: boolean
  /**
   * Whether the call must authenticate with a program's key: it has an `Authorization` header, and the endpoint accepts
   * keys. No web page can make a browser send such a key.
   */
  byKey: boolean
  /** `_id` of the member whose rights apply in a preview; undefined without a preview. */
  viewAs: string | undefined
  /** Rejects with 503 at the endpoint's time limit, if it has one. */
  timeUp: Promise<never>
}

/**
 * Identifies the caller and collects the inputs of the call. If the call succeeds, its response removes a session
 * cookie that is invalid or expired.
 */
export async function openCall(
  implementation: Implementation,
  deps: EndpointDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Call> {
  const { endpoint } = implementation
  const { services, database, fieldIndexes } = deps
  const { config, secrets } = services
  const cookies = new CookieJar(config, request)
  const params = request.params as Record<string, string>
  const { authorization } = request.headers
  const byKey = endpoint.programs === true && authorization !== undefined
  const sessionId = endpoint.origin === 'any' ? undefined : cookies.get('sid')
  const found = byKey
    ? await findByProgramKey(database.kysely, secrets, authorization, params.p)
    : await findSession(database.kysely, secrets, sessionId)
  if (!found && sessionId && !byKey) cookies.set('sid', null)
  const session = found?.session ?? null
  const { signal, timeUp } = endOfCall(reply, endpoint.maximumSeconds)
  const mark = request.url.indexOf('?')
  const [device, challenge, sso] = [cookies.get('device'), cookies.get('challenge'), cookies.get('sso')]
  const languages = request.headers['accept-language']?.split(',')
  return {
    implementation,
    deps,
    request,
    params,
    origin: { ip: request.ip, agent: request.headers['user-agent'] ?? null },
    exchange: {
      account: found?.account ?? null,
      session,
      browser: { session, device, challenge, sso },
      language: found?.account.language ?? preferredLanguage(languages),
      queryString: mark < 0 ? '' : request.url.slice(mark + 1),
      ifMatch: request.headers['if-match'],
      fieldIndexes,
      signal,
      cookies,
    },
    cookies,
    audit: new CallTrail(endpoint, request),
    changes: request.method !== 'GET' && request.method !== 'HEAD',
    byKey,
    viewAs: request.headers[previewHeader]?.toString(),
    timeUp,
  }
}

/** The checks that a call must pass before its handler runs, in this order. */
const checks: ((call: Call) => void)[] = [
  // GETs with effects are checked too, because a link on another site makes browsers send the session's cookie.
  function fromOurPages({ byKey, request, implementation: { endpoint }, deps }) {
    if (hasEffects(endpoint) && !byKey && endpoint.origin !== 'any')
      checkOrigin(request, deps.services.config)
  },
  // A preview with another member's rights must not change anything, not even if the caller has the right.
  function onlyLooking({ changes, viewAs, implementation: { endpoint } }) {
    if ((changes || endpoint.letsWrite) && viewAs !== undefined) throw new AppError('Forbidden')
  },
  function signedIn({ exchange, implementation: { endpoint } }) {
    if (endpoint.permission !== 'public' && !isSignedIn(exchange)) throw new AppError('Unauthorized')
  },
  function withToken({ changes, byKey, request, exchange, implementation: { endpoint } }) {
    if (!changes || byKey || endpoint.origin === 'any') return
    if (endpoint.permission !== 'public') checkCsrfToken(request, signedIn(exchange).session)
    else if (endpoint.csrf !== 'origin') throw new AppError('Forbidden')
  },
  function ofTheInstallation({ exchange, audit, implementation: { endpoint } }) {
    if (endpoint.permission === 'public') return
    audit.actor = accountActor(signedIn(exchange).account)
    if (endpoint.permission === 'admin' && !audit.actor.isAdmin) throw new AppError('Forbidden')
  },
  // A session from a space's identity provider is valid only in that space, not for the account's own settings.
  function byOwnMeans({ exchange, implementation: { endpoint } }) {
    const { permission } = endpoint
    if (permission === 'public' || isOfSpace(endpoint) || endpoint.bySso) return
    if (!signedIn(exchange).session.ownMeans) throw new AppError('UsualSignInRequired')
  },
]

/** Runs all checks. Throws 401 or 403 for a call that fails one of them. */
export function checkCall(call: Call): void {
  for (const check of checks) check(call)
}

/** Returns whether a call can have effects. A GET declares effects by `letsWrite` or by an act for the audit log. */
export const hasEffects = ({ route, letsWrite, audit }: Endpoint) =>
  !route.startsWith('GET ') || letsWrite === true || (audit !== undefined && 'act' in audit)

/** Returns whether the endpoint requires a right in a space. */
export const isOfSpace = ({ permission }: Pick<Endpoint, 'permission'>) =>
  isSpaceRight(permission) || isAppRight(permission)

function isSignedIn(exchange: Exchange): exchange is SignedInExchange {
  return exchange.account !== null && exchange.session !== null
}

/** Narrows the exchange to a {@link SignedInExchange}. Throws 401 if the caller is not signed in. */
export function signedIn(exchange: Exchange): SignedInExchange {
  if (!isSignedIn(exchange)) throw new AppError('Unauthorized')
  return exchange
}
