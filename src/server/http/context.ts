import type { FastifyBaseLogger } from 'fastify'
import type { z } from 'zod'
import type { Config, Secrets } from '#server/config.ts'
import type { Database } from '#server/db/connection.ts'
import type { AppScope, Db, SpaceScope, Tx } from '#server/db/scope.ts'
import type { BodyOf, EndpointDefinition, ParametersOf, QueryOf } from '#shared/contract/endpoint.ts'
import type { AppRight, AppRole, Grants, SpaceRight } from '#shared/permissions.ts'
import type { Language } from './sentences.ts'

/** What every part of the server is built from. */
export interface ServerDeps {
  config: Config
  secrets: Secrets
  database: Database
}

/** The account behind a session, never with its password hash. */
export interface AccountRow {
  id: string
  email: string
  name: string
  isAdmin: boolean
  language: 'ja' | 'en'
  colorScheme: 'auto' | 'light' | 'dark'
}

export interface Session {
  idHash: Buffer
  csrfToken: string
}

/** One request to the management API, whoever sends it. */
export interface PublicContext {
  deps: ServerDeps
  /** The pool; in a space context, the request's transaction. */
  db: Db
  account: AccountRow | null
  session: Session | null
  /** The peer's address, or the one a trusted proxy gives. */
  ip: string
  userAgent: string
  /** The account's language; before sign-in, the one the browser asks for. */
  language: Language
  /** Everything behind the `?`, undecoded. */
  queryString: string
  ifMatch: string | undefined
  log: FastifyBaseLogger
  /** Sets or clears the session cookie of the answer. */
  setSessionCookie(id: string | null): void
  /** What this browser says of itself to be known again; undefined when it says nothing. */
  deviceCookie: string | undefined
  setDeviceCookie(value: string): void
}

/** A signed-in person. */
export interface AccountContext extends PublicContext {
  account: AccountRow
  session: Session
}

/** A member inside a space: one transaction, row-level security on, committed before the answer is sent. */
export interface SpaceContext extends AccountContext {
  db: Tx
  scope: SpaceScope
  space: SpaceRow
  memberId: string
  grants: Grants
}

/** A member looking at an app that is visible to them (joined, open, or as the space's admin). */
export interface AppContext extends SpaceContext {
  scope: AppScope
  app: AppRow
}

export interface SpaceRow {
  id: number
  uid: string
  name: string
  plan: string
  createdAt: Date
  updatedAt: Date
}

export interface AppRow {
  id: number
  uid: string
  name: string
  description: string
  icon: { type: 'emoji'; value: string } | null
  visibility: 'open' | 'private'
  defaultRole: AppRole
  joined: boolean
  createdAt: Date
  updatedAt: Date
}

/** The context a handler gets follows from its endpoint's permission and path. */
export type ContextOf<E extends EndpointDefinition & { route: string }> = E['permission'] extends 'public'
  ? PublicContext
  : E['permission'] extends SpaceRight | AppRight
    ? E['route'] extends `${string}{a}${string}`
      ? AppContext
      : SpaceContext
    : AccountContext

export interface InputOf<E extends { route: string }> {
  params: ParametersOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
}

/** What a handler answers; the response schema parses it on the way out and drops what it does not name. */
export type AnswerOf<E> = E extends { response: infer R extends z.ZodType } ? z.input<R> : never
