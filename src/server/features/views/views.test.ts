import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
/** Two accounts that may read documents, but not change shared views. */
let editor: TestAccount
let reader: TestAccount
let space: { uid: string; url: string }
let app: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  editor = await createMember(installation, space, 'pjt-Member', {
    admin: admin.client,
    url: app.url,
    role: 'app-Editor',
  })
  reader = await createMember(installation, space, 'pjt-Member', {
    admin: admin.client,
    url: app.url,
    role: 'app-Subscriber',
  })
  const person = { uid: 'person', name: '人', fields: [{ uid: 'name', name: '名', type: 'TEXT' }] }
  ok(await admin.client.post(`${app.url}/model`, { data: person }))
  const seo = await admin.client.post(`${app.url}/customFieldType`, {
    data: {
      uid: 'Seo',
      name: 'SEO',
      fields: [
        { uid: 'title', name: '題', type: 'TEXT' },
        { uid: 'by', name: '人', type: 'REFERENCE', modelUid: 'person' },
      ],
    },
  })
  ok(seo)
})
afterAll(() => installation?.close())

let models = 0
/** Creates a separate model, so that each test sees only its own views. */
async function makeModel(): Promise<string> {
  const uid = `model${++models}`
  ok(
    await admin.client.post(`${app.url}/model`, {
      data: {
        uid,
        name: '催し',
        fields: [
          { uid: 'title', name: '題', type: 'TEXT' },
          { uid: 'day', name: '日', type: 'DATE', inputType: 'date' },
          { uid: 'photo', name: '写真', type: 'IMAGE' },
          { uid: 'seo', name: 'SEO', type: 'CUSTOM', customType: 'Seo' },
          {
            uid: 'parts',
            name: '部品',
            type: 'MULTI_TYPE',
            multiple: true,
            types: [{ type: 'NUMBER' }, { type: 'CUSTOM', customType: 'Seo' }],
          },
        ],
      },
    }),
  )
  return uid
}

const views = () => `${app.url}/appView`
const make = async (client: Client, data: object) => ok(await client.post(views(), { data })).appView
const listOf = async (client: Client, modelUid: string) =>
  (ok(await client.get(views())).appViews as { modelUid: string; name: string; uid: string }[]).filter(
    (view) => view.modelUid === modelUid,
  )
const namesOf = async (client: Client, modelUid: string) =>
  (await listOf(client, modelUid)).map(({ name }) => name)

const whole = {
  q: '祭り',
  sort: '-seo.title',
  status: 'published',
  mine: true,
  any: true,
  filters: [
    { field: 'day', op: 'within', value: 'thisMonth' },
    {
      group: [
        { field: '_sys.createdBy', op: 'eq', value: 'me' },
        { field: 'seo.title', op: 'match', value: '夏' },
        { field: 'parts.data.by.name', op: 'eq', value: '空' },
      ],
    },
  ],
  columns: [{ id: 'day', width: 120, sticky: true }, { id: '_sys.status' }, { id: 'seo' }],
  cover: 'photo',
  aspect: 'square',
  size: 'large',
  date: 'day',
}

