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
 * `AsyncIterable<FilePart>`. `files` and `bytes` (per file) are limits; the browser client sends a `FormData`.
 */
export interface MultipartBody {
  kind: 'multipart'
  files: number
  bytes: number
}

/**
 * One file of a multipart body. Its bytes must be read before the next file is requested; a file over the limit ends
 * with 413.
 */
export interface FilePart {
  /** As sent by the client and untrusted: only use it to derive a safe name. */
  fileName: string
  /** The media type that the client declared. */
  type: string
  bytes: AsyncIterable<Uint8Array>
}

/** A user's file, answered by endpoints whose response is of the kind `file`. */
export interface FileAnswer {
  bytes: AsyncIterable<Uint8Array>
  fileName: string
  type: string
  /** Bytes; left out when the size is not known in advance. */
  size?: number
  /** The content at this address never changes, so browsers may cache it. */
  isLasting?: true
}

/**
 * A response other than JSON: a stream of bytes, a user's file sent as a download so that it never runs in the admin's
 * origin, a redirect (303) to `location`, or nothing (204).
 */
export type OtherResponse =
  | { kind: 'stream'; type: string }
  | { kind: 'file' }
  | { kind: 'redirect' }
  | { kind: 'none' }

/**
 * An endpoint as a value: the server registers it, the OpenAPI document describes it, the admin's client calls it,
 * and the generated permission test walks it. Parameters are strings: `{p}` space uid, `{a}` app uid, `{m}` model
 * uid, `{id}` a 24-hex `_id`.
 */
export interface EndpointDefinition {
  summary: string
  /** Who may call it (see permissions.ts). */
  permission: Permission
  /** Rights in a space or app that the caller must hold as well. */
  also?: readonly Right[]
  query?: z.ZodType
  /** A schema for JSON, a stream, or files. */
  body?: z.ZodType | StreamBody | MultipartBody
  /** A schema for JSON, or another kind of response. */
  response: z.ZodType | OtherResponse
  /** Maximum size of the body in bytes; default 4 MiB. */
  maximumBytes?: number
  /** Seconds after which the request is answered with 503 and its `signal` aborted; requires `transaction: 'own'`. */
  maximumSeconds?: number
  /**
   * `request` (default): inside a space, one transaction spans the whole handler. `own`: the handler opens short
   * transactions itself (`ctx.inSpace`), so that it holds no connection while it waits for other services; streams
   * inside a space always use `own`.
   */
  transaction?: 'request' | 'own'
  /**
   * Which origins may call it: `own` (default), or `any` for requests from other sites. `any` ignores the session, so
   * it requires the permission `public`.
   */
  origin?: 'own' | 'any'
  /**
   * `origin`: a non-GET without a session to bind a token to (login, signup) is protected by the Origin header. Every
   * other non-GET must send `x-csrf-token`.
   */
  csrf?: 'origin'
  /**
   * Accepts `Idempotency-Key`: a request repeated with the same key within a day has no second effect and receives the
   * first response; only inside a space. With `transaction: 'own'` the handler passes what the key stands for and makes
   * its change in `ctx.once`. Every POST must set this, or give the reason why it needs no key; otherwise it does not
   * compile.
   */
  idempotent?: true | { none: string }
  /** The response contains a secret, so it is stored encrypted when it is kept for an idempotency key. */
  answersSecret?: true
  /**
   * Also open to sessions that were created by a space's SSO only, although the endpoint belongs to no space
   * (`account`).
   */
  bySso?: true
  /**
   * Also answers members whom the security settings of the space exclude (IP address, old session, no second factor),
   * for endpoints that tell them why.
   */
  unguarded?: true
  /**
   * A GET whose response grants a write; refused while the caller previews the rights of another member, and to pages of
   * other origins.
   */
  letsWrite?: true
  /**
   * May also be called by programs with a key that a member created (server/access/program-keys.ts) instead of a
   * session.
   */
  programs?: true
  /** The raw query string goes to the query language (document lists); `query` then only documents it. */
  rawQuery?: boolean
  /**
   * The audit log entry that the call leaves, or the reason for none. Required for every method but GET, or it does not
   * compile; a GET that changes something, or reads in bulk, sets it and is then refused to pages of other origins.
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

/** The schema of a JSON body; null for an endpoint without one. */
export function bodySchema({ body }: EndpointDefinition): z.ZodType | null {
  return body === undefined || 'kind' in body ? null : body
}

/** A streamed or multipart body; null for JSON and for no body. */
export function streamBody({ body }: EndpointDefinition): StreamBody | MultipartBody | null {
  return body !== undefined && 'kind' in body ? body : null
}

/** The response of an endpoint: JSON with its schema, or another kind. */
export function responseOf({
  response,
}: EndpointDefinition): { kind: 'json'; schema: z.ZodType } | OtherResponse {
  return 'kind' in response ? response : { kind: 'json', schema: response }
}

/** The HTTP status of a successful response, by its kind. */
export const successStatus = { json: 200, stream: 200, file: 200, redirect: 303, none: 204 } as const

/** Input before defaults are applied: what a caller may send. */
export type QueryInputOf<E> = E extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined
export type BodyInputOf<E> = E extends { body: infer B extends z.ZodType }
  ? z.input<B>
  : E extends { body: MultipartBody }
    ? FormData
    : undefined
