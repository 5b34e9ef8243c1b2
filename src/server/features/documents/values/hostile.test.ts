import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace, unique } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let app: { uid: string; url: string }
let docs: string

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  app = await createApp(client, await createSpace(client))
  const uid = unique('model')
  const model = await createModel(client, app, uid, [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'tags', name: 'タグ', type: 'TEXT', multiple: true },
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
    { uid: 'notes', name: 'メモ', type: 'MARKDOWN' },
    { uid: 'n', name: '数', type: 'NUMBER' },
    { uid: 'date', name: '時', type: 'DATE' },
    { uid: 'on', name: '可', type: 'CHECKBOX' },
    { uid: 'size', name: '寸', type: 'SELECT', valueType: 'number', options: [{ value: 1 }] },
    { uid: 'ref', name: '参', type: 'REFERENCE', modelUid: uid },
  ])
  docs = `${model.url}/doc`
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

const count = async () => ok(await client.get(docs)).total

describe('invalid input', () => {
  it.each([
    ['title', 5, 'InvalidType'],
    ['title', ['a'], 'InvalidType'],
    ['title', { $ne: null }, 'InvalidType'],
    ['title', 'a\u0000b', 'InvalidValue'],
    ['title', '\ud800', 'InvalidValue'],
    ['title', 'x\udc00', 'InvalidValue'],
    ['tags', 'a', 'InvalidType'],
    ['tags', { 0: 'a' }, 'InvalidType'],
    ['body', 5, 'InvalidType'],
    ['body', '<p>\u0000</p>', 'InvalidValue'],
    ['notes', ['x'], 'InvalidType'],
    ['n', '5', 'InvalidType'],
    ['n', 2 ** 53, 'InvalidValue'],
    ['n', -(2 ** 53), 'InvalidValue'],
    ['date', 'yesterday', 'InvalidValue'],
    ['date', '2023-02-30', 'InvalidValue'],
    ['date', 1_700_000_000, 'InvalidType'],
    ['date', '+012023-01-01T00:00:00Z', 'InvalidValue'],
    ['on', 'true', 'InvalidType'],
    ['on', 1, 'InvalidType'],
    ['size', '1', 'InvalidType'],
    ['size', 2 ** 60, 'InvalidValue'],
    ['ref', 'x', 'InvalidValue'],
    ['ref', `${'f'.repeat(23)}\u0000`, 'InvalidValue'],
    ['ref', { _id: 'f'.repeat(24) }, 'InvalidValue'],
    ['unknown', 1, 'UnknownField'],
    ['Title', 'x', 'UnknownField'],
    ['_version', 1, 'UnknownField'],
    ['title\u0000', 'x', 'UnknownField'],
    ['toString', 'x', 'UnknownField'],
  ])('in the field %s is rejected: %j results in %s', async (uid, value, code) => {
    const before = await count()
    const answer = await client.post(docs, { document: { title: 'x', [uid]: value } })
    expect([answer.status, answer.body.code]).toEqual([400, 'ValidationFailed'])
    expect(answer.body.issues).toContainEqual(expect.objectContaining({ path: uid, code }))
    expect(await count()).toBe(before)
  })

  it('in a list is reported with the index of the item', async () => {
    const answer = await client.post(docs, { document: { title: 'x', tags: ['a', 5, 'b', '\u0000'] } })
    expect(answer.body.issues).toEqual([
      { path: 'tags.1', code: 'InvalidType' },
      { path: 'tags.3', code: 'InvalidValue' },
    ])
  })

  it.each([
    ['a number that is too large', '{"document":{"title":"x","n":1e999}}'],
    ['__proto__', '{"document":{"title":"x","__proto__":{"n":1}}}'],
    ['constructor', '{"document":{"title":"x","constructor":1}}'],
    ['5,000 nested brackets', `{"document":{"title":"x","tags":${'['.repeat(5000)}${']'.repeat(5000)}}}`],
    ['65 levels in a value', `{"document":{"title":"x","tags":${'['.repeat(65)}${']'.repeat(65)}}}`],
    ['a list as document', '{"document":[]}'],
    ['null as document', '{"document":null}'],
    ['an unknown type', '{"document":{"title":"x"},"type":"DESTROY"}'],
    ['an unknown key', '{"document":{"title":"x"},"_id":"000000000000000000000000"}'],
    ['an invalid _id', '{"document":{"title":"x","_id":"1"}}'],
    ['an _id of another type', '{"document":{"title":"x","_id":5}}'],
    ['an invalid _sys', '{"document":{"title":"x","_sys":[]}}'],
    ['an empty body', ''],
    ['incomplete JSON', '{"document":{'],
  ])('is rejected: %s', async (_name, body) => {
    const before = await count()
    const answer = await client.post(docs, body)
    expect(answer.status).toBe(400)
    expect(answer.body.code).toMatch(/^(ValidationFailed|InvalidContentId)$/)
    expect(await count()).toBe(before)
  })

  it('cannot set the _id or the system data of a document', async () => {
    const _id = 'a'.repeat(24)
    const forged = { _id, _sys: { version: 9, status: 'published', createdAt: '1999-01-01T00:00:00Z' } }
    const { document } = ok(await client.post(docs, { document: { title: 'x', ...forged } }))
    expect(document._id).not.toBe(_id)
    expect(document._sys).toMatchObject({ version: 1, status: 'draft' })
    expect(document._sys.createdAt > '2020').toBe(true)
    const answer = await client.put(`${docs}/${document._id}`, { doc: { title: 'y', _id } })
    expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'doc._id', code: 'InvalidValue' }]])
  })
})

