import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildServer } from '#server/server.ts'
import { createAccount, createApp, createSpace } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { newtClientFor } from '#test/newt-client.ts'
import { quadrants } from '#test/pictures.ts'
import { type Client, formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let tokens: Record<'cdn' | 'api', string>
let docs: string
let picture: Buffer

type Loose = Record<string, unknown>
const field = (uid: string, type: string, more: Loose = {}) => ({ uid, name: uid, type, ...more })
const nobody = 'f'.repeat(24)

async function createModel(uid: string, fields: Loose[]) {
  ok(await client.post(`${app.url}/model`, { data: { uid, name: uid, fields } }))
  return `${app.url}/model/${uid}/doc`
}

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  space = await createSpace(client)
  app = await createApp(client, space)
  picture = await quadrants(40, 20)
  tokens = {
    cdn: ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'cdn' } })).cdnToken.token,
    api: ok(await client.post(`${space.url}/apiToken`, { data: { name: 'api' } })).apiToken.token,
  }
  const qa = [field('icon', 'IMAGE'), field('papers', 'FILE', { multiple: true, accept: '.txt' })]
  ok(await client.post(`${app.url}/customFieldType`, { data: { uid: 'qa', name: 'qa', fields: qa } }))
  docs = await createModel('article', [
    field('title', 'TEXT'),
    field('cover', 'IMAGE'),
    field('gallery', 'IMAGE', { multiple: true, maxItems: 3 }),
    field('paper', 'FILE', { accept: '.txt,application/pdf' }),
    field('body', 'RICH_TEXT'),
    field('note', 'MARKDOWN'),
    field('qa', 'CUSTOM', { customType: 'qa' }),
    field('parts', 'MULTI_TYPE', {
      multiple: true,
      types: [{ type: 'IMAGE' }, { type: 'FILE' }, { type: 'CUSTOM', customType: 'qa' }],
    }),
    field('next', 'REFERENCE', { modelUid: 'article' }),
  ])
})
afterAll(() => installation?.close())

let pictures = 0
/** Uploads a picture with a size that no earlier call used, or a text file if the name ends in `.txt`. */
async function upload(name: string) {
  const bytes = name.endsWith('.txt') ? name : await quadrants(40 + 2 * ++pictures, 20)
  const form = formOf({ name, type: name.endsWith('.txt') ? 'text/plain' : 'image/png', bytes })
  const { results } = ok(await client.post(`${space.url}/assets`, form))
  expect(results).toEqual([expect.objectContaining({ success: true })])
  return results[0].asset
}

async function write(document: Loose, type = 'PUBLISH'): Promise<string> {
  return ok(await client.post(docs, { document: { title: '記事', ...document }, type })).document._id
}

const change = (id: string, doc: Loose, type = 'PUBLISH') => client.put(`${docs}/${id}`, { doc, type })

async function read(path: string, kind: 'cdn' | 'api' = 'cdn', server = installation.server) {
  const url = `/v1/${app.uid}/article${path}`
  const answer = await server.inject({ url, headers: { authorization: `Bearer ${tokens[kind]}` } })
  expect([answer.statusCode, answer.body]).toEqual([200, answer.body])
  return { body: answer.json(), tags: String(answer.headers['cache-tag']).split(',') }
}

const one = async (id: string, query = '', kind: 'cdn' | 'api' = 'cdn') =>
  (await read(`/${id}${query}`, kind)).body

const usesOf = async (id: string) => {
  const { references, total } = ok(await client.get(`${space.url}/asset/${id}/references`))
  expect(ok(await client.get(`${space.url}/assets/${id}`)).asset.useCount).toBe(total)
  return references.map(({ _id }: { _id: string }) => _id)
}

const trash = async (id: string) => ok(await client.delete(`${space.url}/asset/${id}`))
const restore = async (id: string) =>
  ok(await client.post(`${space.url}/assets/bulkRestore`, { assetIds: [id] }))

