import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerDelivery } from '#server/delivery/routes.ts'
import { rewriteDeliveryUrl } from '#server/delivery/site.ts'
import { Content, type FixtureModel } from '#test/content-fixtures.ts'
import { createAccount, createApp, createSpace } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { createFieldIndexes, type FieldIndexes, type FieldIndexLimits } from './field-indexes.ts'
import { deliveryList, parseQuery } from './query/parse.ts'
import { listStatement } from './query/sql.ts'
import { createRegistry, type Registry } from './registry.ts'

let installation: TestInstallation
let registry: Registry
let server: FastifyInstance
let client: Client
let appUrl: string
let model: FixtureModel
let token: string
let indexes: FieldIndexes
const errors: unknown[] = []

const start = Date.UTC(2020, 0, 1)
const count = 6000

const unheard = { subscribe() {} }
const indexer = (limits: Partial<FieldIndexLimits> = {}) =>
  createFieldIndexes(installation.database, unheard, (error) => errors.push(error), {
    every: 3_600_000,
    ...limits,
  })

beforeAll(async () => {
  installation = await startInstallation()
  const { database } = installation
  client = (await createAccount(installation)).client
  const app = await createApp(client, await createSpace(client))
  appUrl = app.url
  const content = new Content(database.pool)
  const { rows } = await database.pool.query('SELECT id, space_id FROM app WHERE uid = $1', [app.uid])
  const spaceId = rows[0].space_id
  model = await content.model(spaceId, rows[0].id, 'article', [
    { uid: 'title', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'long', type: 'TEXT', inputType: 'textarea' },
    { uid: 'n', type: 'NUMBER' },
    { uid: 'date', type: 'DATE' },
    { uid: 'next', type: 'REFERENCE', modelUid: 'article' },
  ])
  const id = (n: number) => n.toString(16).padStart(24, '0')
  const long = randomBytes(600).toString('hex')
  for (let from = 0; from < count; from += 1500)
    await content.documents(
      model,
      Array.from({ length: 1500 }, (_, index) => {
        const n = from + index
        const at = new Date(start + n * 3_600_000).toISOString()
        return {
          id: id(n),
          pub: {
            title: n % 100 === 7 ? '' : `記事 ${(n * 7919) % count}`,
            slug: `s-${n}`,
            long,
            n: (n * 31) % count,
            date: at,
            next: id((n + 1) % count),
          },
          createdAt: at,
        }
      }),
    )
  token = await content.token(spaceId, 'cdn')
  registry = createRegistry(database)
  indexes = indexer()
  server = Fastify({ rewriteUrl: rewriteDeliveryUrl({ domain: 'cms.example', trustProxy: 0 }) })
  registerDelivery(server, { database, registry, fieldIndexes: indexes })
}, 60_000)

afterAll(async () => {
  await server?.close()
  await indexes?.close()
  await registry?.close()
  await installation?.close()
})