describe('the size limit of 1 MB for documents', () => {
  it('applies to a document with one large value and to a document with many small values', async () => {
    const before = await count()
    for (const values of [
      { body: `<p>${'字'.repeat(700_000)}</p>` },
      { tags: Array.from({ length: 9000 }, () => 'x'.repeat(220)) },
    ]) {
      const answer = await client.post(docs, { document: { title: 'x', ...values } })
      expect([answer.status, answer.body.code]).toEqual([413, 'RequestFileTooLarge'])
      const validation = ok(await client.post(`${docs}/validate`, { doc: { title: 'x', ...values } }))
      expect(validation).toMatchObject({ isValid: false, isTooLarge: true })
    }
    expect(await count()).toBe(before)
  })

  it('applies to an update together with the stored values', async () => {
    const half = 'x'.repeat(600_000)
    const { document } = ok(await client.post(docs, { document: { title: 'x', body: half } }))
    const answer = await client.put(`${docs}/${document._id}`, { doc: { notes: half } })
    expect(answer.status).toBe(413)
    expect(ok(await client.get(`${docs}/${document._id}`)).document.notes).toBeUndefined()
  })
})

describe('ids and uids', () => {
  it('of documents are rejected with InvalidContentId if they are malformed', async () => {
    for (const id of ['1', 'F'.repeat(24), 'x'.repeat(24), 'f'.repeat(25), '%00', encodeURIComponent('日本')])
      for (const answer of [
        await client.get(`${docs}/${id}`),
        await client.put(`${docs}/${id}`, { doc: {} }),
        await client.delete(`${docs}/${id}`),
        await client.get(`${docs}/${id}/revisions`),
        await client.get(`${docs}/${id}/references`),
        await client.get(`${docs}/${id}/api`),
      ])
        expect([id, answer.status, answer.body.code]).toEqual([id, 400, 'InvalidContentId'])
  })

  it('of other spaces and models get the same response as unknown ids', async () => {
    const stranger = (await createAccount(installation)).client
    const foreignApp = await createApp(stranger, await createSpace(stranger))
    const foreignModel = await createModel(stranger, foreignApp)
    const foreign = ok(await stranger.post(`${foreignModel.url}/doc`, { document: { title: 'x' } })).document
    const sibling = await createModel(client, app)
    const other = ok(await client.post(`${sibling.url}/doc`, { document: { title: 'x' } })).document
    const ask = async (id: string) => [
      await client.get(`${docs}/${id}`),
      await client.put(`${docs}/${id}`, { doc: { title: 'y' } }),
      await client.put(`${docs}/${id}`, { doc: {}, type: 'PUBLISH' }),
      await client.delete(`${docs}/${id}`),
      await client.get(`${docs}/${id}/revisions`),
      await client.get(`${docs}/${id}/revision/1`),
      await client.get(`${docs}/${id}/references`),
      await client.get(`${docs}/${id}/api`),
      await client.post(`${docs}/validate`, { doc: { _id: id, title: 'y' } }),
      await client.post(docs, { document: { title: 'y', ref: id } }),
    ]
    const unknown = (await ask('f'.repeat(24))).map(({ status, text }) => [status, text])
    expect(unknown[0]?.[0]).toBe(404)
    for (const id of [foreign._id, other._id])
      expect((await ask(id)).map(({ status, text }) => [status, text])).toEqual(unknown)
    expect(ok(await stranger.get(`${foreignModel.url}/doc/${foreign._id}`)).document.title).toBe('x')
  })

  it('of unknown models return 404', async () => {
    for (const uid of ['nothing', '%00', encodeURIComponent('日本'), '__proto__', 'constructor'])
      for (const answer of [
        await client.get(`${app.url}/model/${uid}/doc`),
        await client.post(`${app.url}/model/${uid}/doc`, { document: {} }),
        await client.post(`${app.url}/model/${uid}/doc/bulkPublish`, { documentIds: ['f'.repeat(24)] }),
        await client.post(`${app.url}/model/${uid}/doc/resetCustomOrder`, {}),
      ])
        expect([uid, answer.status, answer.body.code]).toEqual([uid, 404, 'NotFound'])
  })

  it('of unknown revisions return 404', async () => {
    const { document } = ok(await client.post(docs, { document: { title: 'x' } }))
    for (const revision of ['0', '2', '-1', '1.5', '99999999999', 'newest', '%00'])
      expect((await client.get(`${docs}/${document._id}/revision/${revision}`)).status).toBe(404)
  })
})
