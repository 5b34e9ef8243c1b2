import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Endpoint, responseOf, streamBody } from '#shared/contract/endpoint.ts'
import { isAppRight, isSpaceRight } from '#shared/permissions.ts'
import { type Call, checkCall, type Implementation, isOfSpace, openCall } from './call.ts'
import type { AnswerOf, ContextOf, EndpointDeps, ExchangeOf, InputOf } from './context.ts'
import { answerInParts, answerInSpace, answerOutside } from './entrance.ts'
import { addRoute, sendAnswer } from './payloads.ts'

export type { Implementation } from './call.ts'

type Handler<E extends Endpoint> = (
  ctx: ContextOf<E>,
  input: InputOf<E>,
  exchange: ExchangeOf<E>,
) => Promise<AnswerOf<E>> | AnswerOf<E>

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
 * Registers the management API. Calls inside a space pass these steps: session → origin and CSRF token → membership and
 * security requirements → input schema → handler → response schema → commit → send. Calls outside of spaces skip
 * membership. Use-cases with their own transactions commit in the handler. Throws for an endpoint whose definition
 * contradicts itself.
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
  const call = await openCall(implementation, deps, request, reply)
  const { audit, cookies } = call
  const { kysely } = deps.database
  try {
    checkCall(call)
    const body = await answerAt(implementation.endpoint)(call)
    // No transaction has written the entry yet: the change was a single statement, or consisted of several
    // transactions.
    if (!audit.settled) await audit.writeDone(kysely, audit.scope, body)
    cookies.write(reply)
    return sendAnswer(implementation.endpoint, reply, body)
  } catch (error) {
    await audit.writeRefusal(kysely, error)
    throw error
  }
}

function answerAt(endpoint: Endpoint): (call: Call) => Promise<unknown> {
  if (!isOfSpace(endpoint)) return answerOutside
  return endpoint.transaction === 'own' ? answerInParts : answerInSpace
}