describe('a delivered asset', () => {
  it('has by default 11 properties in a fixed order and a URL that serves the file', async () => {
    const asset = await upload('表紙.png')
    ok(await client.patch(`${space.url}/assets/${asset._id}`, { data: { altText: '「池」の"絵"' } }))
    const paper = await upload('読む.txt')
    const id = await write({ cover: asset._id, gallery: [asset._id], paper: paper._id })
    const { body, tags } = await read(`/${id}`)
    const expected = {
      _id: asset._id,
      altText: '「池」の"絵"',
      description: '',
      fileName: '表紙.png',
      fileSize: asset.fileSize,
      fileType: 'image/png',
      height: 20,
      metadata: asset.metadata,
      src: asset.src,
      title: '',
      width: asset.width,
    }
    expect(JSON.stringify(body.cover)).toBe(JSON.stringify(expected))
    expect(body.gallery).toEqual([expected])
    expect(body.paper).toMatchObject({ fileType: 'text/plain', width: null, height: null, metadata: {} })
    expect(tags).toEqual(expect.arrayContaining([`asset:${asset._id}`, `asset:${paper._id}`]))
    const file = await installation.server.inject({ url: new URL(body.cover.src).pathname })
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'image/png'])
    expect(ok(await client.get(`${docs}/${id}/api`)).document.cover).toEqual(expected)
  })

  it('is delivered as an `_id` at depth 0 and below the requested depth', async () => {
    const asset = await upload('a.png')
    const inner = await write({ cover: asset._id })
    const id = await write({ cover: asset._id, gallery: [asset._id], next: inner })
    expect(await one(id, '?depth=0')).toMatchObject({ cover: asset._id, gallery: [asset._id], next: inner })
    expect(await one(id, '?depth=1')).toMatchObject({ cover: { _id: asset._id }, next: { cover: asset._id } })
    expect(await one(id, '?depth=2')).toMatchObject({ next: { cover: { _id: asset._id } } })
    expect(await one(id, '?select=cover')).toMatchObject({ cover: { _id: asset._id } })
  })

  it('an empty asset field is null, or an empty list if it is multiple', async () => {
    const body = await one(await write({}))
    expect(body).toMatchObject({ cover: null, gallery: [], paper: null, parts: [] })
    expect(body.qa).toEqual({ icon: null, papers: [] })
    expect(await one(await write({}), '?depth=0')).toMatchObject({ cover: null, gallery: [] })
  })

  it('is delivered in nested values, and is null in nested single values after a move to the trash', async () => {
    const [icon, paper] = [await upload('icon.png'), await upload('a.txt')]
    const qa = { icon: icon._id, papers: [paper._id] }
    const parts = [
      { type: 'IMAGE', data: icon._id },
      { type: 'FILE', data: paper._id },
      { type: 'qa', data: qa },
    ]
    const id = await write({ qa, parts })
    const shown = { icon: { fileName: 'icon.png' }, papers: [{ fileName: 'a.txt' }] }
    const body = await one(id)
    expect(body.qa).toMatchObject(shown)
    expect(body.parts).toMatchObject([
      { type: 'IMAGE', data: { _id: icon._id, src: icon.src } },
      { type: 'FILE', data: { _id: paper._id } },
      { type: 'qa', data: shown },
    ])
    expect(await one(id, '?depth=0')).toMatchObject({ qa, parts })
    expect(await usesOf(paper._id)).toEqual([id])
    await trash(icon._id)
    const without = await one(id)
    expect([without.qa.icon, without.parts[0].data]).toEqual([null, null])
  })

  it('has a placeholder on request in IMAGE fields, including lists, nested values and references', async () => {
    const asset = await upload('hashed.png')
    expect(asset.placeholder).toMatch(/^[\w+/]{20,40}=*$/)
    const part = { type: 'IMAGE', data: asset._id }
    const next = await write({ cover: asset._id })
    const id = await write({
      cover: asset._id,
      gallery: [asset._id],
      qa: { icon: asset._id },
      parts: [part],
      next,
    })
    const plain = await one(id)
    const hashed = { ...plain.cover, placeholder: asset.placeholder }
    expect(await one(id, '?cover[fmt]=placeholder')).toEqual({ ...plain, cover: hashed })
    const query = ['gallery', 'qa.icon', 'parts.data', 'next.cover'].map((path) => `${path}[fmt]=placeholder`)
    expect(await one(id, `?depth=2&select=gallery,qa,parts,next.cover&${query.join('&')}`)).toEqual({
      _id: id,
      gallery: [hashed],
      qa: { ...plain.qa, icon: hashed },
      parts: [{ ...plain.parts[0], data: hashed }],
      next: { _id: next, cover: hashed },
    })
    expect((await one(id, '?cover[fmt]=placeholder&depth=0')).cover).toBe(asset._id)
    expect((await one(await write({}), '?cover[fmt]=placeholder')).cover).toBeNull()
    const url = `/v1/${app.uid}/article?paper[fmt]=placeholder`
    const refused = await installation.server.inject({
      url,
      headers: { authorization: `Bearer ${tokens.cdn}` },
    })
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'InvalidQueryParameter'])
  })

  it('can be read and filtered with newt-client-js', async () => {
    const asset = await upload('client.png')
    const paper = await upload('client.txt')
    const id = await write({ cover: asset._id, gallery: [asset._id], paper: paper._id })
    const newt = newtClientFor(installation, { spaceUid: space.uid, token: tokens.cdn })
    const at = { appUid: app.uid, modelUid: 'article' }
    const content = await newt.getContent<{ cover: { src: string } }>({ ...at, contentId: id })
    expect(content.cover.src).toBe(asset.src)
    const query = { select: ['cover', 'gallery', 'paper'], cover: { fmt: 'placeholder' as 'text' } }
    const shown = await newt.getContent<Record<string, Loose>>({ ...at, contentId: id, query })
    expect(shown.cover?.placeholder).toBe(asset.placeholder)
    expect(shown.gallery).toEqual([content.cover])
    expect(shown.paper).toMatchObject({ _id: paper._id, fileType: 'text/plain', width: null })
    // Both forms of the delivery host have a path that serves the file.
    for (const src of [asset.src, asset.src.replace('.assets/', '.assets.newt.so/')]) {
      const { pathname } = new URL(src)
      const file = await installation.server.inject(pathname)
      expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'image/png'])
    }
    const form = formOf({ name: 'icon.png', type: 'image/png', bytes: picture })
    ok(await client.post(`${app.url}/icon`, form))
    ok(await client.post(`${app.url}/cover`, form))
    await expect
      .poll(() => newt.getApp({ appUid: app.uid }))
      .toMatchObject({ uid: app.uid, cover: { type: 'image' } })
    const { icon, cover } = await newt.getApp({ appUid: app.uid })
    for (const made of [icon, cover]) {
      const { origin, pathname } = new URL(made?.value ?? '')
      expect([made?.type, origin]).toEqual(['image', new URL(asset.src).origin])
      expect((await installation.server.inject(pathname)).headers['content-type']).toBe('image/webp')
    }
    const found = await newt.getContents({ ...at, query: { cover: asset._id, depth: 0 } })
    expect(found.items).toMatchObject([{ _id: id, gallery: [asset._id] }])
    const withCover = await newt.getContents({ ...at, query: { _id: id, cover: { exists: true } } })
    expect(withCover.total).toBe(1)
    const inGallery = await newt.getContents({ ...at, query: { gallery: { in: [asset._id, nobody] } } })
    expect(inGallery.total).toBe(1)
  })
})

