import type { OutgoingHttp, OutgoingResponse } from '#server/lib/outgoing-http.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import type { View } from './content.ts'
import { RescueFailure } from './failure.ts'
import { checkDepth, parseJson } from './json-slices.ts'
import { orTryLater, type Patience, type Polite, retryAfterMs, TryLater } from './polite.ts'
import { isRecord } from './shapes.ts'

export interface NewtApiOptions {
  http: OutgoingHttp
  polite: Polite
  space: string
  app: string
  /** Another server that speaks Newt's protocol; requests then go to `{origin}/{space}.api.newt.so/v1/…`. */
  origin?: string | undefined
  tokens: { api: string; cdn?: string | undefined }
  signal?: AbortSignal
}

/** The parameters of a list request. */
export type Query = Record<string, string | number>

export interface Answer {
  body: Buffer
  /** The server's clock (`Date` header) in ms; our own when it sent none. */
  serverTime: number
}

/** A definite refusal `{status, code, message}` the caller may know how to handle. */
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
const steady: Patience = { attempts: 12, patienceMs: 900_000 }
/** At the start somebody waits for a first sign of life. */
const firstContact: Patience = { attempts: 3, patienceMs: 60_000 }

/** Reads from Newt's two content APIs, politely. */
export class NewtApi {
  readonly #options: NewtApiOptions
  #answered = false
  /** False once the server refused to order by `_id` as well. */
  ordersById = true

  constructor(options: NewtApiOptions) {
    this.#options = options
  }

  /** Raw answer of the app's meta; throws `app_not_found`, `token_refused`, `no_network`, … */
  async app(view: View): Promise<Buffer> {
    try {
      const { body } = await this.#get(view, `/v1/space/apps/${this.#options.app}`, {})
      checkDepth(body)
      if (!isRecord(parseJson(body))) throw new RescueFailure('strange_answer', { reason: 'no app' })
      return body
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 404) throw this.#failure('app_not_found')
      throw this.#orFailure(error, view)
    }
  }

  /** Raw list answer of a model; throws ApiRefusal for 400, RescueFailure for the rest. */
  async list(view: View, model: string, query: Query): Promise<Answer> {
    try {
      return await this.#get(view, `/v1/${this.#options.app}/${model}`, query)
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 400) throw error
      if (error instanceof ApiRefusal && error.status === 404)
        throw this.#failure('model_not_found', { model })
      throw this.#orFailure(error, view)
    }
  }

  /** Raw answer for one content; undefined when there is none (or no such model). */
  async one(view: View, model: string, id: string, query: Query): Promise<Buffer | undefined> {
    try {
      const { body } = await this.#get(view, `/v1/${this.#options.app}/${model}/${id}`, query)
      checkDepth(body)
      return body
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 404) return undefined
      if (error instanceof ApiRefusal && error.status === 400) throw error
      throw this.#orFailure(error, view)
    }
  }

  #url(view: View, path: string, query: Query): URL {
    const { origin, space } = this.#options
    const url = new URL(
      origin ? `${origin}/${space}.${view}.newt.so${path}` : `https://${space}.${view}.newt.so${path}`,
    )
    const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    url.search = pairs.join('&')
    return url
  }

  async #get(view: View, path: string, query: Query): Promise<Answer> {
    const { http, polite, tokens, signal } = this.#options
    const url = this.#url(view, path, query)
    const token = view === 'api' ? tokens.api : (tokens.cdn ?? '')
    return polite.run(url.host + view, this.#answered ? steady : firstContact, async () => {
      let response: OutgoingResponse
      let body: Buffer
      try {
        const headers = {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'user-agent': 'imori-rescue',
        }
        response = await http.request(url, { ...limits, headers, ...(signal ? { signal } : {}) })
        body = await response.bytes()
      } catch (error) {
        throw orTryLater(error)
      }
      const { status, headers } = response
      if (status === 429 || status >= 500)
        throw new TryLater(String(status), retryAfterMs(headers['retry-after']))
      if (status !== 200) throw new ApiRefusal(status, refusalCode(body))
      this.#answered = true
      const date = Date.parse(String(headers.date ?? ''))
      return { body, serverTime: Number.isNaN(date) ? Date.now() : date }
    })
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
      return new RescueFailure('strange_answer', { reason: `${error.status} ${error.code}`.trim() })
    }
    if (error instanceof TryLater) {
      return error.isNetwork
        ? new RescueFailure('no_network', { host, reason: error.reason })
        : new RescueFailure('server_trouble', { host, status: error.reason })
    }
    if (error instanceof OutgoingHttpError) {
      if (error.code === 'aborted') return new RescueFailure('interrupted')
      if (error.code === 'blocked_address') return new RescueFailure('host_blocked', { host })
      return new RescueFailure('strange_answer', { reason: error.code })
    }
    return error
  }
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
