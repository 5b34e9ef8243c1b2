import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'

/** Returns whether an app of the space uses the uid. */
export async function isAppTaken(db: Db, { spaceId }: SpaceScope, uid: string): Promise<boolean> {
  const app = await db
    .selectFrom('app')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('uid', '=', uid)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return app !== undefined
}

/**
 * Returns the `_id`s among `ids` that documents of the space already use (trash included, deleted apps and models
 * excluded).
 */
export async function takenDocuments(db: Db, { spaceId }: SpaceScope, ids: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('document')
    .select('document.id')
    .distinct()
    .where('document.space_id', '=', spaceId)
    .where('document.id', 'in', ids)
    .where('document.model_id', 'in', (models) =>
      models
        .selectFrom('model')
        .innerJoin('app', 'app.id', 'model.app_id')
        .select('model.id')
        .where('model.space_id', '=', spaceId)
        .where('model.deleted_at', 'is', null)
        .where('app.deleted_at', 'is', null),
    )
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Returns the `_id`s among `ids` that documents of the space already use, each with the uid of the document's app
 * (trash included, deleted apps and models excluded).
 */
export function appsOfDocuments(
  db: Db,
  { spaceId }: SpaceScope,
  ids: string[],
): Promise<{ id: string; app: string }[]> {
  return db
    .selectFrom('document')
    .innerJoin('model', 'model.id', 'document.model_id')
    .innerJoin('app', 'app.id', 'model.app_id')
    .select(['document.id', 'app.uid as app'])
    .distinct()
    .where('document.space_id', '=', spaceId)
    .where('document.id', 'in', ids)
    .where('model.deleted_at', 'is', null)
    .where('app.deleted_at', 'is', null)
    .execute()
}

/** Returns the `_id`s among `ids` that assets of the space already use (trash included). */
export async function takenAssets(db: Db, { spaceId }: SpaceScope, ids: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('asset')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Returns the plan with an `appUidTaken` problem if the uid of its app is already used, otherwise without this problem.
 */
export async function withAppClash<Plan extends AnyMovePlan>(
  db: Db,
  scope: SpaceScope,
  plan: Plan,
): Promise<Plan> {
  const { uid } = plan.app
  const others = plan.problems.filter(({ code }) => code !== 'appUidTaken')
  const isTaken = await isAppTaken(db, scope, uid)
  return {
    ...plan,
    problems: isTaken ? [{ code: 'appUidTaken', path: '', count: 1, examples: [uid] }, ...others] : others,
  }
}

/** Maximum number of `_id`s in one query. */
const idsAtATime = 5_000

/** Splits the `_id`s into parts of at most `idsAtATime`. */
export function* inParts(ids: Iterable<string>): Generator<string[]> {
  let part: string[] = []
  for (const id of ids) {
    part.push(id)
    if (part.length === idsAtATime) {
      yield part
      part = []
    }
  }
  if (part.length > 0) yield part
}
