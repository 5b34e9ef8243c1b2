import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import {
  type Endpoint,
  type FileAnswer,
  responseOf,
  streamBody,
  successStatus,
} from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { allowSlowBody } from './body-time.ts'
import { readFiles } from './multipart.ts'

const standardBytes = 4 * 1024 * 1024

/**
 * Adds the endpoint's route. An endpoint that streams its body gets separate content-type parsers, which pass the bytes
 * through unchanged.
 */
export function addRoute(
  server: FastifyInstance,
  endpoint: Endpoint,
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  const [method, path] = endpoint.route.split(' ') as [string, string]
  const route: RouteOptions = {
    method,
    // Fastify reads `:x` as a parameter and `::` as a colon; the contract writes `{x}` and `:`. A colon ends a
    // parameter only if the parameter has a pattern that excludes it.
    url: path
      .replaceAll(':', '::')
      .replace(/\{(\w+)\}(?=:)/g, ':$1([^:/]+)')
      .replace(/\{(\w+)\}/g, ':$1'),
    ...(endpoint.maximumBytes === undefined ? {} : { bodyLimit: endpoint.maximumBytes }),
    handler,
  }
  const stream = streamBody(endpoint)
  if (!stream) {
    server.route(route)
    return
  }
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const types = stream.kind === 'multipart' ? ['multipart/form-data'] : [...stream.types]
    scope.addContentTypeParser(types, (_request, payload, done) => done(null, payload))
    scope.route(route)
  })
}

/**
 * Returns the received body: parsed JSON that its schema has not checked yet, or a stream of bytes or files. Streams
 * may arrive slowly. Throws 415.
 */
export function readBody(endpoint: Endpoint, request: FastifyRequest): unknown {
  const stream = streamBody(endpoint)
  if (!stream) return request.body
  // Fastify does not check the media type of a request without a body.
  if (!(request.body instanceof Readable)) throw new AppError('UnsupportedMediaType')
  allowSlowBody(request.raw)
  return stream.kind === 'multipart'
    ? readFiles(request.headers['content-type'], request.body, stream)
    : limited(request.body, endpoint.maximumBytes ?? standardBytes)
}

/** Yields the bytes of a stream. Throws 413 as soon as there are more than `maximum` bytes. */
async function* limited(stream: Readable, maximum: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maximum) throw new AppError('RequestFileTooLarge')
    yield chunk
  }
}

/** Returns headers that make browsers download a file. If a browser displays the file anyway, they sandbox it. */
export const fileHeaders = (fileName: string, size: number | undefined) => ({
  'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(fileName).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}`,
  ...(size === undefined ? {} : { 'content-length': size }),
  'content-security-policy': "default-src 'none'; sandbox",
})

/** Sends the answer of an operation. */
export function sendAnswer(endpoint: Endpoint, reply: FastifyReply, answer: unknown): FastifyReply {
  const response = responseOf(endpoint)
  if (reply.sent) return reply // the time limit was exceeded
  reply.header('cache-control', 'no-store').code(successStatus[response.kind])
  switch (response.kind) {
    case 'json':
      return reply.send(answer)
    case 'stream':
      return reply
        .type(response.type)
        .send(Readable.from(answer as AsyncIterable<Uint8Array | string>, { objectMode: false }))
    case 'file': {
      const { bytes, fileName, type, size, isLasting } = answer as FileAnswer
      if (isLasting) reply.header('cache-control', 'private, max-age=31536000, immutable')
      return reply
        .headers(fileHeaders(fileName, size))
        .type(type)
        .send(Readable.from(bytes, { objectMode: false }))
    }
    case 'redirect':
      return reply.header('location', (answer as { location: string }).location).send()
    case 'none':
      return reply.send()
  }
}
