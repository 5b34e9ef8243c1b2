import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { execute } from '#server/access/operations/execute.ts'
import { isOfSpace } from '#server/access/operations/operation.ts'
import { type Endpoint, readsCookies, responseOf, streamBody } from '#shared/contract/endpoint.ts'
import { addRoute, readBody, sendAnswer } from './bodies/payloads.ts'
import { addPreflights, corsHeaders, refusalCorsHeaders } from './browsers/cors.ts'
import { findSessionOfCall, openCall, originOf, recogniseBrowser } from './call.ts'
import { countRequest, limitAddress } from './connections/rate-limit.ts'
import type { AnswerOf, ContextOf, EndpointDeps, ExchangeOf, InputOf } from './context.ts'
import { sendErrorsOf } from './errors.ts'
import type { HttpOperation, ListOrigins, Presentation, Protocol } from './http-operation.ts'

type Handler<E extends Endpoint> = (
  ctx: ContextOf<E>,
  input: InputOf<E>,
  exchange: ExchangeOf<E>,
) => Promise<AnswerOf<E>> | AnswerOf<E>

/** The handler of an endpoint, with the stored list of origins if the contract says `cors: 'listed'`. */
type Implementation<E extends Endpoint> = E extends { cors: 'listed' }
  ? { origins: ListOrigins; handle: Handler<E> }
  : Handler<E>

/**
 * Pairs a feature's endpoints with its handlers. A missing, extra or mistyped handler does not compile. `protocol`: for
 * endpoints whose callers have other credentials and errors than the management API, or only other errors.
 */
export function implement<const E extends Record<string, Endpoint>>(
  endpoints: E,
  handlers: { [Name in keyof E]: Implementation<E[Name]> },
  protocol: Protocol | Presentation | Record<never, never> = {},
): HttpOperation[] {
  return Object.entries(endpoints).map(([name, endpoint]) => {
    const given = handlers[name] as unknown as
      | HttpOperation['handle']
      | Pick<HttpOperation, 'handle' | 'origins'>
    const own = typeof given === 'function' ? { handle: given } : given
    return { name, endpoint, ...own, ...('recognise' in protocol ? { protocol } : protocol) }
  })
}

/**
 * Registers the operations. A call passes these steps: limits of requests and origin → body → session and CSRF token →
 * execution of the operation (access/operations/execute.ts) → send. Callers other than browsers skip the session.
 * Throws for an endpoint whose definition contradicts itself.
 */
export function registerEndpoints(
  server: FastifyInstance,
  deps: EndpointDeps,
  operations: HttpOperation[],
): void {
  for (const operation of operations) {
    const { endpoint } = operation
    const contradiction = findContradiction(endpoint) ?? findPublicContradiction(operation)
    if (contradiction) throw new Error(`${endpoint.route}: ${contradiction}`)
    const { presentError } = operation.protocol ?? operation
    addRoute(server, endpoint, {
      admit: admitRequests(operation, deps),
      ...(presentError ? { errorHandler: sendErrorsOf(presentError) } : {}),
      handler: (request, reply) => answer(operation, deps, request, reply),
    })
  }
  addPreflights(server, deps, operations)
}

function findContradiction(endpoint: Endpoint): string | null {
  const { transaction, idempotent, maximumSeconds } = endpoint
  const inSpace = isOfSpace(endpoint)
  const { kind } = responseOf(endpoint)
  const streams = streamBody(endpoint) !== null || ['stream', 'file'].includes(kind)
  if (transaction === 'own' && !inSpace) return 'transactions of its own need a space'
  if (maximumSeconds !== undefined && transaction !== 'own') return 'what is cut off must not commit later'
  if (transaction !== 'own' && inSpace && streams) return 'a stream would hold the transaction'
  if (idempotent === true && (!inSpace || kind !== 'json'))
    return 'only a JSON answer in a space can be remembered'
  if (endpoint.programs === 'apiToken' && (!inSpace || endpoint.needsSession))
    return 'an API token belongs to a space and has no session'
  if (endpoint.route.startsWith('HEAD ') && kind !== 'none') return 'a response to HEAD has no content'
  return null
}

/** Returns a contradiction between the properties of an endpoint that other callers than browsers may call. */
function findPublicContradiction({ endpoint, origins, protocol }: HttpOperation): string | null {
  const isProtocol = endpoint.caller === 'directory'
  if (isProtocol !== (protocol !== undefined) || (isProtocol && !isOfSpace(endpoint)))
    return 'a directory enters a space by its protocol, and only a directory does'
  if (!isProtocol && !readsCookies(endpoint) && endpoint.permission !== 'public')
    return 'only a browser has a session'
  const { route, cors = 'none', rate = {}, csrf, needsSession, programs, bySso, letsWrite } = endpoint
  if (!readsCookies(endpoint) && (csrf ?? needsSession ?? programs ?? bySso ?? letsWrite) !== undefined)
    return 'without cookies, nothing about a session applies'
  if (readsCookies(endpoint) && cors !== 'none') return 'pages of other origins must not use a session'
  if ((cors === 'listed') !== (origins !== undefined)) return 'listed origins need a list, and only they'
  if (cors === 'listed' && rate.address === undefined)
    return 'each caller can have the list read, which needs a limit per address'
  if (rate.space !== undefined && !route.includes('{p}')) return 'a limit per space needs a space'
  if (rate.object !== undefined && !route.includes('{id}')) return 'a limit per object needs an object'
  return null
}

/**
 * Returns the checks before the body of a request is read: its rate, and the origin of the page that sends it. null:
 * the endpoint has none of these checks.
 */
function admitRequests(operation: HttpOperation, deps: EndpointDeps) {
  const { endpoint } = operation
  if (readsCookies(endpoint) && endpoint.rate === undefined) return null
  const checkAddress = limitAddress(endpoint)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const params = request.params as Record<string, string>
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    if (endpoint.cors !== 'listed') reply.headers(await corsHeaders(operation, deps, request))
    try {
      checkAddress(request)
    } catch (error) {
      // The list was not read. Scripts of every page may read that they must wait.
      if (endpoint.cors === 'listed') reply.headers(refusalCorsHeaders)
      throw error
    }
    if (endpoint.cors === 'listed') reply.headers(await corsHeaders(operation, deps, request))
    // Otherwise the server would read the body of a request without credentials.
    operation.protocol?.recognise(credentialsOf(request))
    await countRequest(operation, deps.database.kysely, params)
  }
}

const credentialsOf = (request: FastifyRequest) => ({
  authorization: request.headers.authorization,
  origin: originOf(request),
})

async function answer(
  operation: HttpOperation,
  deps: EndpointDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { endpoint } = operation
  const opened = openCall(operation, deps, request, reply)
  const browser = readsCookies(endpoint) ? await findSessionOfCall(opened) : null
  const { params, origin, info } = browser ?? opened
  const key = request.headers['idempotency-key']?.toString()
  const asked = [request.method, request.url, info.ifMatch ?? null, request.body]
  const body = await execute({ db: deps.database.kysely, services: deps.services }, operation, {
    recognise: () =>
      browser ? recogniseBrowser(browser) : (operation.protocol?.recognise(credentialsOf(request)) ?? null),
    origin,
    params,
    query: request.query,
    headers: request.headers,
    body: () => readBody(endpoint, request, reply),
    request: info,
    ...(key === undefined ? {} : { idempotency: { key, asked } }),
  })
  browser?.cookies.write(reply)
  return sendAnswer(endpoint, reply, body)
}
