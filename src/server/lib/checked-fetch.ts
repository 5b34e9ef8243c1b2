import {
  type OutgoingHttp,
  OutgoingHttpError,
  type OutgoingRequest,
  type OutgoingResponse,
} from './outgoing-http.ts'

/** Limits of each exchange, as in {@link OutgoingRequest}. */
type CheckedFetchLimits = Pick<OutgoingRequest, 'maxBytes' | 'timeoutMs' | 'idleMs' | 'maxRedirects'>

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The options of `fetch` that have an effect. SDKs may pass `undefined` for unset options. */
interface CheckedFetchInit {
  method?: string | undefined
  headers?: HeadersInit | undefined
  body?: BodyInit | Uint8Array | null | undefined
  redirect?: RequestRedirect | undefined
  signal?: AbortSignal | null | undefined
}

/** Headers of the connection, which the client sets. `fetch` ignores them too. */
const ofConnection =
  /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/

/** Statuses whose responses have no body. */
const withoutBody = new Set([204, 205, 304])

/**
 * Returns a `fetch` for SDKs that sends all requests with `http`, which therefore checks their addresses. It differs
 * from the standard function in these points:
 *
 * - The promise resolves when the whole body has been read, and rejects if the body exceeds `maxBytes`.
 * - Redirects are returned, unless `maxRedirects` allows to follow them and `redirect` is not `manual`.
 * - It rejects with `OutgoingHttpError` instead of a `TypeError` if the exchange fails. An abort by `signal` rejects
 *   with the reason of the signal, as usual.
 * - Options of browsers, such as `cache`, `credentials` and `mode`, have no effect.
 */
export function createCheckedFetch(
  http: Pick<OutgoingHttp, 'request'>,
  { maxRedirects = 0, ...limits }: CheckedFetchLimits,
): (input: string | URL | Request, init?: CheckedFetchInit) => Promise<Response> {
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null)
    // A `Request` would add a listener to the signal that is never removed.
    const request = new Request(input, { ...init, signal: null } as RequestInit)
    const method = methods.find((one) => one === request.method)
    if (!method) throw new TypeError(`Unsupported method: ${request.method}`)
    try {
      const answer = await http.request(request.url, {
        method,
        headers: Object.fromEntries([...request.headers].filter(([name]) => !ofConnection.test(name))),
        ...(request.body ? { body: Buffer.from(await request.arrayBuffer()) } : {}),
        ...limits,
        // The length that a HEAD announces is not received.
        ...(method === 'HEAD' ? { maxBytes: Number.MAX_SAFE_INTEGER } : {}),
        maxRedirects: request.redirect === 'follow' ? maxRedirects : 0,
        ...(signal ? { signal } : {}),
      })
      const { status } = answer
      const isRefused = request.redirect === 'error' && status >= 300 && status < 400 && status !== 304
      const isEmpty = method === 'HEAD' || withoutBody.has(status)
      if (isRefused || isEmpty || status > 599) answer.discard()
      if (isRefused) throw new OutgoingHttpError('too_many_redirects', '', status)
      // A standard response cannot have this status.
      if (status > 599) throw new OutgoingHttpError('network', 'INVALID_STATUS', status)
      const response = new Response(isEmpty ? null : new Uint8Array(await answer.bytes()), {
        status,
        headers: headersOf(answer.headers),
      })
      return Object.defineProperty(response, 'url', { value: answer.url })
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    }
  }
}

/** Returns a pair for each value, because `Headers` keeps several cookies only as separate values. */
const headersOf = (received: OutgoingResponse['headers']): [string, string][] =>
  Object.entries(received).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
