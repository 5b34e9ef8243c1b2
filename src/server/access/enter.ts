import { type Db, inTransaction, leaveSpace, type Tx } from '#server/db/scope.ts'
import { hasState } from '#server/db/sql-states.ts'
import { sha256 } from '#server/lib/ids.ts'
import type { Services } from '#server/services.ts'
import { AppError } from '#shared/errors.ts'
import { can, type Right } from '#shared/permissions.ts'
import { type AccountActor, type Actor, accountOf, type JobActor } from './actor.ts'
import type { AuditTrail } from './audit.ts'
import type { CallOrigin } from './call-origin.ts'
import type { AppContext, ServerContext, SpaceContext } from './context.ts'
import { admitDirectory, markDirectorySeen } from './directories.ts'
import { allGrants } from './grants.ts'
import {
  findPlace,
  type KnownPlace,
  type Membership,
  markSeen,
  type NamedPlace,
  type Place,
} from './membership.ts'
import { admitAs } from './preview.ts'
import { rememberedMembership } from './remembered-membership.ts'
import { checkSecurity, type Entrant } from './security.ts'

/*
 * The one way into a space (docs/decisions/0100). Whoever calls has been recognised before by the edge they come by; here each
 * is let in by the same rules: membership, what the space asks beside rights, and the right itself, in one transaction.
 */

/** Somebody signed in, in a browser or by a program that they gave a key. */
export interface SessionCaller {
  kind: 'session'
  actor: AccountActor
  origin: CallOrigin
  session: Entrant['session']
  /** Is let in also where the space asks for more than this session shows; for endpoints that say what that is. */
  unguarded?: boolean
  /** `_id` of the member with whose rights is looked; the caller must manage members. */
  viewAs?: string | undefined
  audit?: AuditTrail
}

/** A job that somebody asked for: it may do what they may do at the moment when it runs. */
export interface OnBehalfCaller {
  kind: 'onBehalf'
  actor: JobActor
  /** Whose rights count; null for an account that is gone. */
  accountId: string | null
}

/** The directory of an organization, by the SCIM token of the space. */
export interface DirectoryCaller {
  kind: 'directory'
  token: string
  origin: CallOrigin
}

/** The installation itself, where nobody's rights are meant. `reason` says why, for the log. */
export interface SystemCaller {
  kind: 'system'
  actor: JobActor
  reason: string
}

export type Caller = SessionCaller | OnBehalfCaller | DirectoryCaller | SystemCaller

/** A job in the name of who asked for it, or of another account. */
export const onBehalf = (actor: JobActor, accountId = accountOf(actor)): OnBehalfCaller => ({
  kind: 'onBehalf',
  actor,
  accountId,
})

type PlaceWithApp = (NamedPlace & { app: string }) | (KnownPlace & { appId: number })

interface Admission {
  actor: Actor
  origin: CallOrigin | null
  membership: Omit<Membership, 'security' | 'seen'>
  audit?: AuditTrail | undefined
  /** Writes down that the caller was here, after the transaction. */
  seen?(db: Db): Promise<void>
}

/**
 * Does `work` in one transaction at `place`, for a caller who holds `right` there; null: everybody who is let in. Throws 404
 * where there is nothing that the caller may know of, `Forbidden` without the right, the refusals of {@link checkSecurity},
 * 401 `Unauthorized` for a token that is not of the space, and `RequesterMayNot` for a job whose requester is no longer let in
 * or has lost the right.
 */
export function enter<T>(
  server: ServerContext,
  caller: Caller,
  place: PlaceWithApp,
  right: Right | null,
  work: (ctx: AppContext) => Promise<T>,
): Promise<T>
export function enter<T>(
  server: ServerContext,
  caller: Caller,
  place: Place,
  right: Right | null,
  work: (ctx: SpaceContext) => Promise<T>,
): Promise<T>
export async function enter<T>(
  { db, services }: ServerContext,
  caller: Caller,
  place: Place,
  right: Right | null,
  work: (ctx: AppContext) => Promise<T>,
): Promise<T> {
  const { answer, seen } = await transactionOf(db, async (tx) => {
    const { actor, origin, membership, audit, seen } = await admitCaller(tx, services, caller, place, right)
    const context = { db: tx, services, actor, origin, ...(audit ? { audit } : {}), ...membership }
    // Of a place without an app, nobody asks for one: see the overloads.
    return { answer: await work(context as AppContext), seen }
  }).catch(whenOnlyReading)
  await seen?.(db)
  return answer
}

/** A transaction of its own, or a part of the one that an atomic job is: that goes on outside of the space. */
async function transactionOf<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!db.isTransaction) return inTransaction(db, work)
  const tx = db as Tx
  const result = await work(tx)
  await leaveSpace(tx)
  return result
}

/** For `.catch()`: what writes is refused to whoever only looks. */
function whenOnlyReading(error: unknown): never {
  throw hasState(error, 'readOnlySqlTransaction') ? new AppError('Forbidden', { cause: error }) : error
}

async function admitCaller(
  tx: Tx,
  services: Services,
  caller: Caller,
  place: Place,
  right: Right | null,
): Promise<Admission> {
  switch (caller.kind) {
    case 'session':
      return admitSession(tx, services, caller, place, right)
    case 'onBehalf':
      return admitOnBehalf(tx, caller, place, right)
    case 'directory': {
      if (!('space' in place)) throw new TypeError('a directory names its space')
      const { actor, connection, ...membership } = await admitDirectory(tx, place.space, sha256(caller.token))
      checkRight(membership, right)
      const seen = (db: Db) => markDirectorySeen(db, membership.scope, connection, services.clock())
      return { actor, origin: caller.origin, membership, seen }
    }
    case 'system': {
      const membership = { ...(await findPlace(tx, place)), grants: allGrants }
      services.log.debug({ reason: caller.reason, ...membership.scope }, 'The system enters a space')
      return { actor: caller.actor, origin: null, membership }
    }
  }
}

async function admitSession(
  tx: Tx,
  services: Services,
  { actor, origin, session, unguarded = false, viewAs, audit }: SessionCaller,
  place: Place,
  right: Right | null,
): Promise<Admission> {
  const { accountId } = actor
  const { security, seen, ...membership } =
    viewAs === undefined
      ? await rememberedMembership(tx, accountId, place)
      : await admitAs(tx, accountId, place, viewAs)
  if (audit) audit.scope = membership.scope
  const { spaceId } = membership.scope
  const entrant = { ip: origin.ip, session, unguarded }
  await checkSecurity(tx, { accountId, spaceId }, security, entrant, services.clock())
  checkRight(membership, right)
  return {
    actor,
    origin,
    membership,
    audit,
    ...(viewAs === undefined ? { seen: (db: Db) => markSeen(db, { ...membership, seen }) } : {}),
  }
}

async function admitOnBehalf(
  tx: Tx,
  { actor, accountId }: OnBehalfCaller,
  place: Place,
  right: Right | null,
): Promise<Admission> {
  const found =
    accountId === null ? null : await rememberedMembership(tx, accountId, place).catch(nullIfNotFound)
  if (!found) {
    // What is gone is told apart from what was taken away.
    await findPlace(tx, place)
    throw new AppError('RequesterMayNot')
  }
  const { security, seen, ...membership } = found
  if (right !== null && !can(membership.grants, right)) throw new AppError('RequesterMayNot')
  return { actor, origin: null, membership }
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.code === 'NotFound') return null
  throw error
}

function checkRight({ grants }: Pick<Membership, 'grants'>, right: Right | null): void {
  if (right !== null && !can(grants, right)) throw new AppError('Forbidden')
}
