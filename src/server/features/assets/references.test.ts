import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
} from '#test/factories.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let model: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  model = await createModel(admin.client, app, 'article', [
    { uid: 'title', name: 'タイトル', type: 'TEXT', required: true },
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
    { uid: 'source', name: '原稿', type: 'MARKDOWN' },
    { uid: 'paper', name: '資料', type: 'FILE' },
    { uid: 'papers', name: '資料集', type: 'FILE', multiple: true },
  ])
})
afterAll(() => installation?.close())

async function upload(): Promise<{ _id: string; src: string }> {
  const form = formOf({ name: '図 1.txt', type: 'text/plain', bytes: `${Math.random()}` })
  return ok(await admin.client.post(`${space.url}/assets`, form)).results[0].asset
}
const useCount = async (id: string) => ok(await admin.client.get(`${space.url}/assets/${id}`)).asset.useCount
const references = async (id: string, who = admin) =>
  ok(await who.client.get(`${space.url}/asset/${id}/references`))
const create = async (document: object, type = 'SAVE'): Promise<string> =>
  ok(await admin.client.post(`${model.url}/doc`, { document, type })).document._id

describe('uses of an asset', () => {
  it('are counted in rich text and Markdown, in drafts and in published states', async () => {
    const [asset, other] = [await upload(), await upload()]
    const body = `<p>図</p><img src="${asset.src}?width=300" alt="図">`
    const doc = await create({ title: '図のある記事', body }, 'PUBLISH')
    const second = await create({
      title: '原稿',
      source: `![図](/${space.uid}.assets.newt.so/v1/${asset._id}/a.png) ![別](https://${space.uid}.assets.example.com/v1/${other._id}/b.png)`,
    })
    expect([await useCount(asset._id), await useCount(other._id)]).toEqual([2, 1])
    expect(await references(asset._id)).toEqual({
      references: [
        {
          _id: second,
          title: '原稿',
          published: false,
          fields: [],
          places: [{ path: 'source', names: ['原稿'] }],
          app: { uid: app.uid, name: expect.any(String) },
          model: { uid: 'article', name: expect.any(String) },
        },
        expect.objectContaining({
          _id: doc,
          title: '図のある記事',
          published: true,
          places: [{ path: 'body', names: ['本文'] }],
        }),
      ],
      total: 2,
      hidden: 0,
    })
    // The published state uses the asset until the next publication.
    ok(await admin.client.put(`${model.url}/doc/${doc}`, { doc: { body: '<p>なし</p>' } }))
    expect(await useCount(asset._id)).toBe(2)
    ok(await admin.client.put(`${model.url}/doc/${doc}`, { doc: {}, type: 'PUBLISH' }))
    expect(await useCount(asset._id)).toBe(1)
    ok(await admin.client.delete(`${model.url}/doc/${second}`))
    expect([await useCount(asset._id), await useCount(other._id)]).toEqual([0, 0])
    ok(await admin.client.post(`${model.url}/doc/bulkRestore`, { documentIds: [second] }))
    expect(await useCount(asset._id)).toBe(1)
  })

  it('name the file fields that contain the asset, and documents can be filtered by these fields', async () => {
    const [asset, other] = [await upload(), await upload()]
    const both = await create({ title: '両方', paper: asset._id, papers: [other._id, asset._id] })
    const second = await create({ title: '片方', papers: [asset._id], source: `![](${asset.src})` })
    const none = await create({ title: 'なし', papers: [other._id] })
    const { references: users } = await references(asset._id)
    expect(users.map((user: { _id: string; fields: string[] }) => [user._id, user.fields])).toEqual([
      [second, ['papers']],
      [both, ['paper', 'papers']],
    ])
    const list = async (query: string) =>
      ok(await admin.client.get(`${model.url}/doc?${query}`)).documents.map(({ _id }: { _id: string }) => _id)
    const mine = (found: string[]) => found.filter((id) => [both, second, none].includes(id)).sort()
    expect(mine(await list(`paper=${asset._id}`))).toEqual([both])
    expect(mine(await list(`papers=${asset._id}`))).toEqual([both, second].sort())
    expect(mine(await list(`papers[ne]=${asset._id}`))).toEqual([none])
    expect(mine(await list('paper[exists]=false'))).toEqual([second, none].sort())
    expect(mine(await list('paper[exists]=true'))).toEqual([both])
  })

  it('name the places of the asset in nested values and in the published state', async () => {
    const asset = await upload()
    const hero = await admin.client.post(`${app.url}/customFieldType`, {
      data: {
        uid: 'HERO',
        name: 'ヒーロー',
        fields: [
          { uid: 'lead', name: '紹介', type: 'RICH_TEXT' },
          { uid: 'papers', name: '資料集', type: 'FILE', multiple: true },
        ],
      },
    })
    expect(hero.status).toBe(200)
    const page = await createModel(admin.client, app, 'page', [
      { uid: 'title', name: 'タイトル', type: 'TEXT', required: true },
      { uid: 'top', name: '見出し', type: 'CUSTOM', customType: 'HERO' },
      {
        uid: 'sections',
        name: 'セクション',
        type: 'MULTI_TYPE',
        multiple: true,
        types: [{ type: 'RICH_TEXT' }, { type: 'CUSTOM', customType: 'HERO' }],
      },
      { uid: 'body', name: '本文', type: 'RICH_TEXT' },
    ])
    const picture = `<p>図</p><img src="${asset.src}">`
    const write = async (document: object, type = 'SAVE') =>
      ok(await admin.client.post(`${page.url}/doc`, { document, type })).document._id
    const nested = await write({
      title: asset._id,
      top: { papers: [asset._id] },
      sections: [
        { type: 'RICH_TEXT', data: '<p>文</p>' },
        { type: 'HERO', data: { lead: picture } },
        { type: 'RICH_TEXT', data: picture },
      ],
    })
    const withdrawn = await write({ title: '公開中だけ', body: picture }, 'PUBLISH')
    ok(await admin.client.put(`${page.url}/doc/${withdrawn}`, { doc: { body: '<p>なし</p>' } }))
    const large = await write({ title: '長文', body: `<p>${'長'.repeat(50_000)}</p>${picture}` })
    const placesOf = (await references(asset._id)).references.map(
      ({ _id, places }: { _id: string; places: object[] }) => [_id, places],
    )
    expect(placesOf).toEqual([
      [large, [{ path: 'body', names: ['本文'] }]],
      [withdrawn, [{ path: 'body', names: ['本文'] }]],
      [
        nested,
        [
          { path: 'top.papers.0', names: ['見出し', '資料集', 1] },
          { path: 'sections.1.data.lead', names: ['セクション', 2, '紹介'] },
          { path: 'sections.2.data', names: ['セクション', 3] },
        ],
      ],
    ])
  })

  it('stay if the asset is deleted during a save, and are counted after the asset is restored', async () => {
    const asset = await upload()
    const body = `<img src="${asset.src}">`
    const [created, deleted] = await Promise.all([
      create({ title: '同時', body }),
      admin.client.delete(`${space.url}/asset/${asset._id}`),
    ])
    ok(deleted)
    expect((await references(asset._id)).references).toEqual([expect.objectContaining({ _id: created })])
    ok(await admin.client.post(`${space.url}/assets/bulkRestore`, { assetIds: [asset._id] }))
    expect(await useCount(asset._id)).toBe(1)
  })

  it('are listed for users who may read the documents, and only counted for others', async () => {
    const asset = await upload()
    await create({ title: '秘密', body: `<img src="${asset.src}">` })
    const member = await createMember(installation, space)
    expect(await references(asset._id, member)).toEqual({ references: [], total: 0, hidden: 1 })
    const reader = await createMember(installation, space, 'pjt-Member', {
      admin: admin.client,
      url: app.url,
      role: 'app-Subscriber',
    })
    expect(await references(asset._id, reader)).toMatchObject({ total: 1, hidden: 0 })
    expect((await admin.client.get(`${space.url}/asset/${'0'.repeat(24)}/references`)).status).toBe(404)
  })
})
