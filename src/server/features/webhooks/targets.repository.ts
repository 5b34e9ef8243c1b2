import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

/** Returns the models of these apps. */
export function listModels(
  db: Db,
  { spaceId }: SpaceScope,
  appIds: readonly number[],
): Promise<{ id: number; uid: string; name: string; appId: number }[]> {
  return db
    .selectFrom('model')
    .select(['id', 'uid', 'name', 'app_id as appId'])
    .where('space_id', '=', spaceId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`app_id = ANY(${[...appIds]}::int[])`)
    .execute()
}
