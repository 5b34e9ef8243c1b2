import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GetContentsQuery } from 'newt-client-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import { createAccount, createSpace, type TestAccount, unique } from '#test/factories.ts'
import { newtClientFor } from '#test/newt-client.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { picture, sourceFixture, tarred, zipped } from '#test/source-fixtures.ts'
import { checkMoveJob, importMoveJob } from './moves.jobs.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let port: number
let media: Server
/** The origin of the media server, which is listed for imports. */
let origin: string
/** The same server under another name, which is listed for other purposes only. */
let otherOrigin: string
const asked: string[] = []
beforeAll(async () => {
  const bytes = await picture()
  media = createServer((request, response) => {
    asked.push(request.url ?? '')
    const isLost = request.url?.includes('lost') === true
    response.writeHead(isLost ? 404 : 200, { 'content-type': 'image/png' }).end(isLost ? '' : bytes)
  })
  await new Promise<void>((resolve) => media.listen(0, '127.0.0.1', resolve))
  const mediaPort = (media.address() as AddressInfo).port
  origin = `http://127.0.0.1:${mediaPort}`
  otherOrigin = `http://localhost:${mediaPort}`
  installation = await startInstallation({
    IMORI_IMPORT_ORIGINS: origin,
    IMORI_EMBED_ORIGINS: otherOrigin,
    IMORI_WEBHOOK_ORIGINS: otherOrigin,
    IMORI_OUTGOING_PORTS: String(mediaPort),
  })
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  await installation.server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  port = (installation.server.server.address() as AddressInfo).port
})
afterAll(async () => {
  media?.close()
  await installation?.close()
})

const moveUrl = (id: string, rest = '') => `${space.url}/move/${id}${rest}`
const get = async (id: string) => ok(await admin.client.get(moveUrl(id))).move

async function upload(fileName: string, bytes: Buffer) {
  const { client } = admin
  const data = { fileName, fileSize: bytes.length }
  const { move } = ok(await client.post(`${space.url}/move`, { data }))
  const { url, headers } = ok(await client.get(moveUrl(move._id, '/signedUrl')))
  const sent = await fetch(`http://127.0.0.1:${port}${url}`, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers,
  })
  expect(sent.status).toBe(204)
  ok(await client.post(moveUrl(move._id, '/signedUrl')))
  await runWaiting(installation, checkMoveJob)
  return get(move._id)
}

const typesOf = (plan: MovePlan, model: string) =>
  Object.fromEntries(
    plan.models
      .find(({ from }) => from === model)
      ?.fields.map(({ from, field }) => [from, `${field.type}${field.multiple ? '[]' : ''}`]) ?? [],
  )

/** Chooses `publish` for contents of unknown state. */
function publishUnknown({ models }: MovePlan): void {
  for (const { states = [] } of models)
    for (const state of states) if (state.state === 'unknown') state.choice = 'publish'
}

/** Imports a file by its plan, after corrections. Returns the plan, the report, and a function that reads documents. */
async function moveIn(fileName: string, bytes: Buffer, correct: (plan: MovePlan) => void = () => {}) {
  const { client } = admin
  const move = await upload(fileName, bytes)
  expect([move.state, move.refusal]).toEqual(['planned', null])
  const { plan } = ok(await client.get(moveUrl(move._id, '/plan'))) as { plan: MovePlan }
  const { app, models, customTypes } = structuredClone(plan)
  correct({ ...plan, app, models, customTypes })
  const confirmation = plan.confirmed === undefined ? {} : { confirmed: true }
  const data = { app: { ...app, uid: unique('app') }, models, customTypes, ...confirmation }
  ok(await client.put(moveUrl(move._id, '/plan'), { data }))
  ok(await client.post(moveUrl(move._id, '/start')))
  await runWaiting(installation, importMoveJob)
  const { state, report } = await get(move._id)
  expect(state).toBe('imported')
  const token = ok(await client.post(`${space.url}/cdnToken`, { data: { name: unique('cdn') } })).cdnToken
    .token
  const newt = newtClientFor(installation, { spaceUid: space.uid, token })
  const read = (modelUid: string, query: GetContentsQuery = {}) =>
    // biome-ignore lint/suspicious/noExplicitAny: the fields of the documents depend on the source
    newt.getContents<any>({ appUid: data.app.uid, modelUid, query })
  return { plan, report, read }
}

