import { type RawBuilder, sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'

/** The assets that a document uses in any of its states, each once. */
interface AssetUses {
  id: string
  /** Whether the document is new and thus has no stored uses yet. */
  isNew: boolean
  assetIds: readonly string[]
}

/**
 * Replaces the stored uses of these documents with `uses`. Call it in the transaction that writes the values. Ids of
 * missing or deleted assets are allowed.
 */
export async function writeAssetUses(db: Db, scope: ModelScope, uses: readonly AssetUses[]): Promise<void> {
  const used = uses.flatMap(({ id, assetIds }) => assetIds.map((assetId) => ({ id, assetId })))
  // Skipping the DELETE for new documents avoids scanning the uses of all other documents.
  const before = uses.filter(({ isNew }) => !isNew)
  if (used.length + before.length === 0) return
  const rows = sql`unnest(${used.map(({ id }) => id)}::text[], ${used.map(({ assetId }) => assetId)}::text[])
        AS used (document_id, asset_id)`
  const insertFrom = (from: RawBuilder<unknown>) => sql`
    INSERT INTO asset_reference (space_id, model_id, document_id, asset_id)
    SELECT ${scope.spaceId}::int, ${scope.modelId}::int, document_id, asset_id FROM ${from}`
  if (before.length === 0) {
    await insertFrom(rows).execute(db)
    return
  }
  await sql`
    WITH used AS (SELECT * FROM ${rows}),
    gone AS (
      DELETE FROM asset_reference AS reference
      WHERE reference.space_id = ${scope.spaceId} AND reference.model_id = ${scope.modelId}
        AND reference.document_id = ANY(${before.map(({ id }) => id)}::text[])
        AND NOT EXISTS (SELECT FROM used WHERE used.document_id = reference.document_id
          AND used.asset_id = reference.asset_id))
    ${insertFrom(sql`used`)}
    ON CONFLICT DO NOTHING`.execute(db)
}
