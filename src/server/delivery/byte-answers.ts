import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { everyAnswer, matches } from './answers.ts'
import { DeliveryError } from './errors.ts'

export interface ByteSource {
  size: number
  /** Reads from `start` to `end`, both inclusive. */
  open(range: ByteRange): Promise<Buffer | AsyncIterable<Uint8Array>>
}

export interface ByteRange {
  start: number
  end: number
}

/**
 * Sends bytes with their strong ETag: all of them, the requested range (206), or none if the client has them (304).
 * Throws `RangeNotSatisfiable` (416) if no byte is in the range.
 */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Record<string, string>,
  etag: string,
  source: () => Promise<ByteSource>,
): Promise<FastifyReply> {
  if (matches(request.headers['if-none-match'], etag)) {
    const {
      'content-type': _type,
      'content-disposition': _disposition,
      ...kept
    }: Record<string, string> = { ...everyAnswer, ...headers, etag }
    return sendWhole(reply, 304, kept)
  }
  const bytes = await source()
  const { size } = bytes
  const range = request.method === 'GET' ? rangeOf(request, etag, size) : undefined
  if (range === null)
    throw new DeliveryError('RangeNotSatisfiable', `The file has ${size} bytes.`, {
      'content-range': `bytes */${size}`,
    })
  const { start, end } = range ?? { start: 0, end: size - 1 }
  const body = request.method === 'HEAD' || size === 0 ? undefined : await bytes.open({ start, end })
  const status = range ? 206 : 200
  const all = {
    ...everyAnswer,
    ...headers,
    etag,
    'content-length': String(end - start + 1),
    ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
  }
  if (body === undefined || Buffer.isBuffer(body)) return sendWhole(reply, status, all, body)
  const stream = body instanceof Readable ? body : Readable.from(body, { objectMode: false })
  return reply.code(status).headers(all).send(stream)
}

/** Bypasses Fastify, as `sendAnswer` does. */
function sendWhole(
  reply: FastifyReply,
  status: number,
  headers: Record<string, string>,
  body?: Buffer,
): FastifyReply {
  const { raw } = reply.hijack()
  raw.writeHead(status, headers)
  raw.end(body)
  return reply
}

/**
 * Returns the requested range. undefined: the whole file; also if the range is invalid, if there are several ranges, or
 * if `If-Range` names other bytes. null: no byte of the file is in the range.
 */
function rangeOf({ headers }: FastifyRequest, etag: string, size: number): ByteRange | null | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '')
  if (!match || (!match[1] && !match[2])) return undefined
  const condition = headers['if-range']
  if (condition !== undefined && condition !== etag) return undefined
  const [, first, last] = match
  if (!first) {
    const count = Math.min(Number(last), size)
    return count === 0 ? null : { start: size - count, end: size - 1 }
  }
  const start = Number(first)
  const end = last ? Math.min(Number(last), size - 1) : size - 1
  if (last && Number(last) < start) return undefined
  return start >= size ? null : { start, end }
}
