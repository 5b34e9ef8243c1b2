import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace, unique } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let app: { uid: string; url: string }

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  app = await createApp(client, await createSpace(client))
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

async function makeModel() {
  const model = await createModel(client, app, unique('model'), [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'body', name: '本文', type: 'MARKDOWN', required: true },
  ])
  return { ...model, docs: `${model.url}/doc` }
}
const create = async (docs: string, document: Record<string, unknown>, type = 'SAVE'): Promise<string> =>
  ok(await client.post(docs, { document, type })).document._id
const status = async (docs: string, id: string) => ok(await client.get(`${docs}/${id}`)).document._sys.status

describe('bulk calls', () => {
  it('return a result for each id, in the requested order (bulkPublish)', async () => {
    const { docs } = await makeModel()
    const other = await makeModel()
    const sound = await create(docs, { title: '1', body: 'x' })
    const broken = await create(docs, { title: '2' })
    const done = await create(docs, { title: '3', body: 'x' }, 'PUBLISH')
    const foreign = await create(other.docs, { title: '4', body: 'x' })
    const documentIds = [done, 'f'.repeat(24), broken, sound, foreign, 'nonsense', sound]
    const { results } = ok(await client.post(`${docs}/bulkPublish`, { documentIds }))
    expect(results).toEqual([
      { _id: done, success: true, unchanged: true },
      { _id: 'f'.repeat(24), success: false, code: 'NotFound' },
      {
        _id: broken,
        success: false,
        code: 'ValidationFailed',
        issues: [{ path: 'body', code: 'Required' }],
      },
      { _id: sound, success: true },
      { _id: foreign, success: false, code: 'NotFound' },
      { _id: 'nonsense', success: false, code: 'InvalidContentId' },
      { _id: sound, success: true },
    ])
    expect([await status(docs, sound), await status(docs, broken)]).toEqual(['published', 'draft'])
    expect(await status(other.docs, foreign)).toBe('draft')
    expect(ok(await client.get(`${docs}/${done}`)).document._sys.version).toBe(1)
  })

  it('unpublish and delete documents, and update the counts of the model', async () => {
    const { docs, url } = await makeModel()
    const ids = await Promise.all(
      ['1', '2', '3'].map((title) => create(docs, { title, body: 'x' }, 'PUBLISH')),
    )
    const draft = await create(docs, { title: '4' })
    const documentIds = [...ids.slice(0, 2), draft]
    const unpublished = ok(await client.post(`${docs}/bulkUnpublish`, { documentIds })).results
    expect(unpublished).toEqual([
      { _id: ids[0], success: true },
      { _id: ids[1], success: true },
      // The draft was already unpublished.
      { _id: draft, success: true, unchanged: true },
    ])
    expect(ok(await client.get(url)).model).toMatchObject({ documentCount: 4, publishedCount: 1 })
    const deleted = ok(await client.post(`${docs}/bulkDelete`, { documentIds: [ids[2], draft] })).results
    expect(deleted).toEqual([ids[2], draft].map((_id) => ({ _id, success: true })))
    expect(ok(await client.get(url)).model).toMatchObject({ documentCount: 2, publishedCount: 0 })
    const again = ok(await client.post(`${docs}/bulkDelete`, { documentIds: [draft] })).results
    expect(again).toEqual([{ _id: draft, success: false, code: 'NotFound' }])
  })

  it('return the error code of a refused document, with the parameters of its issues', async () => {
    const model = await createModel(client, app, unique('model'), [
      { uid: 'title', name: '題', type: 'TEXT', maxLength: 3 },
    ])
    const docs = `${model.url}/doc`
    const id = await create(docs, { title: '四文字だ' })
    const refuse = async (call: string, documentId: string) =>
      ok(await client.post(`${docs}/${call}`, { documentIds: [documentId] })).results[0]
    expect(await refuse('bulkPublish', id)).toEqual({
      _id: id,
      success: false,
      code: 'ValidationFailed',
      issues: [{ path: 'title', code: 'TooManyCharacters', params: { maximum: 3, actual: 4 } }],
    })
    const gone = 'f'.repeat(24)
    for (const call of ['bulkUnpublish', 'bulkDelete'])
      expect(await refuse(call, gone)).toEqual({ _id: gone, success: false, code: 'NotFound' })
  })

  it('reject an empty, overlong or malformed list of ids (bulkPublish)', async () => {
    const { docs } = await makeModel()
    const many = Array.from({ length: 201 }, () => 'f'.repeat(24))
    for (const documentIds of [[], many, [1], 'x', undefined])
      expect((await client.post(`${docs}/bulkPublish`, { documentIds })).status).toBe(400)
  })

  it('succeed if they change the same documents concurrently in different orders', async () => {
    const { docs } = await makeModel()
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, n) => create(docs, { title: `${n}`, body: 'x' })),
    )
    const calls = ['bulkPublish', 'bulkUnpublish', 'bulkPublish', 'bulkUnpublish'].map((call, index) =>
      client.post(`${docs}/${call}`, { documentIds: index % 2 ? ids : [...ids].reverse() }),
    )
    for (const answer of await Promise.all(calls))
      expect(ok(answer).results.every((result: { success: boolean }) => result.success)).toBe(true)
  })
})

