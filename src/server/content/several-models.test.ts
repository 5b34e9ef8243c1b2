import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { typeScriptOf } from '#shared/fields/type-script.ts'
import { createAccount, createApp, createSpace } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

/** Tests references that allow documents of several models (docs/decisions/0055). */
let installation: TestInstallation
let client: Client
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let tokens: Record<'cdn' | 'api', string>

type Loose = Record<string, unknown>
const field = (uid: string, type: string, more: Loose = {}) => ({ uid, name: uid, type, ...more })
const several = (uid: string, models: string[], more: Loose = {}) =>
  field(uid, 'REFERENCE', { modelUid: models[0], otherModelUids: models.slice(1), ...more })
const create = (uid: string, fields: Loose[]) =>
  client.post(`${app.url}/model`, { data: { uid, name: uid, fields } })
const modelOf = async (uid: string, of = app) => ok(await client.get(`${of.url}/model/${uid}`)).model
const publish = async (model: string, document: Loose): Promise<string> =>
  ok(await client.post(`${app.url}/model/${model}/doc`, { document, type: 'PUBLISH' })).document._id
const change = (uid: string, data: Loose, more: Loose = {}) =>
  client.put(`${app.url}/model/${uid}`, { data, ...more })

const deliver = (path: string, kind: 'cdn' | 'api' = 'cdn') =>
  client.get(`/${space.uid}.${kind}/v1/${app.uid}/${path}`, { authorization: `Bearer ${tokens[kind]}` })

let ids: Record<'post' | 'other' | 'shop' | 'draft' | 'page' | 'second', string>

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  space = await createSpace(client)
  app = await createApp(client, space)
  const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'cdn' } }))
  const { apiToken } = ok(await client.post(`${space.url}/apiToken`, { data: { name: 'api' } }))
  tokens = { cdn: cdnToken.token, api: apiToken.token }
  ok(await create('post', [field('title', 'TEXT'), field('body', 'RICH_TEXT')]))
  ok(await create('shop', [field('title', 'TEXT'), field('price', 'NUMBER')]))
  ok(
    await create('page', [
      field('title', 'TEXT'),
      several('main', ['post', 'shop']),
      several('related', ['shop', 'post', 'page'], { multiple: true }),
      field('parts', 'MULTI_TYPE', {
        multiple: true,
        types: [{ type: 'REFERENCE', modelUid: 'post', otherModelUids: ['shop'] }],
      }),
    ]),
  )
  const post = await publish('post', { title: '井守の記事', body: '<p>本文</p>' })
  const other = await publish('post', { title: '別の記事' })
  const shop = await publish('shop', { title: '井守の店', price: 300 })
  const draft = ok(await client.post(`${app.url}/model/shop/doc`, { document: { title: '準備中' } })).document
  const page = await publish('page', {
    title: '一',
    main: shop,
    related: [post, shop, draft._id],
    parts: [
      { type: 'REFERENCE', data: shop },
      { type: 'REFERENCE', data: post },
    ],
  })
  const second = await publish('page', { title: '二', main: post, related: [other, page] })
  ids = { post, other, shop, draft: draft._id, page, second }
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