describe('a change of an asset', () => {
  it('appears in the next responses of two servers that share a database', async () => {
    const asset = await upload('old.png')
    const id = await write({ cover: asset._id, gallery: [asset._id] })
    const other = await buildServer(installation.deps)
    const everywhere = async (expected: Loose | null) => {
      // Responses are cached from the second read of a URL on.
      for (const server of [installation.server, other])
        for (const kind of ['cdn', 'api'] as const)
          for (let time = 0; time < 3; time++) {
            const { body } = await read(`/${id}`, kind, server)
            const list = (await read(`?_id=${id}`, kind, server)).body.items[0]
            const shown = expected ? expect.objectContaining(expected) : null
            expect([body.cover, list.cover]).toEqual([shown, shown])
            expect(list.gallery).toEqual(expected ? [shown] : [])
          }
    }
    try {
      await everywhere({ altText: '', width: asset.width })
      ok(await client.patch(`${space.url}/assets/${asset._id}`, { data: { altText: '新しい' } }))
      await everywhere({ altText: '新しい' })
      const form = formOf({ name: 'new.png', type: 'image/png', bytes: await quadrants(100, 60) })
      ok(await client.put(`${space.url}/assets/${asset._id}:refresh`, form))
      await everywhere({ width: 100, height: 60, _id: asset._id })
      await trash(asset._id)
      await everywhere(null)
      await restore(asset._id)
      await everywhere({ width: 100 })
    } finally {
      await other.close()
    }
  })

  it('a trashed required asset prevents publishing the document, but not saving it', async () => {
    const url = await createModel('strict', [
      field('title', 'TEXT'),
      field('cover', 'IMAGE', { required: true }),
    ])
    const asset = await upload('gone.png')
    const document = { title: 'a', cover: asset._id }
    const { _id } = ok(await client.post(url, { document, type: 'PUBLISH' })).document
    await trash(asset._id)
    ok(await client.put(`${url}/${_id}`, { doc: { title: 'b', cover: asset._id }, type: 'SAVE' }))
    const refused = await client.put(`${url}/${_id}`, { doc: { title: 'b' }, type: 'PUBLISH' })
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [expect.objectContaining({ path: 'cover', code: 'Required' })],
    ])
  })
})

