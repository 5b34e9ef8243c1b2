import type { AppScope, Db, SpaceScope, Tx } from '#server/db/scope.ts'
import type { Services } from '#server/services.ts'
import type { AppIcon, AppImage } from '#shared/app-pictures.ts'
import type { AccountActor, Actor } from './actor.ts'
import type { AuditTrail } from './audit.ts'
import type { CallOrigin } from './call-origin.ts'
import type { ActorGrants } from './grants.ts'
import type { Session } from './sessions.ts'

/*
 * What a use-case is given beside its input. None of it is of HTTP: a job calls use-cases with the same.
 */

/** What any work on the server begins with: a pool or a transaction, and the services of the process. */
export interface ServerContext {
  db: Db
  services: Services
}

/** The same inside a transaction. */
export interface TransactionContext extends ServerContext {
  db: Tx
}

/** A use-case for anyone; `db` is the pool. */
export interface PublicContext extends ServerContext {
  origin: CallOrigin
  /** Where the audit log hears of the act; jobs and what calls a use-case on its own have none. */
  audit?: AuditTrail
}

/**
 * What the browser that calls has shown of itself, for use-cases by which somebody signs in or shows again who they are.
 */
export interface Browser {
  /** The session that it has; null: nobody is signed in. */
  session: Session | null
  /** What it is known by as one in which somebody signed in before (known-device.ts). */
  device: string | undefined
  /** Of a sign-in that it has begun and not finished (sign-in-challenges.ts). */
  challenge: string | undefined
  /** Of a sign-in by SSO that it has begun. */
  sso: string | undefined
}

/** A use-case of somebody signed in, outside any space. */
export interface AccountContext extends PublicContext {
  actor: AccountActor
}

/** A use-case inside a space: one transaction, row-level security on. */
export interface SpaceContext {
  db: Tx
  services: Services
  /** null: no call asked for it, as in jobs. */
  origin: CallOrigin | null
  scope: SpaceScope
  space: SpaceRow
  actor: Actor
  grants: ActorGrants
  audit?: AuditTrail
}

/** A use-case in an app that is visible to the actor (joined, open, or as the space's admin). */
export interface AppContext extends SpaceContext {
  scope: AppScope
  app: AppRow
}

/** Work that waits for files or other machines. */
export interface Work {
  services: Services
  /** Aborted when nobody waits for the result any more; undefined: it is waited for. */
  signal?: AbortSignal | undefined
}

/**
 * A use-case that waits for something outside: each `inSpace` is a transaction of its own, in which membership and right
 * are asked for again, so that no connection is held in between. `C`: {@link SpaceContext} or {@link AppContext}.
 */
export interface OwnTransactions<C extends SpaceContext> extends Work {
  actor: Actor
  origin: CallOrigin | null
  audit?: AuditTrail
  inSpace<T>(work: (ctx: C) => Promise<T>): Promise<T>
}

/** The same for what may be asked for again with a key after an answer was lost (`idempotent` in the contract). */
export interface KeyedTransactions<C extends SpaceContext> extends OwnTransactions<C> {
  /**
   * One transaction with `change`, once for each key, and with `read`, every time. `asked` says what the key stands for:
   * the same key for something else is refused. What `change` answers is kept, so it and `asked` are plain JSON.
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
  /** uid of the role that who joins is given. */
  defaultRole: string
  joined: boolean
  createdAt: Date
  updatedAt: Date
}
