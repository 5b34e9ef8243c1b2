import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** What Node's parser refuses, by its own code; everything else is a malformed request. */
const refusals: Record<string, [status: number, code: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'RequestTimeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'RequestHeaderFieldsTooLarge', 'The address or a header is too long.'],
}
const malformed = [400, 'BadRequest', 'The request is malformed.'] as const

/**
 * Fastify's `clientErrorHandler`: answers what is no readable HTTP and ends the connection. Which API was meant is not
 * known, so the body fits both: `{status, code, message}`.
 */
export function refuseConnections(headers: Record<string, string>) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const [status, code, message] = refusals[error.code ?? ''] ?? malformed
    const body = JSON.stringify({ status, code, message })
    const lines = Object.entries({
      ...headers,
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    if (socket.writable)
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
    socket.destroySoon()
  }
}
