import type { z } from 'zod'
import type { Audit } from '../audit.ts'
import type { Permission } from '../permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** `METHOD /path`, parameters in braces: `GET /api/project/{p}/app/{a}`. */
export type Route = `${Method} /api/${string}`

/** Bytes of these media types, which the handler reads as they come: `input.body` is an `AsyncIterable<Uint8Array>`. */
export interface StreamBody {
  kind: 'stream'
  types: readonly string[]
}

/**
 * Files in the parts named `file` of a `multipart/form-data` body, which the handler reads as they come: `input.body` is
 * an `AsyncIterable<FilePart>`. At most so many, and so many bytes in each. A browser sends a `FormData`.
 */
export interface MultipartBody {
  kind: 'multipart'
  files: number
  bytes: number
}

/** One file of a multipart body. Its bytes are read before the next file is asked for; too many of them end with 413. */
export interface FilePart {
  /** As it was sent: not to be used for anything but to make a safe one of it. */
  fileName: string
  /** The media type that the sender believes in. */
  type: string
  bytes: AsyncIterable<Uint8Array>
}

/** Somebody's file, as an endpoint whose response is of the kind `file` answers it. */
export interface FileAnswer {
  bytes: AsyncIterable<Uint8Array>
  fileName: string
  type: string
  /** Left out where it is not known before the end. */
  size?: number
  /** It never changes at its address, so browsers keep it. */
  isLasting?: true
}

/**
 * An answer that is no JSON. The handler answers the bytes, a file of somebody's that is to be saved and never runs in our
 * origin, the `location` to go to (303), or nothing (204).
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
  /** Whom it answers (see permissions.ts). */
  permission: Permission
  query?: z.ZodType
  /** JSON by a schema, a stream, or files. */
  body?: z.ZodType | StreamBody | MultipartBody
  /** JSON by a schema, or something else. */
  response: z.ZodType | OtherResponse
  /** Bytes of a body, 4 MiB if not said. */
  maximumBytes?: number
  /** For how long the handler may take until it is answered 503 and its `signal` aborted; with `transaction: 'own'`. */
  maximumSeconds?: number
  /**
   * `request`, the default: inside a space, one transaction around the whole handler. `own`: the handler opens its own,
   * short ones (`ctx.inSpace`), so that it holds no connection while it waits for something outside. A stream that is
   * read or answered inside a space is always `own`.
   */
  transaction?: 'request' | 'own'
  /**
   * Whose pages may call it: `own`, the default, or `any`, for what strangers send. The latter looks at no session, so
   * it goes with the permission `public` only.
   */
  origin?: 'own' | 'any'
  /**
   * `origin`: a non-GET without a session to bind a token to (login, signup), guarded by the Origin header.
   * Everything else that is not a GET carries `x-csrf-token`.
   */
  csrf?: 'origin'
  /**
   * Takes `Idempotency-Key`: sent again with the same key within a day, the request has no second effect and is given
   * the first answer. For what may be asked for again after an answer was lost; only inside a space. With
   * `transaction: 'own'` the handler says what the key stands for, and does its change in `ctx.once`. A POST says so, or
   * why it has no second effect without a key; else it does not compile.
   */
  idempotent?: true | { none: string }
  /** The answer shows a secret: where it is kept for a key, it is sealed. */
  answersSecret?: true
  /** What is no space's own (`account`) and may be called all the same by who came by a space's SSO alone. */
  bySso?: true
  /**
   * Answers members too whom the security settings of the space keep out (their address, an old session, no second
   * factor): for what tells them why.
   */
  unguarded?: true
  /** A GET whose answer lets something be written: refused to whoever looks with somebody's rights. */
  letsWrite?: true
  /** Programs may call it, too, with a key that somebody made for them (server/access/program-keys.ts) instead of a session. */
  programs?: true
  /** The raw query string goes to the query language (document lists); `query` then only documents it. */
  rawQuery?: boolean
  /**
   * The entry it leaves in the audit log, or why none. Whatever is not a GET says so, or does not compile; a GET may, when
   * it changes something all the same.
   */
  audit?: Audit
}

/** What the method of a route asks of its endpoint. */
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

/** A body that is read as it comes; null for JSON and for none. */
export function streamBody({ body }: EndpointDefinition): StreamBody | MultipartBody | null {
  return body !== undefined && 'kind' in body ? body : null
}

/** What an endpoint answers: JSON by a schema, or something else. */
export function responseOf({
  response,
}: EndpointDefinition): { kind: 'json'; schema: z.ZodType } | OtherResponse {
  return 'kind' in response ? response : { kind: 'json', schema: response }
}

/** The status of an answer that is no refusal. */
export const successStatus = { json: 200, stream: 200, file: 200, redirect: 303, none: 204 } as const

/** What a caller may write, before defaults are filled in. */
export type QueryInputOf<E> = E extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined
export type BodyInputOf<E> = E extends { body: infer B extends z.ZodType }
  ? z.input<B>
  : E extends { body: MultipartBody }
    ? FormData
    : undefined
