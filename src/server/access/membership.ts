import { type Selectable, sql } from 'kysely'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import {
  type AppScope,
  appScope,
  type Db,
  entering,
  type SpaceScope,
  spaceScope,
  type Tx,
} from '#server/db/scope.ts'
import type { AppTable, SpaceTable } from '#server/db/tables.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { uidPattern } from '#shared/identifiers.ts'
import { type AppRight, can, type Right } from '#shared/permissions.ts'
import type { AppContext, AppRow, SpaceContext, SpaceRow } from './context.ts'
import {
  type ActorGrants,
  anyAppRightsOf,
  common,
  findAppsGiving,
  findGrants,
  grantsOf,
  grantsOfToken,
  heldBy,
  inModel,
  type MemberRoles,
  modelsOf,
  sharedBy,
} from './grants.ts'
import type { SecurityColumns } from './security.ts'

/** Converts a row of `space` to a SpaceRow. */
export const toSpaceRow = (row: Omit<Selectable<SpaceTable>, 'deleted_at'>): SpaceRow => ({
  id: row.id,
  uid: row.uid,
  name: row.name,
  plan: row.plan,
  timeZone: row.time_zone,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

type AppColumns = Omit<Selectable<AppTable>, 'space_id' | 'position' | 'deleted_at'>

/** Converts a row of `app` to an AppRow. `appRole` is the caller's role; null: not joined. */
export const toAppRow = (row: AppColumns, appRole: string | null): AppRow => ({
  id: row.id,
  uid: row.uid,
  name: row.name,
  description: row.description,
  icon: row.icon,
  cover: row.cover,
  visibility: row.visibility,
  defaultRole: row.default_role,
  joined: appRole !== null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

interface Asking {
  security: SecurityColumns
  /** Time of the member's last visit, as last read or written by this process. */
  seen: { at: Date }
}
type SpaceMembership = Pick<SpaceContext, 'scope' | 'space' | 'grants'> & Asking
type AppMembership = Pick<AppContext, 'scope' | 'space' | 'app' | 'grants'> & Asking
export type Membership = SpaceMembership | AppMembership
/** A space, app or model by the `uid`s in a path. */
export interface NamedPlace {
  space: string
  app?: string | undefined
  model?: string | undefined
}
/** A space or app by ids of rows that were read before, for work that continues after the call that requested it. */
export interface KnownPlace {
  scope: SpaceScope
  appId?: number | undefined
}
export type Place = NamedPlace | KnownPlace

type Wanted = Placeholders<{ space: string | number; accountId: string }>

/** Conditions that find a space by its `uid` in lower case, or by its id. */
export const spaceBy = {
  uid: (space: Wanted['space']) => sql<boolean>`lower(space.uid) = ${space}`,
  id: (space: Wanted['space']) => sql<boolean>`space.id = ${space}::int`,
}

/** Selects a space as a member, and enters the space. */
const memberships = (db: Db, by: keyof typeof spaceBy, { space, accountId }: Wanted) =>
  db
    .selectFrom('space')
    .innerJoin('space_member', 'space_member.space_id', 'space.id')
    .innerJoin('space_policy', 'space_policy.space_id', 'space.id')
    .leftJoin('space_security', 'space_security.space_id', 'space.id')
    .select(['space.id', 'space.uid', 'space.name', 'space.plan', 'space.time_zone'])
    .select(['space.created_at', 'space.updated_at', 'space_policy.version as policy'])
    .select(['space_member.id as memberId', 'space_member.role as projectRole'])
    .select('space_member.signed_in_after')
    .select(['space_member.last_seen_at as lastSeenAt', heldBy('space_member').as('projectRights')])
    .select(['space_security.ip_ranges', 'space_security.session_hours', 'space_security.second_factor'])
    .select(['space_security.sso_required', 'space_security.sso_exempt'])
    .select(['space_security.ip_ranges_pending_until', 'space_security.ip_ranges_before'])
    .select(entering(sql.ref('space.id')).as('entered'))
    .where(spaceBy[by](space))
    .where('space.deleted_at', 'is', null)
    .where('space_member.account_id', '=', accountId)

const inSpaceBy = (by: keyof typeof spaceBy) =>
  compileOnce((db, given: Wanted) =>
    memberships(db, by, given).select(anyAppRightsOf().as('anyAppRights')).compile(),
  )

/** Selects a space and an app as a member. The columns of the app are null if it does not exist or was deleted. */
const inAppBy = (by: keyof typeof spaceBy) =>
  compileOnce((db, { app, ...given }: Wanted & Placeholders<{ app: string | number }>) =>
    memberships(db, by, given)
      .leftJoin('app', (join) =>
        join
          .onRef('app.space_id', '=', 'space.id')
          .on(by === 'uid' ? sql<boolean>`app.uid = ${app}` : sql<boolean>`app.id = ${app}::int`)
          .on('app.deleted_at', 'is', null),
      )
      .leftJoin('app_member', (join) =>
        join
          .onRef('app_member.space_id', '=', 'app.space_id')
          .onRef('app_member.app_id', '=', 'app.id')
          .onRef('app_member.member_id', '=', 'space_member.id'),
      )
      .select([
        'app_member.role as appRole',
        heldBy('app_member').as('appRights'),
        modelsOf().as('appModels'),
      ])
      .select(['app.id as appId', 'app.uid as appUid', 'app.name as appName', 'app.description'])
      .select(['app.icon', 'app.cover', 'app.visibility', 'app.default_role'])
      .select(['app.created_at as appCreatedAt', 'app.updated_at as appUpdatedAt'])
      .compile(),
  )

const findInSpace = { uid: inSpaceBy('uid'), id: inSpaceBy('id') }
const findInApp = { uid: inAppBy('uid'), id: inAppBy('id') }

/** Returns the parameters of the statements that find a place. Throws 404 for a malformed `uid` of a space or app. */
export function keysOf(place: Place) {
  if ('scope' in place) return { by: 'id', space: place.scope.spaceId, app: place.appId } as const
  requireUids(place.space, place.app)
  return { by: 'uid', space: place.space.toLowerCase(), app: place.app } as const
}

/**
 * Checks that an account is a member of the space and, if `place` names an app, that the app is visible to it.
 * Afterwards, row-level security limits the transaction to this space, as after `enterSpace`. Throws the same 404 for a
 * space that does not exist and for one that the account is not a member of. Throws 404 for an app that the member may
 * not see (not joined, not open, no right to see every app).
 *
 * If `place` names a model and the rights of the role differ between models, returns the grants in that model. Throws
 * 404 if they do not include `document.read`. Rights on the space that follow from a role in an app are included only
 * outside of apps. The caller must check `security` (access/security.ts).
 */
export async function admit(tx: Tx, accountId: string, place: Place): Promise<Membership> {
  const { membership } = await findMembership(tx, accountId, place)
  return narrow(tx, membership, place)
}

/**
 * Checks the space and the app like {@link admit}, but not the model ({@link narrow}). `policy` is the version of the
 * space's policy, read in the same statement.
 */
export async function findMembership(
  tx: Tx,
  accountId: string,
  place: Place,
): Promise<{ membership: Membership; policy: string }> {
  const { by, space, app: wanted } = keysOf(place)
  const given = { space, accountId }
  if (wanted === undefined) {
    const [row] = await findInSpace[by](tx, given)
    if (!row) throw new AppError('NotFound')
    return { membership: inside(row, { ...row, ...noApp }), policy: row.policy }
  }
  const [row] = await findInApp[by](tx, { ...given, app: wanted })
  if (!row) throw new AppError('NotFound')
  const admitted = inside(row, { ...row, anyAppRights: null })
  if (row.appId === null || !isSeen(row, { ...admitted.grants, appRole: row.appRole }))
    throw new AppError('NotFound')
  const times = { created_at: row.appCreatedAt, updated_at: row.appUpdatedAt }
  // The app exists, so its non-null columns are set.
  const app = { ...row, id: row.appId, uid: row.appUid, name: row.appName, ...times } as AppColumns
  const scope = appScope(admitted.scope, app.id)
  return { membership: { ...admitted, scope, app: toAppRow(app, row.appRole) }, policy: row.policy }
}

/**
 * Loads the space or app itself, regardless of membership. Afterwards, row-level security limits the transaction to
 * this space, as after `enterSpace`. Throws 404 if the place does not exist or was deleted.
 */
export async function findPlace(
  tx: Tx,
  place: Place,
): Promise<Pick<SpaceContext, 'scope' | 'space'> | Pick<AppContext, 'scope' | 'space' | 'app'>> {
  const { by, space, app: wanted } = keysOf(place)
  const row = await tx
    .selectFrom('space')
    .select(['id', 'uid', 'name', 'plan', 'time_zone', 'created_at', 'updated_at'])
    .select(entering(sql.ref('space.id')).as('entered'))
    .where(spaceBy[by](sql.val(space)))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw new AppError('NotFound')
  const inSpace = { scope: spaceScope(row.id), space: toSpaceRow(row) }
  if (wanted === undefined) return inSpace
  const app = await tx
    .selectFrom('app')
    .selectAll()
    .where('space_id', '=', row.id)
    .where(by === 'id' ? 'id' : 'uid', '=', wanted)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!app) throw new AppError('NotFound')
  return { ...inSpace, scope: appScope(inSpace.scope, app.id), app: toAppRow(app, null) }
}

/** Returns whether this app exists and is not deleted, even if it is invisible to the caller. */
export async function hasApp(db: Db, { spaceId, appId }: AppScope): Promise<boolean> {
  const row = await db
    .selectFrom('app')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('id', '=', appId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Members who may not see a private app must not learn that it exists. */
const isSeen = (
  { visibility }: { visibility: string | null },
  grants: Pick<ActorGrants, 'seesEveryApp' | 'appRole'> | null,
): boolean => visibility === 'open' || grants?.seesEveryApp === true || grants?.appRole != null

/** Throws 404 for a malformed `uid`. */
export function requireUids(...uids: (string | undefined)[]): void {
  if (uids.some((uid) => uid !== undefined && !uidPattern.test(uid))) throw new AppError('NotFound')
}

const noApp = { appRole: null, appRights: null, appModels: null }

function inside(
  row: Omit<Selectable<SpaceTable>, 'deleted_at'> & SecurityColumns & { lastSeenAt: Date },
  roles: MemberRoles,
): SpaceMembership {
  const { ip_ranges, ip_ranges_pending_until, ip_ranges_before } = row
  const { session_hours, second_factor, sso_required, sso_exempt, signed_in_after } = row
  return {
    scope: spaceScope(row.id),
    space: toSpaceRow(row),
    security: {
      ...{ ip_ranges, ip_ranges_pending_until, ip_ranges_before },
      ...{ session_hours, second_factor, sso_required, sso_exempt, signed_in_after },
    },
    grants: grantsOf(roles),
    seen: { at: row.lastSeenAt },
  }
}

/**
 * Returns the membership with the grants in the model of `place`. Throws 404 for a model that does not exist or that
 * the member may not read. Returns the membership unchanged, without looking for the model, if `place` names no model
 * or the grants are equal in all models.
 */
export async function narrow(tx: Tx, membership: Membership, place: Place): Promise<Membership> {
  const uid = 'model' in place ? place.model : undefined
  if (uid === undefined || !('app' in membership) || membership.grants.models.size === 0) return membership
  requireUids(uid)
  const { scope, grants } = membership
  const model = await tx
    .selectFrom('model')
    .select('public_id')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('uid', '=', uid)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const inside = model && inModel(grants, model.public_id)
  if (!inside?.rights.has('document.read')) throw new AppError('NotFound')
  return { ...membership, grants: inside }
}

/** Updates the time of the member's last visit, at most once every 10 minutes per cached membership. */
export async function markSeen(
  db: Db,
  { grants, seen }: Pick<SpaceMembership, 'grants' | 'seen'>,
): Promise<void> {
  if (grants.memberId === null || Date.now() - seen.at.getTime() < seenEvery) return
  seen.at = new Date()
  await db
    .updateTable('space_member')
    .set({ last_seen_at: sql`now()` })
    .where('id', '=', grants.memberId)
    .execute()
}
const seenEvery = 600_000

/**
 * Locks the space until the transaction ends, so that changes of members, roles or orders are serialized, and checks
 * `right` again. Call it before taking any other lock. Throws 404 if the space was deleted or the caller was removed
 * after the request was admitted, and 403 if they no longer have the right.
 */
export async function lockSpace(ctx: SpaceContext | AppContext, right: Right): Promise<void> {
  await holdSpace(ctx.db, ctx.scope)
  const { memberId } = ctx.grants
  const appId = 'app' in ctx ? ctx.app.id : null
  const grants = memberId === null ? ctx.grants : await findGrants(ctx.db, ctx.scope, memberId, appId)
  if (!grants) throw new AppError('NotFound')
  if (!can(grants, right)) throw new AppError('Forbidden')
}

/**
 * Returns the caller's grants in the app `appId`, which must include the right. If `appId` is null, requires the right
 * outside of apps, which means in all apps. Throws 403 for a caller without the right.
 */
export async function requireRightIn(
  ctx: SpaceContext,
  appId: number | null,
  right: Right,
): Promise<ActorGrants> {
  const grants = await grantsIn(ctx, appId)
  if (!grants || !can(grants, right)) throw new AppError('Forbidden')
  return grants
}

/**
 * Returns the caller's grants in the app `appId`, or outside of apps if `appId` is null. Returns null if the member was
 * removed in the meantime.
 */
export async function grantsIn(
  { db, scope, grants, ...ctx }: SpaceContext | AppContext,
  appId: number | null,
): Promise<ActorGrants | null> {
  const { memberId, viewer, tokenApps } = grants
  if (tokenApps !== undefined) return grantsOfToken(tokenApps, appId)
  const isHere = appId === ('app' in ctx ? ctx.app.id : null)
  if (memberId === null || isHere) return grants
  const held = await findGrants(db, scope, memberId, appId)
  if (!held || !viewer) return held
  const own = await findGrants(db, scope, viewer.memberId, appId)
  return own && common(held, own)
}

/**
 * Returns the context for an app of the space, found by its id or its uid. null: the app does not exist, or was found
 * by uid and is not visible to the caller. Throws `Forbidden` for a caller without `right` in that app.
 */
export async function intoApp(
  ctx: SpaceContext,
  app: number | string,
  right: AppRight,
): Promise<AppContext | null> {
  const isUid = typeof app === 'string'
  if (isUid && !uidPattern.test(app)) return null
  const row = await ctx.db
    .selectFrom('app')
    .selectAll()
    .where('space_id', '=', ctx.scope.spaceId)
    .where(isUid ? 'uid' : 'id', '=', app)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const grants = await grantsIn(ctx, row.id)
  if (isUid && !isSeen(row, grants)) return null
  if (!grants || !can(grants, right)) throw new AppError('Forbidden')
  return { ...ctx, scope: appScope(ctx.scope, row.id), app: toAppRow(row, grants.appRole), grants }
}

/**
 * Returns the context for an app that a request body names by its uid at `path`. Throws `ValidationFailed` at that path
 * if {@link intoApp} returns null.
 */
export async function intoAppNamed(
  ctx: SpaceContext,
  uid: string,
  right: AppRight,
  path: string,
): Promise<AppContext> {
  const app = await intoApp(ctx, uid, right)
  if (!app) throw invalid(path, 'InvalidValue')
  return app
}

/**
 * Returns the ids of the apps in which the caller has a right in all models, and for a right to write in all fields.
 * null: in every app of the space.
 */
export async function appsWith(ctx: SpaceContext | AppContext, right: AppRight): Promise<number[] | null> {
  const { db, scope, grants } = ctx
  const inSpace = await grantsIn(ctx, null)
  if (inSpace && can(inSpace, right)) return null
  // The rights of an API token are the same in all of its apps.
  if (grants.tokenApps) return can(grantsOfToken(null, null), right) ? [...grants.tokenApps] : []
  let shared: number[] | null = null
  for (const { memberId } of sharedBy(grants)) {
    const apps = memberId === null ? [] : await appsOf(db, scope, memberId, right)
    shared = shared && apps ? shared.filter((id) => apps.includes(id)) : (shared ?? apps)
  }
  return shared
}

async function appsOf(
  db: Db,
  scope: SpaceScope,
  memberId: string,
  right: AppRight,
): Promise<number[] | null> {
  const inSpace = await findGrants(db, scope, memberId)
  return inSpace && can(inSpace, right) ? null : findAppsGiving(db, scope, memberId, right)
}

/** Locks the space without checking rights, for work that requires none. Throws 404 for a deleted space. */
export async function holdSpace(db: Db, { spaceId }: SpaceScope): Promise<void> {
  const space = await db
    .selectFrom('space')
    .select('id')
    .where('id', '=', spaceId)
    .where('deleted_at', 'is', null)
    // Events refer to the space by a foreign key. FOR UPDATE would conflict with transactions that write events, and
    // cause deadlocks.
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!space) throw new AppError('NotFound')
}

/** Returns the actor's member id. Throws 403 for an actor that is not a member, such as a token. */
export function memberOf({ grants }: SpaceContext): string {
  if (grants.memberId === null) throw new AppError('Forbidden')
  return grants.memberId
}
