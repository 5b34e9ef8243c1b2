import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createMember, createModel, createSpace, unique } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let space: Awaited<ReturnType<typeof createSpace>>
let app: { uid: string; url: string }

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  space = await createSpace(client)
  app = await createApp(client, space)
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

async function makeModel() {
  const model = await createModel(client, app, unique('model'), [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
  ])
  return { ...model, docs: `${model.url}/doc` }
}
const create = async (docs: string, document: Record<string, unknown>, type = 'SAVE'): Promise<string> =>
  ok(await client.post(docs, { document, type })).document._id
const read = async (docs: string, id: string) => ok(await client.get(`${docs}/${id}`)).document
const remove = async (docs: string, documentIds: string[]) =>
  ok(await client.post(`${docs}/bulkDelete`, { documentIds }))
const restore = async (docs: string, documentIds: string[], who = client) =>
  ok(await who.post(`${docs}/bulkRestore`, { documentIds })).results

describe('the trash', () => {
  it('restores a published document with its newer draft and its position in the custom order', async () => {
    const { docs, url } = await makeModel()
    const id = await create(docs, { title: '公開', slug: 'a' }, 'PUBLISH')
    await create(docs, { title: '別', slug: 'b' })
    ok(await client.post(`${docs}/updateCustomOrder`, { documentIds: [id] }))
    const { document } = ok(await client.put(`${docs}/${id}`, { doc: { title: '下書き' } }))
    expect(document._sys).toMatchObject({ status: 'changed', customOrder: 1 })
    await remove(docs, [id])
    expect(ok(await client.get(url)).model).toMatchObject({ documentCount: 1, publishedCount: 0 })

    const trash = ok(await client.get(`${docs}/trash`))
    expect(trash).toMatchObject({ total: 1, documents: [{ _id: id, title: '下書き', published: true }] })
    expect(trash.documents[0].deletedBy.name).toBe(document._sys.updatedBy.name)

    expect(await restore(docs, [id])).toEqual([{ _id: id, success: true, status: 'changed' }])
    expect(await read(docs, id)).toEqual({ ...document, _sys: { ...document._sys, version: 4 } })
    expect(ok(await client.get(url)).model).toMatchObject({ documentCount: 2, publishedCount: 1 })
    expect(ok(await client.get(`${docs}/trash`))).toEqual({ documents: [], total: 0 })
    const { revisions } = ok(await client.get(`${docs}/${id}/revisions`))
    expect(revisions.map((revision: { kind: string }) => revision.kind)).toEqual([
      'restore',
      'delete',
      'save',
      'publish',
    ])
    // A second restore changes nothing, because a user may press the button twice.
    expect(await restore(docs, [id])).toEqual([{ _id: id, success: true, status: 'changed' }])
    expect((await read(docs, id))._sys.version).toBe(4)
  })

  it('restores a published document as a draft if the current rules do not allow publishing it', async () => {
    const { docs, url } = await makeModel()
    const id = await create(docs, { title: '題だけ' }, 'PUBLISH')
    await remove(docs, [id])
    const { model } = ok(await client.get(url))
    const fields = [...model.fields, { uid: 'lead', name: '紹介', type: 'TEXT', required: true }]
    ok(await client.put(url, { data: { fields } }))
    expect(await restore(docs, [id])).toEqual([{ _id: id, success: true, status: 'draft' }])
    expect(await read(docs, id)).toMatchObject({ title: '題だけ', _sys: { publishedAt: null } })
  })

  it('does not restore a document as published if another published document has its unique value', async () => {
    const { docs } = await makeModel()
    const first = await create(docs, { title: '一', slug: 'same' }, 'PUBLISH')
    await remove(docs, [first])
    const second = await create(docs, { title: '二', slug: 'same' }, 'PUBLISH')
    const [result] = await restore(docs, [first])
    expect(result.status).not.toBe('published')
    expect((await read(docs, second))._sys.status).toBe('published')
  })

  it('does not restore documents that were deleted 31 days ago or are in another model', async () => {
    const { docs } = await makeModel()
    const other = await makeModel()
    const [old, foreign] = [await create(docs, { title: '古い' }), await create(other.docs, { title: '他' })]
    await remove(docs, [old])
    await remove(other.docs, [foreign])
    await sql`UPDATE document SET deleted_at = deleted_at - interval '31 days' WHERE id = ${old}`.execute(
      installation.database.kysely,
    )
    expect(ok(await client.get(`${docs}/trash`))).toEqual({ documents: [], total: 0 })
    expect(await restore(docs, [old, foreign, 'nonsense'])).toEqual([
      { _id: old, success: false, code: 'NotFound' },
      { _id: foreign, success: false, code: 'NotFound' },
      { _id: 'nonsense', success: false, code: 'InvalidContentId' },
    ])
  })

  it('lets contributors restore only their own drafts', async () => {
    const { docs } = await makeModel()
    const writer = await createMember(installation, space, 'pjt-Member', {
      admin: client,
      url: app.url,
      role: 'app-Contributor',
    })
    const own = ok(await writer.client.post(docs, { document: { title: '自分の' } })).document._id
    const published = ok(await writer.client.post(docs, { document: { title: '出た' } })).document._id
    ok(await client.post(`${docs}/bulkPublish`, { documentIds: [published] }))
    const foreign = await create(docs, { title: '人の' })
    await remove(docs, [own, published, foreign])
    expect(await restore(docs, [own, published, foreign], writer.client)).toEqual([
      { _id: own, success: true, status: 'draft' },
      { _id: published, success: false, code: 'Forbidden' },
      { _id: foreign, success: false, code: 'Forbidden' },
    ])
  })
})
