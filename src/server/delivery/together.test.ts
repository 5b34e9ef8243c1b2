import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ContentModel } from '#server/content/model.ts'
import { expandedFields } from '#server/content/present.ts'
import { oneDocument, parseQuery } from '#server/content/query/parse.ts'
import type { Handle } from '#server/content/read.ts'
import { createRegistry, loadSpace } from '#server/content/registry.ts'
import { type Database, openDatabase } from '#server/db/connection.ts'
import { Content, type FixtureModel } from '#test/content-fixtures.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { statementTimeoutFactor } from '#test/statement-patience.ts'
import { registerDelivery } from './routes.ts'
import { rewriteDeliveryUrl } from './site.ts'
import { readingTogether, sharingReferences } from './together.ts'

let testDatabase: TestDatabase
let database: Database
let content: Content
let models: Map<string, ContentModel>
let large: FixtureModel
let spaceId: number
/** Ids of the pages. Each page refers to seven images and to one of three authors. */
let pages: string[]
let images: string[]
let authors: string[]
let draft: string

const perPage = 7

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = await openDatabase(testDatabase.connection, undefined, undefined, statementTimeoutFactor)
  content = new Content(database.pool)
  spaceId = await content.space('acme')
  const appId = await content.app(spaceId, 'blog')
  const author = await content.model(spaceId, appId, 'author', [{ uid: 'name', type: 'TEXT' }])
  large = await content.model(spaceId, appId, 'large', [{ uid: 'text', type: 'TEXT' }])
  const page = await content.model(spaceId, appId, 'page', [
    { uid: 'author', type: 'REFERENCE', modelUid: 'author' },
    { uid: 'images', type: 'REFERENCE', modelUid: 'large', multiple: true },
  ])
  authors = await content.documents(
    author,
    ['一', '二', '三'].map((name) => ({ pub: { name } })),
  )
  images = await content.documents(
    large,
    Array.from({ length: 5 * perPage }, () => ({ pub: { text: 'x' } })),
  )
  const values = (n: number) => ({
    author: authors[n % 3],
    images: images.slice(n * perPage, (n + 1) * perPage),
  })
  pages = await content.documents(
    page,
    [0, 1, 2, 3, 4].map((n) => ({ pub: values(n) })),
  )
  ;[draft = ''] = await content.documents(page, [{ draft: values(0) }])
  models = (await loadSpace(database.deliveryPool, spaceId))?.apps.get('blog')?.models ?? new Map()
})
afterAll(async () => {
  await database?.close()
  await testDatabase?.drop()
})

/** Returns a handle that records its statements. */
function counting() {
  const asked: string[] = []
  const handle: Handle = {
    query: (text, values) => {
      asked.push(text)
      // The long timeout of the jobs pool allows many concurrent statements on a busy machine.
      return database.jobsPool.query(text, values)
    },
  }
  return { asked, handle }
}

const modelOf = (uid: string): ContentModel => {
  const model = models.get(uid)
  if (!model) throw new Error(`no model ${uid}`)
  return model
}

function reading() {
  const { asked, handle } = counting()
  const read = readingTogether(handle)
  const model = modelOf('page')
  const expand = expandedFields(handle, { model, query: parseQuery('depth=1', model, oneDocument) })
  return { asked, read: (id: string) => read({ model, stage: 'published', id }, expand) }
}

test('concurrent reads of documents share one statement, and each result has its references', async () => {
  const { asked, read } = reading()
  const missing = 'f'.repeat(24)
  const found = await Promise.all([...pages, pages[0] ?? '', missing, draft].map(read))
  expect(found.map(({ row }) => row?.id)).toEqual([...pages, pages[0], undefined, undefined])
  expect(asked).toHaveLength(1)
  for (const [n, { row, referred }] of found.slice(0, 5).entries()) {
    const ids = (uid: string) => (referred.get(modelOf(uid)) ?? []).map(({ id }) => id)
    expect(Object.values(row?.values ?? {})).toContain(authors[n % 3])
    expect(ids('author')).toContain(authors[n % 3])
    expect(ids('large')).toEqual(expect.arrayContaining(images.slice(n * perPage, (n + 1) * perPage)))
  }
  expect((await read(pages[3] ?? '')).row?.id).toBe(pages[3])
})

test('concurrent reads of references share one statement, and large reads get their own statement', async () => {
  const { asked, handle } = counting()
  const shared = sharingReferences(handle)
  const want = (uid: string, ids: string[]) => shared.referred?.('published', [{ model: modelOf(uid), ids }])
  const [one, two] = await Promise.all([want('author', authors), want('large', images.slice(0, 3))])
  expect(asked).toHaveLength(1)
  expect(one?.map(({ id }) => id)).toEqual(expect.arrayContaining(authors))
  expect(two?.map(({ id }) => id)).toEqual(expect.arrayContaining(images.slice(0, 3)))
  const unknown = Array.from({ length: 60 }, (_, n) => n.toString(16).padStart(24, 'e'))
  await Promise.all([want('author', unknown), want('author', authors)])
  expect(asked).toHaveLength(3)
})

test('concurrent and sequential requests return the same responses, including Cache-Tag and ETag', async () => {
  const registry = createRegistry(database)
  const server = Fastify({ rewriteUrl: rewriteDeliveryUrl({ domain: undefined, trustProxy: 0 }) })
  registerDelivery(server, { config: { url: 'http://localhost:3000' }, database, registry })
  const authorization = `Bearer ${await content.token(spaceId, 'cdn')}`
  const get = async (path: string) => {
    const answer = await server.inject({ url: `/v1/blog/${path}`, headers: { authorization } })
    return [answer.statusCode, answer.body, answer.headers['cache-tag'], answer.headers.etag]
  }
  try {
    const paths = [
      ...pages.map((id) => `page/${id}`),
      ...authors.map((id) => `page?author=${id}&limit=1`),
      `page/${draft}`,
    ]
    const atOnce = await Promise.all(paths.map(get))
    for (const [index, path] of paths.entries()) expect(atOnce[index]).toEqual(await get(path))
    expect(atOnce.map(([status]) => status)).toEqual([...Array(8).fill(200), 404])
    expect(new Set(atOnce.slice(0, 5).map(([, , tags]) => tags)).size).toBe(5)
  } finally {
    await server.close()
    await registry.close()
  }
})

test('concurrent reads return complete documents if these are too large for one batch', async () => {
  const text = large.fields[0]?._id
  await database.pool.query(
    `UPDATE document SET pub = jsonb_build_object($2::text, repeat('x', 980000)) WHERE model_id = $1`,
    [large.id, text],
  )
  const { read } = reading()
  const found = await Promise.all(pages.map(read))
  for (const { referred } of found) expect(referred.get(modelOf('large'))).toHaveLength(perPage)
  const shared = sharingReferences(counting().handle)
  const wanted = pages.map((_, n) => images.slice(n * perPage, (n + 1) * perPage))
  const rows = await Promise.all(
    wanted.map((ids) => shared.referred?.('published', [{ model: modelOf('large'), ids }])),
  )
  for (const of of rows)
    expect(of?.map(({ json }) => String(json).length > 980_000)).toEqual(Array(perPage).fill(true))
})