describe('asset validation', () => {
  const issuesOf = async (document: Loose, type = 'SAVE') => {
    const answer = await client.post(docs, { document: { title: 'a', ...document }, type })
    expect(answer.status).toBe(400)
    return answer.body.issues.map(({ path, code }: Loose) => `${path} ${code}`)
  }

  it('rejects unknown assets, assets of another space and unaccepted file types in a new document', async () => {
    const [asset, paper] = [await upload('b.png'), await upload('b.txt')]
    expect(await issuesOf({ cover: nobody })).toEqual(['cover InvalidValue'])
    expect(await issuesOf({ cover: 'x' })).toEqual(['cover InvalidValue'])
    expect(await issuesOf({ cover: { _id: asset._id } })).toEqual(['cover InvalidValue'])
    expect(await issuesOf({ gallery: [asset._id, nobody, paper._id] })).toEqual([
      'gallery.1 InvalidValue',
      'gallery.2 InvalidType',
    ])
    expect(await issuesOf({ paper: asset._id })).toEqual(['paper InvalidType'])
    expect(await issuesOf({ qa: { papers: [paper._id, asset._id] } })).toEqual(['qa.papers.1 InvalidType'])
    const part = (type: string, data: unknown) => ({ type, data })
    expect(
      await issuesOf({
        parts: [
          part('FILE', paper._id),
          part('IMAGE', paper._id),
          part('qa', { icon: paper._id, papers: [nobody, asset._id] }),
        ],
      }),
    ).toEqual([
      'parts.1.data InvalidType',
      'parts.2.data.icon InvalidType',
      'parts.2.data.papers.0 InvalidValue',
      'parts.2.data.papers.1 InvalidType',
    ])
    expect(await issuesOf({ gallery: Array(4).fill(asset._id) }, 'PUBLISH')).toEqual(['gallery TooManyItems'])
    const elsewhere = await createSpace(client)
    const form = formOf({ name: 'c.png', type: 'image/png', bytes: picture })
    const foreign = ok(await client.post(`${elsewhere.url}/assets`, form)).results[0].asset
    expect(await issuesOf({ cover: foreign._id })).toEqual(['cover InvalidValue'])
    const check = { value: foreign._id, field: 'cover' }
    const { code } = ok(await client.post(`${docs}/validateField`, check))
    expect(code).toBe('InvalidValue')
  })

  it('rejects a malformed `accept`, and an `accept` of an IMAGE field that allows no pictures', async () => {
    for (const [type, accept, code] of [
      ['IMAGE', 'image', 'InvalidFormat'],
      ['IMAGE', '.pdf', 'InvalidValue'],
      ['IMAGE', '', 'InvalidValue'],
      ['FILE', 'a b', 'InvalidFormat'],
    ] as const) {
      const refuses = async (url: string, path: string, inside: Loose) => {
        const data = { uid: 'wrong', name: 'wrong', fields: [inside] }
        const answer = await client.post(`${app.url}/${url}`, { data })
        expect([answer.status, answer.body.issues]).toEqual([400, [expect.objectContaining({ path, code })]])
      }
      await refuses('model', 'data.fields.0.accept', field('f', type, { accept }))
      await refuses('customFieldType', 'data.fields.0.accept', field('f', type, { accept }))
      const types = [{ type: 'TEXT' }, { type, accept }]
      await refuses('model', 'data.fields.0.types.1.accept', field('f', 'MULTI_TYPE', { types }))
    }
  })
})

