import { sql } from 'kysely'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import type { Storages } from '#server/storage/index.ts'

/*
 * Contents in storages. Several assets of a space with the same content share one. A row of `asset_blob` is there before
 * the bytes are, so that nothing in a storage is ever unknown to us; what no asset refers to a day after it was last asked
 * for is removed. A content that is being removed (`doomed_at`) is no longer given to anybody: who brings the same one again
 * meanwhile gets another key.
 */

/** Where a content lies or is to be put; in the transaction's space. From now on it is kept for a day at least. */
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

/** Hours for which a content is kept that no asset refers to. */
const keptHours = 24
const batchSize = 100

/**
 * Removes contents that no asset refers to. A storage that does not answer is left for the next time. Says how many have
 * gone.
 */
export async function sweepBlobs(
  db: Db,
  storages: Storages,
  progress: (swept: number) => Promise<void>,
  onAway: (error: unknown) => void,
): Promise<number> {
  const away = new Set<string>()
  let swept = 0
  for (;;) {
    const doomed = await doom(db, [...away])
    for (const { space_id, storage, key } of doomed) {
      const place = `${space_id} ${storage}`
      if (away.has(place)) continue
      try {
        const driver = await storages.of({ space_id, storage })
        await driver.delete(key)
      } catch (error) {
        away.add(place)
        onAway(error)
        continue
      }
      await sql`DELETE FROM asset_blob WHERE space_id = ${space_id} AND storage = ${storage} AND key = ${key}
        AND doomed_at IS NOT NULL`.execute(db)
      swept++
    }
    await progress(swept)
    if (doomed.length === 0) return swept
  }
}

/** Marks some contents as being removed; those that an earlier run marked come along. */
function doom(db: Db, away: string[]): Promise<{ space_id: number; storage: string; key: string }[]> {
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
        ORDER BY touched_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) AS unused
      WHERE blob.space_id = unused.space_id AND blob.storage = unused.storage AND blob.key = unused.key
      RETURNING blob.space_id, blob.storage, blob.key`.execute(tx)
    return rows
  })
}
