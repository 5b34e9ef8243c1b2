import { afterAll, beforeAll, expect, it } from 'vitest'
import { large } from '#server/features/models/models.change.ts'
import { convertModelJob } from '#server/features/models/models.jobs.ts'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { fillAppJob, saveTemplateJob } from './templates.jobs.ts'

type Loose = Record<string, unknown>
type Item = Loose & { key: string; choice: string; change: string; here: string }

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let template: string
const url = (app: string) => `${space.url}/app/${app}`
const fieldsOf = async (app: string, model: string): Promise<Loose[]> =>
  ok(await admin.client.get(`${url(app)}/model/${model}`)).model.fields
const docsOf = async (app: string, model: string): Promise<Loose[]> =>
  ok(await admin.client.get(`${url(app)}/model/${model}/doc?limit=100`)).documents
const change = async (app: string, model: string, edit: (fields: Loose[]) => Loose[], data: Loose = {}) =>
  ok(
    await admin.client.put(`${url(app)}/model/${model}`, {
      data: { ...data, fields: edit(await fieldsOf(app, model)) },
      acceptLoss: true,
    }),
  )
const updateOf = async (app: string) => ok(await admin.client.get(`${url(app)}/templateUpdate`))
const taken = (items: Item[]) => items.filter(({ choice }) => choice === 'take').map(({ key }) => key)
const doc = (values: Loose) => ({ doc: values, type: 'PUBLISH' })
const made = (values: Loose) => ({ document: values, type: 'PUBLISH' })

async function save(app: string, data: Loose) {
  ok(await admin.client.post(`${url(app)}/template`, { data }))
  await runWaiting(installation, saveTemplateJob)
  return ok(await admin.client.get(`${url(app)}/template`)).templates[0]
}

async function make(uid: string) {
  ok(await admin.client.post(`${space.url}/app`, { appTemplateId: template, data: { uid } }))
  await runWaiting(installation, fillAppJob)
}

beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  ok(await admin.client.post(`${space.url}/app`, { data: { uid: 'origin', name: '元のアプリ' } }))
  const hero = [{ uid: 'lead', name: 'リード', type: 'TEXT' }]
  ok(
    await admin.client.post(`${url('origin')}/customFieldType`, {
      data: { uid: 'hero', name: 'ヒーロー', fields: hero },
    }),
  )
  const fields = [
    { uid: 'title', name: 'タイトル', type: 'TEXT' },
    { uid: 'count', name: '数', type: 'TEXT' },
    { uid: 'old', name: '古い項目', type: 'TEXT' },
    { uid: 'hero', name: 'ヒーロー', type: 'CUSTOM', customType: 'hero' },
  ]
  ok(await admin.client.post(`${url('origin')}/model`, { data: { uid: 'article', name: '記事', fields } }))
  const view = { modelUid: 'article', name: '一覧', type: 'TABLE', settings: { sort: 'title' } }
  ok(await admin.client.post(`${url('origin')}/appView`, { data: view }))
  const values = { title: '見本', count: '3', old: '古い', hero: { lead: 'ようこそ' } }
  ok(await admin.client.post(`${url('origin')}/model/article/doc`, made(values)))
  template = (await save('origin', { name: 'ひな形' }))._id
  for (const app of ['site', 'changed', 'big', 'plain']) await make(app)

  // The second version of the template.
  const author = { uid: 'author', name: '著者', fields: [{ uid: 'name', name: '名前', type: 'TEXT' }] }
  ok(await admin.client.post(`${url('origin')}/model`, { data: author }))
  const { document } = ok(
    await admin.client.post(`${url('origin')}/model/author/doc`, made({ name: '山田' })),
  )
  await change('origin', 'article', ([title, count, , heroField]) => [
    { ...title, name: '題名' },
    { uid: 'author', name: '著者', type: 'REFERENCE', modelUid: 'author' },
    { _id: count?._id, uid: 'count', name: '数', type: 'NUMBER' },
    heroField as Loose,
  ])
  const [first] = await docsOf('origin', 'article')
  ok(
    await admin.client.put(`${url('origin')}/model/article/doc/${first?._id}`, doc({ author: document._id })),
  )
  const [type] = ok(await admin.client.get(`${url('origin')}/customFieldType`)).customFieldTypes
  const more = [...type.fields, { uid: 'note', name: '注記', type: 'TEXT' }]
  ok(await admin.client.put(`${url('origin')}/customFieldType/${type._id}`, { data: { fields: more } }))
  const [own] = ok(await admin.client.get(`${url('origin')}/appView`)).appViews
  ok(
    await admin.client.put(`${url('origin')}/appView/${own.uid}`, { data: { settings: { sort: '-title' } } }),
  )
  const named = { modelUid: 'author', name: '著者の一覧', type: 'TABLE', settings: {} }
  ok(await admin.client.post(`${url('origin')}/appView`, { data: named }))
  await save('origin', { name: 'ひな形' })
})
afterAll(async () => {
  expect(await findViolations(installation.database, { typesChanged: true })).toEqual([])
  await installation.close()
})

