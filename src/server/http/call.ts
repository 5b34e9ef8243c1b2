import type { FastifyReply, FastifyRequest } from 'fastify'
import { accountActor } from '#server/access/actor.ts'
import type { CallOrigin } from '#server/access/call-origin.ts'
import type { Caller } from '#server/access/caller.ts'
import { sessionCaller } from '#server/access/callers/session.ts'
import type { Operation } from '#server/access/operations/operation.ts'
import { previewHeader } from '#server/access/preview.ts'
import { findByProgramKey } from '#server/access/program-keys.ts'
import { findSession } from '#server/access/sessions.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { preferredLanguage } from '#shared/languages.ts'
import type { EndpointDeps, Exchange, SignedInExchange } from './context.ts'
import { CookieJar } from './cookie-jar.ts'
import { signalOfCall } from './end-of-call.ts'
import { checkCsrfToken, checkOrigin } from './own-pages.ts'

export interface Call {
  operation: Operation
  deps: EndpointDeps
  request: FastifyRequest
  params: Record<string, string>
  origin: CallOrigin
  exchange: Exchange
  cookies: CookieJar
  /** Whether the request's method implies a change. */
  changes: boolean
  /**
   * Whether the call must authenticate with a program's key: it has an `Authorization` header, and the endpoint accepts
   * keys. No web page can make a browser send such a key.
   */
  byKey: boolean
  /** `_id` of the member whose rights apply in a preview; undefined without a preview. */
  viewAs: string | undefined
}

/**
 * Identifies the caller and collects the inputs of the call. If the call succeeds, its response removes a session
 * cookie that is invalid or expired.
 */
export async function openCall(
  operation: Operation,
  deps: EndpointDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Call> {
  const { endpoint } = operation
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
  const signal = signalOfCall(reply)
  const mark = request.url.indexOf('?')
  const [device, challenge, sso] = [cookies.get('device'), cookies.get('challenge'), cookies.get('sso')]
  const languages = request.headers['accept-language']?.split(',')
  return {
    operation,
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
    changes: request.method !== 'GET' && request.method !== 'HEAD',
    byKey,
    viewAs: request.headers[previewHeader]?.toString(),
  }
}

/** The checks of the HTTP layer, in this order. */
const checks: ((call: Call) => void)[] = [
  // GETs with effects are checked too, because a link on another site makes browsers send the session's cookie.
  function fromOurPages({ byKey, request, operation: { endpoint }, deps }) {
    if (hasEffects(endpoint) && !byKey && endpoint.origin !== 'any')
      checkOrigin(request, deps.services.config)
  },
  // A preview with another member's rights must not change anything, not even if the caller has the right.
  function onlyLooking({ changes, viewAs, operation: { endpoint } }) {
    if ((changes || endpoint.letsWrite) && viewAs !== undefined) throw new AppError('Forbidden')
  },
  function signedIn({ exchange, operation: { endpoint } }) {
    if (endpoint.permission !== 'public' && !isSignedIn(exchange)) throw new AppError('Unauthorized')
  },
  function withToken({ changes, byKey, request, exchange, operation: { endpoint } }) {
    if (!changes || byKey || endpoint.origin === 'any') return
    if (endpoint.permission !== 'public') checkCsrfToken(request, signedIn(exchange).session)
    else if (endpoint.csrf !== 'origin') throw new AppError('Forbidden')
  },
]

/**
 * Returns the signed-in caller of an operation. null: the operation is public, so that its callers need no session.
 * Throws 401 or 403 for a call that fails one of the checks of this layer.
 */
export function recogniseCaller(call: Call): Caller | null {
  for (const check of checks) check(call)
  if (call.operation.endpoint.permission === 'public') return null
  const { account, session } = signedIn(call.exchange)
  return sessionCaller({ actor: accountActor(account), origin: call.origin, session, viewAs: call.viewAs })
}

/** Returns whether a call can have effects. A GET declares effects by `letsWrite` or by an act for the audit log. */
export const hasEffects = ({ route, letsWrite, audit }: Endpoint) =>
  !route.startsWith('GET ') || letsWrite === true || (audit !== undefined && 'act' in audit)

function isSignedIn(exchange: Exchange): exchange is SignedInExchange {
  return exchange.account !== null && exchange.session !== null
}

/** Narrows the exchange to a {@link SignedInExchange}. Throws 401 if the caller is not signed in. */
function signedIn(exchange: Exchange): SignedInExchange {
  if (!isSignedIn(exchange)) throw new AppError('Unauthorized')
  return exchange
}
