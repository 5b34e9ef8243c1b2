import type { z } from 'zod'
import type { Audit } from '../audit.ts'
import type { Permission, Right } from '../permissions.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** `METHOD /path`, parameters in braces: `GET /api/project/{p}/app/{a}`. */
export type Route = `${Method} /${'api' | 'scim'}/${string}`

/**
 * The kind of caller that an endpoint recognises:
 * - `browser`: a browser with or without a session, or a program with a member's key or an API token.
 * - `signedAddress`: any client that has a URL with a value that Imori has signed. The handler verifies the value.
 * - `identityProvider`: a browser with the response of an identity provider, which the handler verifies, or the
 *   identity provider itself.
 * - `directory`: the directory of an organization with the SCIM token of the space. The endpoint requires a right in
 *   the space. The feature recognises the token (`Protocol`).
 * - `visitor`: any client without credentials, such as the page of a site that sends a form.
 *
 * Cookies are read for `browser` only. Each request of another kind contains its own proof, so another site cannot make
 * a browser act as its user.
 */
export type EndpointCaller = 'browser' | 'signedAddress' | 'identityProvider' | 'directory' | 'visitor'

/**
 * A body of one of these media types, streamed to the handler: `input.body` is an `AsyncIterable<Uint8Array>`. The type
 * `*` stands for any media type, which the handler checks.
 */
export interface StreamBody {
  kind: 'stream'
  types: readonly string[]
}

/**
 * The fields of an HTML form (`application/x-www-form-urlencoded`), at most 1,000. The schema gets an object of texts.
 * A field that is sent several times is a list of texts.
 */
export interface FormBody {
  kind: 'form'
  schema: z.ZodType
}

/**
 * An object in JSON of one of these media types, for a protocol that defines its content: `input.body` is a
 * `Record<string, unknown>`. An empty body is an empty object.
 */
export interface JsonObjectBody {
  kind: 'jsonObject'
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
  /**
   * Text fields around the files: `input.body` is then a `MultipartInput`. The schema gets an object as for a
   * {@link FormBody}. `count` (of fields) and `bytes` (per field) are limits. File inputs without a file are ignored.
   */
  fields?: { schema: z.ZodType; count: number; bytes: number }
}

/**
 * A form in any encoding and charset that a page can send: `application/x-www-form-urlencoded`, `multipart/form-data`,
 * or an object in `application/json`. `input.body` is a {@link SentForm}. The names of its fields are not known.
 */
export interface AnyFormBody {
  kind: 'anyForm'
  limits: AnyFormLimits
}

export interface AnyFormLimits {
  /** Number of values; each item of a list counts. */
  values: number
  /** Length of a name in UTF-16 units. */
  name: number
  /** Size of all names and values in UTF-8. */
  textBytes: number
  files: number
  /** Size of one file, and of all files. */
  fileBytes: number
  allFileBytes: number
}

/** A form that is read as it arrives. */
export interface SentForm {
  /** Whether the body may contain files that take long to arrive. */
  isLarge: boolean
  /** The files in their order. Reading a file over its limit throws 413. Files that are not read are skipped. */
  files: AsyncIterable<SentFile>
  /**
   * Reads the rest of the body. Names are known only at the end, because a field can name the charset. Throws 400 or
   * 413 with the name of the value or file that exceeds a limit.
   */
  read(): Promise<SentContent>
}

/** A file as the client describes it, which is untrusted. Its bytes must be read before the next file. */
export interface SentFile {
  type: string
  bytes: AsyncIterable<Uint8Array>
}

export interface SentContent {
  /** Each name once, in the order of its first value. A repeated name is a list. All texts can be stored. */
  values: { name: string; value: string | string[] }[]
  /** The names of all files, in the order of `files`. */
  files: { name: string; fileName: string }[]
}

