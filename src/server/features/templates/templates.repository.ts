import type { Db, SpaceScope } from '#server/db/scope.ts'

/** The uids of all apps of the space, also of those that the caller does not see. */
export async function findAppUids(db: Db, { spaceId }: SpaceScope): Promise<Set<string>> {
  const rows = await db
    .selectFrom('app')
    .select('uid')
    .where('space_id', '=', spaceId)
    .where('deleted_at', 'is', null)
    .execute()
  return new Set(rows.map(({ uid }) => uid))
}
