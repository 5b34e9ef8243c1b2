import type { BodyInputOf, ParametersOf, QueryInputOf, ResponseOf } from '#shared/contract/endpoint.ts'
import type { EndpointByRoute } from '#shared/contract/index.ts'
import type { ErrorCode, Issue } from '#shared/errors.ts'

export type ApiRoute = keyof EndpointByRoute

type RouteParameters<R extends ApiRoute> = keyof ParametersOf<{ route: R }> extends never
  ? { params?: undefined }
  : { params: ParametersOf<{ route: R }> }
type RouteBody<E> = BodyInputOf<E> extends undefined ? { body?: undefined } : { body: BodyInputOf<E> }
type RouteQuery<E> = E extends { rawQuery: true }
  ? { query?: string | URLSearchParams }
  : QueryInputOf<E> extends undefined
    ? { query?: undefined }
    : { query?: QueryInputOf<E> }

/**
 * The options of a call in addition to its route. The types come from the shared contract, whose code is not loaded at
 * run time.
 */
export type ApiOptions<R extends ApiRoute> = RouteParameters<R> &
  RouteBody<EndpointByRoute[R]> &
  RouteQuery<EndpointByRoute[R]> & { headers?: Record<string, string>; signal?: AbortSignal }

export type ApiResponse<R extends ApiRoute> = ResponseOf<EndpointByRoute[R]>

/**
 * An error response of the server, a response that is not JSON, or `NetworkError` (status 0) if the server could not be
 * reached.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode | 'NetworkError'
  readonly issues: Issue[]
  /**
   * The other properties of the response, which depend on the error. Examples: `current` and `fields` of a conflict,
   * `losses` of a model change.
   */
  readonly details: Record<string, unknown>

  constructor(status: number, body: Record<string, unknown>, cause?: unknown) {
    const { code, message, issues, ...details } = body
    super(typeof message === 'string' ? message : String(code), { cause })
    this.status = status
    this.code = (typeof code === 'string' ? code : 'InternalServerError') as ApiError['code']
    this.issues = Array.isArray(issues) ? (issues as Issue[]) : []
    this.details = details
  }
}

let csrfToken: Promise<string | null> | undefined
/**
 * Number of session changes since the page was loaded. A 401 response to a request of an earlier session is ignored.
 */
let session = 0
let signedOut: () => void = () => undefined

/**
 * Deletes the CSRF token, so that the next mutating call fetches a new one. Must be called when the session changes.
 */
export function forgetCsrfToken(): void {
  csrfToken = undefined
  session++
}

/**
 * Returns the CSRF token of this session, which is fetched once; null without a session. After a failed fetch, the next
 * call fetches it again.
 */
export function getCsrfToken(): Promise<string | null> {
  csrfToken ??= api('GET /api/auth/csrfToken', {}).then(
    (answer) => answer.csrfToken,
    (error: unknown) => {
      csrfToken = undefined
      throw error
    },
  )
  return csrfToken
}

/**
 * Sets the handler for the end of the session (401 `Unauthorized`). Late responses to requests of an earlier session
 * are ignored.
 */
export function onSignedOut(handler: () => void): void {
  signedOut = handler
}

/**
 * Calls the management API: `api('GET /api/project/{p}', { params: { p: 'acme' } })`.
 *
 * @throws ApiError for every response that is not 2xx or not JSON, and for an unreachable server; `AbortError` if
 * aborted before the server responds
 */
export async function api<R extends ApiRoute>(route: R, options: ApiOptions<R>): Promise<ApiResponse<R>> {
  const [method = 'GET', template = ''] = route.split(' ')
  const url = pathOf(template, options.params) + searchOf(options.query)
  try {
    return (await send(method, url, options)) as ApiResponse<R>
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'InvalidCsrfToken') || method === 'GET') throw error
    csrfToken = undefined
    return (await send(method, url, options)) as ApiResponse<R>
  }
}

let alwaysSent: Record<string, string> = {}

/** Replaces the headers that are sent with each later call, in addition to the call's own. */
export function sendAlways(headers: Record<string, string>): void {
  alwaysSent = headers
}

interface SendOptions {
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

async function send(method: string, url: string, options: SendOptions): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json', ...alwaysSent, ...options.headers }
  if (method !== 'GET') {
    const token = await getCsrfToken()
    if (token) headers['x-csrf-token'] = token
  }
  const request: RequestInit = { method, headers, credentials: 'same-origin' }
  if (options.signal) request.signal = options.signal
  // The browser sets the content type of a form, because it includes the boundary.
  if (options.body instanceof FormData) request.body = options.body
  else if (options.body !== undefined) {
    headers['content-type'] = 'application/json'
    request.body = JSON.stringify(options.body)
  }

  // Read after the wait for the token, because the session may have changed in the meantime.
  const sentIn = session
  let response: Response
  try {
    response = await fetch(url, request)
  } catch (cause) {
    if (options.signal?.aborted) throw cause
    throw new ApiError(0, { code: 'NetworkError' }, cause)
  }
  const body = await readJson(response)
  if (!response.ok || body === undefined) {
    const error = new ApiError(response.status, body ?? { code: codeWithoutBody(response.status) })
    if (error.code === 'Unauthorized' && sentIn === session) signedOut()
    throw error
  }
  return body
}

/**
 * Returns the JSON object of a response; undefined for any other body (a proxy's error page, an aborted connection).
 */
async function readJson(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function codeWithoutBody(status: number): ErrorCode {
  if (status === 413) return 'RequestFileTooLarge'
  if (status === 429) return 'TooManyRequests'
  return status >= 502 && status <= 504 ? 'ServiceUnavailable' : 'InternalServerError'
}

function pathOf(template: string, params: Record<string, string> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function searchOf(query: unknown): string {
  if (query === undefined) return ''
  if (typeof query === 'string') return query && `?${query.replace(/^\?/, '')}`
  const search = query instanceof URLSearchParams ? query : new URLSearchParams()
  if (!(query instanceof URLSearchParams)) {
    for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
      if (value !== undefined && value !== null) search.set(name, String(value))
    }
  }
  // The query language reads `+` as a space only in `[or]`, and elsewhere as a plus sign.
  const text = search.toString().replaceAll('+', '%20')
  return text && `?${text}`
}
