import { sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'

/**
 * Sets the ranks of these documents to 1, 2, 3, etc. Other documents with a rank follow in their order. The caller must
 * have locked the model.
 */
export async function updateCustomOrder(db: Db, scope: ModelScope, ids: string[]): Promise<void> {
  await sql`
    WITH ranked AS (
      SELECT document.id, row_number() OVER (ORDER BY given.position NULLS LAST, custom_order, document.id) AS rank
      FROM document LEFT JOIN unnest(${ids}::text[]) WITH ORDINALITY AS given (id, position) ON given.id = document.id
      WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId} AND deleted_at IS NULL
        AND (given.id IS NOT NULL OR custom_order IS NOT NULL))
    UPDATE document SET custom_order = ranked.rank FROM ranked
    WHERE document.space_id = ${scope.spaceId} AND document.model_id = ${scope.modelId} AND document.id = ranked.id
      AND document.custom_order IS DISTINCT FROM ranked.rank`.execute(db)
}

export async function resetCustomOrder(db: Db, scope: ModelScope): Promise<void> {
  await db
    .updateTable('document')
    .set({ custom_order: null })
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('custom_order', 'is not', null)
    .execute()
}
