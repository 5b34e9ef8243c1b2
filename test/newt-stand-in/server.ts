import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { BadQuery, type ListQuery, parseQuery, type View, valueAt } from './query.ts'
import { renderContent } from './render.ts'
import type { StoredAsset, StoredContent, StoredSpace } from './space.ts'

/** Kinds of altered responses. */
export type Fault =
  | { kind: 'status'; status: number; retryAfter?: string }
  | { kind: 'cut'; afterBytes: number }
  | { kind: 'drop' }
  | { kind: 'slow'; ms: number }
  /** Only the first bytes, declared as the whole response. */
  | { kind: 'short'; bytes: number }
  /** A response of an intermediary, such as a proxy. */
  | { kind: 'page'; status: number; html: string; type?: string }

export interface Request {
  /** Number of the request, starting at 1. */
  number: number
  path: string
  /** Query string, decoded. */
  search: string
  view: View | 'asset'
  model: string | undefined
  userAgent: string
}

export interface StandInOptions {
  /** Called before every response. */
  fault?: (request: Request) => Fault | undefined
  /** Called after a list response. It can edit contents between two pages. */
  afterList?: (request: Request) => void
  /** Indents responses, as a proxy might. */
  pretty?: boolean
  /** Size in bytes from which responses are refused, by default 7 MB as Newt does. */
  largestAnswer?: number
  /** Status of that refusal, by default 400 as Newt does. */
  tooLargeStatus?: number
  /** Contents do not change at run time, so lists are sorted once. */
  isStatic?: boolean
  /** Filters on `_sys.createdAt` use the raw time, even if the response shows another one. */
  filtersRawTimes?: boolean
  /** Returns the status to send instead of a response that would contain this content. */
  poison?: (content: StoredContent, query: ListQuery & { isList: boolean }) => number | undefined
  /** Number added to every total, or only to totals of queries that match `countsMoreAt` (decoded). */
  countsMore?: number
  countsMoreAt?: RegExp
  /** Time in ms by which the server's clock is ahead of its database's. */
  clockAheadMs?: number
  /** Parameters (`order=…`, decoded) that the server silently ignores. */
  ignores?: RegExp
  /** Parameters that are refused with 400. */
  refuses?: RegExp
  /** Parameters that cause a 500. */
  breaksAt?: RegExp
  /** Maximum page size; larger pages are silently limited to it. */
  mostPerPage?: number
  /** Changes the final JSON of a response. */
  rewrite?: (text: string) => string
  /** Compresses responses although the client did not request it. */
  encoding?: 'gzip' | 'br' | 'deflate'
  /** Sends responses without a length or chunks, and ends them by closing the connection. */
  isUnframed?: boolean
  /** Further apps of the same space. The space uid and the tokens that they contain are ignored. */
  otherApps?: readonly StoredSpace[]
  /** The content of custom and multi-type fields counts as an additional level of depth. */
  countsNesting?: boolean
}

export interface StandIn {
  origin: string
  port: number
  space: StoredSpace
  options: StandInOptions
  /** Number of responses with status 200, including responses that a fault cuts. Key: path and query of the request. */
  served: Map<string, number>
  close(): Promise<void>
}

class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/**
 * Starts a server on loopback that responds like Newt: `/{space}.api.newt.so/v1/…`, `/{space}.cdn.newt.so/v1/…`,
 * `/v1/…` (the token determines the API), and both formats of asset URLs by their paths.
 */
