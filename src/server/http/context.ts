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
import type { Session } from '#server/access/sessions.ts'
import type { Database } from '#server/db/connection.ts'
import type { KnownIndexes } from '#server/db/field-indexes.ts'
import type { Services } from '#server/services.ts'
import type {
  BodyOf,
  EndpointDefinition,
  FileAnswer,
  ParametersOf,
  QueryOf,
} from '#shared/contract/endpoint.ts'
import type { Language } from '#shared/languages.ts'
import type { AppRight, SpaceRight } from '#shared/permissions.ts'
import type { CookieJar } from './cookie-jar.ts'

/** What every part of the server is built from. */
export interface ServerDeps {
  services: Services
  database: Database
}

/** What answers the management API. */
export interface EndpointDeps extends ServerDeps {
  fieldIndexes?: KnownIndexes
}

/**
 * One request to the management API and its answer, as far as they are HTTP: for the routes files, which give
 * use-cases what these need of it as plain input. No use-case takes it.
 */
export interface Exchange {
  account: AccountRow | null
  session: Session | null
  browser: Browser
  /** The account's language; before sign-in, the one the browser asks for. */
  language: Language
  /** Everything behind the `?`, undecoded. */
  queryString: string
  ifMatch: string | undefined
  /** Which indexes on fields lists can use; undefined: nobody looks. */
  fieldIndexes: KnownIndexes | undefined
  /** Aborted when the caller has gone, or the endpoint's time is up. */
  signal: AbortSignal
  /** Those that the answer sets. */
  cookies: Pick<CookieJar, 'set'>
}

/** Of somebody who is signed in. */
export interface SignedInExchange extends Exchange {
  account: AccountRow
  session: Session
  browser: Browser & { session: Session }
}

/** The context a handler gets follows from its endpoint's permission and path. */
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

export type ExchangeOf<E extends EndpointDefinition> = E['permission'] extends 'public'
  ? Exchange
  : SignedInExchange

export interface InputOf<E extends { route: string }> {
  params: ParametersOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
}

/** What a handler answers; the response schema parses it on the way out and drops what it does not name. */
export type AnswerOf<E> = E extends { response: infer R }
  ? R extends z.ZodType
    ? z.input<R>
    : R extends { kind: 'stream' }
      ? AsyncIterable<Uint8Array | string>
      : R extends { kind: 'file' }
        ? FileAnswer
        : R extends { kind: 'redirect' }
          ? { location: string }
          : undefined
  : never
