import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { gramsOf } from '#server/content/text.ts'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { multiply } from '#test/many-documents.ts'
import { runWaiting } from '#test/run-now.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { large } from './models.change.ts'
import { convertModelJob, renewTextsJob } from './models.jobs.ts'
import { renewTexts } from './models.renew-texts.ts'

const usual = large.moreThan

let installation: TestInstallation
let client: Client
beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
})
afterAll(() => installation?.close())

it('search texts of stored HTML are recomputed by the job that database migration 0154 adds', async () => {
  const space = await createSpace(client)
  const model = await createModel(client, await createApp(client, space), 'article', [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
  ])
  const docs = `${model.url}/doc`
  const body = '<ul><li>東京<ul><li>都庁</li></ul></li></ul>'
  for (const [type, values] of [
    ['PUBLISH', { title: '公開', body }],
    ['SAVE', { title: '下書き', body }],
    ['SAVE', { title: '東京都', body: '<p>庁舎</p>' }],
  ] as const)
    ok(await client.post(docs, { document: values, type }))
  const total = async (word: string) =>
    ok(await client.get(`${docs}?search=${encodeURIComponent(word)}`)).total
  const stored = () => sql`SELECT * FROM document_text ORDER BY document_id`.execute(db())
  const { rows: current } = await stored()
  // Restores the texts as an earlier version stored them.
  await sql`UPDATE document_text SET texts = replace(texts::text, '東京\\n都庁', '東京都庁')::jsonb,
    grams = grams || ${gramsOf('東京都庁')}::int[] WHERE texts::text LIKE '%都庁%'`.execute(db())
  expect(await total('東京都')).toBe(3)

  const migration = new URL('../../db/migrations/0154_texts_are_renewed.sql', import.meta.url)
  await sql.raw(await readFile(migration, 'utf8')).execute(db())
  await runWaiting(installation, renewTextsJob)
  expect([await total('東京都'), await total('都庁')]).toEqual([1, 2])
  expect((await stored()).rows).toEqual(current)
})

it('search texts of large documents are recomputed one document at a time', async () => {
  const model = await createModel(client, await createApp(client, await createSpace(client)), 'large', [
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
  ])
  const body = '<p>東京都庁</p>'.repeat(17_000) // 320 KB
  ok(await client.post(`${model.url}/doc`, { document: { body }, type: 'PUBLISH' }))
  await multiply(installation, 'large', 30)
  const modelId = sql`SELECT id FROM model WHERE uid = 'large'`
  await sql`UPDATE document_text SET texts = '{}' WHERE model_id = (${modelId})`.execute(db())
  const firsts: string[] = []
  await renewTexts({ db: db(), progress: async () => {}, at: (id) => firsts.push(id) })
  const { rows } = await sql<{ id: string; texts: object }>`
    SELECT document_id AS id, texts FROM document_text WHERE model_id = (${modelId}) ORDER BY 1`.execute(db())
  expect(rows).toHaveLength(30)
  expect(firsts).toEqual(expect.arrayContaining(rows.map(({ id }) => id)))
  for (const { texts } of rows) expect(Object.values(texts)[0]).toContain('東京都庁\n東京都庁')
})

it('search texts are recomputed by a pending conversion if it changes the document, else by renewTexts', async () => {
  const model = await createModel(client, await createApp(client, await createSpace(client)), 'article', [
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
  ])
  const save = async (document: object) =>
    ok(await client.post(`${model.url}/doc`, { document, type: 'SAVE' })).document._id
  const change = async (field: object) => {
    const data = { fields: [...model.fields, { uid: 'n', name: '数', ...field }] }
    return ok(await client.put(model.url, { data })).model.fields[1]
  }
  const body = '<p>都庁</p>'
  const untouched = await save({ body })
  const { _id } = await change({ type: 'TEXT' })
  const touched = await save({ body, n: '12' })
  large.moreThan = 0
  try {
    await change({ _id, type: 'NUMBER' })
  } finally {
    large.moreThan = usual
  }
  const both = [untouched, touched]
  await sql`UPDATE document_text SET texts = '{}' WHERE document_id = ANY(${both}::text[])`.execute(db())
  const recomputed = async () => {
    const { rows } = await sql<{ id: string }>`SELECT document_id AS id FROM document_text
      WHERE document_id = ANY(${both}::text[]) AND texts::text LIKE '%都庁%'`.execute(db())
    return rows.map(({ id }) => id).sort()
  }
  await renewTexts({ db: db(), progress: async () => {}, at: () => {} })
  expect(await recomputed()).toEqual([untouched])
  await runWaiting(installation, convertModelJob)
  expect(await recomputed()).toEqual(both.sort())
})

const db = () => installation.database.kysely
