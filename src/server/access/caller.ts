import type { Db, SpaceScope, Tx } from '#server/db/scope.ts'
import type { Services } from '#server/services.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import type { Right } from '#shared/permissions.ts'
import type { AccountActor, Actor } from './actor.ts'
import type { CallOrigin } from './call-origin.ts'
import type { Membership, Place } from './membership.ts'

/** The transaction and the place that a caller enters. */
export interface Entry {
  tx: Tx
  services: Services
  place: Place
  /** The rights that the caller needs. `enter` checks them after the admission. */
  rights: readonly Right[]
  /** Skips the security requirements of the space except `UsualSignInRequired`, for endpoints that explain them. */
  unguarded: boolean
  /**
   * Must be called when the space is known, before further checks: the audit log of this space records their refusals.
   * `actor`: the actor, if it was not known before.
   */
  found(scope: SpaceScope, actor?: Actor): void
}

export interface Admission {
  actor: Actor
  membership: Omit<Membership, 'security' | 'seen'>
  /** Stores the time of the caller's visit. Called after the transaction. */
  seen?(db: Db): Promise<void>
}

/**
 * A caller that enters a space or executes operations. The module that recognises a kind of caller creates the value: a
 * session, a program's key or an API token in `http/`, a job in its feature, a directory in `features/scim`.
 */
export interface Caller<A extends Actor | null = Actor | null> {
  kind: 'session' | 'token' | 'onBehalf' | 'directory' | 'system' | 'visitor'
  /** null: known only after {@link admit}. */
  actor: A
  /** null: the caller sends no request. */
  origin: CallOrigin | null
  /** Whether the caller's transactions are read-only, as in a preview. Audit entries are then written afterwards. */
  readOnly?: boolean
  /** The error code for a caller without the required right. */
  withoutRight: 'Forbidden' | 'RequesterMayNot'
  /**
   * Enters the space and returns the caller's rights there. Throws 404 for places that the caller may not see, and the
   * errors of the caller's own checks.
   */
  admit(entry: Entry): Promise<Admission>
  /** Records an error of the entry, after its transaction was rolled back. Omitted: the operation records it. */
  recordRefusal?(db: Db, place: Place, error: unknown): Promise<void>
  /**
   * Checks whether the caller may execute an operation for accounts or for admins of the installation, outside of
   * spaces. Throws 403. Omitted: the caller may not execute any.
   */
  admitOutside?(endpoint: Endpoint): AccountActor
}
