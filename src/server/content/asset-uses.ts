import { type RawBuilder, sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'

/** Which assets a stage (0: current state, 1: published) of a document uses; none when there is no such stage any more. */
interface AssetUse {
  documentId: string
  stage: 0 | 1
  assetIds: readonly string[]
}

/**
 * For writers of documents, in the transaction of the values: makes the uses of these stages what `uses` says, each stage once.
 * Ids that are no assets (any more) may be among them. Of documents that are new there are no uses yet.
 */
export async function writeAssetUses(
  db: Db,
  scope: ModelScope,
  uses: readonly AssetUse[],
  { areNew = false }: { areNew?: boolean } = {},
): Promise<void> {
  const used = uses.flatMap(({ documentId, stage, assetIds }) =>
    [...new Set(assetIds)].map((assetId) => ({ documentId, stage, assetId })),
  )
  if (uses.length === 0 || (areNew && used.length === 0)) return
  const rows = sql`unnest(${used.map((use) => use.documentId)}::text[], ${used.map((use) => use.stage)}::smallint[],
        ${used.map((use) => use.assetId)}::text[]) AS used (document_id, stage, asset_id)`
  const insertFrom = (from: RawBuilder<unknown>) => sql`
    INSERT INTO asset_reference (space_id, model_id, document_id, stage, asset_id)
    SELECT ${scope.spaceId}::int, ${scope.modelId}::int, document_id, stage, asset_id FROM ${from}
    ON CONFLICT DO NOTHING`
  // New documents have used nothing before: looking for it would go through what all the others use.
  if (areNew) {
    await insertFrom(rows).execute(db)
    return
  }
  const [documents, stages] = [uses.map((use) => use.documentId), uses.map((use) => use.stage)]
  await sql`
    WITH used AS (SELECT * FROM ${rows}),
    gone AS (
      DELETE FROM asset_reference AS reference
      USING unnest(${documents}::text[], ${stages}::smallint[]) AS changed (id, stage)
      WHERE reference.space_id = ${scope.spaceId} AND reference.model_id = ${scope.modelId}
        AND reference.document_id = changed.id AND reference.stage = changed.stage
        AND NOT EXISTS (SELECT FROM used WHERE used.document_id = reference.document_id
          AND used.stage = reference.stage AND used.asset_id = reference.asset_id))
    ${insertFrom(sql`used`)}`.execute(db)
}
