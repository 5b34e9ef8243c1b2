import type { FastifyReply, FastifyRequest } from 'fastify'
import { accountActor } from '#server/access/actor.ts'
import type { CallOrigin } from '#server/access/call-origin.ts'
import type { Caller } from '#server/access/caller.ts'
import { sessionCaller } from '#server/access/callers/session.ts'
import { tokenCaller } from '#server/access/callers/token.ts'
import type { Operation, RequestInfo } from '#server/access/operations/operation.ts'
import { previewHeader } from '#server/access/preview.ts'
import { findByProgramKey } from '#server/access/program-keys.ts'
import { findSession } from '#server/access/sessions.ts'
import { type Endpoint, isSafe } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { preferredLanguage } from '#shared/languages.ts'
import { CookieJar } from './browsers/cookie-jar.ts'
import { checkCsrfToken, checkOrigin } from './browsers/own-pages.ts'
import { signalOfCall } from './connections/end-of-call.ts'
import type { EndpointDeps, Exchange, SignedInExchange } from './context.ts'

/** A call of an endpoint. */
export interface Call {
  operation: Operation
  deps: EndpointDeps
  request: FastifyRequest
  params: Record<string, string>
  origin: CallOrigin
  info: RequestInfo
}

/** A call that may have a session. */
export interface BrowserCall extends Call {
  info: Exchange
  cookies: CookieJar
  /** Whether the request's method implies a change. */
  changes: boolean
  /**
   * The `Authorization` header with which the call must authenticate, because the endpoint accepts keys or tokens of
   * programs. null: the call has a session or nothing. No web page can make a browser send such a header.
   */
  bearer: string | null
  /** `_id` of the member whose rights apply in a preview; undefined without a preview. */
  viewAs: string | undefined
}

export const originOf = ({ ip, headers }: FastifyRequest): CallOrigin => ({
  ip,
  agent: headers['user-agent'] ?? null,
})

/** Collects the inputs of a call, without its cookies. */
export function openCall(
  operation: Operation,
  deps: EndpointDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Call {
  const { headers, url } = request
  const mark = url.indexOf('?')
  return {
    operation,
    deps,
    request,
    params: request.params as Record<string, string>,
    origin: originOf(request),
    info: {
      language: preferredLanguage(headers['accept-language']?.split(',')),
      queryString: mark < 0 ? '' : url.slice(mark + 1),
      ifMatch: headers['if-match'],
      fieldIndexes: deps.fieldIndexes,
      signal: signalOfCall(reply),
    },
  }
}

/** A proxy in front of Imori may send other values of `Authorization`, so they leave the session in force. */
const headersOfPrograms = { memberKey: /^Bearer imori_key_/, apiToken: /^Bearer +api_/i }

/**
 * Identifies the session of a call. If the call succeeds, its response removes a session cookie that is invalid or
 * expired.
 */
export async function findSessionOfCall(call: Call): Promise<BrowserCall> {
  const { operation, deps, request, params, info } = call
  const { services, database } = deps
  const { config, secrets } = services
  const cookies = new CookieJar(config, request)
  const { authorization } = request.headers
  const { programs } = operation.endpoint
  const bearer =
    programs && authorization && headersOfPrograms[programs].test(authorization) ? authorization : null
  const sessionId = cookies.get('sid')
  const found =
    bearer === null
      ? await findSession(database.kysely, secrets, sessionId)
      : programs === 'memberKey'
        ? await findByProgramKey(database.kysely, secrets, bearer, params.p)
        : null
  if (!found && sessionId && bearer === null) cookies.set('sid', null)
  const session = found?.session ?? null
  const [device, challenge, sso] = [cookies.get('device'), cookies.get('challenge'), cookies.get('sso')]
  return {
    ...call,
    info: {
      ...info,
      language: found?.account.language ?? info.language,
      account: found?.account ?? null,
      session,
      browser: { session, device, challenge, sso },
      cookies,
    },
    cookies,
    changes: !isSafe(operation.endpoint),
    bearer,
    viewAs: request.headers[previewHeader]?.toString(),
  }
}

/** The checks of the HTTP layer, in this order. */
const checks: ((call: BrowserCall) => void)[] = [
  // GETs with effects are checked too, because a link on another site makes browsers send the session's cookie.
  function fromOurPages({ bearer, request, operation: { endpoint }, deps }) {
    if (hasEffects(endpoint) && bearer === null) checkOrigin(request, deps.services.config)
  },
  // A preview with another member's rights must not change anything, not even if the caller has the right.
  // Only a member can preview, not an API token.
  function onlyLooking(call) {
    const { changes, viewAs, operation } = call
    const mayPreview = !changes && !operation.endpoint.letsWrite && !hasApiToken(call)
    if (viewAs !== undefined && !mayPreview) throw new AppError('Forbidden')
  },
  function signedIn(call) {
    const { info, operation } = call
    if (operation.endpoint.permission !== 'public' && !isSignedIn(info) && !hasApiToken(call))
      throw new AppError('Unauthorized')
  },
  function withToken({ changes, bearer, request, info, operation: { endpoint } }) {
    if (!changes || bearer !== null) return
    if (endpoint.permission !== 'public') checkCsrfToken(request, signedIn(info).session)
    else if (endpoint.csrf !== 'origin') throw new AppError('Forbidden')
  },
]

/**
 * Returns the signed-in caller of an operation. null: the operation is public, so that its callers need no session.
 * Throws 401 or 403 for a call that fails one of the checks of this layer.
 */
export function recogniseBrowser(call: BrowserCall): Caller | null {
  for (const check of checks) check(call)
  if (call.operation.endpoint.permission === 'public') return null
  if (hasApiToken(call)) return tokenCaller(call.bearer, call.origin)
  const { account, session } = signedIn(call.info)
  return sessionCaller({ actor: accountActor(account), origin: call.origin, session, viewAs: call.viewAs })
}

/** Returns whether the call authenticates with an API token, which its admission to the space verifies. */
const hasApiToken = (call: BrowserCall): call is BrowserCall & { bearer: string } =>
  call.bearer !== null && call.operation.endpoint.programs === 'apiToken'

/** Returns whether a call can have effects. A GET declares effects by `letsWrite` or by an act for the audit log. */
export const hasEffects = (endpoint: Endpoint) => {
  const { letsWrite, audit } = endpoint
  return !isSafe(endpoint) || letsWrite === true || (audit !== undefined && 'act' in audit)
}

function isSignedIn(exchange: Exchange): exchange is SignedInExchange {
  return exchange.account !== null && exchange.session !== null
}

/** Narrows the exchange to a {@link SignedInExchange}. Throws 401 if the caller is not signed in. */
function signedIn(exchange: Exchange): SignedInExchange {
  if (!isSignedIn(exchange)) throw new AppError('Unauthorized')
  return exchange
}
