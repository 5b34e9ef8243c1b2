import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Endpoint, responseOf } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { limitAddress } from '../connections/rate-limit.ts'
import type { ServerDeps } from '../context.ts'
import type { HttpOperation } from '../http-operation.ts'
import { urlOf } from '../urls.ts'

/*
 * Responses that pages of other origins may read. Endpoints with `cors` read no cookie, so such pages can only do what
 * any other client can do. No response allows credentials.
 */

/** Time in seconds for which browsers may keep the response to a preflight request. */
const preflightSeconds = 7200

/** Request headers that no page sends itself, or that every preflight response lists. */
const notListed = new Set(['content-type', 'content-length', 'accept', 'origin', 'referer', 'user-agent'])

/**
 * Returns the CORS headers of a response. Throws 403 for the page of an origin that the feature does not list. Requests
 * without an origin pass, because programs other than browsers can send any origin.
 */
export async function corsHeaders(
  { endpoint, origins }: HttpOperation,
  { services, database }: ServerDeps,
  { headers: { origin }, params }: FastifyRequest,
): Promise<Record<string, string>> {
  if (endpoint.cors === 'any') return readableBy('*', endpoint)
  if (endpoint.cors !== 'listed') return {}
  if (origin === undefined) return { vary: 'Origin' }
  const server = { db: database.kysely, services }
  const listed = origins ? await origins(server, params as Record<string, string>) : []
  if (listed === null) return { vary: 'Origin', ...readableBy('*', endpoint) }
  if (!listed.includes(origin)) throw new AppError('Forbidden', { headers: { vary: 'Origin' } })
  return { vary: 'Origin', ...readableBy(origin, endpoint) }
}

/** Headers of a response about which no object was read. */
export const refusalCorsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after',
  'cross-origin-resource-policy': 'cross-origin',
}

function readableBy(origin: string, endpoint: Endpoint): Record<string, string> {
  const response = responseOf(endpoint)
  const own = response.kind === 'none' && response.headers ? Object.keys(response.headers.shape) : []
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': [...own, 'retry-after'].join(', '),
    'cross-origin-resource-policy': 'cross-origin',
  }
}

/**
 * Adds a route that answers preflight requests for each path whose endpoints other origins may call. Throws if the
 * endpoints of a path allow different origins.
 */
export function addPreflights(server: FastifyInstance, deps: ServerDeps, operations: HttpOperation[]): void {
  for (const path of new Set(operations.map(pathOf))) {
    const own = operations.filter((operation) => pathOf(operation) === path)
    const [first] = own
    if (!first || own.every(({ endpoint: { cors = 'none' } }) => cors === 'none')) continue
    if (
      own.some(({ endpoint, origins }) => endpoint.cors !== first.endpoint.cors || origins !== first.origins)
    )
      throw new Error(`${path}: the endpoints of a path allow the same origins`)
    // Reading a list costs a statement.
    const limit = first.endpoint.cors === 'listed' ? limitAddress(first.endpoint) : null
    server.options(urlOf(path), async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      limit?.(request)
      return reply
        .headers(await corsHeaders(first, deps, request))
        .headers({
          'access-control-allow-headers': allowedHeaders(own),
          'access-control-allow-methods': own
            .map(({ endpoint: { route } }) => route.split(' ')[0])
            .join(', '),
          'access-control-max-age': String(preflightSeconds),
        })
        .code(204)
        .send()
    })
  }
}

const pathOf = ({ endpoint: { route } }: HttpOperation) => route.slice(route.indexOf(' ') + 1)

function allowedHeaders(operations: HttpOperation[]): string {
  const read = operations.flatMap(({ endpoint: { headers } }) => Object.keys(headers?.shape ?? {}))
  return ['content-type', ...new Set(read.filter((name) => !notListed.has(name)))].join(', ')
}
