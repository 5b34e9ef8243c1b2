import { readFileSync } from 'node:fs'
import { globalAgent } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { pipeline } from 'node:stream'
import { createServer } from 'node:tls'
import { type Client, createClient } from 'newt-client-js'
import { Agent, request, fetch as undiciFetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Content } from '../content-fixtures.ts'
import { startInstallation, type TestInstallation } from '../server.ts'
import { makeCertificate } from './certificate.ts'

/*
 * Runs the unmodified newt-client-js 3.3.17 against the delivery API over HTTPS on loopback, with each of its three
 * ways to send a request. Existing sites rely on the expected results.
 */

interface Item extends Record<string, unknown> {
  _id: string
  _sys: { createdAt: string }
  slug: string
  tags: string[]
}

const domain = 'cms.example'
const certificate = makeCertificate(['localhost', `*.cdn.${domain}`, `*.api.${domain}`])
/** Terminates TLS, like a reverse proxy in front of an installation. */
const proxy = createServer({ ...certificate, noDelay: true })
let installation: TestInstallation
let port: number
/** Port of the installation itself, without TLS. */
let plain: number
const tokens = { cdn: '', api: '' }
const ids: Record<string, string> = {}

const id = (n: number) => n.toString(16).padStart(24, '0')
const day = (n: number) => `2021-${String(n).padStart(2, '0')}-01T09:00:00.000Z`

