import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { sourceOf } from '#server/access/attempts.ts'
import {
  anyFormBody,
  bodySchema,
  type Endpoint,
  type FileAnswer,
  formBody,
  type JsonObjectBody,
  jsonObjectBody,
  type Message,
  readsCookies,
  responseOf,
  streamBody,
  successStatuses,
} from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { limitMemory } from '../connections/body-memory.ts'
import { allowSlowBody, limitRest } from '../connections/body-time.ts'
import { urlOf } from '../urls.ts'
import { parseForm, requireUncompressed } from './form-fields.ts'
import { type Reading, readMultipart } from './multipart.ts'
import { openForm } from './sent-form.ts'
import { parseJsonObject } from './validation.ts'

const standardBytes = 4 * 1024 * 1024
/** Maximum time in ms within which a form with large files must arrive. */
const maxFormMs = 600_000

/**
 * Adds the endpoint's route. An endpoint with a body other than JSON gets separate content-type parsers: a form is
 * parsed to its fields, and streams pass unchanged. `admit` runs before the body is read.
 */
export function addRoute(
  server: FastifyInstance,
  endpoint: Endpoint,
  {
    admit,
    ...rest
  }: {
    admit: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | null
    errorHandler?: NonNullable<RouteOptions['errorHandler']>
    handler: (request: FastifyRequest, reply: FastifyReply) => unknown
  },
): void {
  const [method, path] = endpoint.route.split(' ') as [string, string]
  const route: RouteOptions = {
    method,
    url: urlOf(path),
    ...(endpoint.maximumBytes === undefined ? {} : { bodyLimit: endpoint.maximumBytes }),
    // Only the admin's API answers HEAD for each GET.
    ...(readsCookies(endpoint) ? {} : { exposeHeadRoute: false }),
    ...(admit ? { onRequest: admit } : {}),
    ...rest,
  }
  const form = formBody(endpoint)
  const stream = streamBody(endpoint)
  if (bodySchema(endpoint) || (readsCookies(endpoint) && endpoint.body === undefined)) {
    server.route(route)
    return
  }
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body of a protocol is parsed after the caller was admitted. Clients may send a body with any request.
    if (jsonObjectBody(endpoint))
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
    else if (endpoint.body === undefined)
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    if (form)
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'buffer' },
        async (request: FastifyRequest, body: Buffer) => {
          requireUncompressed(request.headers)
          return parseForm(body)
        },
      )
    if (anyFormBody(endpoint))
      scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    if (stream) {
      const types = stream.kind === 'multipart' ? ['multipart/form-data'] : [...stream.types]
      scope.addContentTypeParser(types, (_request, payload, done) => done(null, payload))
    }
    scope.route(route)
  })
}

/**
 * Returns the received body: parsed JSON or the fields of a form, which their schema has not checked yet, or a stream
 * of bytes or files. Streams may arrive slowly as soon as the handler reads them. Throws 415.
 */
export function readBody(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): unknown {
  const { body, headers } = request
  const stream = streamBody(endpoint)
  // Fastify does not check the media type of a request without a body.
  if (formBody(endpoint) && body === undefined) throw new AppError('UnsupportedMediaType')
  const object = jsonObjectBody(endpoint)
  if (object) return readJsonObject(object, headers['content-type'], body as Buffer | undefined)
  if (anyFormBody(endpoint)) return readForm(endpoint, request, reply)
  if (!stream) return body
  // The handler checks the media type, also of a request that has none.
  const bytes =
    body === undefined && stream.kind === 'stream' && stream.types.includes('*') ? Readable.from([]) : body
  if (!(bytes instanceof Readable)) throw new AppError('UnsupportedMediaType')
  const reading = { begin: () => allowSlowBody(request.raw), end: () => limitRest(request.raw) }
  return stream.kind === 'multipart'
    ? readMultipart(headers['content-type'], bytes, stream, reading)
    : limited(bytes, endpoint.maximumBytes ?? standardBytes, reading)
}

/** Opens a form in any encoding. Only a body with files may arrive slowly. */
function readForm(
  endpoint: Endpoint,
  { body, headers, raw, ip }: FastifyRequest,
  reply: FastifyReply,
): unknown {
  const form = anyFormBody(endpoint)
  if (!form) throw new TypeError(`${endpoint.route} has no form`)
  const stream = body instanceof Readable ? body : Readable.from([])
  return openForm(form.limits, {
    headers,
    collect: limitMemory(sourceOf(ip), reply.raw),
    bytes: (maximum, isLarge) =>
      limited(stream, maximum, {
        begin: () => isLarge && allowSlowBody(raw),
        end: () => limitRest(raw),
        maxMs: maxFormMs,
      }),
  })
}

/** Returns an object of a protocol; `{}` for an empty body of any media type. Throws 400, 415. */
function readJsonObject(
  { types }: JsonObjectBody,
  contentType = '',
  body: Buffer = Buffer.alloc(0),
): unknown {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (body.length > 0 && !types.includes(type)) throw new AppError('UnsupportedMediaType')
  return parseJsonObject(body)
}

/**
 * Yields the bytes of a stream. Throws 413 as soon as there are more than `maximum` bytes, and 400 after `maxMs`.
 * Clients may read the response only after sending the whole body, so the rest is read and dropped after `end`, which
 * limits its time.
 */
async function* limited(
  stream: Readable,
  maximum: number,
  { begin, end, maxMs = Number.POSITIVE_INFINITY }: Reading & { maxMs?: number },
): AsyncGenerator<Uint8Array> {
  begin()
  const started = performance.now()
  let bytes = 0
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      if (bytes > maximum) throw new AppError('RequestFileTooLarge')
      if (performance.now() - started > maxMs)
        throw new AppError('ValidationFailed', { message: 'The request took too long to arrive' })
      yield chunk
    }
  } finally {
    end()
    stream.resume()
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
  reply.header('cache-control', 'no-store').code(successStatuses(endpoint)[0])
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
    case 'text':
      return reply.type(response.type).send(answer)
    case 'redirect':
      return reply.header('location', (answer as { location: string }).location).send()
    case 'message': {
      const { status, headers = {}, body } = answer as Message
      reply.code(status).headers(headers)
      if (body === undefined) return reply.send()
      return reply.type(response.type).send(typeof body === 'string' ? body : JSON.stringify(body))
    }
    case 'none':
      return reply.headers((answer as { headers?: Record<string, string> } | undefined)?.headers ?? {}).send()
  }
}
