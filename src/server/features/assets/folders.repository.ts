import type { Db, SpaceScope } from '#server/db/scope.ts'

/** A saved filter of the asset library. `filter`: query parameters of the asset list. */
export interface AssetFolder {
  id: string
  name: string
  filter: Record<string, string>
}

/** Returns up to `limit` folders of the space, in order of creation. */
export function selectFolders(db: Db, { spaceId }: SpaceScope, limit: number): Promise<AssetFolder[]> {
  return db
    .selectFrom('asset_folder')
    .select(['id', 'name', 'filter'])
    .where('space_id', '=', spaceId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function insertFolder(
  db: Db,
  { spaceId }: SpaceScope,
  folder: AssetFolder,
  createdBy: string | null,
): Promise<void> {
  await db
    .insertInto('asset_folder')
    .values({
      ...folder,
      filter: JSON.stringify(folder.filter),
      space_id: spaceId,
      created_by: createdBy,
    })
    .execute()
}

/** Updates a folder; omitted properties stay. Returns undefined when it does not exist. */
export function changeFolder(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  { name, filter }: { name?: string | undefined; filter?: Record<string, string> | undefined },
): Promise<AssetFolder | undefined> {
  return db
    .updateTable('asset_folder')
    .set({
      id,
      ...(name === undefined ? {} : { name }),
      ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .returning(['id', 'name', 'filter'])
    .executeTakeFirst()
}

/** Deletes a folder. Returns false if it does not exist. */
export async function removeFolder(db: Db, { spaceId }: SpaceScope, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('asset_folder')
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