describe('a reference to several models', () => {
  it('rejects unknown or repeated models and documents of other models', async () => {
    const refused = async (models: string[]) =>
      (await create('x', [field('title', 'TEXT'), several('to', models)])).body.issues
    expect(await refused(['post', 'nothing'])).toEqual([
      { path: 'data.fields.1.otherModelUids.0', code: 'InvalidValue' },
    ])
    expect(await refused(['post', 'shop', 'post'])).toEqual([
      { path: 'data.fields.1.otherModelUids.1', code: 'DuplicatedValue' },
    ])
    const saved = await client.post(`${app.url}/model/page/doc`, {
      document: { title: '三', main: ids.page },
    })
    expect([saved.status, saved.body.issues]).toEqual([400, [{ path: 'main', code: 'InvalidValue' }]])
    expect((await client.delete(`${app.url}/model/shop`)).status).toBe(409)
  })

  it('is delivered at depth 1 with the model of each referenced document', async () => {
    const at = async (depth: number, kind: 'cdn' | 'api' = 'cdn') =>
      ok(await deliver(`page/${ids.page}?depth=${depth}`, kind))
    const flat = await at(0)
    expect([flat.main, flat.related]).toEqual([ids.shop, [ids.post, ids.shop, ids.draft]])
    const deep = await at(1)
    expect(Object.keys(deep.main._sys)).toEqual(['raw', 'createdAt', 'updatedAt', 'model'])
    const named = ({ _id, _sys, title }: Loose & { _sys: Loose }) => [_id, _sys.model, title]
    const all = [
      [ids.post, 'post', '井守の記事'],
      [ids.shop, 'shop', '井守の店'],
    ]
    expect(named(deep.main)).toEqual(all[1])
    expect(deep.related.map(named)).toEqual(all)
    expect(deep.parts.map(({ data }: { data: never }) => named(data))).toEqual([all[1], all[0]])
    expect((await at(1, 'api')).related.map(named)).toEqual([...all, [ids.draft, 'shop', '準備中']])
    // The document itself has no `_sys.model`; referenced documents have it at each level.
    expect(deep._sys.model).toBeUndefined()
    const { items } = ok(await deliver('page?depth=2&order=title'))
    expect(items[1].related[1].main._sys.model).toBe('shop')
    const { items: some } = ok(
      await deliver('page?select=main.title,main.price,main._sys.model,related._sys.model&order=title'),
    )
    expect(some[0]).toEqual({
      _id: ids.page,
      main: { _id: ids.shop, _sys: { model: 'shop' }, title: '井守の店', price: 300 },
      related: [
        { _id: ids.post, _sys: { model: 'post' } },
        { _id: ids.shop, _sys: { model: 'shop' } },
      ],
    })
    expect((await deliver('page?select=_sys.model')).status).toBe(400)
    expect((await deliver('page?select=main.nothing')).status).toBe(400)
    const text = ok(await deliver(`page/${ids.second}?main.body[fmt]=text`))
    expect(text.main.body).toBe('本文')
  })

  it('can be filtered by document id, and by fields that all allowed models have', async () => {
    const found = async (query: string, kind: 'cdn' | 'api' = 'cdn') => {
      const answer = await deliver(`page?order=title&select=title&${query}`, kind)
      return answer.status === 200 ? answer.body.items.map(({ title }: Loose) => title) : answer.body.message
    }
    expect(await found(`main=${ids.shop}`)).toEqual(['一'])
    expect(await found(`main[in]=${ids.shop},${ids.post}`)).toEqual(['一', '二'])
    expect(await found(`related=${ids.post}`)).toEqual(['一'])
    expect(await found(`related[all]=${ids.other},${ids.page}`)).toEqual(['二'])
    expect(await found('main.title[match]=井守')).toEqual(['一', '二'])
    expect(await found('main.title=井守の店')).toEqual(['一'])
    expect(await found('main.title[ne]=井守の店')).toEqual(['二'])
    expect(await found('related.title=準備中')).toEqual([])
    expect(await found('related.title=準備中', 'api')).toEqual(['一'])
    expect(await found('parts.data.title[match]=記事')).toEqual(['一'])
    expect(await found(`main._id=${ids.post}`)).toEqual(['二'])
    expect(await found('main.price[gt]=1')).toContain('the model “post” has no such field')
    const { documents } = ok(await client.get(`${app.url}/model/page/doc?related=${ids.shop}`))
    expect(documents.map(({ title }: Loose) => title)).toEqual(['一'])
    const { references } = ok(await client.get(`${app.url}/model/shop/doc/${ids.shop}/references`))
    expect(references.map(({ _id }: Loose) => _id)).toEqual([ids.page])
  })

  it('follows a renamed model, and is copied with the models that exist in the target app', async () => {
    ok(await change('shop', { uid: 'store' }))
    const models = async (uid: string, of = app) =>
      (await modelOf(uid, of)).fields.map(({ modelUid, otherModelUids }: Loose) => [modelUid, otherModelUids])
    expect((await models('page')).slice(1, 3)).toEqual([
      ['post', ['store']],
      ['store', ['post', 'page']],
    ])
    await expect.poll(async () => ok(await deliver(`page/${ids.page}`)).main._sys.model).toBe('store')
    ok(await change('store', { uid: 'shop' }))

    const to = await createApp(client, space)
    ok(
      await client.post(`${to.url}/model`, {
        data: { uid: 'post', name: 'p', fields: [field('t', 'TEXT')] },
      }),
    )
    const copy = { fromAppId: app.uid, fromModelId: 'page', uid: 'copy' }
    const { plan } = ok(await client.post(`${to.url}/model/duplicate`, copy))
    expect(plan.leftOut).toEqual([
      { path: 'main', model: 'shop' },
      { path: 'related', model: 'shop' },
      { path: 'parts.REFERENCE', model: 'shop' },
    ])
    const [, main, related, parts] = (await modelOf('copy', to)).fields
    expect([main.modelUid, main.otherModelUids]).toEqual(['post', undefined])
    expect([related.modelUid, related.otherModelUids]).toEqual(['post', ['copy']])
    expect(parts.types).toEqual([{ type: 'REFERENCE', modelUid: 'post' }])
    const [page, post, shop] = await Promise.all(['page', 'post', 'shop'].map((uid) => modelOf(uid)))
    expect(typeScriptOf('page', { models: [page, post, shop], customTypes: [] })).toContain(
      "main: (Post & { _sys: { model: 'post' } }) | (Shop & { _sys: { model: 'shop' } }) | null",
    )
  })

  it('can be narrowed to one model and widened again, with losses reported before the change', async () => {
    const pointing = async (models: string[]) => {
      const [title, main, related, parts] = (await modelOf('page')).fields
      const [modelUid, ...otherModelUids] = models
      return { fields: [title, { ...main, modelUid, otherModelUids }, related, parts] }
    }
    const losses = [{ field: 'main', documents: 1, reason: 'modelRemoved' }]
    const narrowed = await pointing(['post'])
    expect(ok(await change('page', narrowed, { dryRun: true })).losses).toEqual(losses)
    const refused = await change('page', narrowed)
    expect([refused.status, refused.body.losses]).toEqual([400, losses])
    ok(await change('page', narrowed, { acceptLoss: true }))
    const read = async (id: string) => {
      const { main } = ok(await client.get(`${app.url}/model/page/doc/${id}`)).document
      return [main, ok(await deliver(`page/${id}`)).main?._id ?? null]
    }
    expect([await read(ids.page), await read(ids.second)]).toEqual([
      [ids.shop, null],
      [ids.post, ids.post],
    ])
    // The dangling reference does not block saving and publishing.
    ok(
      await client.put(`${app.url}/model/page/doc/${ids.page}`, {
        doc: { main: ids.shop, title: '一' },
        type: 'PUBLISH',
      }),
    )
    const { references } = ok(await client.get(`${app.url}/model/shop/doc/${ids.shop}/references`))
    expect(references).toHaveLength(1) // through other fields of the page
    const widened = await pointing(['post', 'shop'])
    expect(ok(await change('page', widened, { dryRun: true })).losses).toEqual([])
    ok(await change('page', widened))
    expect(await read(ids.page)).toEqual([ids.shop, ids.shop])
    // A reference that allows only a model that it did not allow before loses all values.
    const moved = await pointing(['page'])
    expect(ok(await change('page', moved, { dryRun: true })).losses).toEqual([
      { field: 'main', documents: 2, reason: 'typeChanged' },
    ])
  })
})
