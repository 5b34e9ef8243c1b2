import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { onRequestHookHandler } from 'fastify'

/**
 * Errors of Node's parser with a specific response, by their code. Other errors get the response for a malformed
 * request.
 */
const refusals: Record<string, [status: number, code: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'RequestTimeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'RequestHeaderFieldsTooLarge', 'The address or a header is too long.'],
}
const malformed = [400, 'BadRequest', 'The request is malformed.'] as const

/**
 * Builds an error response. The requested API is unknown here, so the body fits both APIs: `{status, code, message}`.
 */
function refusal(
  headers: Record<string, string>,
  [status, code, message]: readonly [number, string, string],
) {
  const body = JSON.stringify({ status, code, message })
  const all = {
    ...headers,
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  }
  return { status, headers: all, body }
}

/**
 * Returns an `onRequest` hook for all routes. It refuses requests without a host (except in HTTP/1.0), for which
 * Node.js would send a response in its own format.
 */
export function refuseWithoutHost(headers: Record<string, string>): onRequestHookHandler {
  const noHost = refusal(headers, [400, 'BadRequest', 'The request does not say which host it is for.'])
  return ({ raw }, reply, done) => {
    if (raw.headers.host !== undefined || raw.httpVersion === '1.0') return done()
    reply.code(noHost.status).headers(noHost.headers).send(noHost.body)
  }
}

/** Returns Fastify's `clientErrorHandler`, which answers unreadable HTTP and closes the connection. */
export function refuseConnections(headers: Record<string, string>) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const { status, body, ...answer } = refusal(headers, refusals[error.code ?? ''] ?? malformed)
    const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    if (socket.writable)
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
    socket.destroySoon()
  }
}
