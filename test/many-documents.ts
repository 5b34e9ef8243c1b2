import type { TestInstallation } from './server.ts'

/**
 * Multiplies the documents of a model with their revisions, texts, events and counters: afterwards each document exists
 * `times` times. References, unique values and uses of assets are not copied. The `_id` of copy n of document x is the
 * first 24 digits of md5(x followed by n).
 */
export async function multiply(
  { database: { pool } }: Pick<TestInstallation, 'database'>,
  modelUid: string,
  times: number,
): Promise<void> {
  const { rows } = await pool.query(`SELECT id FROM model WHERE uid = $1`, [modelUid])
  const model = Number(rows[0].id)
  const idOf = (column: string) => `substr(md5(${column} || n::text), 1, 24)`
  const copies = `generate_series(2, ${times}) n`
  const copy = (table: string, key: string) => `
    INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object('${key}', ${idOf(key)}))).*
    FROM ${table} t, ${copies} WHERE t.model_id = ${model}`
  await pool.query(copy('document', 'id'))
  for (const table of ['revision', 'document_text']) await pool.query(copy(table, 'document_id'))
  await pool.query(`
    INSERT INTO event (space_id, type, app_id, model_id, document_id, actor_id, payload)
    SELECT space_id, type, app_id, model_id, ${idOf('document_id')}, actor_id, payload
    FROM event, ${copies} WHERE document_id IS NOT NULL AND model_id = ${model}`)
  await pool.query(`
    UPDATE model_stat SET documents = documents * ${times}, published = published * ${times} WHERE model_id = ${model}`)
}
