import type { AppScope, Db, SpaceScope, Tx } from '#server/db/scope.ts'
import type { Storages } from '#server/storage/index.ts'
import type { AppIcon, AppImage } from '#shared/app-pictures.ts'
import type { AccountActor, Actor } from './actor.ts'
import type { ActorGrants } from './grants.ts'

/*
 * What a use-case is given beside its input. None of it is of HTTP: a job calls use-cases with the same.
 */

/** A use-case for anyone; `db` is the pool. */
export interface PublicContext {
  db: Db
}

/** A use-case of somebody signed in, outside any space. */
export interface AccountContext extends PublicContext {
  actor: AccountActor
}

/** A use-case inside a space: one transaction, row-level security on. */
export interface SpaceContext {
  db: Tx
  scope: SpaceScope
  space: SpaceRow
  actor: Actor
  grants: ActorGrants
}

/** A use-case in an app that is visible to the actor (joined, open, or as the space's admin). */
export interface AppContext extends SpaceContext {
  scope: AppScope
  app: AppRow
}

/**
 * A use-case that waits for something outside: each `inSpace` is a transaction of its own, in which membership and right
 * are asked for again, so that no connection is held in between. `C`: {@link SpaceContext} or {@link AppContext}.
 */
export interface OwnTransactions<C extends SpaceContext> {
  actor: Actor
  inSpace<T>(work: (ctx: C) => Promise<T>): Promise<T>
  storages: Storages
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