async function list(query: string) {
  const url = `/v1/${appUrl.split('/').at(-1)}/article?${query}`
  const answer = await server.inject({ url, headers: { authorization: `Bearer ${token}` } })
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

async function contentModel() {
  const found = (await registry.space(model.spaceId))?.apps.get(appUrl.split('/').at(-1) ?? '')
  return found!.models.get('article')!
}

/** The plan of the statement that delivery sends, with its parameters unknown, as of a prepared statement. */
async function genericPlan(query: string): Promise<string> {
  const known = await contentModel()
  const { text, values } = listStatement(known, 'published', parseQuery(query, known, deliveryList), false)
  const db = await installation.database.pool.connect()
  try {
    await db.query(`SET plan_cache_mode = force_generic_plan; PREPARE list AS ${text}`)
    const given = values.map((value) => pg.escapeLiteral(String(value))).join(', ')
    const { rows } = await db.query(`EXPLAIN EXECUTE list${given && `(${given})`}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    db.release(true)
  }
}

async function plan(query: string): Promise<string> {
  const known = await contentModel()
  const { text, values } = listStatement(known, 'published', parseQuery(query, known, deliveryList), false)
  const { rows } = await installation.database.pool.query(`EXPLAIN ${text}`, values)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

const nameOf = (uid: string, suffix = '') =>
  `field_index_${model.id}_${model.fields.find((field) => field.uid === uid)!._id}${suffix}`

async function present(): Promise<{ name: string; valid: boolean }[]> {
  const { rows } = await installation.database.pool.query(
    `SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     JOIN pg_class t ON t.oid = i.indrelid WHERE t.relname LIKE 'document\\_%' AND c.relname LIKE 'field_index_%' ORDER BY 1`,
  )
  return rows
}
const names = async () => (await present()).map(({ name }) => name)

async function note(by: FieldIndexes, query: string): Promise<void> {
  const known = await contentModel()
  by.note(known, parseQuery(query, known, deliveryList))
}

const served: [query: string, uid: string, suffix?: string][] = [
  ['slug=s-4321', 'slug'],
  ['slug=s-4321&limit=1', 'slug'],
  ['order=title&limit=20', 'title'],
  ['order=-title&limit=20', 'title', '_desc'],
  ['n[gte]=100&n[lt]=130&limit=10', 'n'],
  ['date=2020-03&limit=10', 'date'],
  ['date[gte]=2020-03-01&date[lt]=2020-04-01&limit=10', 'date'],
  ['next=000000000000000000000123', 'next'],
]

test('lists are answered the same with indexes, and faster plans use them', { timeout: 30_000 }, async () => {
  const before = []
  for (const [query] of served) before.push(await list(query))
  await list('long=x') // too long a text for an index
  expect(before[0].items).toHaveLength(1)
  expect(before[4].total).toBe(30)
  expect(await plan('slug=s-4321')).not.toContain('field_index')

  await indexes.run()
  expect(errors).toEqual([])
  const expected = [...new Set(served.map(([, uid, suffix]) => nameOf(uid, suffix)))].sort()
  expect(await present()).toEqual(expected.map((name) => ({ name, valid: true })))
  for (const analyzed of [false, true]) {
    if (analyzed) await installation.database.pool.query('ANALYZE document')
    for (const [query, uid, suffix] of served) {
      expect(await plan(query), query).toContain(`${nameOf(uid, suffix)} on document_`)
      expect(await genericPlan(query), query).toContain(`${nameOf(uid, suffix)} on document_`)
    }
  }
  for (const [index, [query]] of served.entries()) expect(await list(query), query).toEqual(before[index])
})

test('what was left half-built is built again; an index nobody knows goes', async () => {
  const { pool } = installation.database
  const name = nameOf('slug')
  const stray = `field_index_${model.id}_${'f'.repeat(24)}`
  const { rows } = await pool.query(`SELECT indrelid::regclass::text AS leaf FROM pg_index
    WHERE indexrelid = '${name}'::regclass`)
  await pool.query(`CREATE INDEX ${stray} ON ${rows[0].leaf} (id)`)
  // A build that fails leaves the same behind as one whose server was killed: an index that is not valid.
  await pool.query(`DROP INDEX ${name}`)
  const db = await pool.connect()
  await expect(
    db.query(`CREATE UNIQUE INDEX CONCURRENTLY ${name} ON ${rows[0].leaf} (space_id)`),
  ).rejects.toThrow('could not create unique index')
  db.release()
  expect(await present()).toContainEqual({ name, valid: false })

  const other = indexer()
  await other.run()
  await other.close()
  expect(await present()).toContainEqual({ name, valid: true })
  expect(await names()).not.toContain(stray)
  expect(await plan('slug=s-4321')).toContain(name)
})

test('two processes at once make one index, without a quarrel', async () => {
  await installation.database.pool.query(`DROP INDEX ${nameOf('n')}`)
  const two = [indexer(), indexer()]
  for (const each of two) await note(each, 'n=5')
  await Promise.all(two.map((each) => each.run()))
  await Promise.all(two.map((each) => each.close()))
  expect(errors).toEqual([])
  expect((await names()).filter((name) => name === nameOf('n'))).toHaveLength(1)
})

test('small models get none', async () => {
  await installation.database.pool.query(`DROP INDEX ${nameOf('n')}`)
  const other = indexer({ largeFrom: count })
  await note(other, 'n=5')
  await other.run()
  await other.close()
  expect(await names()).not.toContain(nameOf('n'))
})

test('a value too long for its index is published; the index goes', async () => {
  expect(await names()).toContain(nameOf('title'))
  const title = randomBytes(6000).toString('base64')
  const url = `${appUrl}/model/article/doc`
  const { document } = ok(await client.post(url, { document: { title }, type: 'PUBLISH' }))
  expect(await names()).not.toContain(nameOf('title'))
  expect(await names()).toContain(nameOf('slug'))

  const other = indexer()
  await note(other, 'order=title')
  await other.run()
  await other.close()
  expect(await names()).not.toContain(nameOf('title'))
  expect(errors).toEqual([])
  expect((await list('order=-_sys.createdAt&limit=1')).items[0]).toMatchObject({ _id: document._id, title })
})

test('no more than allowed: the least recently used one goes', async () => {
  const { pool } = installation.database
  await pool.query(`UPDATE field_index SET last_used_at = now() - interval '1 hour'`)
  const other = indexer({ perPartition: 2 })
  await note(other, 'slug=x')
  await note(other, 'n=5')
  await other.run()
  await other.close()
  expect(await names()).toEqual([nameOf('slug'), nameOf('n')].sort())

  const third = indexer({ inTotal: 1 })
  await note(third, 'date=2020')
  await third.run()
  await third.close()
  expect(await names()).toEqual([nameOf('date')])
})

test('a closed indexer gives a build up and says nothing', async () => {
  const { pool } = installation.database
  const blocker = await pool.connect()
  await blocker.query('BEGIN')
  await blocker.query('UPDATE document SET version = version WHERE model_id = $1', [model.id])
  const other = indexer()
  await note(other, 'slug=x')
  const run = other.run()
  await expect.poll(names, { timeout: 5000 }).toContain(nameOf('slug')) // waits for the transaction to end
  const began = performance.now()
  await other.close()
  await run
  expect(performance.now() - began).toBeLessThan(5000)
  await blocker.query('ROLLBACK')
  blocker.release()
  expect(errors).toEqual([])
  expect(await present()).toContainEqual({ name: nameOf('slug'), valid: false })
})

test('with the field or the model its index goes', async () => {
  const { pool } = installation.database
  await pool.query('UPDATE model SET fields = $2 WHERE id = $1', [
    model.id,
    JSON.stringify(
      model.fields.map((field) => (field.uid === 'slug' ? { ...field, type: 'MARKDOWN' } : field)),
    ),
  ])
  await indexes.run()
  expect(await names()).toEqual([nameOf('date')])
  await pool.query('UPDATE model SET deleted_at = now() WHERE id = $1', [model.id])
  await indexes.run()
  expect(await names()).toEqual([])
  expect((await pool.query('SELECT FROM field_index')).rowCount).toBe(0)
  expect(errors).toEqual([])
})