describe('a migration', () => {
  it('imports an export of WordPress', async () => {
    const [file = Buffer.alloc(0)] = (await sourceFixture('wordpress', origin)).values()
    const { plan, read } = await moveIn(
      'yama.xml',
      file,
      // Users may rename a model; references follow.
      ({ models }) => {
        for (const model of models) if (model.from === 'category') model.uid = 'topic'
      },
    )
    expect(plan.source).toMatchObject({ kind: 'wordpress', status: 'complete' })
    expect(plan.app.name).toBe('山の道具店')
    expect(plan.models.map(({ from }) => from).sort()).toEqual(['author', 'category', 'page', 'post', 'tag'])
    expect(typesOf(plan, 'post')).toMatchObject({
      title: 'TEXT',
      slug: 'TEXT',
      content: 'RICH_TEXT',
      thumbnail: 'IMAGE',
      author: 'REFERENCE',
      categories: 'REFERENCE[]',
      tags: 'REFERENCE[]',
      sourceId: 'NUMBER',
      price: 'TEXT',
    })
    expect(plan.models.find(({ from }) => from === 'post')?.states).toContainEqual({
      key: 'hidden wp:status: private',
      state: 'hidden',
      statement: 'wp:status: private',
      count: 1,
      changed: 0,
      examples: ['内緒の話'],
      choice: 'draft',
    })
    const posts = await read('post')
    // The draft is not published.
    expect(posts.total).toBe(1)
    const [post] = posts.items
    expect(post).toMatchObject({
      title: 'テントの張り方',
      slug: 'テントの張り方',
      price: '=1+1',
      sourceId: 12,
      author: { name: '山田 花子' },
      thumbnail: { altText: '緑のテント', title: 'テントの写真' },
    })
    expect(post._sys.raw).toMatchObject({
      createdAt: '2024-04-01T01:00:00.000Z',
      publishedAt: '2024-04-03T02:30:00.000Z',
    })
    expect(post.categories.map(({ name }: { name: string }) => name)).toEqual(['イベント', 'お知らせ'])
    expect(post.tags[0]).toMatchObject({ name: 'テント', slug: 'テント' })
    expect(post.content).toContain('<strong>平らな場所</strong>')
    expect(post.content).not.toMatch(/wp:|script|onclick|127\.0\.0\.1:\d+\/wp-content/)
    // The text embeds a smaller copy of the picture, which becomes the picture itself.
    expect(post.content).toContain(post.thumbnail._id)
    expect(JSON.stringify(posts)).not.toContain('hanako@example.jp')
    expect((await read('page')).items[0]).toMatchObject({ title: 'お店について', menuOrder: 3 })
    expect((await read('topic', { slug: 'event' })).items[0].parent).toMatchObject({ name: 'お知らせ' })
  })

  it('imports an export of microCMS', async () => {
    const files = await sourceFixture('microcms', origin)
    const { plan, read } = await moveIn('blog.zip', await zipped(files))
    expect(plan.source.kind).toBe('microcms')
    expect(typesOf(plan, 'blogs')).toMatchObject({
      title: 'TEXT',
      content: 'RICH_TEXT',
      eyecatch: 'IMAGE',
      category: 'REFERENCE',
      kind: 'SELECT[]',
      // The value has more digits than a double can represent.
      price: 'TEXT',
      parts: 'MULTI_TYPE[]',
      held: 'DATE',
    })
    expect(plan.models.find(({ from }) => from === 'blogs')?.fields.map(({ field }) => field.name)).toContain(
      '題名',
    )
    const { items } = await read('blogs', { order: ['_sys.createdAt'] })
    expect(items[0]).toMatchObject({
      title: 'はじめまして',
      sourceId: 'hello-world',
      category: { name: 'お知らせ', sourceId: 'news' },
      kind: ['技術'],
      price: '9007199254740993',
      eyecatch: { width: 64, height: 48 },
    })
    expect(items[0].parts.map(({ type }: { type: string }) => type)).toEqual(['quote', 'photo'])
    expect(items[0].parts[0].data.text).toBe('一期一会')
    expect(items[0].content).toMatch(/<img src="[^"]+inside\.png\?w=640"/)
    expect(items[0].content).not.toContain(origin)
    expect(items[0]._sys.raw.firstPublishedAt).toBe('2024-01-10T02:00:00.000Z')
  })

  it('imports an export of Contentful', async () => {
    const [file = Buffer.alloc(0)] = (await sourceFixture('contentful', origin)).values()
    const { plan, read } = await moveIn('contentful.json', file, ({ models }) => {
      for (const model of models) if (model.from === 'person') model.uid = 'writer'
    })
    expect(plan.source.kind).toBe('contentful')
    expect(typesOf(plan, 'article')).toEqual({
      heading: 'TEXT',
      lead: 'MARKDOWN',
      summary: 'TEXT',
      body: 'RICH_TEXT',
      author: 'REFERENCE',
      photos: 'IMAGE[]',
      // References to persons and to articles.
      related: 'REFERENCE[]',
      genre: 'SELECT',
      held: 'DATE',
      place: 'MAP',
      memo: 'NUMBER',
      sourceId: 'TEXT',
    })
    const article = plan.models.find(({ from }) => from === 'article')
    expect(article).toMatchObject({
      name: '記事',
      titleField: 'heading',
      documents: { published: 1, draft: 1 },
    })
    const { items, total } = await read('article')
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({
      heading: '京都の朝',
      summary: '一行目\n*二行目*',
      author: { name: '川端 朝子' },
      related: [{ name: '川端 朝子', _sys: { model: 'writer' } }],
      genre: '旅',
      held: '2024-04-01T00:00:00.000Z',
      place: { lat: 35.0116, lng: 135.7681 },
      sourceId: '5KsDBWseXY6QegucYAoacS',
    })
    expect(items[0].lead).toContain('<strong>鴨川</strong>')
    expect(items[0].photos[0]).toMatchObject({ title: '鴨川', description: '朝の鴨川' })
    expect(items[0].body).toMatch(
      /^<h2>川 &amp; 橋<\/h2><p><strong>太い<\/strong><a href="https:\/\/example\.jp\/\?a=1&amp;b=2"/,
    )
    expect(items[0].body).toContain(items[0].photos[0]._id)
    // Entries in a text become links, with the uids of the plan; entries missing in the export are reported.
    const person = items[0].author._id
    const edited = items[0].related.length
    expect(edited).toBe(1)
    expect(items[0].body).toContain(`<p><a data-document="${person}" data-model="writer">川端 朝子</a></p>`)
    expect(items[0].body).toMatch(/<a data-document="[0-9a-f]{24}" data-model="article">つづき<\/a>/)
    expect(JSON.stringify(plan.problems)).toContain('article.body')
  })

  it('imports an export of Strapi', async () => {
    const files = await sourceFixture('strapi')
    files.set('assets/uploads/cover_abc123.png', await picture())
    const { plan, read } = await moveIn('export.tar.gz', await tarred(files))
    expect(plan.source).toMatchObject({ kind: 'strapi', status: 'complete' })
    expect(typesOf(plan, 'article')).toEqual({
      title: 'TEXT',
      slug: 'TEXT',
      body: 'MARKDOWN',
      story: 'RICH_TEXT',
      cover: 'IMAGE',
      author: 'REFERENCE',
      seo: 'CUSTOM',
      sections: 'MULTI_TYPE[]',
      held: 'DATE',
      rank: 'NUMBER',
      sourceId: 'TEXT',
    })
    const { items, total } = await read('article')
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({
      title: '吾輩の記録',
      cover: { altText: '表紙', width: 64 },
      author: { name: '夏目 一' },
      seo: { metaTitle: '検索用', metaDescription: '説明' },
      held: '2024-05-01T00:00:00.000Z',
      rank: 3,
    })
    expect(items[0].body).toContain('<strong>まだ</strong>')
    expect(items[0].story).toMatch(
      /^<p><strong>これは<\/strong><a href="https:\/\/example\.jp\/"[^>]*>リンク<\/a><\/p><ol><li>/,
    )
    expect(items[0].sections[0]).toMatchObject({ type: 'shared_quote', data: { text: '月が綺麗' } })
  })

  it('imports an export of Directus', async () => {
    const files = await sourceFixture('directus')
    files.set('uploads/0f3f1a2e.png', await picture())
    const { plan, read } = await moveIn('directus.zip', await zipped(files), publishUnknown)
    expect(plan.source).toMatchObject({ kind: 'directus', status: 'complete' })
    expect(typesOf(plan, 'news')).toMatchObject({
      title: 'TEXT',
      body: 'RICH_TEXT',
      note: 'MARKDOWN',
      cover: 'IMAGE',
      writer: 'REFERENCE',
      held: 'DATE',
    })
    const { items, total } = await read('news')
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({
      title: '開店のお知らせ',
      writer: { name: '森 林子' },
      cover: { title: '店' },
      held: '2024-07-01T00:00:00.000Z',
      body: '<p>本日開店</p>',
    })
    expect(items[0]._sys.createdAt).toBe('2024-06-01T00:00:00.000Z')
  })

  it('imports Markdown files', async () => {
    const files = await sourceFixture('markdown')
    files.set('content/images/cover.png', await picture())
    const { plan, read } = await moveIn('site.zip', await zipped(files))
    expect(plan.source.kind).toBe('markdown')
    expect(typesOf(plan, 'blog')).toMatchObject({
      title: 'TEXT',
      slug: 'TEXT',
      date: 'DATE',
      tags: 'TEXT[]',
      cover: 'IMAGE',
      draft: 'CHECKBOX',
      views: 'NUMBER',
      body: 'MARKDOWN',
    })
    // The unreadable file is reported.
    const missing = plan.problems.find(({ code }) => code === 'missingContents')
    expect(missing).toMatchObject({ count: 1, examples: ['content/blog/broken.md: yaml'] })
    const { items, total } = await read('blog')
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({
      title: 'はじめての記事',
      slug: 'first',
      tags: ['旅行', '京都'],
      views: 12,
      cover: { fileName: 'cover.png' },
    })
    expect(items[0]._sys.createdAt).toBe('2024-01-05T00:00:00.000Z')
    expect(items[0].body).toMatch(/<strong>太字<\/strong>/)
    expect(items[0].body).toContain(items[0].cover._id)
    const source = await read('blog', { body: { fmt: 'text' } })
    expect(source.items[0].body).toContain('**太字**と[リンク](https://example.jp/)。')
  })

  it('cleans the invisible, overlong and multi-line column names of a CSV file', async () => {
    const long = 'あ'.repeat(98)
    const heading = `タイトル,"本文\n（日本語）",\u2800,\u200b要\u00ad約,${long}👩\u200d🌾`
    const bytes = Buffer.from(`${heading}\nあ,い,う,え,お\n`)
    const move = await upload('ne\u00adws.csv', bytes)
    const { plan } = ok(await admin.client.get(moveUrl(move._id, '/plan'))) as { plan: MovePlan }
    const [model] = plan.models
    // The name of the file is cleaned on upload, so that its word is recognised.
    expect(model?.name).toBe('お知らせ')
    expect(model?.fields.map(({ field }) => field.name)).toEqual([
      'タイトル',
      '本文 （日本語）',
      '項目',
      '要約',
      long,
    ])
    const { app, models, customTypes } = structuredClone(plan)
    if (models[0]?.fields[1]) models[0].fields[1].field.name = '本文\n'
    const data = { app: { ...app, name: '\u2800' }, models, customTypes }
    const refused = await admin.client.put(moveUrl(move._id, '/plan'), { data })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('NothingVisible')
  })

  it('imports CSV numbers with exponents as numbers or text, and reports 1e21 as left out', async () => {
    const rows = ['a,3,3E5', 'b,1e21,12e3', 'c,5e-7,1E1', 'd,12.5,7']
    const table = Buffer.from(`name,grams,code\n${rows.join('\n')}\n`)
    const { plan, read } = await moveIn('weight.csv', table, publishUnknown)
    expect(typesOf(plan, 'weight')).toEqual({ name: 'TEXT', grams: 'NUMBER', code: 'TEXT' })
    expect(plan.problems.find(({ code }) => code === 'numbersLeftOut')).toMatchObject({
      path: 'weight.grams',
      count: 1,
      examples: ['1e21'],
    })
    const { items } = await read('weight', { order: ['name'] })
    expect(items.map(({ grams }) => grams)).toEqual([3, null, 5e-7, 12.5])
    expect(items.map(({ code }) => code)).toEqual(['3E5', '12e3', '1E1', '7'])
  })

  it('keeps the notation of CSV numbers that become text', async () => {
    const rows = [
      'a,1,3',
      'b,2,1.5e2',
      'c,3,999999999999999.9999999999e-5',
      'd,2E3,4',
      'e,12E30,5',
      'f,13E30,6',
    ]
    const table = Buffer.from(`name,code,size\n${rows.join('\n')}\n`)
    const { plan, read } = await moveIn('parts.csv', table, publishUnknown)
    expect(typesOf(plan, 'parts')).toEqual({ name: 'TEXT', code: 'TEXT', size: 'NUMBER' })
    expect(plan.problems.find(({ code }) => code === 'longNumbers')).toMatchObject({
      path: 'parts.code',
      examples: ['12E30', '13E30'],
    })
    const size = plan.models[0]?.fields.find(({ from }) => from === 'size')
    expect(size?.choices[0]?.differences).toEqual([{ code: 'normalized', count: 1 }])
    const { items } = await read('parts', { order: ['name'] })
    expect(items.map(({ code }) => code)).toEqual(['1', '2', '3', '2E3', '12E30', '13E30'])
    expect(items.map(({ size }) => size)).toEqual([3, 150, 10_000_000_000, 4, 5, 6])
  })

  it.each(['utf-8', 'shift_jis'])('imports a CSV file in %s', async (encoding) => {
    const [utf8 = Buffer.alloc(0)] = (await sourceFixture('csv')).values()
    const bytes = encoding === 'utf-8' ? utf8 : shiftJis(utf8.subarray(3).toString('utf8'))
    const { plan, read } = await moveIn('商品.csv', bytes, (changed) => {
      const [model] = changed.models
      if (!model) return
      model.uid = 'product'
      model.titleField = 'c0'
      publishUnknown(changed)
      for (const [index, { field }] of model.fields.entries()) field.uid = `c${index}`
    })
    expect(plan.source.kind).toBe('csv')
    const [model] = plan.models
    expect(model).toMatchObject({ from: '商品', uid: 'product', name: '商品' })
    expect(model?.fields.map(({ field }) => field.uid)).toEqual([
      'productName',
      'price',
      'stock',
      'releasedOn',
      'zip',
      'description',
      'image',
    ])
    expect(typesOf(plan, '商品')).toEqual({
      商品名: 'TEXT',
      価格: 'NUMBER',
      在庫: 'CHECKBOX',
      発売日: 'DATE',
      郵便番号: 'TEXT',
      説明: 'TEXT',
      画像: 'TEXT',
    })
    const uid = Object.fromEntries(model?.fields.map(({ from }, index) => [from, `c${index}`]) ?? [])
    const { items } = await read('product', { order: ['_sys.createdAt'] })
    const rows = items.map((item: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(uid).map(([name, key]) => [name, item[String(key)]])),
    )
    expect(rows).toEqual([
      {
        商品名: 'りんご, 赤',
        価格: 120,
        在庫: true,
        発売日: '2024-01-05T00:00:00.000Z',
        郵便番号: '0640941',
        説明: '一行目\n二行目',
        画像: '=HYPERLINK(1)',
      },
      {
        商品名: 'みかん',
        価格: 80.5,
        在庫: false,
        発売日: '2024-02-01T00:00:00.000Z',
        郵便番号: '1000001',
        説明: '"甘い"',
        画像: '',
      },
    ])
  })

  it('imports JSON and NDJSON files', async () => {
    const { plan, read } = await moveIn('data.zip', await zipped(await sourceFixture('json')), publishUnknown)
    expect(plan.source).toMatchObject({ kind: 'json', status: 'partial' })
    expect(typesOf(plan, 'items')).toMatchObject({
      name: 'TEXT',
      price: 'NUMBER',
      big: 'TEXT',
      createdAt: 'DATE',
      size: 'CUSTOM',
    })
    expect(typesOf(plan, 'notes')).toEqual({ title: 'TEXT', day: 'DATE' })
    expect(
      plan.problems.filter(({ code }) => code === 'missingContents').flatMap(({ examples }) => examples),
    ).toEqual(['items.json:3: json', 'notes.ndjson:3: json'])
    const { items } = await read('items', { order: ['_sys.createdAt'] })
    expect(items[0]).toMatchObject({
      _id: '65a000000000000000000001',
      big: '12345678901234567890',
      size: { width: 120, height: 70 },
      tags: ['家具', '木'],
    })
    expect((await read('notes', { order: ['title'] })).items).toMatchObject([
      { title: '一つ目', day: '2024-05-01T00:00:00.000Z' },
      { title: '二つ目', day: '2024-05-02T00:00:00.000Z' },
    ])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('imports an export of Ghost', async () => {
    const [file = Buffer.alloc(0)] = (await sourceFixture('ghost', origin)).values()
    const { plan, read } = await moveIn('ghost.json', file)
    expect(plan.source.kind).toBe('ghost')
    expect(typesOf(plan, 'post')).toMatchObject({
      title: 'TEXT',
      content: 'RICH_TEXT',
      tags: 'REFERENCE[]',
      authors: 'REFERENCE[]',
    })
    const { items } = await read('post', { order: ['title'] })
    expect(items.map(({ title }) => title)).toEqual(['Lexical', 'Mobiledoc', '見学会のお知らせ'])
    expect(items[2].authors[0]).toMatchObject({ name: '山田 花子', bio: '書く人' })
    expect((await read('page')).items.map(({ title }) => title)).toEqual(['案内'])
    expect(plan.leftOut).toContainEqual({ kind: 'account', name: 'users', count: expect.any(Number) })
    const { rows } = await installation.database.pool.query(
      `SELECT (SELECT count(*) FROM document WHERE document::text ~ 'HASHHASH|@secret.example')::int AS documents,
              (SELECT count(*) FROM move WHERE move::text ~ 'HASHHASH|@secret.example')::int AS moves`,
    )
    expect(rows).toEqual([{ documents: 0, moves: 0 }])
  })

  it('imports an export of Sanity', async () => {
    const { plan, read } = await moveIn('sanity.tar.gz', await tarred(await sourceFixture('sanity')))
    expect(plan.source.kind).toBe('sanity')
    const { items } = await read('post')
    expect(items).toMatchObject([{ title: '公開の題', slug: 'first', at: { lat: 35.6, lng: 139.7 } }])
    expect(items[0].body).toContain('<h2>見出し</h2>')
    expect(JSON.stringify(items)).not.toContain('下書き')
  })

  it('imports an export that Newt itself has written', async () => {
    const files = await sourceFixture('newt')
    files.set('media/65d000000000000000000001/cover.png', await picture())
    const { plan, read } = await moveIn('newt.zip', await zipped(files), publishUnknown)
    expect(plan.source).toMatchObject({ kind: 'newt-export', status: 'complete' })
    expect(typesOf(plan, 'article')).toEqual({
      title: 'TEXT',
      body: 'RICH_TEXT',
      cover: 'IMAGE',
      author: 'REFERENCE',
    })
    const { items } = await read('article')
    expect(items[0]).toMatchObject({
      _id: '65c000000000000000000001',
      title: '移行の記録',
      cover: { _id: '65d000000000000000000001', altText: '表紙' },
      author: { _id: '65c000000000000000000002', name: '井森 守' },
    })
    expect(items[0]._sys.raw.firstPublishedAt).toBe('2024-01-01T12:00:00.000Z')
  })
})

describe('an uploaded file', () => {
  it('is planned without requests for its pictures if their private origin is listed for other purposes', async () => {
    const [file = Buffer.alloc(0)] = (await sourceFixture('wordpress', otherOrigin)).values()
    const before = asked.length
    const move = await upload('yama.xml', file)
    expect(move).toMatchObject({ state: 'planned', source: { kind: 'wordpress', status: 'gaps' } })
    const { plan } = ok(await admin.client.get(moveUrl(move._id, '/plan')))
    expect(plan.problems[0]).toMatchObject({
      code: 'missingAssets',
      examples: [`${otherOrigin}/wp-content/uploads/2024/04/tent.png`],
    })
    expect(asked).toHaveLength(before)
  })

  it('is refused with a reason if it contains a DOCTYPE, is truncated or has an unknown format', async () => {
    const bomb =
      '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><rss xmlns:wp="http://wordpress.org/export/1.2/"/>'
    expect(await upload('x.xml', Buffer.from(bomb))).toMatchObject({
      state: 'refused',
      refusal: { code: 'brokenSource', items: [{ kind: 'doctype', what: expect.stringContaining('x.xml') }] },
    })
    const tar = await tarred(await sourceFixture('strapi'))
    expect(await upload('x.tar.gz', tar.subarray(0, tar.length >> 1))).toMatchObject({
      state: 'refused',
      refusal: { code: 'brokenSource' },
    })
    expect(await upload('x.bin', Buffer.from([0, 1, 2, 3]))).toMatchObject({
      state: 'refused',
      refusal: { code: 'unknownSource' },
    })
  })
})

/**
 * Encodes a text in Shift_JIS. Node.js has no encoder for it, so the two-byte characters are found by decoding all of
 * them.
 */
function shiftJis(text: string): Buffer {
  const decoder = new TextDecoder('shift_jis')
  const bytesOf = new Map<string, number[]>()
  for (let first = 0x81; first <= 0xfc; first++)
    for (let second = 0x40; second <= 0xfc; second++) {
      const sign = decoder.decode(Uint8Array.of(first, second))
      if (sign.length === 1 && !bytesOf.has(sign)) bytesOf.set(sign, [first, second])
    }
  return Buffer.from(
    [...text].flatMap((sign) => (sign < '\u0080' ? [sign.charCodeAt(0)] : (bytesOf.get(sign) ?? [0x3f]))),
  )
}
