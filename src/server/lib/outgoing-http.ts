import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'
import { createAddressCheck } from './blocked-addresses.ts'

/**
 * Options of the client for outgoing HTTP, which the server uses for webhooks, imports, embeds and its other requests.
 * The client resolves a name once, checks its IP addresses and opens the socket to a checked one. So changing DNS
 * between check and use has no effect.
 */
export interface OutgoingHttpOptions {
  /**
   * Origins (`http://127.0.0.1:4000`) that the operator has configured. IP address and port are not checked for exactly
   * these origins. Never fill the list from stored or received data.
   */
  allowPrivate?: readonly string[]
  /** Whether `allowPrivate` includes the subdomains of its hosts, with the same scheme and port. Default: false. */
  allowSubdomains?: boolean
  /** Ports that are allowed for all other origins, in addition to 80 and 443. */
  ports?: readonly number[]
  /** Public IP addresses of this server, which are blocked too. */
  ownAddresses?: readonly string[]
  /**
   * A proxy for exactly these origins, which must be in `allowPrivate`: behind a proxy, IP addresses cannot be checked.
   * Proxy settings of the environment are not used.
   */
  proxy?: { uri: string; origins: readonly string[] }
  /** Maximum number of sockets per origin. Default: 32. */
  connections?: number
}

export interface OutgoingRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  body?: string | Buffer | Readable
  /** Maximum number of bytes of a response, after decompression. Larger responses fail with `too_large`. */
  maxBytes: number
  /**
   * Time limit in ms for the whole exchange, from connecting to the last byte. 0: no limit, but `idleMs` still applies.
   */
  timeoutMs: number
  /** Maximum time without data, in ms. Default: 30,000. */
  idleMs?: number
  /**
   * Maximum number of redirects for GET and HEAD, each of which is checked again. Beyond it, the request fails with
   * `too_many_redirects`. Default: 0, so that the 3xx is returned.
   */
  maxRedirects?: number
  signal?: AbortSignal
}

export interface OutgoingResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The final URL, after redirects. */
  url: string
  /** The decoded body, readable once. Throws `OutgoingHttpError` if it is interrupted, slow or too large. */
  body: AsyncIterable<Buffer>
  bytes(): Promise<Buffer>
  /** Reads the whole body as UTF-8. */
  text(): Promise<string>
  /** Drops the body and frees the socket. */
  discard(): void
}

export type OutgoingHttpErrorCode =
  | 'bad_url'
  | 'blocked_address'
  | 'too_many_redirects'
  | 'too_large'
  | 'timeout'
  | 'aborted'
  | 'network'

/**
 * Why a request failed. `detail` is a system code such as ENOTFOUND, or the refused part of the request or response,
 * such as a host, port or size. It contains no secret.
 */
export class OutgoingHttpError extends Error {
  readonly code: OutgoingHttpErrorCode
  readonly detail: string
  /** HTTP status of a response whose body cannot be read. `null`: no response, or unknown. */
  readonly status: number | null
  constructor(code: OutgoingHttpErrorCode, detail = '', status: number | null = null) {
    super(detail ? `${code}: ${detail}` : code)
    this.name = 'OutgoingHttpError'
    this.code = code
    this.detail = detail
    this.status = status
  }
}

export interface OutgoingHttp {
  request(url: string | URL, request: OutgoingRequest): Promise<OutgoingResponse>
  /**
   * Returns whether every request to this URL fails because of its port or literal IP address. Does not look up host
   * names, so requests to other URLs may still fail.
   */
  refuses(url: string | URL): boolean
  /** Closes idle sockets and aborts running exchanges. */
  close(): Promise<void>
}

/** Creates the client. Call `close()` on shutdown. */
export function createOutgoingHttp(options: OutgoingHttpOptions = {}): OutgoingHttp {
  const isBlocked = createAddressCheck(options.ownAddresses)
  const trusted = (options.allowPrivate ?? []).map((origin) => new URL(origin))
  const ports = new Set([80, 443, ...(options.ports ?? [])].map(String))
  const shared = { connections: options.connections ?? 32, pipelining: 1, keepAliveTimeout: 10_000 }
  const checked = new Agent({ ...shared, connect: checkingConnector(isBlocked) })
  const open = new Agent({ ...shared, connect: { timeout: 15_000 } })
  const proxied = new Set(options.proxy?.origins.map((origin) => new URL(origin).origin))
  const proxy = options.proxy && new ProxyAgent({ ...shared, uri: options.proxy.uri })

  const isTrusted = (url: URL): boolean =>
    trusted.some(
      (one) => one.origin === url.origin || (options.allowSubdomains === true && isBelow(url, one)),
    )

  /** Returns the port or literal IP address for which a URL is refused. `null`: neither is refused. */
  function refusedPart(url: URL): string | null {
    if (isTrusted(url)) return null
    if (url.port !== '' && !ports.has(url.port)) return `port ${url.port}`
    // A literal IP address is connected to without a lookup, so it is checked here.
    const host = url.hostname.replace(/^\[|\]$/g, '')
    return isIP(host) && isBlocked(host) ? host : null
  }

  function dispatcherFor(url: URL): Dispatcher {
    if (isTrusted(url)) return proxy && proxied.has(url.origin) ? proxy : open
    const refused = refusedPart(url)
    if (refused !== null) throw new OutgoingHttpError('blocked_address', refused)
    return checked
  }

  async function request(target: string | URL, init: OutgoingRequest): Promise<OutgoingResponse> {
    let url = parseHttpUrl(target)
    let headers = init.headers ?? {}
    const method = init.method ?? 'GET'
    const redirects = method === 'GET' || method === 'HEAD' ? (init.maxRedirects ?? 0) : 0
    const deadline = createDeadline(init.timeoutMs, init.signal)
    try {
      for (let hop = 0; ; hop++) {
        const answer = await dispatcherFor(url).request({
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers: { 'accept-encoding': 'identity', ...headers },
          body: init.body ?? null,
          signal: deadline.signal,
          headersTimeout: init.idleMs ?? 30_000,
          bodyTimeout: init.idleMs ?? 30_000,
        })
        const location = answer.headers.location
        if (redirects === 0 || ![301, 302, 303, 307, 308].includes(answer.statusCode) || !location) {
          return wrap(answer, url, init.maxBytes, deadline)
        }
        answer.body.on('error', () => {}).destroy()
        if (hop >= redirects) throw new OutgoingHttpError('too_many_redirects')
        const next = parseHttpUrl(Array.isArray(location) ? (location[0] ?? '') : location, url)
        if (next.origin !== url.origin) headers = withoutSecrets(headers)
        url = next
      }
    } catch (error) {
      deadline.end()
      throw translate(error, deadline)
    }
  }

  return {
    request,
    refuses: (url) => refusedPart(new URL(url)) !== null,
    async close() {
      await Promise.all([checked.destroy(), open.destroy(), proxy?.destroy()])
    },
  }
}

