import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildServer } from '#server/server.ts'
import { createAccount, createApp, createSpace } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

/*
 * Cached responses reflect earlier writes of every server process. A direct change of the database needs a cleared
 * cache.
 */

let installation: TestInstallation
/** A second server on the same database, like another process. */
let other: FastifyInstance
let client: Client
let appUrl: string
let spaceUrl: string
let tokens: { cdn: string; api: string }
let authorId: string
let articleId: string

beforeAll(async () => {
  installation = await startInstallation()
  other = await buildServer(installation.deps)
  client = (await createAccount(installation)).client
  const space = await createSpace(client)
  spaceUrl = space.url
  const app = await createApp(client, space)
  appUrl = app.url
  const text = { uid: 'name', name: 'name', type: 'TEXT' }
  ok(await client.post(`${appUrl}/model`, { data: { uid: 'author', name: 'author', fields: [text] } }))
  const by = { uid: 'by', name: 'by', type: 'REFERENCE', modelUid: 'author' }
  ok(await client.post(`${appUrl}/model`, { data: { uid: 'article', name: 'article', fields: [text, by] } }))
  authorId = await write('author', undefined, { name: '一' })
  articleId = await write('article', undefined, { name: '記事', by: authorId })
  tokens = {
    cdn: ok(await client.post(`${spaceUrl}/cdnToken`, { data: { name: 'cdn' } })).cdnToken.token,
    api: ok(await client.post(`${spaceUrl}/apiToken`, { data: { name: 'api' } })).apiToken.token,
  }
})

afterAll(async () => {
  await other?.close()
  await installation?.close()
})

async function write(
  model: string,
  id: string | undefined,
  values: object,
  type = 'PUBLISH',
): Promise<string> {
  const url = `${appUrl}/model/${model}/doc`
  const answer = id
    ? await client.put(`${url}/${id}`, { doc: values, type })
    : await client.post(url, { document: values, type })
  return ok(answer).document._id
}

async function read(path: string, kind: 'cdn' | 'api' = 'cdn', server = installation.server) {
  const url = `/v1/${appUrl.split('/').at(-1)}/${path}`
  const answer = await server.inject({ url, headers: { authorization: `Bearer ${tokens[kind]}` } })
  expect(answer.statusCode).toBe(200)
  return { ...answer.json(), etag: answer.headers.etag }
}

test('a cached response is returned without reading a document', async () => {
  const paths = [`article/${articleId}`, 'article?name=記事', 'article?by.name=一']
  const before = []
  for (const path of paths) for (let time = 0; time < 3; time++) before.push(await read(path))
  const blocker = await installation.database.pool.connect()
  try {
    await blocker.query('BEGIN')
    await blocker.query('LOCK TABLE document IN ACCESS EXCLUSIVE MODE')
    for (const [index, path] of paths.entries()) expect(await read(path)).toEqual(before[index * 3 + 2])
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
})

test('the next response of either of two servers contains newly published values', async () => {
  for (let round = 0; round < 5; round++) {
    const name = `著者 ${round}`
    await write('author', authorId, { name })
    for (const server of [installation.server, other]) {
      expect((await read(`article/${articleId}`, 'cdn', server)).by.name).toBe(name)
      expect((await read('author', 'cdn', server)).items[0].name).toBe(name)
      const [changed] = (await read(`article?by.name=${encodeURIComponent(name)}`, 'cdn', server)).items
      expect(changed._id).toBe(articleId)
      expect((await read('article?by.name[ne]=x&depth=0', 'cdn', server)).total).toBe(1)
    }
  }
})

test('a direct change of the database is visible on both servers after the cache is cleared', async () => {
  const servers = [installation.server, other]
  const nameOn = async (server: FastifyInstance) => (await read(`author/${authorId}`, 'cdn', server)).name
  for (const server of servers) for (let time = 0; time < 3; time++) await nameOn(server)
  const { rows } = await installation.database.pool.query(
    "UPDATE document SET pub = replace(pub::text, '著者 4', '直接')::jsonb WHERE id = $1 RETURNING id",
    [authorId],
  )
  expect(rows).toHaveLength(1)
  for (const server of servers) expect(await nameOn(server)).toBe('著者 4')
  ok(await client.delete(`${appUrl}/cache`))
  for (const server of servers) expect(await nameOn(server)).toBe('直接')
  await write('author', authorId, { name: '著者 4' })
})

test('drafts have separate responses, and unpublished content is missing from the next response', async () => {
  for (let time = 0; time < 3; time++) {
    await write('author', authorId, { name: `下書き ${time}` }, 'SAVE')
    expect((await read(`author/${authorId}`, 'api')).name).toBe(`下書き ${time}`)
    expect((await read(`author/${authorId}`, 'cdn')).name).toBe('著者 4')
    expect((await read('author', 'api')).items[0].name).toBe(`下書き ${time}`)
    expect((await read('author', 'cdn')).items[0].name).toBe('著者 4')
  }
  ok(await client.post(`${appUrl}/model/author/doc/bulkUnpublish`, { documentIds: [authorId] }))
  expect((await read(`article/${articleId}`)).by).toBeNull()
  expect((await read('author')).items).toEqual([])
})
