import type { Db, SpaceScope } from '#server/db/scope.ts'

/** Has an app of the space this uid? */
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

/** Those of these `_id`s that documents or assets of the space have, those in the trash included. */
export async function takenIds(
  db: Db,
  { spaceId }: SpaceScope,
  table: 'document' | 'asset',
  ids: string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('space_id', '=', spaceId)
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id }) => id)
}