/** Returns whether the host of `url` is a subdomain of the parent's host, with the same scheme and port. */
const isBelow = (url: URL, parent: URL): boolean =>
  url.protocol === parent.protocol && url.port === parent.port && url.hostname.endsWith(`.${parent.hostname}`)

/**
 * Parses an http(s) URL without credentials. Throws `bad_url` for others. Unusual notations (`0x7f.1`) become plain IP
 * addresses here.
 */
function parseHttpUrl(target: string | URL, base?: URL): URL {
  let url: URL
  try {
    url = new URL(target, base)
  } catch {
    throw new OutgoingHttpError('bad_url')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutgoingHttpError('bad_url', url.protocol)
  }
  if (url.username || url.password) throw new OutgoingHttpError('bad_url', 'credentials in the address')
  return url
}

function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  const secret = /^(authorization|cookie|proxy-authorization|x-csrf-token)$/i
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !secret.test(name)))
}

function checkingConnector(isBlocked: (address: string) => boolean): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, [], 0)
      const allowed = found.filter(({ address }) => !isBlocked(address))
      const first = allowed[0]
      if (!first) return callback(new OutgoingHttpError('blocked_address', hostname), [], 0)
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
  const connect = buildConnector({ lookup, timeout: 15_000 })
  return (options, callback) =>
    connect(options, (...result) => {
      const socket = result[1]
      // Second line of defence: checks the IP address to which the socket is actually connected.
      if (socket?.remoteAddress && isBlocked(socket.remoteAddress)) {
        socket.destroy()
        callback(new OutgoingHttpError('blocked_address', options.hostname), null)
      } else callback(...result)
    })
}

interface Deadline {
  signal: AbortSignal
  timedOut(): boolean
  end(): void
}

function createDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let timedOut = false
  const timer =
    timeoutMs > 0
      ? setTimeout(() => {
          timedOut = true
          controller.abort()
        }, timeoutMs)
      : undefined
  const forward = () => controller.abort()
  if (outer?.aborted) controller.abort()
  else outer?.addEventListener('abort', forward, { once: true })
  return {
    signal: controller.signal,
    timedOut: () => timedOut,
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', forward)
    },
  }
}

function wrap(
  answer: Dispatcher.ResponseData,
  url: URL,
  maxBytes: number,
  deadline: Deadline,
): OutgoingResponse {
  const declared = Number(answer.headers['content-length'] ?? 0)
  const discard = () => {
    deadline.end()
    answer.body.on('error', () => {}).destroy()
  }
  if (declared > maxBytes) {
    discard()
    throw new OutgoingHttpError('too_large', `${declared} bytes`)
  }
  const body = capped(decode(answer), maxBytes, deadline)
  const bytes = async () => {
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  return {
    status: answer.statusCode,
    headers: answer.headers,
    url: url.href,
    body,
    bytes,
    text: async () => (await bytes()).toString('utf8'),
    discard,
  }
}

/** Returns the decompressed body. Some hosts compress although requests ask for no compression. */
function decode(answer: Dispatcher.ResponseData): Readable {
  const encoding = String(answer.headers['content-encoding'] ?? 'identity').toLowerCase()
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'br'
        ? createBrotliDecompress()
        : encoding === 'deflate'
          ? createInflate()
          : undefined
  // An unknown encoding must not be treated as plain content.
  if (!decoder && encoding !== 'identity' && encoding !== '') {
    answer.body.on('error', () => {}).destroy()
    throw new OutgoingHttpError('network', 'UNKNOWN_ENCODING', answer.statusCode)
  }
  return decoder ? pipeline(answer.body, decoder, () => {}) : answer.body
}

async function* capped(body: Readable, maxBytes: number, deadline: Deadline): AsyncGenerator<Buffer> {
  let received = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received > maxBytes) throw new OutgoingHttpError('too_large', `more than ${maxBytes} bytes`)
      yield chunk
    }
  } catch (error) {
    throw translate(error, deadline)
  } finally {
    deadline.end()
    body.destroy()
  }
}

function translate(error: unknown, deadline: Deadline): OutgoingHttpError {
  if (error instanceof OutgoingHttpError) return error
  if (deadline.timedOut()) return new OutgoingHttpError('timeout')
  if (deadline.signal.aborted) return new OutgoingHttpError('aborted')
  const { code = 'unknown', cause } = error as { code?: string; cause?: unknown }
  if (cause instanceof OutgoingHttpError) return cause
  if (/^UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT$/.test(code)) return new OutgoingHttpError('timeout', code)
  return new OutgoingHttpError('network', code)
}
