import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enterSpace, spaceScope } from '#server/db/scope.ts'
import { registerDelivery } from '#server/delivery/routes.ts'
import { rewriteDeliveryUrl } from '#server/delivery/site.ts'
import { makeFieldIndexesJob } from '#server/features/field-indexes/field-indexes.jobs.ts'
import { startWorker, type Worker } from '#server/jobs/runner.ts'
import { buildServer } from '#server/server.ts'
import { Content, type FixtureModel } from '#test/content-fixtures.ts'
import { createAccount, createApp, createSpace } from '#test/factories.ts'
import { type FieldIndexer, startFieldIndexer } from '#test/field-indexes.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { byValue, byValueInOrder, indexName } from '../query/indexes.ts'
import { countStatement, listStatement } from '../query/list.ts'
import { deliveryList, managementList, parseQuery } from '../query/parse.ts'
import type { Statement } from '../query/sql.ts'
import { newestFirst, type OrderKey } from '../query/tree.ts'
import { fromKysely, type Handle, selectDocuments } from '../read.ts'
import { createRegistry, type Registry } from '../registry.ts'
import { createTotalsCache } from '../totals.ts'
import type { FieldIndexLimits } from './limits.ts'
import { usesOf } from './uses.ts'

let installation: TestInstallation
let registry: Registry
let server: FastifyInstance
let client: Client
let content: Content
let appUrl: string
let model: FixtureModel
let token: string
let indexes: FieldIndexer
const errors: unknown[] = []

const start = Date.UTC(2020, 0, 1)
const count = 1500
const largeFrom = 500

const unheard = { subscribe() {} }
const indexer = (limits: Partial<FieldIndexLimits> = {}) =>
  startFieldIndexer(installation.database, unheard, (error) => errors.push(error), {
    every: 3_600_000,
    largeFrom,
    ...limits,
  })

const id = (n: number) => n.toString(16).padStart(24, '0')
/** The section of the 150 oldest documents, a tenth of all documents. */
const old = id(1)

beforeAll(async () => {
  installation = await startInstallation()
  const { database } = installation
  client = (await createAccount(installation)).client
  const app = await createApp(client, await createSpace(client))
  appUrl = app.url
  content = new Content(database.pool)
  const { rows } = await database.pool.query('SELECT id, space_id FROM app WHERE uid = $1', [app.uid])
  const spaceId = rows[0].space_id
  model = await content.model(spaceId, rows[0].id, 'article', [
    { uid: 'title', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'long', type: 'TEXT', inputType: 'textarea' },
    { uid: 'n', type: 'NUMBER' },
    { uid: 'rank', type: 'NUMBER' },
    { uid: 'date', type: 'DATE' },
    { uid: 'next', type: 'REFERENCE', modelUid: 'article' },
    { uid: 'section', type: 'REFERENCE', modelUid: 'article' },
    { uid: 'tags', type: 'TEXT', multiple: true },
  ])
  await content.documents(
    model,
    Array.from({ length: count }, (_, n) => {
      const at = new Date(start + n * 3_600_000).toISOString()
      return {
        id: id(n),
        pub: {
          title: n % 100 === 7 ? '' : `記事 ${(n * 7919) % count}`,
          slug: `s-${n}`,
          n: (n * 31) % count,
          date: at,
          next: id((n + 1) % count),
          section: n < 150 ? old : id(2 + (n % 9)),
          tags: [n % 500 === 3 ? 'まれな札' : 'ふつう'],
        },
        createdAt: at,
      }
    }),
  )
  token = await content.token(spaceId, 'cdn')
  registry = createRegistry(database)
  indexes = indexer()
  server = Fastify({ rewriteUrl: rewriteDeliveryUrl({ domain: 'cms.example', trustProxy: 0 }) })
  registerDelivery(server, {
    config: { url: 'http://localhost:3000' },
    database,
    registry,
    fieldIndexes: indexes,
  })
})

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
  const found = (await registry.space(model.spaceId))?.space.apps.get(appUrl.split('/').at(-1) ?? '')
  return found!.models.get('article')!
}

