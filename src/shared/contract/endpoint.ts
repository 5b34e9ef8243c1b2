import type { z } from 'zod'
import type { Permission } from '../permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** `METHOD /path`, parameters in braces: `GET /api/project/{p}/app/{a}`. */
export type Route = `${Method} /api/${string}`

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
  body?: z.ZodType
  response: z.ZodType
  /**
   * `origin`: a non-GET without a session to bind a token to (login, signup), guarded by the Origin header.
   * Everything else that is not a GET carries `x-csrf-token`.
   */
  csrf?: 'origin'
  /**
   * Takes `Idempotency-Key`: sent again with the same key within a day, the request has no second effect and is given
   * the first answer. For what may be asked for again after an answer was lost; only inside a space.
   */
  idempotent?: true
  /** The raw query string goes to the query language (document lists); `query` then only documents it. */
  rawQuery?: boolean
}

export type Endpoint = EndpointDefinition & { route: Route }

export function endpoint<const R extends Route, const D extends EndpointDefinition>(route: R, definition: D) {
  return { route, ...definition }
}

type ParameterNames<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never

/** The path parameters of a route: `{ p: string; a: string }`. */
export type ParametersOf<E extends { route: string }> = { [Name in ParameterNames<E['route']>]: string }
export type QueryOf<E> = E extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined
export type BodyOf<E> = E extends { body: infer B extends z.ZodType } ? z.output<B> : undefined
export type ResponseOf<E> = E extends { response: infer R extends z.ZodType } ? z.output<R> : never

/** What a caller may write, before defaults are filled in. */
export type QueryInputOf<E> = E extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined
export type BodyInputOf<E> = E extends { body: infer B extends z.ZodType } ? z.input<B> : undefined
