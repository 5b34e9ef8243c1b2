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
 * Entry into a space for all kinds of callers (docs/decisions/0100). The HTTP layer has already authenticated a user;
 * `enter` itself authenticates a directory by its token. For a user, it checks membership, the security requirements of
 * the space and the right. For a job on behalf of an account, it checks membership and the right. The checks and the
 * work are one transaction.
 */

/** A signed-in user, in a browser or through a program with the user's key. */
export interface SessionCaller {
  kind: 'session'
  actor: AccountActor
  origin: CallOrigin
  session: Entrant['session']
  /** Skips the security requirements of the space except `UsualSignInRequired`, for endpoints that explain them. */
  unguarded?: boolean
  /** `_id` of the member whose rights to preview. The caller needs `member.manage`. */
  viewAs?: string | undefined
  audit?: AuditTrail
}

/** A job on behalf of an account, with the rights that the account has when the job runs. */
export interface OnBehalfCaller {
  kind: 'onBehalf'
  actor: JobActor
  /** The account whose rights apply. null: no account, so the job is refused. */
  accountId: string | null
}

/** The directory of an organization, authenticated by the SCIM token of the space. */
export interface DirectoryCaller {
  kind: 'directory'
  token: string
  origin: CallOrigin
}

/** The installation itself, with all rights. `reason` is written to the debug log. */
export interface SystemCaller {
  kind: 'system'
  actor: JobActor
  reason: string
}

export type Caller = SessionCaller | OnBehalfCaller | DirectoryCaller | SystemCaller

/** Returns the caller for a job on behalf of its requester, or of another account. */
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
  /** Stores the time of the caller's visit. Called after the transaction. */
  seen?(db: Db): Promise<void>
}

/**
 * Runs `work` in one transaction at `place` for a caller with `right` there. `right` null: for every caller who may
 * enter. Throws 404 for places that the caller may not see, `Forbidden` without the right, and for a user the errors of
 * {@link checkSecurity}. Throws 401 `Unauthorized` for a directory without the token of the space. For a job on behalf
 * of an account, throws `RequesterMayNot` if the account may not enter or lacks the right.
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
    // The overloads guarantee that `work` expects an app only if the place has one.
    return { answer: await work(context as AppContext), seen }
  }).catch(whenOnlyReading)
  await seen?.(db)
  return answer
}

/** Opens a transaction, or uses the caller's open one (an atomic job) and leaves the space afterwards. */
async function transactionOf<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!db.isTransaction) return inTransaction(db, work)
  const tx = db as Tx
  const result = await work(tx)
  await leaveSpace(tx)
  return result
}

/** For `.catch()`: turns a write in a read-only preview into `Forbidden`. */
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
  const member = { accountId, spaceId, grants: membership.grants }
  await checkSecurity(tx, member, security, entrant, services.clock())
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
    // Throws 404 if the place no longer exists. Otherwise the account has no access.
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
