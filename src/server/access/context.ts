import type { AppScope, Db, SpaceScope, Tx } from '#server/db/scope.ts'
import type { Services } from '#server/services.ts'
import type { AppIcon, AppImage } from '#shared/app-pictures.ts'
import type { AccountActor, Actor } from './actor.ts'
import type { AuditTrail } from './audit.ts'
import type { CallOrigin } from './call-origin.ts'
import type { ActorGrants } from './grants.ts'
import type { Session } from './sessions.ts'

/*
 * The contexts that use-cases receive in addition to their input. They are independent of HTTP: jobs call use-cases
 * with the same contexts.
 */

/** The minimum context: a pool or a transaction, and the services of the process. */
export interface ServerContext {
  db: Db
  services: Services
}

export interface TransactionContext extends ServerContext {
  db: Tx
}

/** The context of a use-case that requires no sign-in. `db` is the pool, or a transaction outside of spaces. */
export interface PublicContext extends ServerContext {
  origin: CallOrigin
  /** Collects the audit entry of the call. Undefined in jobs and in direct calls of a use-case. */
  audit?: AuditTrail
}

/** The session and cookies of the calling browser, for use-cases that sign a user in or verify their identity again. */
export interface Browser {
  /** The current session. null: not signed in. */
  session: Session | null
  /** The cookie that marks a browser in which an account signed in before (known-device.ts). */
  device: string | undefined
  /** The token of a pending sign-in (sign-in-challenges.ts). */
  challenge: string | undefined
  /** The token of a pending SSO sign-in. */
  sso: string | undefined
}

/** The context of a use-case for a signed-in account, outside of spaces. */
export interface AccountContext extends PublicContext {
  actor: AccountActor
}

/** The context of a use-case inside a space: one transaction with row-level security. */
export interface SpaceContext {
  db: Tx
  services: Services
  /** null in jobs, which have no HTTP call. */
  origin: CallOrigin | null
  scope: SpaceScope
  space: SpaceRow
  actor: Actor
  grants: ActorGrants
  audit?: AuditTrail
}

export interface AppContext extends SpaceContext {
  scope: AppScope
  app: AppRow
}

/** The context of work that waits for files or other machines. */
export interface Work {
  services: Services
  /**
   * The space of the caller, because spaces take turns in the queue for image processing. null: work outside of spaces.
   */
  spaceId: number | null
  /** Aborted when the caller no longer waits for the result. */
  signal?: AbortSignal | undefined
}

/**
 * The context of a use-case that waits for external work. Each `inSpace` is a separate transaction that checks
 * membership and right again, so that the use-case occupies no connection while it waits.
 */
export interface OwnTransactions<C extends SpaceContext> extends Work {
  actor: Actor
  origin: CallOrigin | null
  audit?: AuditTrail
  inSpace<T>(work: (ctx: C) => Promise<T>): Promise<T>
}

/**
 * {@link OwnTransactions} for endpoints that clients may retry with an idempotency key after a lost response
 * (`idempotent` in the contract).
 */
export interface KeyedTransactions<C extends SpaceContext> extends OwnTransactions<C> {
  /**
   * Runs `change` and `read` in one transaction. If the request repeats a key, only `read` runs, with the stored result
   * of `change`. `asked` identifies the request: reusing the key for a different request is refused. The hash of
   * `asked` and the result of `change` are stored, so both must be plain JSON.
   */
  once<T, R>(
    asked: unknown,
    change: (ctx: C) => Promise<T>,
    read: (ctx: C, changed: T) => Promise<R>,
  ): Promise<R>
}

export interface SpaceRow {
  id: number
  uid: string
  name: string
  plan: string
  timeZone: string
  createdAt: Date
  updatedAt: Date
}

export interface AppRow {
  id: number
  uid: string
  name: string
  description: string
  icon: AppIcon | null
  cover: AppImage | null
  visibility: 'open' | 'private'
  /** `uid` of the role that a member gets by default when joining the app. */
  defaultRole: string
  joined: boolean
  createdAt: Date
  updatedAt: Date
}
