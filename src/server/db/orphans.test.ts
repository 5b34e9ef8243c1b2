import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { hasState } from './sql-states.ts'

let installation: TestInstallation
let id: string

beforeAll(async () => {
  installation = await startInstallation()
  const { client } = await createAccount(installation)
  const app = await createApp(client, await createSpace(client))
  const model = await createModel(client, app, 'article', [
    { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
    { uid: 'next', name: '次', type: 'REFERENCE', modelUid: 'article' },
    { uid: 'cover', name: '写真', type: 'IMAGE' },
  ])
  const create = async (document: object) =>
    ok(await client.post(`${model.url}/doc`, { document })).document._id
  id = await create({ slug: 'a', next: await create({ slug: 'b' }) })
  const { kysely } = installation.database
  await sql`INSERT INTO asset_reference (space_id, model_id, document_id, asset_id)
    SELECT space_id, model_id, id, ${'c'.repeat(24)} FROM document WHERE id = ${id}`.execute(kysely)
})
afterAll(() => installation.close())

const own = {
  document_text: 'document_id',
  document_unique: 'document_id',
  document_reference: 'from_id',
  asset_reference: 'document_id',
  revision: 'document_id',
}

const deleteBut = (left: string | null) =>
  installation.database.kysely.transaction().execute(async (tx) => {
    for (const [table, column] of Object.entries(own))
      if (table !== left) {
        const { numAffectedRows } = await sql`DELETE FROM ${sql.table(table)}
          WHERE ${sql.ref(column)} = ${id}`.execute(tx)
        expect(Number(numAffectedRows), table).toBeGreaterThan(0)
      }
    await sql`DELETE FROM document WHERE id = ${id}`.execute(tx)
  })

it.each(Object.keys(own))('a document cannot be deleted before its rows of %s', async (table) => {
  const error: unknown = await deleteBut(table).catch((thrown: unknown) => thrown)
  expect(hasState(error, 'foreignKeyViolation')).toBe(true)
})

it('a document can be deleted together with its rows in all five tables', async () => {
  await deleteBut(null)
  const { rows } = await sql`SELECT FROM document WHERE id = ${id}`.execute(installation.database.kysely)
  expect(rows).toEqual([])
})
