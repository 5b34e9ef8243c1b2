import { type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

/** Returns the number of files that this move has added to the library. */
export async function countBrought({
  db,
  scope,
  moveId,
}: {
  db: Db
  scope: SpaceScope
  moveId: string
}): Promise<number> {
  const { count } = await db
    .selectFrom('carry_asset')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('space_id', '=', scope.spaceId)
    .where('carry_id', '=', moveId)
    .where('made', '=', true)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Removes up to `limit` assets from the records of the move. Deletes the files that the move created and that are no
 * longer referenced. Returns the number of removed records, and the deleted files with their sizes in bytes.
 */
export async function removeAssets(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  limit: number,
): Promise<{ removed: number; deleted: { id: string; size: number }[] }> {
  const rows = await db
    .deleteFrom('carry_asset')
    .where('space_id', '=', spaceId)
    .where('carry_id', '=', moveId)
    .where(
      sql<SqlBool>`asset_id IN (SELECT asset_id FROM carry_asset WHERE space_id = ${spaceId} AND carry_id = ${moveId}
        ORDER BY asset_id LIMIT ${limit})`,
    )
    .returning(['asset_id as id', 'made'])
    .execute()
  const ids = rows.filter(({ made }) => made).map(({ id }) => id)
  const deleted = await db
    .deleteFrom('asset')
    .where('space_id', '=', spaceId)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .where(
      sql<SqlBool>`NOT EXISTS (SELECT FROM asset_reference AS use
        WHERE use.space_id = asset.space_id AND use.asset_id = asset.id)`,
    )
    .returning(['id', 'size'])
    .execute()
  return { removed: rows.length, deleted }
}
