import type { z } from 'zod'
import type { AccountRow } from '#server/access/account.ts'
import type {
  AccountContext,
  AppContext,
  Browser,
  KeyedTransactions,
  OwnTransactions,
  PublicContext,
  SpaceContext,
} from '#server/access/context.ts'
import type { RequestInfo } from '#server/access/operations/operation.ts'
import type { Session } from '#server/access/sessions.ts'
import type { Database } from '#server/db/connection.ts'
import type { KnownIndexes } from '#server/db/field-indexes.ts'
import type { Services } from '#server/services.ts'
import type {
  BodyOf,
  EndpointCaller,
  EndpointDefinition,
  FileAnswer,
  HeadersOf,
  Message,
  ParametersOf,
  QueryOf,
} from '#shared/contract/endpoint.ts'
import type { AppRight, SpaceRight } from '#shared/permissions.ts'
import type { CookieJar } from './browsers/cookie-jar.ts'

export interface ServerDeps {
  services: Services
  database: Database
}

export interface EndpointDeps extends ServerDeps {
  fieldIndexes?: KnownIndexes
}

/**
 * The HTTP side of a request to the management API and of its response. In features, only `*.routes.ts` files use it.
 */
export interface Exchange extends RequestInfo {
  account: AccountRow | null
  session: Session | null
  browser: Browser
  /** Sets cookies of the response. */
  cookies: Pick<CookieJar, 'set'>
}

export interface SignedInExchange extends Exchange {
  account: AccountRow
  session: Session
  browser: Browser & { session: Session }
}

/** The context of a handler, derived from its endpoint's permission and path. */
export type ContextOf<E extends EndpointDefinition & { route: string }> = E['permission'] extends 'public'
  ? PublicContext
  : E['permission'] extends SpaceRight | AppRight
    ? E extends { transaction: 'own' }
      ? E extends { idempotent: true }
        ? KeyedTransactions<InsideOf<E>>
        : OwnTransactions<InsideOf<E>>
      : InsideOf<E>
    : AccountContext

type InsideOf<E extends { route: string }> = E['route'] extends `${string}{a}${string}`
  ? AppContext
  : SpaceContext

/** Callers without cookies, and inside a space all callers other than signed-in users, have no HTTP exchange. */
export type ExchangeOf<E extends EndpointDefinition> = E extends {
  caller: Exclude<EndpointCaller, 'browser'>
}
  ? RequestInfo
  : E['permission'] extends 'public'
    ? Exchange
    : E['permission'] extends SpaceRight | AppRight
      ? E extends { needsSession: true }
        ? SignedInExchange
        : RequestInfo
      : SignedInExchange

export interface InputOf<E extends { route: string }> {
  params: ParametersOf<E>
  query: QueryOf<E>
  headers: HeadersOf<E>
  body: BodyOf<E>
}

/** The return type of a handler. A JSON response schema parses the value and drops unknown properties. */
export type AnswerOf<E> = E extends { response: infer R }
  ? R extends z.ZodType
    ? z.input<R>
    : R extends { kind: 'stream' }
      ? AsyncIterable<Uint8Array | string>
      : R extends { kind: 'file' }
        ? FileAnswer
        : R extends { kind: 'text' }
          ? string
          : R extends { kind: 'redirect' }
            ? { location: string }
            : R extends { kind: 'message'; statuses: infer S extends readonly number[] }
              ? Message<S[number]>
              : R extends { kind: 'none'; headers: infer H extends z.ZodType }
                ? { headers: z.input<H> }
                : undefined
  : never
