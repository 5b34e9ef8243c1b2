import { afterAll, beforeAll, expect, it } from 'vitest'
import { onBehalf } from '#server/access/callers/job.ts'
import { enter } from '#server/access/enter.ts'
import { newId } from '#server/lib/ids.ts'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { publishDocument } from '../documents.service.ts'

let installation: TestInstallation
let owner: TestAccount
let client: Client
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let authorization: string

beforeAll(async () => {
  installation = await startInstallation()
  owner = await createAccount(installation)
  client = owner.client
  space = await createSpace(client)
  app = await createApp(client, space)
  const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
  authorization = `Bearer ${cdnToken.token}`
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

async function makeModel() {
  const uid = unique('model')
  const model = await createModel(client, app, uid, [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'body', name: '本文', type: 'MARKDOWN', required: true },
    { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
  ])
  const docs = `${model.url}/doc`
  return {
    uid,
    docs,
    url: model.url,
    create: async (document: object, type = 'SAVE'): Promise<string> =>
      ok(await client.post(docs, { document, type })).document._id,
    save: async (id: string, doc: object, type = 'SAVE') =>
      ok(await client.put(`${docs}/${id}`, { doc, type })),
    read: async (id: string) => ok(await client.get(`${docs}/${id}`)).document,
    kinds: async (id: string): Promise<string[]> =>
      ok(await client.get(`${docs}/${id}/revisions`)).revisions.map(({ kind }: { kind: string }) => kind),
    /** Publishes one document by the endpoint. Returns its result. */
    publish: async (id: string, version: number) =>
      ok(await client.post(`${docs}/bulkPublish`, { documentIds: [id], versions: { [id]: version } }))
        .results[0],
    /** Reads the published document as a site does. */
    site: async (id: string) => (await client.get(`/v1/${app.uid}/${uid}/${id}`, { authorization })).body,
  }
}

/** Publishes a document in a job on behalf of an account. Returns the code of the error, if it is refused. */
async function publishInJob(model: { uid: string }, id: string, version?: number, accountId = owner.id) {
  const server = { db: installation.database.kysely, services: installation.deps.services }
  const caller = onBehalf({ kind: 'job', id: newId(), name: 'test.publish', askedBy: accountId })
  const place = { space: space.uid, app: app.uid }
  return enter(server, caller, place, 'document.publish.own', (ctx) =>
    publishDocument(ctx, model.uid, id, { version }),
  ).catch(({ code }: { code: string }) => code)
}

it('publishDocument publishes the chosen version and keeps a newer draft as the draft', async () => {
  const model = await makeModel()
  const id = await model.create({ title: '予約', body: '一', slug: 'a' })
  const { document: draft } = await model.save(id, { title: '編集中', body: '二', slug: 'b' })

  expect(await publishInJob(model, id, 1)).toBe(true)
  expect(await model.site(id)).toMatchObject({ title: '予約', body: '<p>一</p>\n', slug: 'a' })
  const after = await model.read(id)
  expect(after).toMatchObject({ title: '編集中', body: '二', slug: 'b' })
  expect(after._sys).toMatchObject({ status: 'changed', version: 4, updatedAt: draft._sys.updatedAt })
  expect(after._sys.updatedBy).toEqual(draft._sys.updatedBy)
  expect(await model.kinds(id)).toEqual(['save', 'publish', 'save', 'create'])
  expect(ok(await client.get(model.url)).model).toMatchObject({ documentCount: 1, publishedCount: 1 })

  // An editor who read the draft before can still save it.
  const saved = await client.put(`${model.docs}/${id}`, { doc: { title: '続き' } }, { 'if-match': '"2"' })
  expect(ok(saved).document.title).toBe('続き')
})

it('publishDocument changes nothing if the version is already published', async () => {
  const model = await makeModel()
  const id = await model.create({ title: '一', body: 'x' }, 'PUBLISH')
  await model.save(id, { title: '二' })
  expect(await publishInJob(model, id, 1)).toBe(false)
  expect((await model.read(id))._sys).toMatchObject({ version: 2, status: 'changed' })
  expect(await publishInJob(model, id)).toBe(true)
  expect(await publishInJob(model, id)).toBe(false)
  expect(await publishInJob(model, id, 3)).toBe(false)
  expect(await model.kinds(id)).toEqual(['publish', 'save', 'publish'])
})

it('publishDocument publishes the current state if the version has the same values', async () => {
  const model = await makeModel()
  const id = await model.create({ title: '一', body: 'x' })
  await model.save(id, { title: '二' })
  await model.save(id, { title: '一' })
  expect(await publishInJob(model, id, 1)).toBe(true)
  expect((await model.read(id))._sys).toMatchObject({ version: 4, status: 'published' })
})

it('publishDocument rejects unknown versions, broken rules and missing rights', async () => {
  const model = await makeModel()
  const id = await model.create({ title: '本文なし' })
  await model.save(id, { body: 'x' })
  await model.create({ title: '別', body: 'x', slug: 'taken' }, 'PUBLISH')
  const reader = await createMember(installation, space, 'pjt-Member', {
    admin: client,
    url: app.url,
    role: 'app-Contributor',
  })
  expect(await publishInJob(model, id, 3)).toBe('NotFound')
  expect(await publishInJob(model, 'f'.repeat(24), 1)).toBe('NotFound')
  expect(await publishInJob(model, id, 1)).toBe('ValidationFailed')
  expect(await publishInJob(model, id, 2, reader.id)).toBe('RequesterMayNot')
  expect(await model.publish(id, 1)).toEqual({
    _id: id,
    success: false,
    code: 'ValidationFailed',
    issues: [{ path: 'body', code: 'Required' }],
  })
  await model.save(id, { slug: 'taken' })
  await model.save(id, { slug: 'free' })
  expect(await publishInJob(model, id, 3)).toBe('ValidationFailed')
  expect(await model.kinds(id)).toEqual(['save', 'save', 'save', 'create'])
})

it('bulkPublish publishes an earlier version again, with a later time for sites', async () => {
  const model = await makeModel()
  const id = await model.create({ title: '一', body: 'x' }, 'PUBLISH')
  await model.save(id, { title: '二' }, 'PUBLISH')
  const before = await model.site(id)
  expect(await model.publish(id, 1)).toEqual({ _id: id, success: true })
  const after = await model.site(id)
  expect([before.title, after.title]).toEqual(['二', '一'])
  expect(after._sys.raw.updatedAt > before._sys.raw.updatedAt).toBe(true)
  expect(await model.read(id)).toMatchObject({ title: '二', _sys: { status: 'changed' } })
  expect(await model.publish(id, 1)).toEqual({ _id: id, success: true, unchanged: true })

  ok(await client.post(`${model.docs}/bulkDelete`, { documentIds: [id] }))
  ok(await client.post(`${model.docs}/bulkRestore`, { documentIds: [id] }))
  expect((await model.site(id)).title).toBe('一')
})

it('bulkPublish publishes a version as far as it fits the current fields', async () => {
  const model = await makeModel()
  const id = await model.create({ title: '一', body: 'x', slug: 'a' })
  await model.save(id, { title: '二' })
  const { fields } = ok(await client.get(model.url)).model
  const data = { fields: fields.filter(({ uid }: { uid: string }) => uid !== 'slug') }
  ok(await client.put(model.url, { data, acceptLoss: true }))
  expect(await model.publish(id, 1)).toEqual({ _id: id, success: true })
  const site = await model.site(id)
  expect([site.title, 'slug' in site]).toEqual(['一', false])
})

it('bulkPublish rejects versions of documents that it is not asked to publish', async () => {
  const model = await makeModel()
  const id = await model.create({ title: '一', body: 'x' })
  const other = 'e'.repeat(24)
  const send = (versions: object) => client.post(`${model.docs}/bulkPublish`, { documentIds: [id], versions })
  expect((await send({ [id]: 1, [other]: 1 })).body.issues).toEqual([
    { path: `versions.${other}`, code: 'InvalidValue' },
  ])
  for (const versions of [{ [id]: 0 }, { [id]: '1' }, { x: 1 }, [1]])
    expect((await send(versions)).status).toBe(400)
  expect((await model.read(id))._sys.status).toBe('draft')
})

it('publishing a version and duplicating set no value that is read-only for the caller', async () => {
  const model = await makeModel()
  const id = await model.create({ title: '古い題', body: 'a' })
  await model.save(id, { title: '新しい題', body: 'b' }, 'PUBLISH')
  await model.save(id, { body: 'c' })
  const { models } = ok(await client.get(`${app.url}/model`))
  const { _id, fields } = models.find((one: { uid: string }) => one.uid === model.uid)
  const rights = ['document.read', 'document.write.own', 'document.write.any', 'document.publish.own']
  const readOnly = [fields.find((field: { uid: string }) => field.uid === 'title')._id]
  const { role } = ok(
    await client.post(`${app.url}/role`, {
      data: { name: unique('役割'), rights, models: { [_id]: { rights, readOnly } } },
    }),
  )
  const editor = await createMember(installation, space, 'pjt-Member', {
    admin: client,
    url: app.url,
    role: role.uid,
  })
  const publish = async (version: number) =>
    ok(
      await editor.client.post(`${model.docs}/bulkPublish`, {
        documentIds: [id],
        versions: { [id]: version },
      }),
    ).results[0]
  expect(await publish(1)).toMatchObject({ success: false, code: 'Forbidden' })
  expect(await publish(3)).toMatchObject({ success: true })

  // A copy would have no title, because values of read-only fields are omitted.
  const copy = await editor.client.post(`${model.docs}/${id}/duplicate`, { docTitle: '写し' })
  expect([copy.status, copy.body.issues]).toEqual([403, [{ path: 'title', code: 'ReadOnly' }]])
})
