import { undoOnError } from '#server/db/savepoint.ts'
import { type Db, inTransaction, leaveSpace, type Tx } from '#server/db/scope.ts'
import { hasState } from '#server/db/sql-states.ts'
import { AppError } from '#shared/errors.ts'
import { can, type Right } from '#shared/permissions.ts'
import type { AuditTrail } from './audit.ts'
import type { Caller } from './caller.ts'
import type { AppContext, ServerContext, SpaceContext } from './context.ts'
import type { KnownPlace, NamedPlace, Place } from './membership.ts'

/*
 * Entry into a space for all kinds of callers (docs/decisions/0100). The caller has already been authenticated, except
 * a directory or a program, whose token is checked here. The checks and the work are one transaction.
 */

type PlaceWithApp = (NamedPlace & { app: string }) | (KnownPlace & { appId: number })

interface EnterOptions {
  /** Rights that the caller needs in addition. */
  also?: readonly Right[]
  /** Skips the security requirements of the space except `UsualSignInRequired`, for endpoints that explain them. */
  unguarded?: boolean
  /** The audit entry of the operation that enters. */
  audit?: AuditTrail | undefined
}

/**
 * Runs `work` in one transaction at `place` for a caller with `right` there. `right` null: for every caller who may
 * enter. Throws 404 for places that the caller may not see, `Forbidden` without the right, and the errors of the
 * caller's own checks (`caller.admit`), such as `RequesterMayNot` for a job on behalf of an account without the right.
 */
export function enter<T>(
  server: ServerContext,
  caller: Caller,
  place: PlaceWithApp,
  right: Right | null,
  work: (ctx: AppContext) => Promise<T>,
  options?: EnterOptions,
): Promise<T>
export function enter<T>(
  server: ServerContext,
  caller: Caller,
  place: Place,
  right: Right | null,
  work: (ctx: SpaceContext) => Promise<T>,
  options?: EnterOptions,
): Promise<T>
export async function enter<T>(
  { db, services }: ServerContext,
  caller: Caller,
  place: Place,
  right: Right | null,
  work: (ctx: AppContext) => Promise<T>,
  { also = [], unguarded = false, audit }: EnterOptions = {},
): Promise<T> {
  const rights = right === null ? also : [right, ...also]
  const { answer, seen } = await transactionOf(db, async (tx) => {
    const { actor, membership, seen } = await caller.admit({
      tx,
      services,
      place,
      rights,
      unguarded,
      found: (scope, actor) => {
        if (!audit) return
        audit.scope = scope
        audit.actor = actor ?? audit.actor
      },
    })
    if (audit) {
      audit.scope = membership.scope
      audit.actor = actor
    }
    if (appOf(place) !== undefined && !('app' in membership))
      throw new TypeError(`the admission of the caller "${caller.kind}" did not find the app`)
    if (!rights.every((needed) => can(membership.grants, needed))) throw new AppError(caller.withoutRight)
    const { origin } = caller
    const context = { db: tx, services, actor, origin, ...(audit ? { audit } : {}), ...membership }
    // The overloads and the check above guarantee that `work` expects an app only if there is one.
    return { answer: await work(context as AppContext), seen }
  }).catch(async (error) => {
    if (!db.isTransaction) await caller.recordRefusal?.(db, place, error)
    return whenOnlyReading(error)
  })
  await seen?.(db)
  return answer
}

const appOf = (place: Place) => ('scope' in place ? place.appId : place.app)

/** Open transactions that are inside a space. */
const inside = new WeakSet<Db>()

/**
 * Opens a transaction, or uses the caller's open one (an atomic job or event consumer) and leaves the space afterwards.
 * An error undoes only the writes of `work`, so that the caller can handle it and continue. Throws a `TypeError` if the
 * open transaction is already inside a space: role, space and savepoint belong to the whole transaction.
 */
async function transactionOf<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!db.isTransaction)
    return inTransaction(db, (tx) => {
      inside.add(tx)
      return work(tx)
    })
  const tx = db as Tx
  if (inside.has(tx)) throw new TypeError('the transaction is already inside a space')
  inside.add(tx)
  try {
    // The rollback to the savepoint also leaves the space, because the role was set after it.
    return await undoOnError(tx, async () => {
      const result = await work(tx)
      await leaveSpace(tx)
      return result
    })
  } finally {
    inside.delete(tx)
  }
}

/** For `.catch()`: turns a write in a read-only preview into `Forbidden`. */
function whenOnlyReading(error: unknown): never {
  throw hasState(error, 'readOnlySqlTransaction') ? new AppError('Forbidden', { cause: error }) : error
}
