import type { View } from '#archive/content.ts'
import { isRecord } from '#archive/shapes.ts'
import { RescueFailure } from '#rescue/failure.ts'
import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { checkAnswerShape, parseAnswer } from './answers.ts'
import { ServerCapabilities } from './capabilities.ts'
import type { HostThrottle } from './host-throttle.ts'
import { type ListAnswer, sliceListAnswer } from './json-slices.ts'
import type { Query } from './query.ts'
import { RetryableError, type RetryPolicy, retryableStatus, toRetryable } from './retry-policy.ts'

export interface NewtApiOptions {
  http: OutgoingHttp
  throttle: HostThrottle
  space: string
  app: string
  /** Another server with Newt's API. Requests are sent to `{origin}/{space}.{view}.newt.so/v1/…`. */
  origin?: string | undefined
  tokens: { api: string; cdn?: string | undefined }
  signal?: AbortSignal
}

export interface Answer<T> {
  value: T
  /** Size of the response in bytes. */
  size: number
  /**
   * The earlier one of the server's clock (`Date` header) and the local clock, in ms. Without the header, the local
   * time minus one day.
   */
  serverTime: number
}

/** A definite refusal `{status, code, message}` that the caller may be able to handle. */
export class ApiRefusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(`${status} ${code}`)
    this.name = 'ApiRefusal'
    this.status = status
    this.code = code
  }
}

const limits = { maxBytes: 64_000_000, timeoutMs: 180_000 }
/** Retries long enough for the network to return: up to 15 minutes in total. */
export const persistentRetries: RetryPolicy = { attempts: 12, offlineAttempts: 25, maxElapsedMs: 900_000 }
/** Retries of requests that have an alternative. */
export const quickRetries: RetryPolicy = { attempts: 4, offlineAttempts: 25, maxElapsedMs: 900_000 }
/** Fewer retries until the first successful response, because the user waits for it. */
const firstContactRetries: RetryPolicy = { attempts: 3, maxElapsedMs: 60_000 }
const oneDayMs = 86_400_000
/**
 * Maximum difference in ms between the clocks of the server and this computer. Beyond it, a check for changes also
 * compares all ids.
 */
const oddClockMs = 300_000
/** The headers that newt-client-js sends through axios. A firewall may accept only these. */
const clientHeaders = {
  accept: 'application/json, text/plain, */*',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'axios/1.7.4',
}
const ownHeaders = { accept: 'application/json', 'user-agent': 'imori-rescue' }

/** Client of Newt's two content APIs. */
export class NewtApi {
  readonly #options: NewtApiOptions
  #answered = false
  #headers: Record<string, string> = ownHeaders
  /** Whether the server's clock differs widely from the local clock. */
  isClockOdd = false
  readonly capabilities: Readonly<Record<View, ServerCapabilities>> = {
    api: new ServerCapabilities(),
    cdn: new ServerCapabilities(),
  }

  constructor(options: NewtApiOptions) {
    this.#options = options
  }