describe('the media library', () => {
  it('lists the requested assets by `_id`, without assets in the trash', async () => {
    const [a, b] = [await upload('5.png'), await upload('6.png')]
    await trash(b._id)
    const { assets, total } = ok(await client.get(`${space.url}/assets?ids=${a._id},${b._id},${nobody}`))
    expect([assets.map(({ _id }: Loose) => _id), total]).toEqual([[a._id], 1])
    expect((await client.get(`${space.url}/assets?ids=x`)).body.issues).toEqual([
      { path: 'ids', code: 'InvalidFormat' },
    ])
  })

  it('lists the documents outside the trash whose drafts or published values use an asset', async () => {
    const [a, b, c] = [await upload('1.png'), await upload('2.png'), await upload('3.png')]
    const id = await write({
      cover: a._id,
      body: `<p><img src="${b.src}?width=100" alt="x" width="10" srcset="${b.src} 2x"></p>`,
      note: `![図](/${space.uid}.assets/v1/${c._id}/3.png)`,
    })
    for (const { _id } of [a, b, c]) expect(await usesOf(_id)).toEqual([id])
    const stored = ok(await client.get(`${docs}/${id}`)).document
    expect(stored.body).toContain(`srcset="${b.src} 2x"`)
    ok(await change(id, { cover: null, body: '', note: '' }, 'SAVE'))
    expect(await usesOf(a._id)).toEqual([id]) // the published state still uses it
    ok(await change(id, { cover: b._id }))
    expect([await usesOf(a._id), await usesOf(b._id), await usesOf(c._id)]).toEqual([[], [id], []])
    ok(await client.post(`${docs}/bulkUnpublish`, { documentIds: [id] }))
    expect(await usesOf(b._id)).toEqual([id])
    ok(await client.delete(`${docs}/${id}`))
    expect(await usesOf(b._id)).toEqual([])
    ok(await client.post(`${docs}/bulkRestore`, { documentIds: [id] }))
    expect(await usesOf(b._id)).toEqual([id])
  })

  it('keeps the use of an asset when the field becomes multiple, and removes the use with the field', async () => {
    const url = await createModel('changing', [field('title', 'TEXT'), field('cover', 'IMAGE')])
    const asset = await upload('4.png')
    const document = { title: 'a', cover: asset._id }
    const { _id } = ok(await client.post(url, { document, type: 'PUBLISH' })).document
    const model = ok(await client.get(url.replace('/doc', ''))).model
    const [title, cover] = model.fields
    const put = async (fields: Loose[], version: number) =>
      ok(await client.put(url.replace('/doc', ''), { data: { fields, version }, acceptLoss: true })).model
    const files = await put(
      [title, { _id: cover._id, ...field('cover', 'FILE'), multiple: true }],
      model.version,
    )
    expect(ok(await client.get(`${url}/${_id}`)).document.cover).toEqual([asset._id])
    expect(await usesOf(asset._id)).toEqual([_id])
    await put([title], files.version)
    expect(await usesOf(asset._id)).toEqual([])
  })

  it('has no consistency violations after the previous tests', async () => {
    expect(await findViolations(installation.database, { typesChanged: true })).toEqual([])
  })
})

