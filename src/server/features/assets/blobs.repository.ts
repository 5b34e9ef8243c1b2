import { sql } from 'kysely'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'

/*
 * Contents in storages, shared by assets and files of submissions of a space with equal content. A row of `asset_blob`
 * is written before the bytes, so that every stored content has a row. Contents that are unreferenced a day after the
 * last claim are removed. A content being removed (`doomed_at`) is not reused: if it is uploaded again in the meantime,
 * it gets another key.
 */

/**
 * Claims a content for a storage of the space, and returns its key: the existing one, or a new one. The claim keeps the
 * content for at least a day.
 */
export async function claimBlob(db: Db, scope: SpaceScope, storage: string, hash: Buffer): Promise<string> {
  const hex = hash.toString('hex')
  const key = `${scope.spaceId}/${hex.slice(0, 2)}/${hex}`
  const { rows } = await sql<{ key: string }>`
    INSERT INTO asset_blob (space_id, storage, key, hash)
    SELECT ${scope.spaceId}::int, ${storage}::text, CASE WHEN EXISTS (SELECT FROM asset_blob
        WHERE space_id = ${scope.spaceId} AND storage = ${storage} AND key = ${key} AND doomed_at IS NOT NULL)
      THEN ${`${key}-${newId()}`}::text ELSE ${key}::text END, ${hash}::bytea
    ON CONFLICT (space_id, storage, hash) WHERE doomed_at IS NULL DO UPDATE SET touched_at = now()
    RETURNING key`.execute(db)
  return rows[0]?.key ?? key
}

/** Hours for which an unreferenced content is kept after its last claim. */
const keptHours = 24
const batchSize = 100

/**
 * Marks up to `batchSize` unreferenced contents for removal and returns them. They can include contents that an earlier
 * run marked. `away`: storages to skip.
 */
export function doom(db: Db, away: string[]): Promise<{ space_id: number; storage: string; key: string }[]> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ space_id: number; storage: string; key: string }>`
      UPDATE asset_blob AS blob SET doomed_at = coalesce(blob.doomed_at, now())
      FROM (SELECT space_id, storage, key FROM asset_blob AS old
        WHERE touched_at < now() - make_interval(hours => ${keptHours})
          AND space_id || ' ' || storage <> ALL(${away}::text[])
          AND NOT EXISTS (SELECT FROM asset WHERE asset.space_id = old.space_id AND asset.storage = old.storage
            AND asset.storage_key = old.key)
          AND NOT EXISTS (SELECT FROM asset WHERE asset.space_id = old.space_id AND asset.previous_storage = old.storage
            AND asset.previous_storage_key = old.key)
          AND NOT EXISTS (SELECT FROM form_file WHERE form_file.space_id = old.space_id
            AND form_file.storage = old.storage AND form_file.storage_key = old.key)
        ORDER BY touched_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) AS unused
      WHERE blob.space_id = unused.space_id AND blob.storage = unused.storage AND blob.key = unused.key
      RETURNING blob.space_id, blob.storage, blob.key`.execute(tx)
    return rows
  })
}

/** Deletes the row of a content whose bytes were removed. */
export async function forgetBlob(
  db: Db,
  { space_id, storage, key }: { space_id: number; storage: string; key: string },
): Promise<void> {
  await sql`DELETE FROM asset_blob WHERE space_id = ${space_id} AND storage = ${storage} AND key = ${key}
    AND doomed_at IS NOT NULL`.execute(db)
}