interface Plan {
  'Actual Rows': number
  'Actual Loops': number
  'Relation Name'?: string
  'Index Name'?: string
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/**
 * Runs a statement, planned for its values or generically (`generic`). Returns the field indexes that it used and the
 * number of documents that it read.
 */
async function run({ text, values }: Statement, generic: boolean) {
  const db = await installation.database.pool.connect()
  try {
    await db.query(`SET plan_cache_mode = ${generic ? 'force_generic_plan' : 'force_custom_plan'}`)
    await db.query(`PREPARE list AS ${text}`)
    const given = values.map((value) => literal(value)).join(', ')
    const { rows } = await db.query(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE list${given && `(${given})`}`,
    )
    const used = new Set<string>()
    let touched = 0
    const walk = (plan: Plan): void => {
      if (plan['Actual Loops'] === 0) return
      if (plan['Index Name']?.startsWith('field_index')) used.add(plan['Index Name'])
      if (/^document_\d+$/.test(plan['Relation Name'] ?? ''))
        touched +=
          plan['Actual Loops'] *
          (plan['Actual Rows'] +
            (plan['Rows Removed by Filter'] ?? 0) +
            (plan['Rows Removed by Index Recheck'] ?? 0))
      plan.Plans?.forEach(walk)
    }
    walk(rows[0]['QUERY PLAN'][0].Plan)
    return { used, touched }
  } finally {
    db.release(true)
  }
}

const literal = (value: unknown) =>
  pg.escapeLiteral(
    Array.isArray(value) ? `{${value.map((item) => JSON.stringify(String(item))).join()}}` : String(value),
  )

async function runList(query: string, generic = false) {
  const known = await contentModel()
  return run(listStatement(known, 'published', parseQuery(query, known, deliveryList), { indexes }), generic)
}

const field = (uid: string) => model.fields.find((candidate) => candidate.uid === uid)!
const nameOf = (uid: string, descending = false) => indexName(byValue(model.id, field(uid), descending)!)
const nameInOrder = (uid: string, order: OrderKey[] = newestFirst) =>
  indexName(byValueInOrder(model.id, field(uid), order)!)
const lastChanged: OrderKey[] = [{ leaf: { kind: 'system', name: '_sys.updatedAt' }, descending: true }]
const latest = (): OrderKey[] => [{ leaf: { kind: 'field', field: field('date') }, descending: true }]

async function present(): Promise<{ name: string; valid: boolean }[]> {
  const { rows } = await installation.database.pool.query(
    `SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     JOIN pg_class t ON t.oid = i.indrelid WHERE t.relname LIKE 'document\\_%' AND c.relname LIKE 'field_index_%' ORDER BY 1`,
  )
  return rows
}
const names = async () => (await present()).map(({ name }) => name)

async function note(by: FieldIndexer, query: string): Promise<void> {
  const known = await contentModel()
  by.note(usesOf(known, 'published', parseQuery(query, known, deliveryList)))
}

/** Each entry: a query, the index that it must use, and the maximum number of documents that it may read. */
const served: [query: string, index: () => string, touched: number][] = [
  ['slug=s-4321', () => nameInOrder('slug'), 2],
  ['slug=s-321&limit=1', () => nameInOrder('slug'), 2],
  ['section=000000000000000000000001&order=-date&limit=5', () => nameInOrder('section', latest()), 110],
  ['section=000000000000000000000001&limit=5', () => nameInOrder('section'), 110],
  // 145 rows of the list, and 150 that are counted without reading their bodies.
  ['section=000000000000000000000001&limit=5&skip=140', () => nameInOrder('section'), 295],
  ['order=title&limit=20', () => nameOf('title'), 20],
  ['order=-title&limit=20', () => nameOf('title', true), 20],
  ['n[gte]=100&n[lt]=130&limit=1', () => nameOf('n'), 60],
  ['date=2020-02-01&limit=1', () => nameOf('date'), 50],
  ['date[gte]=2020-02-01&date[lt]=2020-02-02&limit=10', () => nameOf('date'), 60],
  ['next=000000000000000000000123&limit=1', () => nameInOrder('next'), 2],
]

test('without field indexes, selective filters by own texts or references read at most 40 documents', async () => {
  for (const [query, touched] of [
    ['slug=s-321&limit=1', 40],
    ['next=000000000000000000000123&limit=1', 2],
    ['next.slug=s-321&limit=1', count + 40],
    ['tags=まれな札&limit=1', 8],
  ] as const)
    for (const generic of [false, true])
      expect((await runList(query, generic)).touched, query).toBeLessThanOrEqual(touched)
})

test('lists use field indexes with or without statistics, and return the same responses as before', async () => {
  const before = []
  for (const [query] of served) before.push(await list(query))
  await list('long=x') // a textarea field gets no index, because its texts may be too long
  expect(before[0].items).toHaveLength(0)
  expect(before[2]).toMatchObject({ total: 150, items: { length: 5 } })
  expect(before[7].total).toBe(30)

  // A run that an earlier flush has started includes only the uses recorded before it.
  const missing = async () => {
    await indexes.run()
    const valid = new Set((await present()).flatMap((index) => (index.valid ? [index.name] : [])))
    return served.flatMap(([, index]) => (valid.has(index()) ? [] : [index()]))
  }
  await expect.poll(missing).toEqual([])
  expect(errors).toEqual([])
  const looks = async (belief: string) => {
    for (const [query, index, most] of served)
      for (const generic of [false, true]) {
        const { used, touched } = await runList(query, generic)
        expect([...used], `${query}, ${belief}`).toContain(index())
        expect(touched, `${query}, ${belief}`).toBeLessThanOrEqual(most)
      }
  }
  await looks('with nothing known')
  await installation.database.pool.query('ANALYZE document')
  await looks('analysed')
  for (const [index, [query]] of served.entries()) expect(await list(query), query).toEqual(before[index])
})

test('a total needs at most one further statement, and none while it is cached', async () => {
  const { database } = installation
  const known = await contentModel()
  const statements: string[] = []
  const totals = createTotalsCache()
  const handle = {
    query: (text: string, values: unknown[]) => {
      statements.push(text)
      return database.pool.query(text, values)
    },
  }
  const find = async (query: string) => {
    statements.length = 0
    const parsed = parseQuery(query, known, deliveryList)
    const options = { model: known, stage: 'published', query: parsed, totals, indexes } as const
    return { ...(await selectDocuments(handle, options)), asked: statements.length }
  }
  expect(await find('slug=s-77&limit=1')).toMatchObject({ total: 1, asked: 1 })
  expect(await find('n[lt]=500&limit=1')).toMatchObject({ total: 500, asked: 1 })
  expect(await find('section=000000000000000000000001&limit=5')).toMatchObject({ total: 150, asked: 2 })
  expect(await find('section=000000000000000000000001&limit=5')).toMatchObject({ total: 150, asked: 1 })
  const query = parseQuery('section=000000000000000000000001', known, deliveryList)
  const counting = countStatement(known, 'published', query, { indexes })
  expect((await run(counting, true)).touched).toBeLessThanOrEqual(150)
})

test('lists for members use separate indexes in spite of row-level security', async () => {
  const known = await contentModel()
  const inSpace = <T>(work: (handle: Handle) => Promise<T>) =>
    installation.database.kysely.transaction().execute(async (tx) => {
      await enterSpace(tx, spaceScope(model.spaceId))
      return work(fromKysely(tx))
    })
  const parse = (query: string) => parseQuery(query, known, managementList)
  const find = (query: string, few?: number) =>
    inSpace(async (handle) => {
      const options = { model: known, stage: 'current', query: parse(query), managed: true, indexes } as const
      const { rows, total } = await selectDocuments(handle, few === undefined ? options : { ...options, few })
      return [rows.map(({ id }) => id), total]
    })
  const index = (uid: string, descending = false) =>
    indexName(byValue(model.id, field(uid), descending, 'current')!)
  const asked: [query: string, index: string][] = [
    ['order=title&limit=20', index('title')],
    ['order=-title&limit=20&skip=1490', index('title', true)],
    ['n[gte]=100&n[lt]=130&limit=5', index('n')], // matches spread over the whole list
    ['n[gte]=100&n[lt]=130&limit=5&skip=28', index('n')],
    ['date[gte]=2020-01-02&date[lt]=2020-01-12&limit=5', index('date')], // matches near the end of the list
    ['date[gte]=2020-01-02&date[lt]=2020-01-12&limit=5&order=_sys.createdAt', index('date')],
    [
      `section=${old}&limit=5&skip=140`,
      indexName(byValueInOrder(model.id, field('section'), lastChanged, 'current')!),
    ],
  ]
  const before = []
  for (const [query] of asked) before.push(await find(query))
  indexes.note(asked.flatMap(([query]) => usesOf(known, 'current', parse(query))))
  await indexes.run()
  expect(errors).toEqual([])
  for (const [at, [query, name]] of asked.entries()) {
    for (const few of [undefined, 1])
      expect([query, ...(await find(query, few))]).toEqual([query, ...before[at]!])
    const options = { managed: true, indexes }
    const { text, values } = listStatement(known, 'current', parse(query), options)
    const { rows } = await inSpace((handle) => handle.query(`EXPLAIN ${text}`, values))
    expect([query, rows.some((row) => String(row['QUERY PLAN']).includes(name))]).toEqual([query, true])
  }
})

test('a model that becomes large gets the indexes of likely lists without a list request', async () => {
  const small = await content.model(model.spaceId, model.appId, 'note', [
    { uid: 'slug', type: 'TEXT' },
    { uid: 'title', type: 'TEXT' },
    { uid: 'date', type: 'DATE' },
    { uid: 'section', type: 'REFERENCE', modelUid: 'article' },
  ])
  await content.documents(
    small,
    Array.from({ length: 9 }, (_, n) => ({ pub: { slug: `n-${n}` } })),
  )
  const limits = { every: 100, firstAfter: 20, largeFrom: 9 }
  const other = startFieldIndexer(
    installation.database,
    registry.notices,
    (error) => errors.push(error),
    limits,
  )
  try {
    const url = `${appUrl}/model/note/doc`
    ok(await client.post(url, { document: { slug: 'n-9', title: '十番目' }, type: 'PUBLISH' }))
    const own = async () => (await names()).filter((name) => name.startsWith(`field_index_${small.id}_`))
    await expect.poll(own).toHaveLength(4)
    const [slug, , date, section] = small.fields
    const byDate: OrderKey[] = [{ leaf: { kind: 'field', field: date! }, descending: true }]
    for (const index of [
      byValueInOrder(small.id, slug!, newestFirst),
      byValueInOrder(small.id, section!, newestFirst),
      byValueInOrder(small.id, section!, byDate),
      byValue(small.id, date!, true),
    ])
      await expect.poll(() => other.has(index!)).toBe(true)
    expect(errors).toEqual([])
  } finally {
    await other.close()
  }
})

test('an interrupted build is repeated, and an unknown index is dropped', async () => {
  const { pool } = installation.database
  const name = nameInOrder('slug')
  const stray = `field_index_${model.id}_${'f'.repeat(24)}_01234567`
  const { rows } = await pool.query(`SELECT indrelid::regclass::text AS leaf FROM pg_index
    WHERE indexrelid = '${name}'::regclass`)
  await pool.query(`CREATE INDEX ${stray} ON ${rows[0].leaf} (id)`)
  // A failed build leaves an invalid index, like a build that a killed server interrupts.
  await pool.query(`DROP INDEX ${name}`)
  const db = await pool.connect()
  await expect(
    db.query(`CREATE UNIQUE INDEX CONCURRENTLY ${name} ON ${rows[0].leaf} (space_id)`),
  ).rejects.toThrow('could not create unique index')
  db.release()
  expect(await present()).toContainEqual({ name, valid: false })
  await indexes.run()
  expect(indexes.has(byValueInOrder(model.id, field('slug'), newestFirst)!)).toBe(true)
  expect(await present()).toContainEqual({ name, valid: true })
  expect(await names()).not.toContain(stray)
  expect([...(await runList('slug=s-4321')).used]).toEqual([name])
})

test('a list that times out without its index returns a 429 with the waiting time', {
  tags: ['full'],
}, async () => {
  const url = `/v1/${appUrl.split('/').at(-1)}/article?rank[gte]=0&order=-rank&limit=2`
  const read = () => server.inject({ url, headers: { authorization: `Bearer ${token}` } })
  const found = await contentModel()
  const missing = usesOf(found, 'published', parseQuery('rank[gte]=0&order=-rank', found, deliveryList))
  expect(missing.some((use) => !indexes.has(use))).toBe(true)
  const blocker = await installation.database.pool.connect()
  try {
    await blocker.query('BEGIN')
    await blocker.query('LOCK TABLE document IN ACCESS EXCLUSIVE MODE')
    const answer = await read()
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '30'])
    expect(answer.json()).toEqual({
      status: 429,
      code: 'TooManyRequests',
      message: expect.stringContaining('an index on "rank", which is being made'),
    })
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
  expect((await read()).statusCode).toBe(200)
})

test('the response of a list does not change if its index is dropped without a notice', async () => {
  const before = await list('n[gte]=100&n[lt]=130&limit=3&order=-n')
  await installation.database.pool.query(`DROP INDEX ${nameOf('n')}`)
  expect(indexes.has(byValue(model.id, field('n'))!)).toBe(true)
  expect(await list('n[gte]=100&n[lt]=130&limit=3&order=-n')).toEqual(before)
})

test('a worker builds an index for a use that a web server recorded', async () => {
  const { pool, jobsPool } = installation.database
  const web = await buildServer(installation.deps)
  let worker: Worker | undefined
  try {
    await pool.query(`DROP INDEX IF EXISTS ${nameOf('n')}`)
    const url = `/v1/${appUrl.split('/').at(-1)}/article?n[lt]=5`
    const answer = await web.inject({ url, headers: { authorization: `Bearer ${token}` } })
    expect(answer.json().total).toBe(5)
    const told = async () =>
      (await pool.query('SELECT FROM field_index_use WHERE name = $1', [nameOf('n')])).rowCount
    await expect.poll(told).toBe(1)
    worker = startWorker({
      services: installation.deps.services,
      jobsPool,
      jobs: [makeFieldIndexesJob],
      cronJobs: [],
      eventConsumers: [],
    })
    await expect.poll(present).toContainEqual({ name: nameOf('n'), valid: true })
    await expect.poll(told).toBe(0)
    const done = async () =>
      (await pool.query(`SELECT DISTINCT state FROM job WHERE name = 'fieldIndexes.make'`)).rows
    await expect.poll(done).toEqual([{ state: 'done' }])
  } finally {
    await worker?.close(0)
    await web.close()
  }
})

test('two concurrent indexers build one index without errors', async () => {
  const two = [indexer(), indexer()]
  for (const each of two) await note(each, 'n[lt]=5')
  await Promise.all(two.map((each) => each.run()))
  await Promise.all(two.map((each) => each.close()))
  expect(errors).toEqual([])
  expect((await names()).filter((name) => name === nameOf('n'))).toHaveLength(1)
})

test('a model with no more documents than the limit gets no index', async () => {
  await installation.database.pool.query(`DROP INDEX ${nameOf('n')}`)
  const other = indexer({ largeFrom: count })
  await note(other, 'n[lt]=5')
  await other.run()
  await other.close()
  expect(await names()).not.toContain(nameOf('n'))
})

test('a value that is too long for its index is published, and the index is dropped', async () => {
  expect(await names()).toContain(nameOf('title'))
  const title = randomBytes(6000).toString('base64')
  const url = `${appUrl}/model/article/doc`
  const { document } = ok(await client.post(url, { document: { title }, type: 'PUBLISH' }))
  expect(await names()).not.toContain(nameOf('title'))
  expect(await names()).toContain(nameInOrder('slug'))

  const other = indexer()
  await note(other, 'order=title')
  await other.run()
  await other.close()
  expect(await names()).not.toContain(nameOf('title'))
  expect(errors).toEqual([])
  expect((await list('order=-_sys.createdAt&limit=1')).items[0]).toMatchObject({ _id: document._id, title })
})

test('above the limits, the indexes with the oldest recorded uses are dropped', async () => {
  const { pool } = installation.database
  await pool.query(`UPDATE field_index SET last_used_at = now() - interval '1 hour'`)
  const own = async () => (await names()).filter((name) => name.startsWith(`field_index_${model.id}_`)).sort()
  const other = indexer({ perPartition: 2 })
  await note(other, 'slug=x')
  await note(other, 'n[lt]=5')
  await other.run()
  await other.close()
  expect(await own()).toEqual([nameInOrder('slug'), nameOf('n')].sort())

  const third = indexer({ inTotal: 1 })
  await note(third, 'date[lt]=2020')
  await third.run()
  await third.close()
  expect(await names()).toEqual([nameOf('date')])
})

test('a closed indexer stops a build and reports no error', async () => {
  const { pool } = installation.database
  const blocker = await pool.connect()
  await blocker.query('BEGIN')
  await blocker.query('UPDATE document SET version = version WHERE model_id = $1', [model.id])
  const other = indexer({ perPartition: 2 })
  await note(other, 'slug=x')
  const run = other.run()
  await expect.poll(names).toContain(nameInOrder('slug')) // the build waits for the transaction to end
  // The transaction ends later, so both calls would hang if they waited for it.
  await other.close()
  await run
  await blocker.query('ROLLBACK')
  blocker.release()
  expect(errors).toEqual([])
  expect(await present()).toContainEqual({ name: nameInOrder('slug'), valid: false })
})

test('an index is dropped if its field becomes Markdown, or if its model is deleted', async () => {
  const { pool } = installation.database
  await pool.query('UPDATE model SET fields = $2 WHERE id = $1', [
    model.id,
    JSON.stringify(
      model.fields.map((field) => (field.uid === 'slug' ? { ...field, type: 'MARKDOWN' } : field)),
    ),
  ])
  const last = indexer({ perPartition: 1 })
  await last.run()
  expect(await names()).toEqual([nameOf('date')])
  await pool.query('UPDATE model SET deleted_at = now() WHERE id = $1', [model.id])
  await last.run()
  await last.close()
  expect(await names()).toEqual([])
  expect((await pool.query('SELECT FROM field_index')).rowCount).toBe(0)
  expect(errors).toEqual([])
})
