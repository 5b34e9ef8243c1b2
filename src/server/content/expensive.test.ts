import { afterAll, beforeAll, expect, test } from 'vitest'
import { Content, type FixtureModel } from '#test/content-fixtures.ts'
import { createAccount, createApp, createSpace } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { listStatement } from './query/list.ts'
import { deliveryList, parseQuery } from './query/parse.ts'
import { loadSpace } from './registry.ts'

/* Valid queries that would overload the database are refused or limited, so that other requests are not delayed. */

let installation: TestInstallation
let client: Client
let appUrl: string
let appUid: string
let article: FixtureModel
let person: FixtureModel
let token: string
const people = 48

const id = (n: number) => n.toString(16).padStart(24, '0')

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  const app = await createApp(client, await createSpace(client))
  appUrl = app.url
  appUid = app.uid
  const { pool } = installation.database
  const content = new Content(pool)
  const { rows } = await pool.query('SELECT id, space_id FROM app WHERE uid = $1', [app.uid])
  const { id: appId, space_id: spaceId } = rows[0]
  article = await content.model(spaceId, appId, 'article', [
    { uid: 'title', type: 'TEXT' },
    { uid: 'by', type: 'REFERENCE', modelUid: 'person' },
    { uid: 'all', type: 'REFERENCE', modelUid: 'person', multiple: true },
  ])
  person = await content.model(spaceId, appId, 'person', [
    { uid: 'name', type: 'TEXT' },
    { uid: 'r', type: 'REFERENCE', modelUid: 'person' },
    { uid: 'rs', type: 'REFERENCE', modelUid: 'person', multiple: true },
  ])
  await content.documents(
    person,
    Array.from({ length: people }, (_, n) => ({
      id: id(n),
      pub: { name: `t${n}`, r: id((n + 1) % people), rs: [id((n + 2) % people), id((n + 3) % people)] },
    })),
  )
  await content.documents(article, [{ id: id(100), pub: { title: '記事', by: id(5), all: [id(6), id(7)] } }])
  token = await content.token(spaceId, 'cdn')
})

afterAll(() => installation?.close())

const deliver = (model: string, query: string) =>
  installation.server.inject({
    url: `/v1/${appUid}/${model}?${query}`,
    headers: { authorization: `Bearer ${token}` },
  })

const threeLevels = 'r.r.r.name=t3'
interface Plan {
  'Relation Name'?: string
  'Actual Loops': number
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const expensive = `${threeLevels}&rs.rs.rs.name[match]=t3`

test('four filters through references read at most six rows per document of the model', async () => {
  const { pool } = installation.database
  const space = await loadSpace(pool, person.spaceId)
  const model = space!.apps.get(appUid)!.models.get('person')!
  for (const [query, found] of [
    [threeLevels, 1],
    ['r.r.r.name[ne]=t3', people - 1],
    ['rs.rs.rs.name=t3', 4],
    ['[or]=(rs.rs.name=t3;r.r.name=t3)', 4],
  ] as const) {
    const { text, values } = listStatement(model, 'published', parseQuery(query, model, deliveryList))
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values)
    let touched = 0
    const walk = (plan: Plan): void => {
      if (/^document_\d+$/.test(plan['Relation Name'] ?? ''))
        touched += plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0))
      plan.Plans?.forEach(walk)
    }
    walk(rows[0]['QUERY PLAN'][0].Plan)
    expect(touched, query).toBeLessThanOrEqual(6 * people)
    const answer = await deliver('person', query)
    expect(answer.json().total, query).toBe(found)
  }
})

test('a query whose conditions cost more than 200 is rejected', async () => {
  const many = Array.from({ length: 13 }, (_, n) => `r.r.r.name[ne]=t${n}`).join('&')
  const refused = await deliver('person', many)
  expect(refused.statusCode).toBe(400)
  expect(refused.json()).toMatchObject({ code: 'InvalidQueryParameter' })
  expect(refused.json().message).toMatch(/r\.r\.r\.name\[ne\].*cost more than 200/)
  expect((await deliver('person', `${many.split('&').slice(0, 12).join('&')}`)).statusCode).toBe(200)

  const managed = await client.get(`${appUrl}/model/person/doc?${many}`)
  expect(managed.status).toBe(400)
  expect(managed.body).toMatchObject({ code: 'InvalidQueryParameter' })
  const words = Array.from({ length: 50 }, (_, n) => `w${n}`).join('%20')
  expect((await deliver('person', `search=${words}`)).statusCode).toBe(200)
})

/** Blocks all reads of a model until `work` has finished. */
async function whileLocked(model: FixtureModel, work: () => Promise<void>): Promise<void> {
  const blocker = await installation.database.pool.connect()
  try {
    const { rows } = await blocker.query(
      'SELECT tableoid::regclass::text AS leaf FROM document WHERE model_id = $1 LIMIT 1',
      [model.id],
    )
    await blocker.query('BEGIN')
    await blocker.query(`LOCK TABLE ${rows[0].leaf} IN ACCESS EXCLUSIVE MODE`)
    await work()
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
}

async function waiting(): Promise<number[]> {
  const { rows } = await installation.database.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows.map(({ pid }) => pid)
}

test('concurrent expensive queries are limited, and a cheap query succeeds meanwhile', async () => {
  const through = 'by.r.r.name=t3&all.r.r.name=t3'
  let held: ReturnType<typeof deliver>[] = []
  await whileLocked(person, async () => {
    held = Array.from({ length: 6 }, () => deliver('article', through))
    await expect.poll(waiting).toHaveLength(2)
    const refused = await deliver('article', through)
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toBe('1')
    expect((await deliver('article', 'title=記事&depth=0')).json()).toMatchObject({ total: 1 })
    // The management API has its own concurrency limit.
    const managed = [1, 2].map(() => client.get(`${appUrl}/model/article/doc?${through}`))
    await expect.poll(waiting).toHaveLength(4)
    const third = await client.get(`${appUrl}/model/article/doc?${through}`)
    expect(third.status).toBe(429)
    expect(third.headers['retry-after']).toBe('1')
    expect(third.body.code).toBe('TooManyRequests')
    for (const pid of await waiting())
      await installation.database.pool.query('SELECT pg_cancel_backend($1)', [pid])
    // A statement that PostgreSQL cancels leads to a 429, so that clients retry.
    for (const cut of await Promise.all(managed)) {
      expect(cut.status).toBe(429)
      expect(cut.headers['retry-after']).toBe('1')
    }
  })
  const answers = await Promise.all(held)
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 200, 429, 429])
  expect(ok(await client.get(`${appUrl}/model/article/doc?${through}`)).total).toBe(0)
  expect((await deliver('person', expensive)).statusCode).toBe(200)
})

test('a response is tagged with a model that only its filter reads', async () => {
  const tags = async (query: string) =>
    String((await deliver('article', query)).headers['cache-tag']).split(',')
  expect(await tags('depth=0')).not.toContain(`model:${person.publicId}`)
  expect(await tags('by.name=t5&depth=0')).toContain(`model:${person.publicId}`)
  expect(await tags('[or]=(title=x;all.name[ne]=nobody)&depth=0')).toContain(`model:${person.publicId}`)
})