it('an app lists the changes in a newer version of its template', async () => {
  const { template: told, items, undo } = await updateOf('site')
  expect([told, undo]).toEqual([{ _id: template, name: 'ひな形', version: 1, newest: 2 }, null])
  expect(items.map(({ key, change: what, here, choice }: Item) => [key, what, here, choice])).toEqual([
    ['customTypeField:hero.note', 'added', 'same', 'take'],
    ['field:article.title', 'changed', 'same', 'take'],
    ['field:article.author', 'added', 'same', 'take'],
    ['field:article.count', 'changed', 'same', 'take'],
    ['field:article.old', 'gone', 'same', 'keep'],
    ['model:author', 'added', 'same', 'take'],
    ['view:article.一覧', 'changed', 'same', 'take'],
    ['view:author.著者の一覧', 'added', 'same', 'take'],
  ])
  expect(items.find(({ key }: Item) => key === 'field:article.count').types).toEqual({
    from: 'TEXT',
    to: 'NUMBER',
  })
  expect(items.find(({ key }: Item) => key === 'model:author').documents).toBe(1)
  expect(items.find(({ key }: Item) => key === 'field:article.title').settings).toEqual(['name'])
  expect(await updateOf('origin')).toEqual({ template: null, items: null, undo: null })
})

it('a template update applies the chosen changes after the losses are accepted', async () => {
  const before = [await fieldsOf('site', 'article'), await docsOf('site', 'article')]
  const [sample] = before[1] as Loose[]
  const docs = `${url('site')}/model/article/doc`
  ok(await admin.client.put(`${docs}/${sample?._id}`, doc({ count: 'たくさん' })))
  const { items } = await updateOf('site')
  const take = [...taken(items), 'field:article.old']
  const post = (body: Loose) =>
    admin.client.post(`${url('site')}/templateUpdate`, { version: 2, take, ...body })

  const losses = [
    { model: 'article', field: 'count', documents: 1, reason: 'typeChanged' },
    { model: 'article', field: 'old', documents: 1, reason: 'removed' },
  ]
  expect(ok(await post({ dryRun: true }))).toMatchObject({
    losses,
    models: [{ uid: 'article', documents: 1 }],
  })
  const refused = await post({})
  expect([refused.status, refused.body.losses]).toEqual([400, losses])
  expect(await fieldsOf('site', 'article')).toEqual(before[0])

  const { job } = ok(await post({ acceptLoss: true, documents: true }))
  expect(job).toMatch(/^[0-9a-f]{24}$/)
  await runWaiting(installation, fillAppJob)
  const fields = await fieldsOf('site', 'article')
  expect(fields.map(({ uid, name, type }) => [uid, name, type])).toEqual([
    ['title', '題名', 'TEXT'],
    ['author', '著者', 'REFERENCE'],
    ['count', '数', 'NUMBER'],
    ['hero', 'ヒーロー', 'CUSTOM'],
  ])
  const [after] = await docsOf('site', 'article')
  expect(after).toMatchObject({ title: '見本', hero: { lead: 'ようこそ' } })
  expect(after).not.toHaveProperty('old')
  const [author] = await docsOf('site', 'author')
  expect(author).toMatchObject({ name: '山田' })
  const views = ok(await admin.client.get(`${url('site')}/appView`)).appViews
  expect(views.map(({ name, settings }: Loose) => [name, settings])).toEqual([
    ['一覧', { sort: '-title' }],
    ['著者の一覧', {}],
  ])
  const followed = await updateOf('site')
  expect([followed.template.version, followed.items]).toEqual([2, null])
  expect(followed.undo).toMatchObject({ version: 1 })
  const again = await post({ take: [] })
  expect([again.status, ok(again)]).toEqual([200, { job: null, losses: [], models: [], removed: [] }])
})

it('undoing a template update restores fields and values, except for fields that were changed since', async () => {
  const app = 'plain'
  const before = [await fieldsOf(app, 'article'), await docsOf(app, 'article')]
  const [sample] = before[1] as Loose[]
  const take = [...taken((await updateOf(app)).items), 'field:article.old']
  ok(
    await admin.client.post(`${url(app)}/templateUpdate`, {
      version: 2,
      take,
      documents: true,
      acceptLoss: true,
    }),
  )
  await runWaiting(installation, fillAppJob)
  const [author] = await docsOf(app, 'author')
  ok(await admin.client.put(`${url(app)}/model/article/doc/${sample?._id}`, doc({ author: author?._id })))
  // Edits after the update.
  await change(app, 'article', ([title, ...others]) => [{ ...title, name: 'わたしの題' }, ...others])
  const undo = (body: Loose) => admin.client.post(`${url(app)}/templateUpdate:undo`, body)
  const told = ok(await undo({ dryRun: true }))
  expect(told.removed).toEqual([{ uid: 'author', name: '著者', documents: 1 }])
  expect(told.losses).toEqual([{ model: 'article', field: 'author', documents: 1, reason: 'removed' }])
  expect((await undo({})).status).toBe(400)
  ok(await undo({ acceptLoss: true }))
  const [title, ...others] = before[0] as Loose[]
  expect(await fieldsOf(app, 'article')).toEqual([{ ...title, name: 'わたしの題' }, ...others])
  const [document] = await docsOf(app, 'article')
  expect(document).toMatchObject({ title: '見本', count: '3', old: '古い', hero: { lead: 'ようこそ' } })
  expect(document?.hero).toEqual({ lead: 'ようこそ' })
  const views = ok(await admin.client.get(`${url(app)}/appView`)).appViews
  expect(views.map(({ settings }: Loose) => settings)).toEqual([{ sort: 'title' }])
  const now = await updateOf(app)
  expect([now.template.version, now.undo]).toEqual([1, null])
  expect((await undo({})).status).toBe(404)
  ok(await admin.client.post(`${url(app)}/templateUpdate:accept`))
  expect((await admin.client.post(`${url('origin')}/templateUpdate:accept`)).status).toBe(404)
})