beforeAll(async () => {
  installation = await startInstallation({ IMORI_DOMAIN: domain })
  const { server, database } = installation
  await server.listen({ host: '127.0.0.1', port: 0 })
  plain = (server.server.address() as AddressInfo).port
  proxy.on('secureConnection', (socket) => {
    const upstream = connect({ port: plain, host: '127.0.0.1', noDelay: true })
    pipeline(socket, upstream, socket, () => {})
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  port = (proxy.address() as AddressInfo).port

  const content = new Content(database.pool)
  const spaceId = await content.space('acme')
  const appId = await content.app(spaceId, 'blog', { icon: { type: 'emoji', value: '🎾' } })
  const author = await content.model(spaceId, appId, 'author', [
    { uid: 'fullName', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'biography', type: 'MARKDOWN' },
  ])
  const tag = await content.model(spaceId, appId, 'tag', [
    { uid: 'name', type: 'TEXT' },
    { uid: 'parent', type: 'REFERENCE', modelUid: 'tag' },
  ])
  const article = await content.model(spaceId, appId, 'article', [
    { uid: 'title', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'body', type: 'RICH_TEXT' },
    { uid: 'description', type: 'MARKDOWN' },
    { uid: 'keywords', type: 'TEXT', multiple: true },
    { uid: 'count', type: 'NUMBER' },
    { uid: 'date', type: 'DATE' },
    { uid: 'pinned', type: 'CHECKBOX' },
    { uid: 'kind', type: 'SELECT', options: ['news', 'column'].map((value) => ({ value, label: value })) },
    { uid: 'theme', type: 'COLOR', alpha: true },
    { uid: 'mood', type: 'EMOJI' },
    { uid: 'place', type: 'MAP' },
    { uid: 'video', type: 'EMBED' },
    { uid: 'author', type: 'REFERENCE', modelUid: 'author' },
    { uid: 'tags', type: 'REFERENCE', modelUid: 'tag', multiple: true },
  ])
  Object.assign(ids, { yamada: id(1), sato: id(2), hidden: id(3), js: id(4), css: id(5), web: id(6) })
  await content.documents(author, [
    { id: id(1), pub: { fullName: '山田太郎', slug: 'yamada', biography: '**太郎**\nです' } },
    { id: id(2), pub: { fullName: '佐藤花子', slug: 'sato' } },
    { id: id(3), draft: { fullName: '未公開', slug: 'hidden' } },
  ])
  await content.documents(tag, [
    { id: id(4), pub: { name: 'JavaScript', parent: id(6) } },
    { id: id(5), pub: { name: 'CSS', parent: id(6) } },
    { id: id(6), pub: { name: 'Web' } },
  ])
  const articles = [
    {
      title: 'ハロー・ワールド',
      kind: 'news',
      author: id(1),
      tags: [id(4)],
      count: 1,
      pinned: true,
      theme: '#ff8800',
      mood: '🎾',
      place: { lat: 35.681236, lng: 139.767125 },
      video: '<iframe src="https://player.example/1"></iframe>',
    },
    {
      title: 'アップデートのお知らせ',
      kind: 'news',
      author: id(2),
      tags: [id(4), id(5)],
      count: 2,
      theme: '#3366cc80',
    },
    { title: 'コラム (1); 前編 & 後編', kind: 'column', author: id(1), tags: [id(5)], count: 3 },
    { title: 'hello world', kind: 'column', author: id(3), tags: [], count: -1.5 },
    { title: 'Ｗｅｂの話', kind: 'column', tags: [id(6), id(4)], keywords: ['a', 'b'] },
    { title: '写真', keywords: ['b'], description: '本文と[リンク](https://example.com)' },
  ]
  await content.documents(
    article,
    articles.map((values, index) => ({
      id: id(101 + index),
      pub: {
        slug: `article-${index + 1}`,
        body: `<h2>第${index + 1}回</h2><p>${index % 2 ? 'アップル' : 'みかん'}の話</p>`,
        date: `2023-0${index + 1}-15T00:00:00.000Z`,
        ...values,
      },
      createdAt: day(1),
      updatedAt: day(index + 1),
      firstPublishedAt: day(index + 1),
      publishedAt: day(index + 2),
      customOrder: index < 4 ? 10 - index : null,
    })),
  )
  await content.documents(article, [
    { id: id(201), draft: { title: '下書き', slug: 'draft' }, createdAt: day(11), updatedAt: day(11) },
  ])
  tokens.cdn = await content.token(spaceId, 'cdn')
  tokens.api = await content.token(spaceId, 'api')
  globalAgent.options.ca = certificate.cert
})

afterAll(async () => {
  proxy.close()
  await installation?.close()
})

type ApiType = 'cdn' | 'api'
interface Way {
  name: string
  client(apiType: ApiType, token?: string): Client
}

/** The host contains the space and the API, as with a wildcard domain, but the connection goes to the test server. */
const toLoopback: NonNullable<Parameters<typeof createClient>[0]['adapter']> = async (config) => {
  const host = new URL(config.baseURL ?? '').host.replace('newt.so', domain)
  const { statusCode, body } = await request(`https://localhost:${port}${config.url}`, {
    headers: { authorization: String(config.headers.Authorization), host },
    dispatcher: new Agent({ connect: { ca: certificate.cert, servername: host } }),
  })
  const data = await body.json()
  const response = { data, status: statusCode, statusText: '', headers: {}, config }
  if (statusCode < 300) return response
  throw Object.assign(new Error(), { isAxiosError: true, config, response })
}

const ways: Way[] = [
  {
    name: 'axios, the default',
    client: (apiType, token = tokens[apiType]) =>
      createClient({ spaceUid: `localhost:${port}/acme`, token, apiType, retryOnError: false }),
  },
  {
    name: 'an adapter, by host name',
    client: (apiType, token = tokens[apiType]) =>
      createClient({ spaceUid: 'acme', token, apiType, retryOnError: false, adapter: toLoopback }),
  },
  {
    name: 'its fetch option',
    client: (apiType, token = tokens[apiType]) => {
      const dispatcher = new Agent({ connect: { ca: certificate.cert } })
      return createClient({
        spaceUid: `localhost:${port}/acme`,
        token,
        apiType,
        fetch: ((url: string, init: { headers: Record<string, string> }) =>
          undiciFetch(url, { ...init, dispatcher })) as unknown as typeof fetch,
      })
    },
  },
]

describe.each(ways)('newt-client-js through $name', ({ client }) => {
  const find = async (query: Record<string, unknown>, apiType: ApiType = 'cdn') =>
    client(apiType).getContents<Item>({ appUid: 'blog', modelUid: 'article', query: query as never })
  /** Returns the numbers in the slugs, in the order of the response. */
  const found = async (query: Record<string, unknown>) =>
    (await find(query)).items.map(({ slug }) => Number(slug.slice(8)))

  test('gets contents, one content, the first content and the app', async () => {
    const all = await find({})
    expect(Object.keys(all)).toEqual(['skip', 'limit', 'total', 'items'])
    expect(all).toMatchObject({ skip: 0, limit: 100, total: 6 })
    expect(all.items.map(({ slug }) => slug)).toEqual([6, 5, 4, 3, 2, 1].map((n) => `article-${n}`))
    expect((await find({}, 'api')).total).toBe(7)

    const one = await client('cdn').getContent<Item>({
      appUid: 'blog',
      modelUid: 'article',
      contentId: id(102),
    })
    expect(one).toEqual(all.items[4])
    const first = await client('cdn').getFirstContent<Item>({
      appUid: 'blog',
      modelUid: 'article',
      query: { slug: 'article-3', select: ['title', 'slug'] },
    })
    expect(first).toEqual({ _id: id(103), title: 'コラム (1); 前編 & 後編', slug: 'article-3' })
    const none = await client('cdn').getFirstContent({
      appUid: 'blog',
      modelUid: 'article',
      query: { slug: 'no such' },
    })
    expect(none).toBeNull()
    expect(await client('cdn').getApp({ appUid: 'blog' })).toEqual({
      name: 'blog の名前',
      uid: 'blog',
      icon: { type: 'emoji', value: '🎾' },
    })
  })

  const queries: [Record<string, unknown>, number[]][] = [
    [{ title: 'hello world' }, [4]],
    [{ '_sys.createdAt': { gt: '2021-02-02' }, kind: 'column' }, [5, 4, 3]],
    [{ order: ['-count', 'title'], limit: 3 }, [3, 2, 1]],
    [{ order: ['count'], skip: 1, limit: 2 }, [1, 2]],
    [{ order: ['-_sys.createdAt', 'title'], limit: 10, skip: 2, depth: 2 }, [4, 3, 2, 1]],
    [{ keywords: { in: ['a', 'b'] } }, [6, 5]],
    [{ count: { nin: [1, 2] }, order: ['slug'] }, [3, 4, 5, 6]],
    [{ keywords: { all: ['a', 'b'] } }, [5]],
    [{ title: { ne: 'hello world', match: 'ワ' } }, [1]],
    [{ title: { match: 'ＨＥＬＬＯ' } }, [4]],
    [{ title: { match: 'ｱｯﾌﾟ' } }, [2]],
    [{ title: { match: 'web' } }, [5]],
    [{ body: { match: 'アップル' } }, [6, 4, 2]],
    [{ count: { exists: false } }, [6, 5]],
    [{ count: { exists: true, lt: 2 } }, [4, 1]],
    [{ count: { gte: 2 } }, [3, 2]],
    [{ count: { lte: -1.5 } }, [4]],
    [{ count: 3 }, [3]],
    [{ pinned: true }, [1]],
    [{ pinned: false, kind: 'news' }, [2]],
    [{ kind: '' }, [6]],
    [{ theme: '#ff8800' }, [1]],
    [{ theme: { in: ['#F80', '#3366CC80'] } }, [2, 1]],
    [{ theme: { exists: false } }, [6, 5, 4, 3]],
    [{ mood: '🎾' }, [1]],
    [{ place: { exists: true } }, [1]],
    [{ kind: null }, [6]],
    [{ kind: 'news', keywords: undefined, e: [] }, [2, 1]],
    [{ keywords: 'b' }, [6, 5]],
    [{ keywords: { ne: 'a' }, slug: { in: ['article-5', 'article-6'] } }, [6]],
    [
      { or: [{ title: { match: '写真' } }, { kind: 'news', or: [{ count: 2 }, { count: 9 }] }], limit: 5 },
      [6, 2],
    ],
    [{ and: [{ or: [{ count: 1 }, { count: 2 }] }, { or: [{ count: 2 }, { count: 3 }] }] }, [2]],
    [{ and: [{ kind: 'news' }, { count: { gt: 1 } }] }, [2]],
    [{ and: [{ keywords: 'a' }, { keywords: 'b' }] }, [5]],
    [{ or: [{ title: 'コラム (1); 前編 & 後編' }, { slug: 'article-1' }] }, [3, 1]],
    [{ or: [{ title: { match: '(1); 前' } }, { title: { match: 'a b+c' } }] }, [3]],
    [{ author: id(1) }, [3, 1]],
    [{ tags: { in: [id(5), id(6)] } }, [5, 3, 2]],
    [{ _id: { in: [id(101), id(103)] } }, [3, 1]],
    [{ date: '2023-03' }, [3]],
    [{ date: { gte: '2023-02', lt: '2023-04-15' } }, [3, 2]],
    [{ '_sys.raw.publishedAt': { gt: '2021-06' } }, [6, 5]],
    [{ '_sys.updatedAt': { gte: new Date('2021-07-01T09:00:00Z') } }, [6]],
    [{ 'author.slug': 'yamada' }, [3, 1]],
    [{ 'tags.parent.name': 'Web' }, [5, 3, 2, 1]],
    [{ 'author.slug': 'hidden' }, []],
    [{ search: '第3回 みかん' }, [3]],
    // Queries as the public starters of Newt send them.
    [{ depth: 2, limit: 2, skip: 2 }, [4, 3]],
    [{ tags: id(4) }, [5, 2, 1]],
    [{ '_sys.createdAt': { gte: '2021', lt: '2022' } }, [6, 5, 4, 3, 2, 1]],
    [{ '_sys.createdAt': { gte: '2020', lt: '2021' } }, []],
    [{ or: [{ title: { match: 'アップ' } }, { body: { match: 'アップ' } }] }, [6, 4, 2]],
    [{ tags: { in: [id(4)] }, slug: { ne: 'article-2' } }, [5, 1]],
    [{ order: ['_sys.customOrder'] }, [4, 3, 2, 1, 5, 6]],
    [{ order: ['-_sys.customOrder'] }, [1, 2, 3, 4, 5, 6]],
  ]
  test.each(queries)('finds the expected articles by %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('finds articles by a list of 1,000 ids', async () => {
    const _id = { in: Array.from({ length: 1000 }, (_, n) => id(n)) }
    expect(await found({ _id })).toEqual([6, 5, 4, 3, 2, 1])
  })

  test('finds the previous and the next content', async () => {
    const current = (await find({ slug: 'article-3' })).items[0]
    const at = current?._sys.createdAt
    const beside = async (operator: 'gt' | 'lt', order: string) =>
      client('cdn').getFirstContent<Item>({
        appUid: 'blog',
        modelUid: 'article',
        query: { '_sys.createdAt': { [operator]: at }, order: [order], select: ['slug'] } as never,
      })
    expect(await beside('gt', '_sys.createdAt')).toEqual({ _id: id(104), slug: 'article-4' })
    expect(await beside('lt', '-_sys.createdAt')).toEqual({ _id: id(102), slug: 'article-2' })
  })

  test('reads data for tag counts and archives, and reads all contents page by page', async () => {
    const counted = await find({ depth: 0, select: ['tags'] })
    const times = new Map<string, number>()
    for (const { tags } of counted.items) for (const tag of tags) times.set(tag, (times.get(tag) ?? 0) + 1)
    expect(Object.fromEntries(times)).toEqual({ [id(4)]: 3, [id(5)]: 2, [id(6)]: 1 })

    const archive = await find({ select: ['_sys.createdAt'], limit: 1000 })
    expect(archive.items[0]).toEqual({ _id: id(106), _sys: { createdAt: day(6) } })

    const slugs: string[] = []
    for (let skip = 0; ; skip += 4) {
      const page = await find({ limit: 4, skip, order: ['count'] })
      slugs.push(...page.items.map(({ slug }) => slug))
      if (skip + page.limit >= page.total) break
    }
    expect(slugs.toSorted()).toEqual([1, 2, 3, 4, 5, 6].map((n) => `article-${n}`))
  })

  test('gets values of twelve field types, references by depth, and plain text', async () => {
    const at = async (query: Record<string, unknown>, n = 101) =>
      client('cdn').getContent<Item>({
        appUid: 'blog',
        modelUid: 'article',
        contentId: id(n),
        query: query as never,
      })
    expect(await at({})).toEqual({
      _id: id(101),
      _sys: {
        raw: { createdAt: day(1), updatedAt: day(1), firstPublishedAt: day(1), publishedAt: day(2) },
        customOrder: 10,
        createdAt: day(1),
        updatedAt: day(2),
      },
      title: 'ハロー・ワールド',
      slug: 'article-1',
      body: '<h2>第1回</h2><p>みかんの話</p>',
      description: '',
      keywords: [],
      count: 1,
      date: '2023-01-15T00:00:00.000Z',
      pinned: true,
      kind: 'news',
      theme: '#ff8800',
      mood: { type: 'emoji', value: '🎾' },
      place: { lat: 35.681236, lng: 139.767125 },
      video: '<iframe src="https://player.example/1"></iframe>',
      author: {
        _id: id(1),
        _sys: expect.anything(),
        fullName: '山田太郎',
        slug: 'yamada',
        biography: '<p><strong>太郎</strong><br />\nです</p>\n',
      },
      tags: [{ _id: id(4), _sys: expect.anything(), name: 'JavaScript', parent: id(6) }],
    })
    expect(await at({ depth: 0, select: ['author', 'tags'] })).toEqual({
      _id: id(101),
      author: id(1),
      tags: [id(4)],
    })
    expect(await at({ depth: 2, select: ['tags.parent.name'] })).toEqual({
      _id: id(101),
      tags: [{ _id: id(4), parent: { _id: id(6), name: 'Web' } }],
    })
    expect(await at({ select: ['theme'] }, 103)).toEqual({ _id: id(103), theme: '' })
    // A location that was never set is omitted.
    const unset = { _id: id(103), mood: null, video: '' }
    expect(await at({ select: ['mood', 'place', 'video'] }, 103)).toEqual(unset)
    expect(await at({ select: ['author'] }, 104)).toEqual({ _id: id(104), author: null })
    expect((await at({ body: { fmt: 'text' } })).body).toBe('第1回\nみかんの話')
    expect((await at({ description: { fmt: 'text' } }, 106)).description).toBe(
      '本文と[リンク](https://example.com)',
    )
    expect((await at({}, 106)).description).toBe('<p>本文と<a href="https://example.com">リンク</a></p>\n')
  })

  test('gets drafts with their creation and update times from the API', async () => {
    const draft = await client('api').getContent<Item>({
      appUid: 'blog',
      modelUid: 'article',
      contentId: id(201),
    })
    expect(draft._sys).toEqual({
      raw: { createdAt: day(11), updatedAt: day(11), firstPublishedAt: null, publishedAt: null },
      createdAt: day(11),
      updatedAt: day(11),
    })
    const current = await client('api').getContent<Item>({
      appUid: 'blog',
      modelUid: 'article',
      contentId: id(103),
    })
    expect(current._sys).toMatchObject({ createdAt: day(1), updatedAt: day(3) })
  })

  test('throws errors with status, code and message', async () => {
    const failure = async (work: Promise<unknown>) => {
      const error = (await work.then(
        () => undefined,
        (reason) => reason,
      )) as Error
      return { name: error.name, ...JSON.parse(error.message) }
    }
    const params = { appUid: 'blog', modelUid: 'article' }
    expect(await failure(client('cdn', 'cdn_wrong').getContents(params))).toMatchObject({
      name: '401 Unauthorized',
      status: 401,
      code: 'Unauthorized',
      message: expect.any(String),
    })
    expect(await failure(client('cdn').getContent({ ...params, contentId: id(201) }))).toMatchObject({
      status: 404,
      code: 'NotFound',
    })
    expect(await failure(find({ nope: 1 }))).toMatchObject({
      name: '400 InvalidQueryParameter',
      message: expect.stringContaining('nope'),
    })
    expect(await failure(find({ limit: 1001 }))).toMatchObject({ status: 400, code: 'InvalidQueryParameter' })
  })
})

test("the CDN API and the API refuse each other's tokens", async () => {
  const [byPath, byHost] = ways
  for (const way of [byPath, byHost])
    for (const [apiType, token] of [['cdn', tokens.api] as const, ['api', tokens.cdn] as const])
      await expect(way?.client(apiType, token).getApp({ appUid: 'blog' })).rejects.toThrow('Unauthorized')
})

test('the first sample of the README uses localhost:3000 and reads contents', async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [, sample = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? []
  const printed = 'localhost:3000'
  expect(sample).toContain(`'${printed}/`)
  const body = sample
    .replace(/^import .*\n/, '')
    .replace(new RegExp(`${printed}/[\\w-]+`), `localhost:${plain}/acme`)
    .replace('process.env.CDN_TOKEN', JSON.stringify(tokens.cdn))
    .replace(/console\.log.*/, 'return { items, total }')
  const run = new Function('createClient', `return (async () => {${body}})()`)
  const { items, total } = await run(createClient)
  expect(total).toBeGreaterThan(0)
  expect(items).toHaveLength(total)
})