describe('custom order', () => {
  const order = async (docs: string): Promise<[string, number | null][]> =>
    ok(await client.get(`${docs}?order=_sys.customOrder`)).documents.map(
      (document: { title: string; _sys: { customOrder: number | null } }) => [
        document.title,
        document._sys.customOrder,
      ],
    )

  it('puts the documents of the request first, then the other ranked documents, then all others', async () => {
    const { docs } = await makeModel()
    const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((title) => create(docs, { title })))
    ok(await client.post(`${docs}/updateCustomOrder`, { documentIds: [c, a, b] }))
    ok(await client.post(`${docs}/updateCustomOrder`, { documentIds: [b] }))
    expect((await order(docs)).slice(0, 3)).toEqual([
      ['b', 1],
      ['c', 2],
      ['a', 3],
    ])
    await create(docs, { title: 'e' })
    const rest = (await order(docs)).slice(3)
    expect(rest.every(([, place]) => place === null)).toBe(true)
    expect(ok(await client.get(`${docs}/${d}`)).document._sys.version).toBe(1)
    ok(await client.post(`${docs}/resetCustomOrder`, {}))
    expect((await order(docs)).every(([, place]) => place === null)).toBe(true)
  })

  it('is rejected as a whole if an id is repeated, malformed, unknown, or from another model', async () => {
    const { docs } = await makeModel()
    const other = await makeModel()
    const a = await create(docs, { title: 'a' })
    const foreign = await create(other.docs, { title: 'x' })
    for (const [documentIds, code] of [
      [[a, foreign], 'InvalidValue'],
      [[a, 'f'.repeat(24)], 'InvalidValue'],
      [[a, a], 'DuplicatedValue'],
      [[a, 'nonsense'], 'InvalidFormat'],
    ]) {
      const answer = await client.post(`${docs}/updateCustomOrder`, { documentIds })
      expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'documentIds.1', code }]])
    }
    expect(await order(docs)).toEqual([['a', null]])
  })

  it('equals one of several orders that are set concurrently', async () => {
    const { docs } = await makeModel()
    const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => create(docs, { title: `${n}` })))
    const orders = ids.map((_, n) => [...ids.slice(n), ...ids.slice(0, n)])
    const saves = ids.map((id) => client.put(`${docs}/${id}`, { doc: { body: 'x' } }))
    const moves = orders.map((documentIds) => client.post(`${docs}/updateCustomOrder`, { documentIds }))
    for (const answer of await Promise.all([...moves, ...saves])) expect(answer.status).toBe(200)
    const places = await order(docs)
    expect(places.map(([, place]) => place)).toEqual(ids.map((_, n) => n + 1))
    const found = places.map(([title]) => ids[Number(title)])
    expect(orders).toContainEqual(found)
  })
})

describe('document lists', () => {
  it('return 50 documents by default, the last changed first, and support filters and search', async () => {
    const { docs } = await makeModel()
    const ids = []
    for (let n = 0; n < 52; n++) ids.push(await create(docs, { title: `記事 ${n}` }))
    ok(await client.put(`${docs}/${ids[0]}`, { doc: { body: 'x' }, type: 'PUBLISH' }))
    const list = ok(await client.get(docs))
    expect(list).toMatchObject({ total: 52, skip: 0, limit: 50 })
    expect(list.documents).toHaveLength(50)
    expect(list.documents[0]).toMatchObject({
      title: '記事 0',
      body: 'x',
      _sys: { status: 'published', version: 2, createdBy: { name: '山田花子' } },
    })
    expect(list.documents[1].title).toBe('記事 51')
    const published = ok(await client.get(`${docs}?_sys.status=published&limit=1000`))
    expect([published.total, published.documents[0]._id]).toEqual([1, ids[0]])
    const found = ok(await client.get(`${docs}?search=${encodeURIComponent('記事 4')}&order=title&limit=3`))
    expect(found.total).toBe(14) // documents with both words: 4, 14, 24, 34 and 40 to 49
    expect(found.documents.map((document: { title: string }) => document.title)).toEqual([
      '記事 14',
      '記事 24',
      '記事 34',
    ])
  })

  it.each([
    'limit=1001',
    'skip=-1',
    'nothing=1',
    'title[like]=x',
    '[or]=(title=x',
    'depth=1',
    'order=nothing',
  ])('reject the query %s', async (query) => {
    const { docs } = await makeModel()
    const answer = await client.get(`${docs}?${query}`)
    expect([answer.status, answer.body.code]).toEqual([400, 'InvalidQueryParameter'])
  })
})
