import { type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { whenTaken } from '#server/db/unique-violation.ts'

export interface TagRecord {
  id: string
  name: string
  /** Number of assets outside the trash with this tag. */
  assetCount: number
}

/** Returns the space's tags, ordered by name. `id`: only that tag. */
export async function listTags(
  db: Db,
  { spaceId }: SpaceScope,
  id: string | null = null,
): Promise<TagRecord[]> {
  const { rows } = await sql<TagRecord>`
    SELECT tag.id, tag.name, count(asset.id) AS "assetCount" FROM tag
    LEFT JOIN asset_tag ON asset_tag.space_id = tag.space_id AND asset_tag.tag_id = tag.id
    LEFT JOIN asset ON asset.space_id = asset_tag.space_id AND asset.id = asset_tag.asset_id AND asset.deleted_at IS NULL
    WHERE tag.space_id = ${spaceId} AND (${id}::text IS NULL OR tag.id = ${id})
    GROUP BY tag.id, tag.name, tag.name_key ORDER BY tag.name_key, tag.id`.execute(db)
  return rows
}

/**
 * Returns which of these ids are tags of the space, and locks these tags against deletion until the transaction ends.
 */
export async function findTags(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('tag')
    .select('id')
    .where('space_id', '=', spaceId)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map((row) => row.id))
}

interface TagName {
  name: string
  /** The normalised name for comparison. */
  key: string
}

const whenNameIsTaken = whenTaken('tag_name', 'TagNameIsAlreadyInUse', 'data.name')

/** Throws 409 `TagNameIsAlreadyInUse`. */
export async function insertTag(
  db: Db,
  { spaceId }: SpaceScope,
  { id, name, key, createdBy }: TagName & { id: string; createdBy: string | null },
): Promise<void> {
  await db
    .insertInto('tag')
    .values({ space_id: spaceId, id, name, name_key: key, created_by: createdBy })
    .execute()
    .catch(whenNameIsTaken)
}

/**
 * Creates a tag unless the space has one with this name. Returns the `_id` of the new or existing tag, locked against
 * deletion.
 */
export async function insertTagOnce(
  db: Db,
  { spaceId }: SpaceScope,
  { id, name, key, createdBy }: TagName & { id: string; createdBy: string | null },
): Promise<string> {
  const row = await db
    .insertInto('tag')
    .values({ space_id: spaceId, id, name, name_key: key, created_by: createdBy })
    .onConflict((conflict) =>
      conflict.columns(['space_id', 'name_key']).doUpdateSet({ name_key: sql.ref('tag.name_key') }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** Renames a tag. Returns false if it does not exist. Throws 409 `TagNameIsAlreadyInUse`. */
export async function updateTag(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  { name, key }: TagName,
): Promise<boolean> {
  const row = await db
    .updateTable('tag')
    .set({ name, name_key: key })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
    .catch(whenNameIsTaken)
  return row !== undefined
}

/** Deletes a tag and removes it from assets. Returns false when it does not exist. */
export async function deleteTag(db: Db, { spaceId }: SpaceScope, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('tag')
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Replaces the tags of an asset. */
export async function setTags(
  db: Db,
  { spaceId }: SpaceScope,
  assetId: string,
  tags: readonly string[],
): Promise<void> {
  await sql`DELETE FROM asset_tag WHERE space_id = ${spaceId} AND asset_id = ${assetId}
    AND tag_id <> ALL(${tags}::text[])`.execute(db)
  await sql`INSERT INTO asset_tag (space_id, asset_id, tag_id)
    SELECT ${spaceId}::int, ${assetId}::text, tag FROM unnest(${tags}::text[]) AS tag ON CONFLICT DO NOTHING`.execute(
    db,
  )
}

/**
 * Adds and removes tags of these assets. A tag in both `add` and `remove` is added. Returns the assets that changed,
 * with their new versions.
 */
export async function updateTagsOf(
  db: Db,
  { spaceId }: SpaceScope,
  assetIds: readonly string[],
  { add, remove, by }: { add: readonly string[]; remove: readonly string[]; by: string | null },
): Promise<{ id: string; version: number }[]> {
  const { rows } = await sql<{ id: string; version: number }>`
    WITH removed AS (
      DELETE FROM asset_tag WHERE space_id = ${spaceId} AND asset_id = ANY(${assetIds}::text[])
        AND tag_id = ANY(${remove}::text[]) AND tag_id <> ALL(${add}::text[]) RETURNING asset_id),
    added AS (
      INSERT INTO asset_tag (space_id, asset_id, tag_id)
      SELECT ${spaceId}::int, asset, tag FROM unnest(${assetIds}::text[]) AS asset, unnest(${add}::text[]) AS tag
      ON CONFLICT DO NOTHING RETURNING asset_id)
    UPDATE asset SET version = version + 1, updated_at = now(), updated_by = ${by}
    WHERE space_id = ${spaceId} AND id IN (SELECT asset_id FROM removed UNION SELECT asset_id FROM added)
    RETURNING id, version`.execute(db)
  return rows
}
