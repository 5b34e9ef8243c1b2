import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createSpace, unique } from '#test/factories.ts'
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
  expect(await findViolations(installation.database, { typesChanged: true })).toEqual([])
  await installation.close()
})

type Loose = Record<string, unknown>
const create = (data: Loose) => client.post(`${app.url}/model`, { data: { name: 'モデル', ...data } })
const make = async (fields: Loose[], data: Loose = {}) => {
  const uid = unique('model')
  const { model } = ok(await create({ uid, fields, ...data }))
  return { model, url: `${app.url}/model/${uid}`, docs: `${app.url}/model/${uid}/doc` }
}
const text = (uid: string, more: Loose = {}) => ({ uid, name: uid, type: 'TEXT', ...more })

describe('a model', () => {
  it('is created, read, listed, changed and deleted', async () => {
    const other = await createApp(client, { url: app.url.slice(0, app.url.indexOf('/app/')) })
    const models = `${other.url}/model`
    const data = {
      uid: 'article',
      name: '記事',
      description: '説明',
      fields: [text('title', { required: true, maxLength: 60 }), { uid: 'n', name: '数', type: 'NUMBER' }],
    }
    const { model } = ok(await client.post(models, { data }))
    expect(model).toMatchObject({ ...data, version: 1, documentCount: 0, publishedCount: 0 })
    expect(model.fields[0]).toMatchObject({ required: true, multiple: false, inputType: 'inputText' })
    expect(model.titleField).toBe(model.fields[0]._id)
    expect(ok(await client.get(`${models}/article`)).model).toEqual(model)
    expect(ok(await client.get(models)).models).toEqual([model])

    // Fields keep their identity when renamed and moved.
    const fields = [model.fields[1], { ...model.fields[0], uid: 'heading' }, text('lead')]
    const changed = ok(await client.put(`${models}/article`, { data: { fields, uid: 'story', version: 1 } }))
    expect(changed.losses).toEqual([])
    expect(changed.model).toMatchObject({
      uid: 'story',
      name: '記事',
      version: 2,
      titleField: model.titleField,
    })
    expect(changed.model.fields.map((field: Loose) => field.uid)).toEqual(['n', 'heading', 'lead'])
    expect((await client.get(`${models}/article`)).status).toBe(404)

    ok(await client.delete(`${models}/story`))
    expect((await client.get(`${models}/story`)).status).toBe(404)
    expect((await client.get(`${models}/story/doc`)).status).toBe(404)
    expect(ok(await client.get(models)).models).toEqual([])
    ok(await client.post(models, { data }))
  })

  it('cannot have the uid of another model of the app, even in concurrent requests', async () => {
    const uid = unique('taken')
    ok(await create({ uid }))
    const answer = await create({ uid })
    expect([answer.status, answer.body.code]).toEqual([409, 'ModelUidIsAlreadyInUse'])
    const { url } = await make([])
    expect((await client.put(url, { data: { uid } })).body.code).toBe('ModelUidIsAlreadyInUse')
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ uid: 'race' })))
    expect(answers.map((found) => found.status).sort()).toEqual([200, ...Array(7).fill(409)])
  })

  it('uses its first text field, the chosen field or no field as its title', async () => {
    const fields = [{ uid: 'n', name: 'n', type: 'NUMBER' }, text('a'), text('b')]
    const titleOf = ({ model }: { model: { fields: Loose[]; titleField: string } }) =>
      model.fields.find((field) => field._id === model.titleField)?.uid ?? null
    expect(titleOf(await make(fields))).toBe('a')
    expect(titleOf(await make(fields, { titleField: 'b' }))).toBe('b')
    expect(titleOf(await make(fields, { titleField: null }))).toBeNull()
    expect(titleOf(await make([fields[0]!]))).toBeNull()
    for (const titleField of ['n', 'nothing']) {
      const answer = await create({ uid: unique('model'), fields, titleField })
      expect(answer.body.issues).toEqual([{ path: 'data.titleField', code: 'InvalidValue' }])
    }
    const { url, model } = await make(fields, { titleField: 'b' })
    const rest = model.fields.filter((field: Loose) => field.uid !== 'b')
    expect(titleOf(ok(await client.put(url, { data: { fields: rest } })))).toBe('a')
  })

  it('rejects a change based on an outdated version', async () => {
    const { url } = await make([text('a')])
    ok(await client.put(url, { data: { name: '2', version: 1 } }))
    const answer = await client.put(url, { data: { name: '3', version: 1 } })
    expect([answer.status, answer.body.code, answer.body.current]).toEqual([409, 'VersionConflict', 2])
    ok(await client.put(url, { data: { name: '3' } }))
  })

  it('accepts no more documents after its deletion', async () => {
    const { url, docs } = await make([text('title')])
    const saves = (n: number) =>
      Array.from({ length: n }, () => client.post(docs, { document: { title: 'x' } }))
    const [deleted, ...saved] = await Promise.all([client.delete(url), ...saves(10)])
    expect(deleted?.status).toBe(200)
    for (const answer of saved) expect([200, 404]).toContain(answer.status)
    for (const answer of await Promise.all(saves(2))) expect(answer.body.code).toBe('NotFound')
  })

  it('keeps its version if nothing changes', async () => {
    const { model, url } = await make([text('a')])
    const data = { uid: model.uid, name: model.name, fields: model.fields, titleField: 'a', version: 1 }
    expect(ok(await client.put(url, { data })).model).toEqual(model)
  })

  it('notifies other processes and records outbox events when it is created, changed and deleted', async () => {
    const listener = await installation.database.pool.connect()
    const heard: { kind: string }[] = []
    listener.on('notification', ({ payload }) => heard.push(JSON.parse(payload ?? '{}')))
    await listener.query('LISTEN imori')
    const { model, url } = await make([text('a')])
    ok(await client.put(url, { data: { name: '2' } }))
    ok(await client.delete(url))
    await listener.query('UNLISTEN imori')
    listener.release()
    const kinds = heard.map((notice) => notice.kind)
    expect(kinds).toEqual(['registry', 'model', 'registry', 'model', 'registry', 'model'])
    const { rows } = await installation.database.pool.query(
      `SELECT type FROM event JOIN model ON model.id = model_id WHERE public_id = $1 ORDER BY event.id`,
      [model._id],
    )
    expect(rows.map((row) => row.type)).toEqual(['model.created', 'model.updated', 'model.deleted'])
  })
})

