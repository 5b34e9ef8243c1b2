import type { Insertable, Selectable } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import type { Tables } from '#server/db/tables.ts'

/** Returns the keys with which this installation has signed archives, newest first. */
export function listKeys(db: Db): Promise<Selectable<Tables['archive_key']>[]> {
  return db.selectFrom('archive_key').selectAll().orderBy('created_at', 'desc').execute()
}

export async function insertKey(db: Db, key: Insertable<Tables['archive_key']>): Promise<void> {
  await db.insertInto('archive_key').values(key).execute()
}

/** Returns whether this installation has signed with the key of this fingerprint. */
export async function isOwnKey(db: Db, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('archive_key')
    .select('fingerprint')
    .where('fingerprint', '=', key)
    .executeTakeFirst()
  return row !== undefined
}
