import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isRefusedValue } from '#server/db/sql-states.ts'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let docs: string
/** Ids of two topics that test documents refer to. The two assets below exist only as `_id`s. */
let [first, second] = ['', '']
const [cover, other] = ['c'.repeat(24), 'd'.repeat(24)]

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  const app = await createApp(client, await createSpace(client))
  const topics = await createModel(client, app, 'topic', [{ uid: 'name', name: '名前', type: 'TEXT' }])
  const model = await createModel(client, app, 'article', [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
    { uid: 'topics', name: '話題', type: 'REFERENCE', modelUid: 'topic', multiple: true },
    { uid: 'body', name: '本文', type: 'MARKDOWN' },
  ])
  docs = `${model.url}/doc`
  first = ok(await client.post(`${topics.url}/doc`, { document: { name: '池' } })).document._id
  second = ok(await client.post(`${topics.url}/doc`, { document: { name: '川' } })).document._id
})
afterAll(() => installation.close())

const rowsOf = async (table: string, columns: string, condition = 'TRUE') => {
  const { rows } = await installation.database.pool.query(
    `SELECT ${columns} FROM ${table} WHERE ${condition} ORDER BY ${columns.replace('DISTINCT ', '')}`,
  )
  return rows.map((row) => Object.values(row).join(' '))
}
const stagesOf = (id: string) => rowsOf('document_text', 'stage', `document_id = '${id}'`)
const referred = (id: string) => rowsOf('document_reference', 'to_id', `from_id = '${id}'`)
const used = (id: string) => rowsOf('asset_reference', 'asset_id', `document_id = '${id}'`)
const picture = (id: string) => `![](/space.assets/v1/${id}/x.png)`

async function create(document: object, type = 'SAVE'): Promise<string> {
  return ok(await client.post(docs, { document, type })).document._id
}

it('a published document has one row of texts until it is edited', async () => {
  const id = await create({ title: '雨', topics: [first] })
  expect(await stagesOf(id)).toEqual(['0'])
  ok(await client.post(`${docs}/bulkPublish`, { documentIds: [id] }))
  expect(await stagesOf(id)).toEqual(['2'])
  ok(await client.put(`${docs}/${id}`, { doc: { title: '晴れ', topics: [second] } }))
  expect(await stagesOf(id)).toEqual(['0', '1'])
  expect(await referred(id)).toEqual([first, second].sort())
  ok(await client.post(`${docs}/bulkPublish`, { documentIds: [id] }))
  expect(await stagesOf(id)).toEqual(['2'])
  expect(await referred(id)).toEqual([second])
  ok(await client.post(`${docs}/bulkUnpublish`, { documentIds: [id] }))
  expect(await stagesOf(id)).toEqual(['0'])
  expect(await findViolations(installation.database)).toEqual([])
})

it('asset_reference contains the assets of the draft and of the published values', async () => {
  const id = await create({ title: '雨', body: picture(cover) }, 'PUBLISH')
  expect(await used(id)).toEqual([cover])
  ok(await client.put(`${docs}/${id}`, { doc: { body: picture(other) } }))
  expect(await used(id)).toEqual([cover, other])
  ok(await client.post(`${docs}/bulkPublish`, { documentIds: [id] }))
  expect(await used(id)).toEqual([other])
  expect(await findViolations(installation.database)).toEqual([])
})

it('migration 0072 converts one row per state to the rows that the current code writes', async () => {
  await create({ title: '公開', slug: 'a', topics: [first], body: picture(cover) }, 'PUBLISH')
  const changed = await create({ title: '公開', slug: 'b', topics: [first], body: picture(cover) }, 'PUBLISH')
  ok(await client.put(`${docs}/${changed}`, { doc: { title: '下書き', slug: 'a', topics: [second] } }))
  await create({ title: '下書き', slug: 'c', topics: [second] })
  const all = async () => [
    await rowsOf('document_text', 'document_id, stage, texts, grams'),
    await rowsOf('document_reference', 'from_model_id, from_id, to_model_id, to_id'),
    await rowsOf('asset_reference', 'model_id, document_id, asset_id'),
    await rowsOf('document_unique', 'document_id, stage, field_id, value_hash'),
  ]
  const written = await all()
  const migration = new URL('../db/migrations/0072_one_row_for_both_states.sql', import.meta.url)
  const connection = await installation.database.pool.connect()
  try {
    await connection.query('BEGIN')
    await connection.query(asBefore)
    await connection.query(await readFile(migration, 'utf8'))
    await connection.query('COMMIT')
  } finally {
    connection.release(true)
  }
  expect(await all()).toEqual(written)
  expect(await findViolations(installation.database)).toEqual([])
  const parts = await rowsOf('pg_class', 'DISTINCT reloptions', "relname LIKE 'document_text_%_grams_idx'")
  expect(parts).toEqual(['fastupdate=on'])
})

it.each(['A'.repeat(24), 'g'.repeat(24), 'あ'.repeat(8), 'ab', ` ${'a'.repeat(23)}`])(
  '%j is rejected by the SQL type `hex_id`',
  async (id) => {
    const error: unknown = await installation.database.pool
      .query('SELECT $1::text::hex_id', [id])
      .catch((thrown) => thrown)
    expect(isRefusedValue(error)).toBe(true)
  },
)

/** SQL that restores the older table layout: one row per state, even if both states are equal. */
const asBefore = `
  INSERT INTO document_text SELECT space_id, model_id, document_id, 1, texts, grams FROM document_text WHERE stage = 2;
  UPDATE document_text SET stage = 0 WHERE stage = 2;
  DROP INDEX document_unique_published, document_unique_drafts;
  INSERT INTO document_unique SELECT space_id, model_id, field_id, value_hash, document_id, 1 FROM document_unique WHERE stage = 2;
  UPDATE document_unique SET stage = 0 WHERE stage = 2;
  CREATE INDEX document_unique_published ON document_unique (model_id);
  CREATE INDEX document_unique_current ON document_unique (model_id);
  ALTER TABLE document_reference DROP CONSTRAINT document_reference_pkey;
  DROP INDEX document_reference_target;
  ALTER TABLE document_reference ADD COLUMN stage smallint NOT NULL DEFAULT 0;
  INSERT INTO document_reference (space_id, from_model_id, from_id, to_model_id, to_id, stage)
    SELECT reference.space_id, from_model_id, from_id, to_model_id, to_id, 1 FROM document_reference AS reference
    JOIN document ON document.model_id = from_model_id AND document.id = from_id WHERE document.pub IS NOT NULL;
  ALTER TABLE document_reference ADD PRIMARY KEY (from_model_id, from_id, stage, to_model_id, to_id);
  ALTER TABLE asset_reference DROP CONSTRAINT asset_reference_pkey;
  ALTER TABLE asset_reference ADD COLUMN stage smallint NOT NULL DEFAULT 0;
  INSERT INTO asset_reference (space_id, model_id, document_id, asset_id, stage)
    SELECT reference.space_id, reference.model_id, document_id, asset_id, 1 FROM asset_reference AS reference
    JOIN document ON document.model_id = reference.model_id AND document.id = document_id WHERE document.pub IS NOT NULL;
  ALTER TABLE asset_reference ADD PRIMARY KEY (model_id, document_id, stage, asset_id);
  ALTER TABLE revision ADD FOREIGN KEY (model_id, document_id) REFERENCES document (model_id, id);`
