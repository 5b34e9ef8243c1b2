import type { AppScope, Db, SpaceScope, Tx } from '#server/db/scope.ts'
import type { Storages } from '#server/storage/index.ts'
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
  /** uid of the role that who joins is given. */
  defaultRole: string
  joined: boolean
  createdAt: Date
  updatedAt: Date
}
