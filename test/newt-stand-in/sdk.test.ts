import { createRequire } from 'node:module'
import { createClient } from 'newt-client-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ids, sampleSpace } from './sample-space.ts'
import { type StandIn, type StandInOptions, startStandIn } from './server.ts'

// The copy of axios that the SDK itself uses, for its `adapter` option.
const { default: axios } = createRequire(createRequire(import.meta.url).resolve('newt-client-js'))('axios')

let standIn: StandIn
const options: StandInOptions = {}
beforeAll(async () => {
  standIn = await startStandIn(sampleSpace(), options)
})
afterAll(() => standIn.close())

/** Returns the unmodified SDK. Its options redirect its requests to the stand-in. */
function client(kind: 'adapter' | 'fetch', apiType: 'api' | 'cdn', token = standIn.space.tokens[apiType]) {
  const lead = (url: string) => url.replace('https://', `${standIn.origin}/`)
  const common = { spaceUid: 'demo', token, apiType }
  if (kind === 'fetch')
    return createClient({ ...common, fetch: (url, init) => fetch(lead(String(url)), init) })
  const http = axios.getAdapter('http')
  return createClient({
    ...common,
    adapter: (config) => http({ ...config, baseURL: lead(config.baseURL ?? '') }),
  })
}

interface Item {
  _id: string
  _sys: { raw: Record<string, string | null> }
  title: string
  image: { _id: string }
  author: { _id: string; face: unknown }
  coAuthors: unknown[]
  noReference: unknown
  multi: { type: string }[]
  map: unknown
  markdown: string
}
type GetContentsQuery = NonNullable<Parameters<ReturnType<typeof createClient>['getContents']>[0]['query']>