  /** Returns the raw metadata of the app. Throws `app_not_found`, `token_refused`, `no_network`, … */
  async app(view: View): Promise<Buffer> {
    try {
      const path = `/v1/space/apps/${encodeURIComponent(this.#options.app)}`
      const { value } = await this.#get(view, path, {}, persistentRetries, (body) => {
        checkAnswerShape(body)
        if (!isRecord(parseAnswer(body))) throw new RescueFailure('strange_answer', { reason: 'no app' })
        return body
      })
      return value
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 404) throw this.#failure('app_not_found')
      throw this.#orFailure(error, view)
    }
  }

  /** Requests a list of a model. Throws ApiRefusal for status 400, and RescueFailure otherwise. */
  async list(
    view: View,
    model: string,
    query: Query,
    retries: RetryPolicy = persistentRetries,
  ): Promise<Answer<ListAnswer>> {
    try {
      const path = this.#pathOf(model)
      return await this.#get(view, path, query, retries, sliceListAnswer)
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 400) throw error
      if (error instanceof ApiRefusal && error.status === 404)
        throw this.#failure('model_not_found', { model })
      throw this.#orFailure(error, view)
    }
  }

  /** Returns the raw response for one content; undefined if the content or model does not exist. */
  async one(view: View, model: string, id: string, query: Query): Promise<Buffer | undefined> {
    try {
      const path = `${this.#pathOf(model)}/${encodeURIComponent(id)}`
      const { value } = await this.#get(view, path, query, quickRetries, (body) => {
        checkAnswerShape(body)
        if (!isRecord(parseAnswer(body))) throw new RescueFailure('strange_answer', { reason: 'no content' })
        return body
      })
      return value
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 404) return undefined
      if (error instanceof ApiRefusal && error.status === 400) throw error
      throw this.#orFailure(error, view)
    }
  }

  /** Returns the path of a model. Uids are encoded, because they may contain characters with a meaning in URLs. */
  #pathOf(model: string): string {
    return `/v1/${encodeURIComponent(this.#options.app)}/${encodeURIComponent(model)}`
  }

  #url(view: View, path: string, query: Query): URL {
    const { origin, space } = this.#options
    const url = new URL(
      origin ? `${origin}/${space}.${view}.newt.so${path}` : `https://${space}.${view}.newt.so${path}`,
    )
    // Brackets are percent-encoded as in newt-client-js, because some proxies refuse them otherwise.
    const pairs = Object.entries(query).map(
      ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
    )
    url.search = pairs.join('&')
    return url
  }

  /** Sends a GET request. `read` validates the response, so that truncated responses and error pages are retried. */
  async #get<T>(
    view: View,
    path: string,
    query: Query,
    retries: RetryPolicy,
    read: (body: Buffer) => T,
  ): Promise<Answer<T>> {
    const { http, throttle, tokens, signal } = this.#options
    const url = this.#url(view, path, query)
    const token = view === 'api' ? tokens.api : (tokens.cdn ?? '')
    return throttle.run(url.host + view, this.#answered ? retries : firstContactRetries, async () => {
      try {
        const sent = this.#headers
        const headers = { authorization: `Bearer ${token}`, ...sent }
        const response = await http.request(url, { ...limits, headers, ...(signal ? { signal } : {}) })
        const body = await response.bytes()
        const { status } = response
        const later = retryableStatus(status, response.headers['retry-after'])
        if (later) throw later
        if (status === 413) throw new ApiRefusal(400, 'ResponseSizeTooLarge')
        if (status !== 200) {
          const code = refusalCode(body)
          // Newt always states a reason. A refusal without a reason comes from a firewall, so the other set of headers
          // is tried.
          if (code === '' && (status === 401 || status === 403)) {
            if (this.#headers === sent) this.#headers = sent === ownHeaders ? clientHeaders : ownHeaders
            throw new RetryableError('refused', String(status))
          }
          throw new ApiRefusal(status, code)
        }
        const value = read(body)
        this.#answered = true
        return { value, size: body.length, serverTime: this.#serverTime(response.headers.date) }
      } catch (error) {
        if (error instanceof RescueFailure)
          throw new RetryableError('broken', `unreadable: ${error.details.reason}`)
        throw toRetryable(error)
      }
    })
  }

  #serverTime(header: string | string[] | undefined): number {
    const now = Date.now()
    const date = Date.parse(String(header ?? ''))
    if (Number.isNaN(date)) return now - oneDayMs
    if (Math.abs(date - now) > oddClockMs) this.isClockOdd = true
    return Math.min(date, now)
  }

  #failure(code: 'app_not_found' | 'model_not_found', details: Record<string, string> = {}): RescueFailure {
    const { space, app } = this.#options
    return new RescueFailure(code, { space, app, ...details })
  }

  #orFailure(error: unknown, view: View): unknown {
    const { space, origin } = this.#options
    const host = origin ? new URL(origin).host : `${space}.${view}.newt.so`
    if (error instanceof ApiRefusal) {
      if (error.status === 401) return new RescueFailure('token_refused', { space, view })
      if (error.status === 403) return new RescueFailure('not_allowed', { space, view, code: error.code })
      return refused(error)
    }
    if (error instanceof RetryableError && error.trouble === 'refused') {
      if (error.reason === '401') return new RescueFailure('token_refused', { space, view })
      return new RescueFailure('not_allowed', { space, view, code: '' })
    }
    if (error instanceof RetryableError) {
      const unreadable = /^unreadable: (.*)/.exec(error.reason)?.[1]
      if (unreadable) return new RescueFailure('strange_answer', { host, reason: unreadable })
      if (/CERT|SIGNATURE|ERR_TLS/.test(error.reason))
        return new RescueFailure('not_trusted', { host, reason: error.reason })
      return error.isNetwork
        ? new RescueFailure('no_network', { host, reason: error.reason, trouble: error.trouble })
        : new RescueFailure('server_trouble', { host, status: error.reason })
    }
    if (error instanceof OutgoingHttpError) {
      if (error.code === 'aborted') return new RescueFailure('interrupted')
      if (error.code === 'blocked_address') return new RescueFailure('host_blocked', { host })
      return new RescueFailure('strange_answer', { host, reason: error.code })
    }
    return error
  }
}

/** Converts a refusal that the caller cannot handle to a failure. */
export function refused(error: ApiRefusal): RescueFailure {
  return new RescueFailure('strange_answer', { reason: `${error.status} ${error.code}`.trim() })
}

function refusalCode(body: Buffer): string {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    const code = isRecord(parsed) ? parsed.code : ''
    return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : ''
  } catch {
    return ''
  }
}
