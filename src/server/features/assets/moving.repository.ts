import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

const batchSize = 100

export interface Content {
  storage: string
  key: string
  hash: Buffer
  /** null: only a replaced file of an asset has this content. */
  mediaType: string | null
}

/** Condition: an asset (its current or its previous file) or a submission refers to this row of `asset_blob`. */
const isUsed = (blob: string): RawBuilder<boolean> => sql`(
  EXISTS (SELECT FROM asset WHERE asset.space_id = ${sql.ref(`${blob}.space_id`)}
    AND asset.storage = ${sql.ref(`${blob}.storage`)} AND asset.storage_key = ${sql.ref(`${blob}.key`)})
  OR EXISTS (SELECT FROM asset WHERE asset.space_id = ${sql.ref(`${blob}.space_id`)}
    AND asset.previous_storage = ${sql.ref(`${blob}.storage`)} AND asset.previous_storage_key = ${sql.ref(`${blob}.key`)})
  OR EXISTS (SELECT FROM form_file WHERE form_file.space_id = ${sql.ref(`${blob}.space_id`)}
    AND form_file.storage = ${sql.ref(`${blob}.storage`)} AND form_file.storage_key = ${sql.ref(`${blob}.key`)}))`

/** Returns the number of contents of the space that are in use, and how many of them are not in `storage`. */
export async function countContents(
  db: Db,
  { spaceId }: SpaceScope,
  storage: string,
): Promise<{ total: number; elsewhere: number }> {
  const { rows } = await sql<{ total: number; elsewhere: number }>`
    SELECT count(*)::int AS total, (count(*) FILTER (WHERE storage <> ${storage}))::int AS elsewhere
    FROM asset_blob AS blob WHERE space_id = ${spaceId} AND ${isUsed('blob')}`.execute(db)
  return rows[0] ?? { total: 0, elsewhere: 0 }
}

/** Returns up to `batchSize` contents of the space that are in use and not in `storage`. Starts after `after`. */
export async function listElsewhere(
  db: Db,
  { spaceId }: SpaceScope,
  storage: string,
  after: Pick<Content, 'storage' | 'key'>,
): Promise<Content[]> {
  const { rows } = await sql<Content>`
    SELECT storage, key, hash, coalesce((SELECT media_type FROM asset WHERE asset.space_id = blob.space_id
      AND asset.storage = blob.storage AND asset.storage_key = blob.key LIMIT 1),
      (SELECT media_type FROM form_file WHERE form_file.space_id = blob.space_id
      AND form_file.storage = blob.storage AND form_file.storage_key = blob.key LIMIT 1)) AS "mediaType"
    FROM asset_blob AS blob
    WHERE space_id = ${spaceId} AND storage <> ${storage} AND (storage, key) > (${after.storage}, ${after.key})
      AND ${isUsed('blob')}
    ORDER BY storage, key LIMIT ${batchSize}`.execute(db)
  return rows
}

/** Returns whether files of a space that is not deleted are in another storage than the one for its new files. */
export async function hasFilesToMove(db: Db, { spaceId }: SpaceScope, ownName: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM space
      LEFT JOIN external_storage AS present ON present.space_id = space.id AND present.left_at IS NULL
      WHERE space.id = ${spaceId} AND space.deleted_at IS NULL AND (EXISTS (SELECT FROM asset WHERE asset.space_id = space.id
        AND (asset.storage <> coalesce(present.id, ${ownName}) OR asset.previous_storage <> coalesce(present.id, ${ownName})))
        OR EXISTS (SELECT FROM form_file WHERE form_file.space_id = space.id
        AND form_file.storage <> coalesce(present.id, ${ownName}))))
      AS found`.execute(db)
  return rows[0]?.found === true
}

/** Checks whether the space has contents in this storage. Contents that no row refers to count as well. */
export async function isStorageInUse(db: Db, { spaceId }: SpaceScope, storage: string): Promise<boolean> {
  const found = await db
    .selectFrom('asset_blob')
    .select('key')
    .where('space_id', '=', spaceId)
    .where('storage', '=', storage)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Makes assets, their previous files and submissions refer to the new location of a content. The old content is kept
 * for at least a day.
 */
export async function repoint(
  tx: Db,
  { spaceId }: SpaceScope,
  { storage, key }: Pick<Content, 'storage' | 'key'>,
  to: Pick<Content, 'storage' | 'key'>,
): Promise<void> {
  await sql`UPDATE asset SET storage = ${to.storage}, storage_key = ${to.key}
    WHERE space_id = ${spaceId} AND storage = ${storage} AND storage_key = ${key}`.execute(tx)
  await sql`UPDATE asset SET previous_storage = ${to.storage}, previous_storage_key = ${to.key}
    WHERE space_id = ${spaceId} AND previous_storage = ${storage} AND previous_storage_key = ${key}`.execute(
    tx,
  )
  await sql`UPDATE form_file SET storage = ${to.storage}, storage_key = ${to.key}
    WHERE space_id = ${spaceId} AND storage = ${storage} AND storage_key = ${key}`.execute(tx)
  // A reader that has just looked up the old location still finds the file there.
  await sql`UPDATE asset_blob SET touched_at = now()
    WHERE space_id = ${spaceId} AND storage = ${storage} AND key = ${key}`.execute(tx)
}

/** Returns the id of the latest job with this name in the space. null: no such job. */
export async function findLastJob(db: Db, { spaceId }: SpaceScope, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('job')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('name', '=', name)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}