describe.each(['adapter', 'fetch'] as const)('newt-client-js with the option "%s"', (kind) => {
  it('gets the app', async () => {
    const app = await client(kind, 'cdn').getApp({ appUid: 'blog' })
    expect(app).toMatchObject({ name: 'ブログ', uid: 'blog', icon: { type: 'emoji', value: '🦎' } })
  })

  it('gets drafts from the API and published contents from the CDN API', async () => {
    const params = { appUid: 'blog', modelUid: 'article', query: { order: ['_sys.createdAt'] } }
    const api = await client(kind, 'api').getContents<Item>(params)
    const cdn = await client(kind, 'cdn').getContents<Item>(params)
    expect(Object.keys(api)).toEqual(['skip', 'limit', 'total', 'items'])
    expect([api.total, cdn.total]).toEqual([6, 4])
    const of = (list: { items: Item[] }, id: string) => list.items.find(({ _id }) => _id === id)
    expect(of(api, ids.edited)?.title).toBe('編集中の新しい題')
    expect(of(cdn, ids.edited)?.title).toBe('公開中の古い題')
    expect(of(cdn, ids.draft)).toBeUndefined()
    expect(of(api, ids.unpublished)?._sys.raw).toMatchObject({
      publishedAt: null,
      firstPublishedAt: '2023-01-06T00:00:00.000Z',
    })
    expect(of(cdn, ids.republished)?._sys).toMatchObject({
      createdAt: '2023-01-08T00:00:00.000Z',
      updatedAt: '2023-01-09T00:00:00.000Z',
      customOrder: 1,
    })
  })

  it('gets assets and references by depth, multi-type values and locations', async () => {
    const get = (depth: number) =>
      client(kind, 'api').getContent<Item>({
        appUid: 'blog',
        modelUid: 'article',
        contentId: ids.everything,
        query: { depth },
      })
    const one = await get(1)
    expect(Object.keys(one).slice(0, 2)).toEqual(['_id', '_sys'])
    expect(Object.keys(one.image)).toEqual([
      '_id',
      'altText',
      'description',
      'fileName',
      'fileSize',
      'fileType',
      'height',
      'metadata',
      'src',
      'title',
      'width',
    ])
    expect(one.author).toMatchObject({
      _id: ids.author,
      name: '著者',
      face: expect.stringMatching(/^[0-9a-f]{24}$/),
    })
    expect(one.coAuthors).toHaveLength(2)
    expect(one.noReference).toBeNull()
    expect(one.multi.map(({ type }) => type)).toEqual(['TEXT', 'IMAGE', 'REFERENCE', 'cta', 'MAP'])
    expect(one.map).toEqual({ lat: 35.681236, lng: 139.767125 })
    const none = await get(0)
    expect(none.image).toBe(one.image._id)
    expect(none.author).toBe(ids.author)
    expect((await get(2)).author.face).toMatchObject({
      _id: one.author.face,
      src: expect.stringContaining('https://'),
    })
    const cdn = await client(kind, 'cdn').getContent<Item>({
      appUid: 'blog',
      modelUid: 'article',
      contentId: ids.everything,
    })
    expect(cdn.coAuthors).toHaveLength(1)
  })

  it('gets the expected contents for filters, orders, limits and selections', async () => {
    const titles = async (query: GetContentsQuery) => {
      const { items } = await client(kind, 'api').getContents<Item>({
        appUid: 'blog',
        modelUid: 'article',
        query,
      })
      return items.map(({ _id }) => _id)
    }
    const { everything, draft, edited, unpublished, republished, bare } = ids
    expect(await titles({})).toEqual([republished, bare, unpublished, edited, draft, everything])
    expect(await titles({ slug: 'every-field' })).toEqual([everything])
    expect(await titles({ slug: '下書き/odd slug?&' })).toEqual([draft])
    expect(await titles({ author: ids.author })).toEqual([everything])
    expect(await titles({ selects: { in: ['b', 'z'] } })).toEqual([everything])
    expect(await titles({ selects: { all: ['a', 'z'] } })).toEqual([])
    expect(await titles({ title: { match: 'フィールド' } })).toEqual([everything])
    expect(await titles({ image: { exists: true } })).toEqual([everything])
    expect(await titles({ '_sys.createdAt': { gte: '2023-01-06', lt: '2023-01-07' } })).toEqual([unpublished])
    expect(
      await titles({ or: [{ slug: 'every-field' }, { title: { match: '二度' } }], order: ['_id'] }),
    ).toEqual([everything, republished])
    expect(
      await titles({ and: [{ or: [{ slug: 'every-field' }, { slug: 'x' }] }, { or: [{ flag: true }] }] }),
    ).toEqual([everything])
    expect(await titles({ order: ['_sys.customOrder'], limit: 2 })).toEqual([republished, everything])
    const [picked] = (
      await client(kind, 'api').getContents<Item>({
        appUid: 'blog',
        modelUid: 'article',
        query: { select: ['title', 'author.name'], slug: 'every-field' },
      })
    ).items
    expect(picked).toEqual({ _id: everything, title: expect.any(String), author: { name: '著者' } })
    const text = await client(kind, 'api').getFirstContent<Item>({
      appUid: 'blog',
      modelUid: 'article',
      query: { slug: 'every-field', markdown: { fmt: 'text' } },
    })
    expect(text?.markdown).toBe('本文\n![]( … )')
    expect(await client(kind, 'api').getFirstContent({ appUid: 'blog', modelUid: 'empty' })).toBeNull()
  })

  it('throws errors with the status and code of the response', async () => {
    const get = (token?: string, modelUid = 'article', query: GetContentsQuery = {}) =>
      client(kind, 'api', token).getContents({ appUid: 'blog', modelUid, query })
    await expect(get('wrong')).rejects.toMatchObject({ name: '401 Unauthorized' })
    await expect(get(standIn.space.tokens.cdn)).rejects.toMatchObject({ name: '401 Unauthorized' })
    await expect(get(undefined, 'nothing')).rejects.toMatchObject({ name: '404 NotFound' })
    await expect(get(undefined, 'article', { limit: 1_001 })).rejects.toMatchObject({
      name: '400 InvalidQueryParameter',
    })
  })
})

it('newt-client-js retries a request after a 429', async () => {
  let refusals = 0
  options.fault = () => (refusals++ < 1 ? { kind: 'status', status: 429, retryAfter: '1' } : undefined)
  const { total } = await client('adapter', 'cdn').getContents({ appUid: 'blog', modelUid: 'author' })
  delete options.fault
  expect(total).toBe(1)
  expect(refusals).toBe(2)
})