describe('missing assets', () => {
  it('are reported as warnings in saved values and in texts, with field path and file name', async () => {
    const [kept, trashed, other] = [await upload('池.png'), await upload('森.png'), await upload('山.png')]
    const deleted = `/${space.uid}.assets/v1/${nobody}/%E5%B1%B1.png`
    const values = {
      title: '記事',
      cover: trashed._id,
      gallery: [kept._id, other._id],
      body: `<p>${[kept, trashed, trashed].map(({ src }) => `<img src="${src}">`).join('')}</p>`,
      note: `![](${deleted}?width=10) ![](https://else.example/other.assets/v1/${nobody}/a.png)`,
      parts: [{ type: 'qa', data: { icon: trashed._id } }],
    }
    const { document } = ok(await client.post(docs, { document: values }))
    const missing = (path: string, name?: string) => ({
      path,
      code: 'MissingAsset',
      ...(name === undefined ? {} : { params: { name } }),
    })
    const check = async (doc: Loose) => {
      const { isValid, warnings } = ok(await client.post(`${docs}/validate`, { doc }))
      return { isValid, warnings }
    }
    expect(await check({ _id: document._id })).toEqual({
      isValid: true,
      warnings: [missing('note', '山.png')],
    })
    await trash(trashed._id)
    await trash(other._id)
    expect(await check({ _id: document._id })).toEqual({
      isValid: true,
      warnings: [
        missing('cover', '森.png'),
        missing('gallery.1', '山.png'),
        missing('body', '森.png'),
        missing('note', '山.png'),
        missing('parts.0.data.icon', '森.png'),
      ],
    })
    // Missing assets that are newly chosen are rejected, and not repeated in the warnings.
    const { issues, warnings } = ok(await client.post(`${docs}/validate`, { doc: values }))
    expect(issues.map(({ path }: { path: string }) => path)).toEqual([
      'cover',
      'gallery.1',
      'parts.0.data.icon',
    ])
    expect(warnings).toEqual([missing('body', '森.png'), missing('note', '山.png')])
    await restore(trashed._id)
    expect((await check({ _id: document._id, note: null, gallery: [] })).warnings).toEqual([])
  })

  it('are reported with their count for each document that publishing would change', async () => {
    const [kept, gone] = [await upload('池.png'), await upload('森.png')]
    const img = (src: string) => `<p><img src="${src}"></p>`
    const made = async (document: Loose, type = 'SAVE') =>
      ok(await client.post(docs, { document: { title: '多', ...document }, type })).document._id as string
    const whole = await made({ cover: kept._id, body: img(kept.src) })
    const lacking = await made({ cover: gone._id, gallery: [kept._id, gone._id], body: img(gone.src) })
    const published = await made({ cover: gone._id }, 'PUBLISH')
    const changed = await made({ cover: gone._id }, 'PUBLISH')
    ok(await client.put(`${docs}/${changed}`, { doc: { cover: null } }))
    const again = await made({ cover: kept._id }, 'PUBLISH')
    ok(await client.put(`${docs}/${again}`, { doc: { cover: gone._id } }))
    // More documents than the server reads in one batch, and more missing files than the response lists.
    const others: string[] = []
    const parts = Array.from({ length: 25 }, () => ({ type: 'IMAGE', data: gone._id }))
    for (let n = 0; n < 27; n++) others.push(await made(n === 0 ? { parts } : { body: img(gone.src) }))
    const documentIds = [nobody, whole, lacking, published, changed, again, ...others]
    const told = async () => ok(await client.post(`${docs}/missingAssets`, { documentIds })).documents
    expect(await told()).toEqual([])
    await trash(gone._id)
    const documents = await told()
    expect(documents.map(({ _id }: { _id: string }) => _id).sort()).toEqual(
      [lacking, again, ...others].sort(),
    )
    const issuesOf = (id: string) => documents.find(({ _id }: { _id: string }) => _id === id)
    expect(issuesOf(lacking)).toMatchObject({
      count: 3,
      issues: [
        { path: 'cover', code: 'MissingAsset', params: { name: '森.png' } },
        { path: 'gallery.1', code: 'MissingAsset', params: { name: '森.png' } },
        { path: 'body', code: 'MissingAsset', params: { name: '森.png' } },
      ],
    })
    const [first = ''] = others
    expect(issuesOf(first).count).toBe(25)
    expect(issuesOf(first).issues).toHaveLength(20)
    for (const ids of [[], Array.from({ length: 201 }, () => nobody)])
      expect((await client.post(`${docs}/missingAssets`, { documentIds: ids })).status).toBe(400)
  })
})
