import { type Selectable, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { ExternalStorageTable } from '#server/db/tables.ts'
import type { S3Location } from '#shared/storage.ts'

/** A space's bucket with its encrypted keys. API responses do not contain the keys. */
export interface ExternalStorageRow extends S3Location {
  id: string
  keyLast4: string
  credentials: string
  createdAt: Date
  updatedAt: Date
}

const columns = [
  'id',
  'endpoint',
  'region',
  'bucket',
  'prefix',
  'style',
  'key_last4',
  'credentials',
  'created_at',
  'updated_at',
] as const

const toRow = ({
  key_last4,
  created_at,
  updated_at,
  ...row
}: Pick<Selectable<ExternalStorageTable>, (typeof columns)[number]>): ExternalStorageRow => ({
  ...row,
  keyLast4: key_last4,
  createdAt: created_at,
  updatedAt: updated_at,
})

/** Serialises changes of the storage for new files. */
export async function lockSpace(db: Db, { spaceId }: SpaceScope): Promise<void> {
  await db.selectFrom('space').select('id').where('id', '=', spaceId).forNoKeyUpdate().execute()
}

/** Returns the bucket for new files. undefined: the space has no bucket. */
export async function findPresent(db: Db, { spaceId }: SpaceScope): Promise<ExternalStorageRow | undefined> {
  const row = await db
    .selectFrom('external_storage')
    .select(columns)
    .where('space_id', '=', spaceId)
    .where('left_at', 'is', null)
    .executeTakeFirst()
  return row && toRow(row)
}

export async function insertExternalStorage(
  db: Db,
  { spaceId }: SpaceScope,
  row: Omit<ExternalStorageRow, 'createdAt' | 'updatedAt'> & { createdBy: string | null },
): Promise<void> {
  const { keyLast4, createdBy, ...rest } = row
  await db
    .insertInto('external_storage')
    .values({ space_id: spaceId, ...rest, key_last4: keyLast4, created_by: createdBy })
    .execute()
}

/** Changes keys, region or style of the same bucket. */
export async function updateExternalStorage(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  changes: Pick<ExternalStorageRow, 'region' | 'style' | 'keyLast4' | 'credentials'>,
): Promise<void> {
  const { keyLast4, ...rest } = changes
  await db
    .updateTable('external_storage')
    .set({ ...rest, key_last4: keyLast4, updated_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}

/** Stops using the bucket for new files; existing files are still read from it. */
export async function leaveExternalStorage(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db
    .updateTable('external_storage')
    .set({ left_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}

/** Returns the buckets that the space abandoned more than `days` days ago, oldest first. */
export function listLeft(
  db: Db,
  { spaceId }: SpaceScope,
  days: number,
): Promise<{ id: string; leftAt: Date }[]> {
  return db
    .selectFrom('external_storage')
    .select('id')
    .select(sql<Date>`left_at`.as('leftAt'))
    .where('space_id', '=', spaceId)
    .where('left_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .orderBy('left_at')
    .execute()
}

/** Deletes an abandoned bucket with its keys from the database, unless it still contains files of the space. */
export async function deleteLeft(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await sql`DELETE FROM external_storage WHERE space_id = ${spaceId} AND id = ${id} AND left_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM asset_blob WHERE space_id = ${spaceId} AND storage = ${id})`.execute(db)
}