export async function startStandIn(
  space: StoredSpace,
  options: StandInOptions = {},
  atPort = 0,
): Promise<StandIn> {
  const served = new Map<string, number>()
  const sorted = new Map<string, StoredContent[]>()
  let number = 0
  const server = createServer((request, response) => {
    number += 1
    handle(request, response, number)
  })

  function handle(request: IncomingMessage, response: ServerResponse, count: number): void {
    const url = new URL(request.url ?? '/', 'http://stand-in')
    const { path, view, model, run: answer } = route(url, request, response, count)
    const run = () => {
      try {
        answer()
      } catch (error) {
        if (error instanceof Refusal) fail(response, error.status, error.code, error.message)
        else if (error instanceof BadQuery) fail(response, 400, 'InvalidQueryParameter', error.message)
        else fail(response, 500, 'InternalServerError', String(error))
      }
    }
    const fault = options.fault?.({
      number: count,
      path,
      search: decodeURIComponent(url.search),
      view,
      model,
      userAgent: String(request.headers['user-agent'] ?? ''),
    })
    if (fault?.kind === 'status') {
      if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter)
      const codes: Record<number, string> = { 400: 'InvalidQueryParameter', 429: 'TooManyRequests' }
      fail(response, fault.status, codes[fault.status] ?? 'InternalServerError', 'fault')
    } else if (fault?.kind === 'page') {
      response.writeHead(fault.status, { 'content-type': fault.type ?? 'text/html' }).end(fault.html)
    } else if (fault?.kind === 'drop') request.socket.destroy()
    else if (fault?.kind === 'cut') cut(response, fault.afterBytes, run)
    else if (fault?.kind === 'short') shorten(response, fault.bytes, run)
    else if (fault?.kind === 'slow') setTimeout(run, fault.ms)
    else run()
  }

  function route(url: URL, request: IncomingMessage, response: ServerResponse, count: number) {
    const found = /^\/([\w-]+)\.(api|cdn|assets)(?:\.newt\.so)?(\/v1\/.*)$/.exec(url.pathname)
    const path = found?.[3] ?? url.pathname
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    const isContent = found ? found[2] !== 'assets' : path.startsWith('/v1/')
    if (!isContent) {
      const run = () => answerAsset(url, response)
      return { path: url.pathname, view: 'asset' as const, model: undefined, run }
    }
    const view: View = (found?.[2] as View) ?? (token === space.tokens.api ? 'api' : 'cdn')
    const [, , app, model, id, ...rest] = path.split('/').map(decodeURIComponent)
    const apps = [space, ...(options.otherApps ?? [])]
    const run = () => {
      response.setHeader('access-control-allow-origin', '*')
      if (request.method === 'OPTIONS') {
        response.writeHead(204).end()
        return
      }
      if (!['GET', 'HEAD'].includes(request.method ?? ''))
        throw new Refusal(405, 'MethodNotAllowed', 'method')
      if (found && found[1] !== space.uid) throw new Refusal(404, 'NotFound', 'space')
      if (token !== space.tokens[view]) throw new Refusal(401, 'Unauthorized', 'token')
      if (app === 'space') {
        const known = apps.find((one) => model === 'apps' && one.app.uid === id && rest.length === 0)
        if (!known) throw new Refusal(404, 'NotFound', 'app')
        const { name, uid, icon, cover } = known.app
        send(response, url, JSON.stringify({ name, uid, icon, cover }))
        return
      }
      const stored = apps.find((one) => one.app.uid === app)
      const contents = model === undefined ? undefined : stored?.models.get(model)
      if (!stored || !contents || rest.length > 0) throw new Refusal(404, 'NotFound', 'model')
      const heard = listen(url.search)
      const search = options.filtersRawTimes
        ? heard.replace(/_sys\.createdAt(?=\[|%5B)/, '_sys.raw.createdAt')
        : heard
      const query = parseQuery(search)
      query.limit = Math.min(query.limit, options.mostPerPage ?? query.limit)
      if (id !== undefined) {
        answerOne(response, url, contents.get(id), view, query)
        return
      }
      answerList(response, url, view, stored, String(model), query)
      options.afterList?.({ number: count, path, search: url.search, view, model, userAgent: '' })
    }
    return { path, view, model, run }
  }

  /** Returns the part of the query that this server supports. */
  function listen(search: string): string {
    const pairs = search.replace(/^\?/, '').split('&').filter(Boolean)
    for (const pair of pairs) {
      const text = decodeURIComponent(pair)
      if (options.refuses?.test(text)) throw new BadQuery(text)
      if (options.breaksAt?.test(text)) throw new Error('broken')
    }
    return pairs.filter((pair) => !options.ignores?.test(decodeURIComponent(pair))).join('&')
  }

  function answerOne(
    response: ServerResponse,
    url: URL,
    content: StoredContent | undefined,
    view: View,
    query: ListQuery,
  ): void {
    if (!content || (view === 'cdn' && !content.published)) throw new Refusal(404, 'NotFound', 'content')
    send(response, url, render(content, view, query, false))
  }

  function render(content: StoredContent, view: View, query: ListQuery, isList: boolean): string {
    const { select, asText } = query
    const status = options.poison?.(content, { ...query, isList })
    if (status !== undefined) throw new Refusal(status, 'InternalServerError', 'poison')
    return renderContent(space, content, view, query.depth, {
      select,
      asText,
      countsNesting: options.countsNesting ?? false,
    })
  }

  function answerList(
    response: ServerResponse,
    url: URL,
    view: View,
    stored: StoredSpace,
    model: string,
    query: ListQuery,
  ): void {
    const ordered = contentsInOrder(view, stored, model, query)
    const matching = query.unfiltered ? ordered : ordered.filter((content) => query.matches(content, view))
    const items = matching
      .slice(query.skip, query.skip + query.limit)
      .map((content) => render(content, view, query, true))
    const { skip, limit } = query
    const isMore = options.countsMoreAt?.test(decodeURIComponent(url.search)) ?? true
    const more = isMore ? (options.countsMore ?? 0) : 0
    send(
      response,
      url,
      `{"skip":${skip},"limit":${limit},"total":${matching.length + more},"items":[${items.join(',')}]}`,
    )
  }

  function contentsInOrder(
    view: View,
    stored: StoredSpace,
    model: string,
    query: ListQuery,
  ): StoredContent[] {
    const key = `${view}/${stored.app.uid}/${model}/${query.order.join()}`
    const known = options.isStatic ? sorted.get(key) : undefined
    if (known) return known
    const contents = [...(stored.models.get(model)?.values() ?? [])]
      .filter(({ published }) => view === 'api' || published)
      .sort((a, b) => compareBy(query.order, view, a, b))
    sorted.set(key, contents)
    return contents
  }

  function answerAsset(url: URL, response: ServerResponse): void {
    const path = decodeURIComponent(url.pathname)
    const asset = assetsByPath(space).get(path)
    if (!asset) throw new Refusal(404, 'NotFound', 'asset')
    deliver(response, url, asset.bytes, asset.fileType)
  }

  function count(url: URL): void {
    const key = url.pathname + url.search
    served.set(key, (served.get(key) ?? 0) + 1)
  }

  function send(response: ServerResponse, url: URL, text: string): void {
    const said = options.rewrite ? options.rewrite(text) : text
    const body = Buffer.from(options.pretty ? JSON.stringify(JSON.parse(said), null, 2) : said)
    if (body.length >= (options.largestAnswer ?? 7_000_000)) {
      throw new Refusal(options.tooLargeStatus ?? 400, 'ResponseSizeTooLarge', 'too large')
    }
    deliver(response, url, body, 'application/json; charset=utf-8')
  }

  function deliver(response: ServerResponse, url: URL, plain: Buffer, type: string): void {
    count(url)
    const { encoding } = options
    const pack = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }
    const body = encoding ? pack[encoding](plain) : plain
    if (encoding) response.setHeader('content-encoding', encoding)
    response.setHeader('content-type', type)
    const { clockAheadMs } = options
    if (clockAheadMs) response.setHeader('date', new Date(Date.now() + clockAheadMs).toUTCString())
    if (options.isUnframed) {
      // The response is framed as in HTTP/1.0.
      response.useChunkedEncodingByDefault = false
      response.shouldKeepAlive = false
      response.removeHeader('content-length')
    } else response.setHeader('content-length', body.length)
    response.writeHead(200)
    if (options.isUnframed) response.write(body, () => response.end())
    else response.end(body)
  }

  await new Promise<void>((resolve) => server.listen(atPort, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    space,
    options,
    served,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

const pathCache = new WeakMap<StoredSpace, { size: number; paths: Map<string, StoredAsset> }>()

function assetsByPath(space: StoredSpace) {
  const known = pathCache.get(space)
  if (known?.size === space.assets.size) return known.paths
  const paths = new Map(
    [...space.assets.values()].map((asset) => {
      const { host, pathname } = new URL(asset.src)
      const prefix = /(?:^|\.)assets\.newt\.so$/.test(host) ? `/${host}` : ''
      return [decodeURIComponent(prefix + pathname), asset]
    }),
  )
  pathCache.set(space, { size: space.assets.size, paths })
  return paths
}

function compareBy(order: string[], view: View, a: StoredContent, b: StoredContent): number {
  for (const entry of [...order, '_id']) {
    const descending = entry.startsWith('-')
    const path = descending ? entry.slice(1) : entry
    const [left, right] = [a, b].map(
      (content) => valueAt(content, view, path) as string | number | null | undefined,
    )
    if (left === right) continue
    if (left === undefined || left === null) return 1
    if (right === undefined || right === null) return -1
    const result = left < right ? -1 : 1
    return descending ? -result : result
  }
  return 0
}

/** Sends the beginning of the response, then breaks the connection. */
function cut(response: ServerResponse, afterBytes: number, run: () => void): void {
  const end = response.end.bind(response)
  response.end = ((body: Buffer | string = '') => {
    response.write(Buffer.from(body).subarray(0, afterBytes))
    setTimeout(() => response.destroy(), 10)
    return response
  }) as typeof end
  run()
}

/** Sends the beginning of the response, with a length that declares it as complete. */
function shorten(response: ServerResponse, bytes: number, run: () => void): void {
  const [setHeader, end] = [response.setHeader.bind(response), response.end.bind(response)]
  response.setHeader = (name, value) => setHeader(name, name === 'content-length' ? bytes : value)
  response.end = ((body: Buffer | string = '') => end(Buffer.from(body).subarray(0, bytes))) as typeof end
  run()
}

function fail(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ status, code, message }))
}
