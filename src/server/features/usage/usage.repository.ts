import { sql } from 'kysely'
import type { Db, SpaceScope, Tx } from '#server/db/scope.ts'

/** The counters of a day (`YYYY-MM-DD`, in UTC). Sizes are in bytes. */
export interface UsageCounts {
  day: string
  documentsCreated: number
  documentsDeleted: number
  assetsCreated: number
  assetsDeleted: number
  bytesAdded: number
  bytesRemoved: number
  cdnCalls: number
  apiCalls: number
}

/** Changes to the documents and assets of a space on one day. */
export type UsageChange = Omit<UsageCounts, 'cdnCalls' | 'apiCalls'> & { spaceId: number }

/**
 * Adds changes to the counters and the stock of their spaces. Each space and day occurs once. Spaces that no longer
 * exist are ignored. Rows are locked in the order of `delivery/api-calls.ts`, which prevents deadlocks.
 */
export async function addChanges(tx: Tx, changes: readonly UsageChange[]): Promise<void> {
  const rows = changes.map(({ spaceId, day, ...counts }) => ({
    space_id: spaceId,
    day,
    documents_created: counts.documentsCreated,
    documents_deleted: counts.documentsDeleted,
    assets_created: counts.assetsCreated,
    assets_deleted: counts.assetsDeleted,
    bytes_added: counts.bytesAdded,
    bytes_removed: counts.bytesRemoved,
  }))
  await sql`
    WITH change AS MATERIALIZED (
      SELECT change.* FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS change (space_id int, day date,
        documents_created bigint, documents_deleted bigint, assets_created bigint, assets_deleted bigint,
        bytes_added bigint, bytes_removed bigint)
      JOIN space ON space.id = change.space_id),
    stock AS (
      INSERT INTO usage_stock (space_id, documents, assets, bytes)
      SELECT space_id, sum(documents_created - documents_deleted), sum(assets_created - assets_deleted),
        sum(bytes_added - bytes_removed) FROM change GROUP BY space_id ORDER BY space_id
      ON CONFLICT (space_id) DO UPDATE SET documents = usage_stock.documents + excluded.documents,
        assets = usage_stock.assets + excluded.assets, bytes = usage_stock.bytes + excluded.bytes)
    INSERT INTO usage_day (space_id, day, documents_created, documents_deleted, assets_created, assets_deleted,
      bytes_added, bytes_removed)
    SELECT * FROM change ORDER BY space_id, day
    ON CONFLICT (space_id, day) DO UPDATE SET
      documents_created = usage_day.documents_created + excluded.documents_created,
      documents_deleted = usage_day.documents_deleted + excluded.documents_deleted,
      assets_created = usage_day.assets_created + excluded.assets_created,
      assets_deleted = usage_day.assets_deleted + excluded.assets_deleted,
      bytes_added = usage_day.bytes_added + excluded.bytes_added,
      bytes_removed = usage_day.bytes_removed + excluded.bytes_removed`.execute(tx)
}

/** Returns the current stock of a space, and the counters of its days with changes or calls since `fromDay`. */
export async function findUsage(
  db: Db,
  { spaceId }: SpaceScope,
  fromDay: string,
): Promise<{ stock: { documents: number; assets: number; bytes: number }; days: UsageCounts[] }> {
  const rows = await db
    .selectFrom('space')
    .leftJoin('usage_stock', 'usage_stock.space_id', 'space.id')
    .leftJoin('usage_day', (join) =>
      join.onRef('usage_day.space_id', '=', 'space.id').on('usage_day.day', '>=', fromDay),
    )
    .select([
      'documents',
      'assets',
      'bytes',
      'day',
      'documents_created as documentsCreated',
      'documents_deleted as documentsDeleted',
      'assets_created as assetsCreated',
      'assets_deleted as assetsDeleted',
      'bytes_added as bytesAdded',
      'bytes_removed as bytesRemoved',
      'cdn_calls as cdnCalls',
      'api_calls as apiCalls',
    ])
    .where('space.id', '=', spaceId)
    .execute()
  const [{ documents, assets, bytes } = {}] = rows
  return {
    stock: { documents: documents ?? 0, assets: assets ?? 0, bytes: bytes ?? 0 },
    days: rows.flatMap(({ documents: _d, assets: _a, bytes: _b, ...counts }) =>
      counts.day === null ? [] : [counts as UsageCounts],
    ),
  }
}

/** Deletes the counters of days that are more than `days` days ago. */
export async function deleteOldDays(db: Db, { spaceId }: SpaceScope, days: number): Promise<void> {
  await sql`DELETE FROM usage_day
    WHERE space_id = ${spaceId} AND day < (now() AT TIME ZONE 'UTC')::date - ${days}::int`.execute(db)
}
