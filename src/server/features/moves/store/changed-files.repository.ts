import { type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { MoveFileCount, MoveFileKind, MoveOutcome } from '#shared/contract/move-updates.ts'

/*
 * Files of the library that differ from the archive of an update or import, and the base of each file. A base contains
 * the hash at the source and the version in the library after the last decision about the file.
 */

export interface ExistingFile {
  hash: Buffer
  version: number
  /** Hash before the last replacement. null: the file was never replaced, or the former file is no longer stored. */
  previous: Buffer | null
  base: { hash: Buffer; version: number; archivedAt: Date } | null
}

/** Returns the files with these `_id`s that are in the library (trash excluded), by `_id`. */
export async function existingFiles(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
): Promise<Map<string, ExistingFile>> {
  const rows = await db
    .selectFrom('asset')
    .leftJoin('moved_asset as base', (join) =>
      join.onRef('base.space_id', '=', 'asset.space_id').onRef('base.asset_id', '=', 'asset.id'),
    )
    .select(['asset.id', 'asset.hash', 'asset.version'])
    .select(sql<string | null>`asset.previous->>'hash'`.as('previous'))
    .select(['base.hash as baseHash', 'base.version as baseVersion', 'base.archived_at as archivedAt'])
    .where('asset.space_id', '=', spaceId)
    .where('asset.deleted_at', 'is', null)
    .where(sql<SqlBool>`asset.id = ANY(${[...ids]}::text[])`)
    .execute()
  return new Map(
    rows.map(({ id, hash, version, previous, baseHash, baseVersion, archivedAt }) => {
      const base =
        baseHash && baseVersion !== null && archivedAt
          ? { hash: baseHash, version: baseVersion, archivedAt }
          : null
      return [id, { hash, version, previous: previous === null ? null : Buffer.from(previous, 'hex'), base }]
    }),
  )
}

/** Inserts or updates the base of a file. */
export async function putFileBase(
  db: Db,
  { spaceId }: SpaceScope,
  { moveId, id, ...base }: { moveId: string; id: string; hash: Buffer; version: number; archivedAt: Date },
): Promise<void> {
  const values = { move_id: moveId, hash: base.hash, version: base.version, archived_at: base.archivedAt }
  await db
    .insertInto('moved_asset')
    .values({ space_id: spaceId, asset_id: id, ...values })
    .onConflict((conflict) => conflict.columns(['space_id', 'asset_id']).doUpdateSet(values))
    .execute()
}

export interface FileChangeRow {
  id: string
  kind: MoveFileKind
  takes: boolean
  /** Version of the file in the library at planning. */
  version: number
  fileName: string
}

export async function insertFileChanges(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  changes: readonly FileChangeRow[],
): Promise<void> {
  if (changes.length === 0) return
  await db
    .insertInto('move_file')
    .values(
      changes.map(({ id, fileName, ...change }) => ({
        space_id: spaceId,
        move_id: moveId,
        asset_id: id,
        file_name: fileName,
        ...change,
      })),
    )
    .execute()
}

export async function deleteFileChanges(db: Db, { spaceId }: SpaceScope, moveId: string): Promise<void> {
  await db.deleteFrom('move_file').where('space_id', '=', spaceId).where('move_id', '=', moveId).execute()
}

/** Counts files by kind, decision, outcome and problem. Each count has up to ten examples. */
export async function countFileChanges(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
): Promise<MoveFileCount[]> {
  const { rows } = await sql<MoveFileCount>`
    SELECT kind, takes, outcome, problem, count(*)::int AS count,
      (array_agg(jsonb_build_object('_id', asset_id, 'fileName', file_name) ORDER BY asset_id))[1:10] AS examples
    FROM move_file WHERE space_id = ${spaceId} AND move_id = ${moveId}
    GROUP BY kind, takes, outcome, problem ORDER BY kind, outcome, problem`.execute(db)
  return rows
}

/** Returns the number of files that the move has replaced. */
export async function countReplaced(db: Db, scope: SpaceScope, moveId: string): Promise<number> {
  const files = await countFileChanges(db, scope, moveId)
  return files.reduce((sum, { outcome, count }) => sum + (outcome === 'taken' ? count : 0), 0)
}

/** Stores whether files of kind `both` are taken from the source. */
export async function chooseFiles(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  takes: boolean,
): Promise<void> {
  await db
    .updateTable('move_file')
    .set({ takes })
    .where('space_id', '=', spaceId)
    .where('move_id', '=', moveId)
    .where('kind', '=', 'both')
    .execute()
}

/** Returns the files that have no outcome yet, by `_id`. */
export async function listPendingFiles(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
): Promise<Map<string, FileChangeRow>> {
  const rows = await db
    .selectFrom('move_file')
    .select(['asset_id as id', 'kind', 'takes', 'version', 'file_name as fileName'])
    .where('space_id', '=', spaceId)
    .where('move_id', '=', moveId)
    .where('outcome', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Stores the outcome of a file. Returns false if another run has already stored one. */
export async function settleFile(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  { id, outcome, problem = null }: { id: string; outcome: MoveOutcome; problem?: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('move_file')
    .set({ outcome, problem })
    .where('space_id', '=', spaceId)
    .where('move_id', '=', moveId)
    .where('asset_id', '=', id)
    .where('outcome', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
