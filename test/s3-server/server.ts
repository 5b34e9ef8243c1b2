import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { S3Credentials, S3Location } from '#shared/storage.ts'
import { type KeyPair, type Refusal, verify } from './signature.ts'

interface StoredObject {
  bytes: Buffer
  type: string
  modifiedAt: Date
}

/** Handles a request in place of the server. Returns false to pass it on. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>

export interface S3Server {
  /** Options for a driver. */
  location: S3Location
  credentials: S3Credentials
  objects: Map<string, StoredObject>
  /** Method and path of every request as `<METHOD> <path>`, including refused requests. */
  log: string[]
  /** Set by tests to simulate faults. */
  intercept: Intercept | null
  /** The origin whose pages may send PUT requests: the CORS rule of the bucket. */
  allowedOrigin: string | null
  /** Number of minutes by which its clock is ahead. */
  clockAhead: number
  /** Number of objects per page of a list. */
  pageSize: number
  close(): Promise<void>
}

const keys: KeyPair = { accessKeyId: 'AKIATEST:odd+key', secretAccessKey: 'a/secret+with=odd&signs' }
const region = 'ap-northeast-1'
const bucket = 'media.test-1'

const escapeXml = (text: string) =>
  text.replace(/[&<>"']/g, (c) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }[c]};`)

/**
 * Starts a small S3 server on loopback that verifies signatures. Supports PUT, GET with ranges and conditions, HEAD,
 * DELETE, copy and ListObjectsV2 of one bucket, by path or by host.
 */
export async function startS3Server(): Promise<S3Server> {
  const server: S3Server = {
    location: { endpoint: '', region, bucket, prefix: '', style: 'path' },
    credentials: keys,
    objects: new Map(),
    log: [],
    intercept: null,
    allowedOrigin: null,
    clockAhead: 0,
    pageSize: 1000,
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  const http = createServer((request, response) => {
    // A client that disconnects is not an error of the test.
    request.on('error', () => {})
    response.on('error', () => {})
    void answer(server, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  server.location.endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return server
}

async function answer(
  server: S3Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<unknown> {
  server.log.push(`${request.method} ${request.url}`)
  if (await server.intercept?.(request, response)) return
  if (answerBrowser(server, request, response)) return
  const nowMs = Date.now() + server.clockAhead * 60_000
  const verified = verify(request, { keys, region, nowMs })
  if ('code' in verified) return refuse(request, response, verified)
  const { objects } = server
  const url = new URL(request.url ?? '', server.location.endpoint)
  const byHost = request.headers.host?.startsWith(`${bucket}.`)
  const [, first, ...rest] = decodeURIComponent(url.pathname).split('/')
  if (!byHost && first !== bucket) return refuse(request, response, { status: 404, code: 'NoSuchBucket' })
  const key = (byHost ? [first, ...rest] : rest).join('/')
  if (key === '') return list(server, url, response)
  if (request.method === 'PUT') {
    const source = request.headers['x-amz-copy-source']
    const body = await readBody(request)
    if (source !== undefined) {
      const from = decodeURIComponent(String(source)).replace(`/${bucket}/`, '')
      const object = objects.get(from)
      if (!object) return refuse(request, response, { status: 404, code: 'NoSuchKey' })
      objects.set(key, { ...object, modifiedAt: new Date() })
      return send(response, 200, '<CopyObjectResult><ETag>x</ETag></CopyObjectResult>')
    }
    const hash = createHash('sha256').update(body).digest('hex')
    if (verified.contentHash !== 'UNSIGNED-PAYLOAD' && verified.contentHash !== hash)
      return refuse(request, response, { status: 400, code: 'XAmzContentSHA256Mismatch' })
    objects.set(key, { bytes: body, type: String(request.headers['content-type']), modifiedAt: new Date() })
    return response.writeHead(200, { etag: etagOf(body) }).end()
  }
  if (request.method === 'DELETE') {
    objects.delete(key)
    return response.writeHead(204).end()
  }
  return read(request, response, objects.get(key))
}

/** Handles CORS as S3 does: sets the allowed origin. Returns true if it answered a preflight request. */
function answerBrowser(
  { allowedOrigin }: S3Server,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const isAllowed = allowedOrigin !== null && request.headers.origin === allowedOrigin
  if (isAllowed) response.setHeader('access-control-allow-origin', allowedOrigin)
  if (request.method !== 'OPTIONS') return false
  const headers = { 'access-control-allow-methods': 'PUT', 'access-control-allow-headers': 'content-type' }
  response.writeHead(isAllowed ? 200 : 403, isAllowed ? headers : {}).end()
  return true
}

const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`

function read(
  request: IncomingMessage,
  response: ServerResponse,
  object: StoredObject | undefined,
): ServerResponse {
  if (!object) return refuse(request, response, { status: 404, code: 'NoSuchKey' })
  const { bytes, type, modifiedAt } = object
  const headers = { 'content-type': type, etag: etagOf(bytes), 'last-modified': modifiedAt.toUTCString() }
  const condition = request.headers['if-match']
  if (condition !== undefined && condition !== headers.etag)
    return refuse(request, response, { status: 412, code: 'PreconditionFailed' })
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  if (from === undefined) {
    response.writeHead(200, { ...headers, 'content-length': bytes.length })
    return response.end(request.method === 'HEAD' ? undefined : bytes)
  }
  const start = Number(from)
  const end = Math.min(to ? Number(to) : bytes.length - 1, bytes.length - 1)
  if (start >= bytes.length) return refuse(request, response, { status: 416, code: 'InvalidRange' })
  const part = bytes.subarray(start, end + 1)
  const range = `bytes ${start}-${end}/${bytes.length}`
  response.writeHead(206, { ...headers, 'content-length': part.length, 'content-range': range })
  return response.end(request.method === 'HEAD' ? undefined : part)
}

function list(
  { objects, pageSize }: S3Server,
  { searchParams }: URL,
  response: ServerResponse,
): ServerResponse {
  const prefix = searchParams.get('prefix') ?? ''
  const after = searchParams.get('continuation-token') ?? ''
  const encode = searchParams.get('encoding-type') === 'url' ? encodeURIComponent : escapeXml
  const found = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
  const page = found.slice(0, pageSize)
  const contents = page.map((key) => {
    const { bytes, modifiedAt } = objects.get(key) as StoredObject
    return `<Contents><Key>${encode(key)}</Key><LastModified>${modifiedAt.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`
  })
  const more = found.length > page.length
  return send(
    response,
    200,
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${
      encode === encodeURIComponent ? '<EncodingType>url</EncodingType>' : ''
    }<IsTruncated>${more}</IsTruncated>${
      more ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? '')}</NextContinuationToken>` : ''
    }${contents.join('')}</ListBucketResult>`,
  )
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export function send(response: ServerResponse, status: number, xml: string): ServerResponse {
  return response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`)
}

export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, xml = '' }: Refusal,
): ServerResponse {
  request.resume()
  if (request.method === 'HEAD') return response.writeHead(status).end()
  return send(response, status, `<Error><Code>${code}</Code><Message>…</Message>${xml}</Error>`)
}