/** A multipart body with text fields. */
export interface MultipartInput<Fields> {
  files: AsyncIterable<FilePart>
  /**
   * Reads the rest of the body and returns the text fields, which may be before, between and after the files. Files
   * that were not read are skipped. Throws 400 if the schema refuses the fields.
   */
  fields(): Promise<Fields>
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
 * - `text`: a text of this media type.
 * - `redirect`: a redirect (303) to `location`.
 * - `none`: no content (204), with the headers of the schema, if any.
 * - `message`: a message of a protocol, with one of these statuses; the handler returns a {@link Message}.
 */
export type OtherResponse =
  | { kind: 'stream'; type: string }
  | { kind: 'file' }
  | { kind: 'text'; type: string }
  | { kind: 'redirect' }
  | { kind: 'none'; headers?: z.ZodObject }
  | { kind: 'message'; type: string; statuses: readonly [number, ...number[]] }

/** A response whose status and headers a protocol defines. */
export interface Message<Status extends number = number> {
  status: Status
  headers?: Record<string, string>
  /** An object is sent as JSON, and a text unchanged. Both have the declared media type. */
  body?: object | string
}

/** Limits of requests per minute. More requests are answered with 429 and `Retry-After`, before their body is read. */
export interface RateLimits {
  /** Requests of one IP address, in each process. After a pause, all of them may be sent in a burst. */
  address?: number
  /** Requests to one space (`{p}`), in all processes. */
  space?: number
  /** Requests about one object (`{id}`), in all processes. */
  object?: number
}

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
  /** The request headers that the handler reads, by their names in lower case. */
  headers?: z.ZodObject
  body?: z.ZodType | FormBody | JsonObjectBody | StreamBody | MultipartBody | AnyFormBody
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
  /** Default: `browser`. All others except `directory` require the permission `public`. */
  caller?: EndpointCaller
  /**
   * The pages of other origins that may read the response: `none` (default), `any`, or `listed` for a list that the
   * feature stores and supplies with its handler. With `listed`, requests from pages of other origins are refused
   * (403), unless the stored list allows every origin. Programs other than browsers send no origin. Only for callers
   * without cookies.
   */
  cors?: 'none' | 'any' | 'listed'
  /** Limits of requests, for endpoints that callers without a session may call. */
  rate?: RateLimits
  /**
   * `origin`: the headers `Origin` and `Sec-Fetch-Site` protect the call instead of `x-csrf-token`. For endpoints whose
   * callers have no session yet, and thus no CSRF token (login, signup). Other calls except GET must send
   * `x-csrf-token`, unless a program calls them (`programs`) or the endpoint reads no cookie (`caller`).
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
   * The credentials with which programs may also call the endpoint, in the `Authorization` header instead of a session:
   * - `memberKey`: a key that a member created (server/access/program-keys.ts).
   * - `apiToken`: an API token that may write (docs/decisions/0128). Only inside a space.
   */
  programs?: 'memberKey' | 'apiToken'
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
type Demands<R extends Route> = R extends `${'GET' | 'HEAD'} ${string}`
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
export type HeadersOf<E> = E extends { headers: infer H extends z.ZodType } ? z.output<H> : undefined
export type BodyOf<E> = E extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : E extends { body: { kind: 'form'; schema: infer B extends z.ZodType } }
    ? z.output<B>
    : E extends { body: JsonObjectBody }
      ? Record<string, unknown>
      : E extends { body: StreamBody }
        ? AsyncIterable<Uint8Array>
        : E extends { body: { kind: 'multipart'; fields: { schema: infer F extends z.ZodType } } }
          ? MultipartInput<z.output<F>>
          : E extends { body: MultipartBody }
            ? AsyncIterable<FilePart>
            : E extends { body: AnyFormBody }
              ? SentForm
              : undefined
export type ResponseOf<E> = E extends { response: infer R extends z.ZodType } ? z.output<R> : never

/** Returns the schema of a JSON body; null for an endpoint without a JSON body. */
export function bodySchema({ body }: EndpointDefinition): z.ZodType | null {
  return body === undefined || 'kind' in body ? null : body
}

/** Returns the body of an HTML form; null for other bodies and for no body. */
export function formBody({ body }: EndpointDefinition): FormBody | null {
  return body !== undefined && 'kind' in body && body.kind === 'form' ? body : null
}

/** Returns the body of a protocol; null for other bodies and for no body. */
export function jsonObjectBody({ body }: EndpointDefinition): JsonObjectBody | null {
  return body !== undefined && 'kind' in body && body.kind === 'jsonObject' ? body : null
}

/** Returns the body of a form in any encoding; null for other bodies and for no body. */
export function anyFormBody({ body }: EndpointDefinition): AnyFormBody | null {
  return body !== undefined && 'kind' in body && body.kind === 'anyForm' ? body : null
}

/** Returns a streamed or multipart body; null for JSON, for forms, and for no body. */
export function streamBody({ body }: EndpointDefinition): StreamBody | MultipartBody | null {
  if (body === undefined || !('kind' in body)) return null
  return body.kind === 'stream' || body.kind === 'multipart' ? body : null
}

/** Returns whether the endpoint reads cookies, which a browser sends without the knowledge of its user. */
export const readsCookies = ({ caller = 'browser' }: EndpointDefinition): boolean => caller === 'browser'

/** Returns whether the method of the endpoint implies no change. */
export const isSafe = ({ route }: { route: string }): boolean => /^(?:GET|HEAD) /.test(route)

/** Returns the response of an endpoint: JSON with its schema, or another kind. */
export function responseOf({
  response,
}: EndpointDefinition): { kind: 'json'; schema: z.ZodType } | OtherResponse {
  return 'kind' in response ? response : { kind: 'json', schema: response }
}

const statusOfKind = { json: 200, stream: 200, file: 200, text: 200, redirect: 303, none: 204 } as const

/** Returns the HTTP statuses of a successful response. The first one is usual. */
export function successStatuses(endpoint: EndpointDefinition): readonly [number, ...number[]] {
  const response = responseOf(endpoint)
  return response.kind === 'message' ? response.statuses : [statusOfKind[response.kind]]
}

/** The query that a caller may send, before defaults are applied. */
export type QueryInputOf<E> = E extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined
export type BodyInputOf<E> = E extends { body: infer B extends z.ZodType }
  ? z.input<B>
  : E extends { body: MultipartBody }
    ? FormData
    : undefined