it('a template update keeps parts that were also changed in the app, unless they are chosen', async () => {
  const app = 'changed'
  await change(app, 'article', ([title, count, ...others]) => [
    { ...title, name: '見出し' },
    { ...count, description: 'わたしの説明' },
    ...others,
    { uid: 'mine', name: 'わたしの項目', type: 'TEXT' },
  ])
  const { items } = await updateOf(app)
  const byKey = new Map<string, Item>(items.map((item: Item) => [item.key, item]))
  for (const key of ['field:article.title', 'field:article.count'])
    expect(byKey.get(key)).toMatchObject({ here: 'changed', choice: 'keep' })
  const take = [...taken(items), 'field:article.count']
  ok(await admin.client.post(`${url(app)}/templateUpdate`, { version: 2, take, acceptLoss: true }))
  expect((await fieldsOf(app, 'article')).map(({ uid, name, type }) => [uid, name, type])).toEqual([
    ['title', '見出し', 'TEXT'],
    ['author', '著者', 'REFERENCE'],
    ['count', '数', 'NUMBER'],
    ['old', '古い項目', 'TEXT'],
    ['hero', 'ヒーロー', 'CUSTOM'],
    ['mine', 'わたしの項目', 'TEXT'],
  ])
  expect(await docsOf(app, 'author')).toEqual([])
  ok(await admin.client.post(`${url(app)}/templateUpdate:accept`))
  expect((await updateOf(app)).undo).toBeNull()
  const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?limit=100`))
  const acts = auditLogs.map(({ act }: Loose) => act)
  expect(acts).toEqual(
    expect.arrayContaining(['app.templateUpdate', 'app.templateUndo', 'app.templateAccept']),
  )
})

it('a template update converts documents of large models in a job, and can be undone after the job', async () => {
  const before = large.moreThan
  large.moreThan = 0
  try {
    const take = taken((await updateOf('big')).items)
    ok(await admin.client.post(`${url('big')}/templateUpdate`, { version: 2, take, acceptLoss: true }))
    const early = await admin.client.post(`${url('big')}/templateUpdate:undo`, { acceptLoss: true })
    expect([early.status, early.body.code]).toEqual([409, 'ChangeCannotBeTakenBack'])
    await runWaiting(installation, convertModelJob)
    expect((await docsOf('big', 'article'))[0]).toMatchObject({ count: 3 })
    ok(await admin.client.post(`${url('big')}/templateUpdate:undo`, { acceptLoss: true }))
    await runWaiting(installation, convertModelJob)
    expect((await docsOf('big', 'article'))[0]).toMatchObject({ count: '3' })
  } finally {
    large.moreThan = before
  }
})

it('a template update rejects unknown versions and keys, apps without a template, and editors', async () => {
  const post = (body: Loose, client = admin.client) =>
    client.post(`${url('plain')}/templateUpdate`, { version: 2, take: [], ...body })
  const conflict = await post({ version: 7 })
  expect([conflict.status, conflict.body.code]).toEqual([409, 'VersionConflict'])
  const unknown = await post({ take: ['field:article.title', 'field:article.__proto__'] })
  expect([unknown.status, unknown.body.issues[0].path]).toEqual([400, 'take.1'])
  // A reference to a model that is not chosen.
  const alone = await post({ take: ['field:article.author'] })
  expect([alone.status, alone.body.issues[0].path]).toEqual([400, 'models.article.fields.1.modelUid'])
  const none = await admin.client.post(`${url('origin')}/templateUpdate`, { version: 2, take: [] })
  expect(none.status).toBe(404)
  const editor = await createMember(installation, space, 'pjt-Member', {
    admin: admin.client,
    url: url('plain'),
    role: 'app-Editor',
  })
  expect((await post({}, editor.client)).status).toBe(403)
  const other = await createSpace(admin.client)
  expect((await admin.client.get(`${other.url}/app/plain/templateUpdate`)).status).toBe(404)
})