describe('a view', () => {
  it('is created with its settings after the other views, and can be changed and deleted', async () => {
    const modelUid = await makeModel()
    const made = await make(admin.client, { modelUid, name: '祭り', type: 'GALLERY', settings: whole })
    expect(made).toEqual({
      uid: expect.stringMatching(/^[0-9a-f]{24}$/),
      modelUid,
      name: '祭り',
      type: 'GALLERY',
      personal: false,
      settings: whole,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(await listOf(reader.client, modelUid)).toEqual([made])
    await make(admin.client, { modelUid, name: '表', type: 'TABLE' })
    expect(await namesOf(reader.client, modelUid)).toEqual(['祭り', '表'])
    const one = `${views()}/${made.uid}`
    const changed = ok(await admin.client.put(one, { data: { name: '暦', type: 'CALENDAR', version: 1 } }))
    expect(changed.appView).toMatchObject({ name: '暦', type: 'CALENDAR', settings: whole, version: 2 })
    ok(await admin.client.put(one, { data: { settings: {} } }))
    expect(await listOf(reader.client, modelUid)).toMatchObject([{ settings: {}, version: 3 }, {}])
    expect(ok(await admin.client.delete(one))).toEqual({ success: true })
    expect(await namesOf(reader.client, modelUid)).toEqual(['表'])
  })

  it('has its settings adapted to renamed and removed fields, and is deleted with its model', async () => {
    const modelUid = await makeModel()
    const made = await make(admin.client, { modelUid, name: '祭り', type: 'TABLE', settings: whole })
    const { fields } = ok(await admin.client.get(`${app.url}/model/${modelUid}`)).model
    const renamed = fields.map((field: { uid: string }) =>
      field.uid === 'day' ? { ...field, uid: 'heldOn' } : field,
    )
    ok(
      await admin.client.put(`${app.url}/model/${modelUid}`, {
        data: { uid: `${modelUid}x`, fields: renamed },
      }),
    )
    const person = ok(await admin.client.get(`${app.url}/model/person`)).model
    const named = [{ ...person.fields[0], uid: 'fullName' }]
    ok(await admin.client.put(`${app.url}/model/person`, { data: { fields: named } }))
    const [after] = await listOf(reader.client, `${modelUid}x`)
    expect(after).toMatchObject({
      uid: made.uid,
      version: 1,
      settings: {
        date: 'heldOn',
        columns: [{ id: 'heldOn', width: 120, sticky: true }, {}, {}],
        filters: [{ field: 'heldOn' }, { group: [{}, {}, { field: 'parts.data.by.fullName' }] }],
      },
    })
    ok(await admin.client.put(`${app.url}/model/person`, { data: { fields: person.fields } }))
    const left = renamed.filter(({ uid }: { uid: string }) => uid === 'title')
    ok(await admin.client.put(`${app.url}/model/${modelUid}x`, { data: { fields: left }, acceptLoss: true }))
    const { sort: _, cover: __, date: ___, ...others } = whole
    expect(await listOf(reader.client, `${modelUid}x`)).toMatchObject([
      {
        settings: {
          ...others,
          filters: [{ group: [{ field: '_sys.createdBy', op: 'eq', value: 'me' }] }],
          columns: [{ id: '_sys.status' }],
        },
      },
    ])
    ok(await admin.client.delete(`${app.url}/model/${modelUid}x`))
    expect(await listOf(reader.client, `${modelUid}x`)).toEqual([])
    expect((await admin.client.put(`${views()}/${made.uid}`, { data: { name: 'x' } })).status).toBe(404)
  })

  it('rejects a change based on an outdated version', async () => {
    const modelUid = await makeModel()
    const { uid } = await make(admin.client, { modelUid, name: '祭り', type: 'TABLE' })
    const save = (name: string) => admin.client.put(`${views()}/${uid}`, { data: { name, version: 1 } })
    const both = await Promise.all([save('一'), save('二')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('VersionConflict')
  })

  it('is rejected if its settings, type, name or model are invalid', async () => {
    const modelUid = await makeModel()
    const refused = async (settings: unknown, data: object = {}) => {
      const body = { data: { modelUid, name: 'x', type: 'TABLE', settings, ...data } }
      const answer = await admin.client.post(views(), body)
      return [answer.status, answer.body.issues?.[0]?.path]
    }
    const at = (path: string) => [400, `data.settings.${path}`]
    expect(await refused({ sort: '-gone' })).toEqual(at('sort'))
    expect(await refused({ cover: 'seo.gone' })).toEqual(at('cover'))
    expect(await refused({ columns: [{ id: 'day' }, { id: '_sys.secret' }] })).toEqual(at('columns.1.id'))
    expect(await refused({ columns: [{ id: 'day', width: 5 }] })).toEqual(at('columns.0.width'))
    const condition = { field: 'gone', op: 'eq', value: 'x' }
    expect(await refused({ filters: [{ group: [condition] }] })).toEqual(at('filters.0.group.0.field'))
    expect((await refused({ filters: [{ ...condition, op: 'drop' }] }))[0]).toBe(400)
    // The following input is excessive: many conditions, nested groups, circular paths.
    const many = { group: [{ ...condition, field: 'day' }] }
    let deep: object = many
    for (let level = 0; level < 50; level++) deep = { group: [deep] }
    expect((await refused({ filters: [deep] }))[0]).toBe(400)
    expect(await refused({ filters: Array.from({ length: 10_000 }, () => many) })).toEqual(at('filters'))
    for (const field of [
      'parts.data.by.by.name',
      `seo.by.${'name.'.repeat(60)}name`,
      'seo.by._sys.createdAt',
    ])
      expect(await refused({ filters: [{ ...condition, field }] })).toEqual(at('filters.0.field'))
    expect(await refused({}, { type: 'KANBAN' })).toEqual([400, 'data.type'])
    expect(await refused({}, { name: '  ' })).toEqual([400, 'data.name'])
    expect((await refused({}, { modelUid: 'nothing' }))[0]).toBe(404)
    expect(await namesOf(admin.client, modelUid)).toEqual([])
  })
})

describe('a personal view', () => {
  it('cannot be seen or changed by other members, including admins', async () => {
    const modelUid = await makeModel()
    const own = await make(reader.client, { modelUid, name: '自分の', type: 'LIST', personal: true })
    expect(own.personal).toBe(true)
    await make(admin.client, { modelUid, name: '皆の', type: 'TABLE' })
    expect(await namesOf(reader.client, modelUid)).toEqual(['皆の', '自分の'])
    const one = `${views()}/${own.uid}`
    for (const { client } of [admin, editor]) {
      expect(await namesOf(client, modelUid)).toEqual(['皆の'])
      const unknown = await client.put(`${views()}/${'0'.repeat(24)}`, { data: { name: 'x' } })
      const answer = await client.put(one, { data: { name: 'x' } })
      expect([answer.status, answer.text]).toEqual([404, unknown.text])
      expect((await client.delete(one)).status).toBe(404)
    }
    expect(ok(await reader.client.put(one, { data: { name: '別名' } })).appView.name).toBe('別名')
    ok(await reader.client.delete(one))
  })

  it('can be created and ordered by members without the right to change shared views', async () => {
    const modelUid = await makeModel()
    const shared = await make(admin.client, { modelUid, name: '皆の', type: 'TABLE' })
    const { client } = editor
    const data = { modelUid, name: 'x', type: 'TABLE' }
    for (const answer of [
      await client.post(views(), { data }),
      await client.put(`${views()}/${shared.uid}`, { data: { name: 'x' } }),
      await client.delete(`${views()}/${shared.uid}`),
      await client.post(`${views()}:updateOrder`, { modelUid, appViewIds: [shared.uid] }),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'Forbidden'])
    const [a, b] = [
      await make(client, { ...data, name: '一', personal: true }),
      await make(client, { ...data, name: '二', personal: true }),
    ]
    const order = (appViewIds: string[]) =>
      client.post(`${views()}:updateOrder`, { modelUid, personal: true, appViewIds })
    ok(await order([b.uid, a.uid]))
    expect(await namesOf(client, modelUid)).toEqual(['皆の', '二', '一'])
    for (const wrong of [[a.uid], [a.uid, a.uid], [a.uid, b.uid, shared.uid], [a.uid, shared.uid]])
      expect((await order(wrong)).body.issues).toEqual([{ path: 'appViewIds', code: 'InvalidValue' }])
  })
})