it('a model keeps uids that became reserved later, and accepts no other reserved uids', async () => {
  const { model, url } = await make([text('title'), text('format')])
  await installation.database.pool.query(
    `UPDATE model SET uid = 'duplicate', fields = replace(fields::text, '"format"', '"fmt"')::jsonb
     WHERE public_id = $1`,
    [model._id],
  )
  const moved = url.replace(model.uid, 'duplicate')
  const { fields } = ok(await client.get(moved)).model
  const data = { uid: 'duplicate', name: '複製', fields }
  expect(ok(await client.put(moved, { data })).model).toMatchObject(data)
  const refused = async (change: Loose) =>
    (await client.put(moved, { data: { ...data, ...change } })).body.issues
  expect(await refused({ uid: 'models' })).toEqual([{ path: 'data.uid', code: 'ReservedWord' }])
  expect(await refused({ fields: [{ ...fields[0], uid: 'order' }, fields[1]] })).toEqual([
    { path: 'data.fields.0.uid', code: 'ReservedWord' },
  ])
  expect(await refused({ fields: [fields[0], text('fmt')] })).toEqual([
    { path: 'data.fields.1.uid', code: 'ReservedWord' },
  ])
})

describe('references between models', () => {
  it('are updated when the uid of their target changes, even in the target itself', async () => {
    const category = await make([text('name')])
    const uid = category.model.uid
    const article = await make([
      text('title'),
      { uid: 'category', name: 'c', type: 'REFERENCE', modelUid: uid },
    ])
    const fields = [...category.model.fields, { uid: 'parent', name: 'p', type: 'REFERENCE', modelUid: uid }]
    ok(await client.put(category.url, { data: { fields } }))
    const target = ok(await client.post(category.docs, { document: { name: '分類' } })).document
    const source = ok(
      await client.post(article.docs, { document: { title: '題', category: target._id } }),
    ).document

    const renamed = unique('renamed')
    const { model } = ok(await client.put(category.url, { data: { uid: renamed, fields } }))
    expect(model.fields[1].modelUid).toBe(renamed)
    const after = ok(await client.get(article.url)).model
    expect([after.fields[1].modelUid, after.version]).toEqual([renamed, 2])
    expect(ok(await client.get(`${article.docs}/${source._id}`)).document.category).toBe(target._id)
    const at = `${app.url}/model/${renamed}/doc/${target._id}/references`
    expect(ok(await client.get(at)).total).toBe(1)
    ok(await client.put(`${article.docs}/${source._id}`, { doc: { title: '新' }, type: 'PUBLISH' }))
  })

  it('prevent the deletion of their target, unless they are fields of the target itself', async () => {
    const author = await make([text('name')])
    const uid = author.model.uid
    const article = await make([text('title'), { uid: 'by', name: 'b', type: 'REFERENCE', modelUid: uid }])
    const answer = await client.delete(author.url)
    expect([answer.status, answer.body.code, answer.body.models]).toEqual([
      409,
      'ModelIsStillReferenced',
      [article.model.uid],
    ])
    ok(await client.delete(article.url))
    ok(await client.delete(author.url))
    const self = await make([])
    const own = { uid: 'p', name: 'p', type: 'REFERENCE', modelUid: self.model.uid }
    ok(await client.put(self.url, { data: { fields: [own] } }))
    ok(await client.delete(self.url))
  })

  it('are rejected if the target is in another app', async () => {
    const other = await createApp(client, { url: app.url.slice(0, app.url.indexOf('/app/')) })
    ok(await client.post(`${other.url}/model`, { data: { uid: 'elsewhere', name: 'x' } }))
    const fields = [{ uid: 'r', name: 'r', type: 'REFERENCE', modelUid: 'elsewhere' }]
    expect((await create({ uid: unique('model'), fields })).status).toBe(400)
  })
})

describe('the order of models', () => {
  const uids = (body: { models: { uid: string }[] }) => body.models.map((model) => model.uid)

  it('can be changed only with a complete list of uids, and puts new models last', async () => {
    const own = await createApp(client, { url: app.url.slice(0, app.url.indexOf('/app/')) })
    const models = `${own.url}/model`
    for (const uid of ['author', 'category', 'article'])
      ok(await client.post(models, { data: { uid, name: uid } }))
    expect(uids(ok(await client.get(models)))).toEqual(['author', 'category', 'article'])
    const modelIds = ['article', 'author', 'category']
    expect(uids(ok(await client.post(`${models}:updateOrder`, { modelIds })))).toEqual(modelIds)
    ok(await client.post(models, { data: { uid: 'last', name: '最後' } }))
    expect(uids(ok(await client.get(models)))).toEqual([...modelIds, 'last'])
    for (const wrong of [modelIds, [...modelIds, 'article'], [...modelIds, 'last', 'last'], ['x'], []]) {
      const answer = await client.post(`${models}:updateOrder`, { modelIds: wrong })
      expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'modelIds', code: 'InvalidValue' }]])
    }
    expect(uids(ok(await client.get(models)))).toEqual([...modelIds, 'last'])
  })
})
