import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DeliveryError } from './errors.ts'

/** A response body with its caching information. */
export interface Answer {
  body: Buffer
  kind: 'cdn' | 'api'
  /** Values of the `Cache-Tag` header, by which caches can purge the response when its content changes. */
  tags: string[]
  /** Computed when first sent. */
  etag?: string
}

export const everyAnswer = {
  // For JSON responses. Files have their own policy (asset-headers.ts).
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, Accept-Ranges, Content-Range',
  'x-content-type-options': 'nosniff',
} as const

/**
 * Shared caches may store published content for a minute, and use it for another minute while they revalidate it. The
 * response depends on the token, hence Vary.
 */
const cdnHeaders = {
  'cache-control': 'public, max-age=0, s-maxage=60, stale-while-revalidate=60',
  vary: 'Authorization',
} as const
const apiHeaders = { 'cache-control': 'private, no-store' } as const
/**
 * For spaces that restrict the IP addresses of readers: a shared cache would serve the response to all other addresses
 * too.
 */
const keptHeaders = { 'cache-control': 'private, no-cache', vary: 'Authorization' } as const
const headersOf = { cdn: cdnHeaders, api: apiHeaders, kept: keptHeaders }

/**
 * Sends a response (`shared`: shared caches may store it) with a strong ETag, or a 304 if the client has the same
 * bytes. Bypasses Fastify, whose processing of a finished body takes as long as the lookup in the cache.
 */
export function sendAnswer(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  { answer, shared }: { answer: Answer; shared: boolean },
): FastifyReply {
  const { kind, body, tags } = answer
  answer.etag ??= `"${hash('sha1', body, 'base64url')}"`
  const isKnown = matches(headers['if-none-match'], answer.etag)
  const { raw } = reply.hijack()
  raw.writeHead(isKnown ? 304 : 200, {
    ...everyAnswer,
    ...headersOf[shared ? kind : 'kept'],
    etag: answer.etag,
    ...(tags.length > 0 ? { 'cache-tag': tags.join(',') } : {}),
    ...(isKnown ? {} : { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }),
  })
  raw.end(isKnown || method === 'HEAD' ? undefined : body)
  return reply
}

/** Checks whether the client's `If-None-Match` contains this ETag or `*`. */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false
  return (
    ifNoneMatch === etag ||
    ifNoneMatch.split(',').some((tag) => {
      const trimmed = tag.trim()
      return trimmed === '*' || trimmed.replace(/^W\//, '') === etag
    })
  )
}

/** Sends an error as exactly `{status, code, message}`. */
export function sendDeliveryError(reply: FastifyReply, error: DeliveryError): FastifyReply {
  return reply
    .code(error.status)
    .headers({
      ...everyAnswer,
      ...error.headers,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    })
    .send(error.body())
}

/** Responds to a CORS preflight request: any origin, the requested headers, no cookies. */
export function sendPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const asked = request.headers['access-control-request-headers']
  const names = asked && /^[\w\-, ]{1,500}$/.test(asked) ? asked : 'Authorization, Content-Type'
  return reply
    .code(204)
    .headers({
      ...everyAnswer,
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': names,
      'access-control-max-age': '86400',
      vary: 'Access-Control-Request-Headers',
      allow: 'GET, HEAD, OPTIONS',
    })
    .send()
}
