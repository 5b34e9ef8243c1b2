import type { z } from 'zod'
import type { Audit } from '../audit.ts'
import type { Permission, Right } from '../permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** `METHOD /path`, parameters in braces: `GET /api/project/{p}/app/{a}`. */
export type Route = `${Method} /api/${string}`

/** A body of one of these media types, streamed to the handler: `input.body` is an `AsyncIterable<Uint8Array>`. */
export interface StreamBody {
  kind: 'stream'
  types: readonly string[]
}

/**
 * Files in the parts named `file` of a `multipart/form-data` body, streamed to the handler: `input.body` is an
 * `AsyncIterable<FilePart>`. `files` (number) and `bytes` (per file) are limits.
 */
export interface MultipartBody {
  kind: 'multipart'
  files: number
  bytes: number
}

/**
 * One file of a multipart body. Its bytes must be read before the next file is requested. Reading a file over the limit
 * throws 413.
 */
export interface FilePart {
  /** As sent by the client and untrusted. Only use it to derive a safe name. */
  fileName: string
  type: string
  bytes: AsyncIterable<Uint8Array>
}

/** A user's file, for endpoints whose response is of the kind `file`. */
export interface FileAnswer {
  bytes: AsyncIterable<Uint8Array>
  fileName: string
  type: string
  /** Size in bytes. Omitted if it is not known in advance. */
  size?: number
  /** Whether the content at this URL never changes, so that browsers may cache it. */
  isLasting?: true
}

/**
 * A response other than JSON:
 * - `stream`: a stream of bytes.
 * - `file`: a user's file, sent as a download so that it does not run in the admin's origin.
 * - `redirect`: a redirect (303) to `location`.
 * - `none`: no content (204).
 */
export type OtherResponse =
  | { kind: 'stream'; type: string }
  | { kind: 'file' }
  | { kind: 'redirect' }
  | { kind: 'none' }

/**
 * An endpoint as a value, for the server, the OpenAPI document, the admin's client and the generated permission test.
 * Parameters of the path are strings: `{p}` space uid, `{a}` app uid, `{m}` model uid, `{id}` a 24-hex `_id`, or the
 * uid of a role.
 */
export interface EndpointDefinition {
  /** One line in the imperative, for lists of endpoints. */
  summary: string
  /** Limits, errors and effects for callers of the API, in the OpenAPI document. */
  description?: string
  permission: Permission
  /** Rights in a space or app that the caller needs in addition to `permission`. */
  also?: readonly Right[]
  query?: z.ZodType
  body?: z.ZodType | StreamBody | MultipartBody
  response: z.ZodType | OtherResponse
  /** Maximum size of the body in bytes. Default: 4 MiB. */
  maximumBytes?: number
  /**
   * Time in seconds after which the request is answered with 503 and its `signal` is aborted. Requires `transaction:
   * 'own'`.
   */
  maximumSeconds?: number
  /**
   * `request` (default): inside a space, one transaction spans the whole handler. `own`: the handler opens short
   * transactions itself (`ctx.inSpace`), so that it occupies no connection while it waits for other services. Streams
   * inside a space must use `own`.
   */
  transaction?: 'request' | 'own'
  /**
   * The origins that may call the endpoint: `own` (default), or `any` for requests from other sites. `any` requires the
   * permission `public`, because the session is ignored.
   */
  origin?: 'own' | 'any'
  /**
   * `origin`: the headers `Origin` and `Sec-Fetch-Site` protect the call instead of `x-csrf-token`. For endpoints whose
   * callers have no session yet, and thus no CSRF token (login, signup). Other calls except GET must send
   * `x-csrf-token`, unless they use a program's key or the endpoint allows any origin.
   */
  csrf?: 'origin'
  /**
   * Accepts `Idempotency-Key`, only inside a space. A request repeated with the same key within a day has no second
   * effect and receives the first response. With `transaction: 'own'`, the handler calls `ctx.once` with the change and
   * a value that identifies the request. `none`: the reason why a POST needs no key.
   */
  idempotent?: true | { none: string }
  /** Whether the response contains a secret. A response stored for an idempotency key is then encrypted. */
  answersSecret?: true
  /**
   * Whether sessions that were created only by a space's SSO may call the endpoint, although it belongs to no space
   * (`account`).
   */
  bySso?: true
  /**
   * Whether members may call the endpoint although the security settings of the space exclude them (IP address, missing
   * SSO, old session, no second factor). For endpoints that explain the reason to them.
   */
  unguarded?: true
  /**
   * Whether the response to a GET allows the caller to write, for example by a signed URL. Such a call is refused while
   * the caller previews the rights of another member, and from pages of other origins.
   */
  letsWrite?: true
  /**
   * Whether only a signed-in user may call the endpoint, because its handler reads the session or sets cookies. Other
   * endpoints inside a space may also be called by jobs.
   */
  needsSession?: true
  /**
   * Whether programs may also call the endpoint, with a key that a member created (server/access/program-keys.ts)
   * instead of a session.
   */
  programs?: true
  /**
   * Whether the raw query string is also passed to the query language (document lists). `query` then only checks the
   * parameters that it contains, and documents them.
   */
  rawQuery?: boolean
  /**
   * The audit log entry of the call, or the reason for none. A GET that changes something, or reads in bulk, sets an
   * entry. It is then refused from pages of other origins.
   */
  audit?: Audit
}

/** Properties that an endpoint must set, depending on the method of its route. */
type Demands<R extends Route> = R extends `GET ${string}`
  ? unknown
  : R extends `POST ${string}`
    ? { audit: Audit; idempotent: true | { none: string } }
    : { audit: Audit }

export type Endpoint = EndpointDefinition & { route: Route }

export function endpoint<const R extends Route, const D extends EndpointDefinition>(
  route: R,
  definition: D & Demands<R>,
): { route: R } & D {
  return { route, ...definition }
}

type ParameterNames<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never

/** The path parameters of a route: `{ p: string; a: string }`. */
export type ParametersOf<E extends { route: string }> = { [Name in ParameterNames<E['route']>]: string }
export type QueryOf<E> = E extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined
export type BodyOf<E> = E extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : E extends { body: StreamBody }
    ? AsyncIterable<Uint8Array>
    : E extends { body: MultipartBody }
      ? AsyncIterable<FilePart>
      : undefined
export type ResponseOf<E> = E extends { response: infer R extends z.ZodType } ? z.output<R> : never

/** Returns the schema of a JSON body; null for an endpoint without a JSON body. */
export function bodySchema({ body }: EndpointDefinition): z.ZodType | null {
  return body === undefined || 'kind' in body ? null : body
}

/** Returns a streamed or multipart body; null for JSON and for no body. */
export function streamBody({ body }: EndpointDefinition): StreamBody | MultipartBody | null {
  return body !== undefined && 'kind' in body ? body : null
}

/** Returns the response of an endpoint: JSON with its schema, or another kind. */
export function responseOf({
  response,
}: EndpointDefinition): { kind: 'json'; schema: z.ZodType } | OtherResponse {
  return 'kind' in response ? response : { kind: 'json', schema: response }
}

/** The HTTP status of a successful response, by its kind. */
export const successStatus = { json: 200, stream: 200, file: 200, redirect: 303, none: 204 } as const

/** The query that a caller may send, before defaults are applied. */
export type QueryInputOf<E> = E extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined
export type BodyInputOf<E> = E extends { body: infer B extends z.ZodType }
  ? z.input<B>
  : E extends { body: MultipartBody }
    ? FormData
    : undefined
