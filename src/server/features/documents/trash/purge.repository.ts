import { sql } from 'kysely'
import type { Tx } from '#server/db/scope.ts'
import { trashDays } from '#shared/contract/documents.ts'

export interface Key {
  space_id: number
  model_id: number
  id: string
}

/** Deletes the documents with all dependent rows. References to them stay. */
export async function deleteDocuments(tx: Tx, keys: Key[]): Promise<void> {
  const gone = sql`unnest(${keys.map((key) => key.model_id)}::int[], ${keys.map((key) => key.id)}::text[]) AS gone (model_id, id)`
  for (const table of ['document_text', 'document_unique', 'document_before', 'asset_reference', 'revision'])
    await sql`DELETE FROM ${sql.table(table)} AS own USING ${gone}
      WHERE own.model_id = gone.model_id AND own.document_id = gone.id`.execute(tx)
  await sql`DELETE FROM document_reference AS own USING ${gone}
    WHERE own.from_model_id = gone.model_id AND own.from_id = gone.id`.execute(tx)
  await sql`DELETE FROM document AS own USING ${gone}
    WHERE own.model_id = gone.model_id AND own.id = gone.id`.execute(tx)
}

/** Locks up to `limit` documents whose time in the trash has ended. Locked documents are skipped. */
export async function lockTrashed(tx: Tx, limit: number): Promise<Key[]> {
  const { rows } = await sql<Key>`
    SELECT space_id, model_id, id FROM document WHERE deleted_at < now() - make_interval(days => ${trashDays})
    ORDER BY deleted_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(tx)
  return rows
}

/** Locks up to `limit` documents of the model. Locked documents are skipped. */
export async function lockOfModel(tx: Tx, modelId: number, limit: number): Promise<Key[]> {
  const { rows } = await sql<Key>`
    SELECT space_id, model_id, id FROM document WHERE model_id = ${modelId}
    LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(tx)
  return rows
}
