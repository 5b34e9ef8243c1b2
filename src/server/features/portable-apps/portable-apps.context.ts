import type { Actor } from '#server/access/actor.ts'
import type { AppContext } from '#server/access/context.ts'
import type { ActorGrants } from '#server/access/grants.ts'
import { toAppRow, toSpaceRow } from '#server/access/membership.ts'
import { appScope, type Db, inTransaction, type SpaceScope, type Tx } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import { allRights } from '#shared/permissions.ts'

const everything: ActorGrants = {
  memberId: null,
  projectRole: null,
  appRole: null,
  seesEveryApp: true,
  rights: new Set(allRights),
  models: new Map(),
  elsewhere: new Set(allRights),
  readOnly: new Set(),
}

/**
 * The app that something is carried into or out of, for what goes on in it: whoever asked for that was allowed to. Null when somebody
 * has deleted it.
 */
export async function findAppContext(
  { db, scope, actor }: { db: Tx; scope: SpaceScope; actor: Actor },
  appId: number,
): Promise<AppContext | null> {
  const { spaceId } = scope
  // What is done for many files and documents begins with this each time: one statement.
  const row = await db
    .selectFrom('app')
    .innerJoin('space', 'space.id', 'app.space_id')
    .selectAll('app')
    .select([
      'space.uid as spaceUid',
      'space.name as spaceName',
      'space.plan',
      'space.time_zone',
      'space.created_at as spaceCreatedAt',
      'space.updated_at as spaceUpdatedAt',
    ])
    .where('app.space_id', '=', spaceId)
    .where('app.id', '=', appId)
    .where('app.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { spaceUid: uid, spaceName: name, plan, time_zone } = row
  const times = { created_at: row.spaceCreatedAt, updated_at: row.spaceUpdatedAt }
  return {
    db,
    actor,
    scope: appScope(scope, appId),
    space: toSpaceRow({ id: spaceId, uid, name, plan, time_zone, ...times }),
    app: toAppRow(row, null),
    grants: everything,
  }
}

/** Where a job does what it does for an app. */
export interface InApp {
  db: Db
  scope: SpaceScope
  actor: Actor
  appId: number
}

/** Does `work` in a transaction with the app. Throws `NotFound` when somebody has deleted it. */
export function inApp<T>(
  { db, scope, actor, appId }: InApp,
  work: (ctx: AppContext) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    const ctx = await findAppContext({ db: tx, scope, actor }, appId)
    if (!ctx) throw new AppError('NotFound')
    return work(ctx)
  })
}
