import { sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { longAgo } from './assets.repository.ts'

export interface DeletedAsset {
  spaceId: number
  id: string
  /** Length of the file in bytes. */
  size: number
}

/** Deletes up to `limit` assets that are in the trash for more than `keptDays` days. Skips locked assets. */
export async function deleteTrashed(tx: Db, limit: number): Promise<DeletedAsset[]> {
  const gone = sql`SELECT space_id, id FROM asset WHERE ${longAgo(sql`deleted_at`)}
    LIMIT ${limit} FOR UPDATE SKIP LOCKED`
  const { rows } = await sql<DeletedAsset>`DELETE FROM asset USING (${gone}) AS gone
    WHERE asset.space_id = gone.space_id AND asset.id = gone.id
    RETURNING asset.space_id AS "spaceId", asset.id, asset.size`.execute(tx)
  return rows
}

/**
 * Clears the previous file of up to `limit` assets whose file was replaced more than `keptDays` days ago. Skips locked
 * assets. Returns the number of assets.
 */
export async function forgetReplaced(tx: Db, limit: number): Promise<number> {
  const old = sql`SELECT space_id, id FROM asset WHERE ${longAgo(sql`previous_at`)}
    LIMIT ${limit} FOR UPDATE SKIP LOCKED`
  const result = await sql`
    UPDATE asset SET previous = NULL, previous_at = NULL, previous_storage = NULL, previous_storage_key = NULL
    FROM (${old}) AS old WHERE asset.space_id = old.space_id AND asset.id = old.id`.execute(tx)
  return Number(result.numAffectedRows ?? 0n)
}

/** Returns the internal ids of spaces that are not deleted. */
export async function listSpaceIds(db: Db): Promise<number[]> {
  const rows = await db.selectFrom('space').select('id').where('deleted_at', 'is', null).execute()
  return rows.map(({ id }) => id)
}
