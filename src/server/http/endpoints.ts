import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { execute } from '#server/access/operations/execute.ts'
import { isOfSpace, type Operation } from '#server/access/operations/operation.ts'
import { type Endpoint, responseOf, streamBody } from '#shared/contract/endpoint.ts'
import { openCall, recogniseCaller } from './call.ts'
import type { AnswerOf, ContextOf, EndpointDeps, ExchangeOf, InputOf } from './context.ts'
import { addRoute, readBody, sendAnswer } from './payloads.ts'

type Handler<E extends Endpoint> = (
  ctx: ContextOf<E>,
  input: InputOf<E>,
  exchange: ExchangeOf<E>,
) => Promise<AnswerOf<E>> | AnswerOf<E>

/** Pairs a feature's endpoints with its handlers. A missing, extra or mistyped handler does not compile. */
export function implement<const E extends Record<string, Endpoint>>(
  endpoints: E,
  handlers: { [Name in keyof E]: Handler<E[Name]> },
): Operation[] {
  return Object.entries(endpoints).map(([name, endpoint]) => ({
    name,
    endpoint,
    handle: handlers[name] as unknown as Operation['handle'],
  }))
}

/**
 * Registers the management API. A call passes these steps: session → origin and CSRF token → execution of the operation
 * (access/operations/execute.ts) → send. Throws for an endpoint whose definition contradicts itself.
 */
export function registerEndpoints(
  server: FastifyInstance,
  deps: EndpointDeps,
  operations: Operation[],
): void {
  for (const operation of operations) {
    const { endpoint } = operation
    const contradiction = findContradiction(endpoint)
    if (contradiction) throw new Error(`${endpoint.route}: ${contradiction}`)
    addRoute(server, endpoint, (request, reply) => answer(operation, deps, request, reply))
  }
}

function findContradiction(endpoint: Endpoint): string | null {
  const { permission, transaction, origin, idempotent, maximumSeconds } = endpoint
  const inSpace = isOfSpace(endpoint)
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
  operation: Operation,
  deps: EndpointDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { endpoint } = operation
  const call = await openCall(operation, deps, request, reply)
  const { params, origin, exchange, cookies } = call
  const key = request.headers['idempotency-key']?.toString()
  const asked = [request.method, request.url, exchange.ifMatch ?? null, request.body]
  const body = await execute({ db: deps.database.kysely, services: deps.services }, operation, {
    recognise: () => recogniseCaller(call),
    origin,
    params,
    query: request.query,
    body: () => readBody(endpoint, request),
    request: exchange,
    ...(key === undefined ? {} : { idempotency: { key, asked } }),
  })
  cookies.write(reply)
  return sendAnswer(endpoint, reply, body)
}
