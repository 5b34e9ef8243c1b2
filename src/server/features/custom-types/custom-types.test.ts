import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createApp, createMember, createSpace } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let space: { uid: string; url: string }
let app: { uid: string; url: string }

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  space = await createSpace(client)
})
beforeEach(async () => {
  app = await createApp(client, space)
})
afterAll(async () => {
  expect(await findViolations(installation.database, { typesChanged: true })).toEqual([])
  await installation.close()
})

type Loose = Record<string, unknown>
interface Type {
  _id: string
  uid: string
  version: number
  fields: (Loose & { _id: string })[]
}
const field = (uid: string, type: string, more: Loose = {}) => ({ uid, name: uid, type, ...more })
const custom = (uid: string, customType: string, more: Loose = {}) =>
  field(uid, 'CUSTOM', { customType, ...more })
const typesOf = (of = app) => `${of.url}/customFieldType`
const make = (uid: string, fields: Loose[] = [], more: Loose = {}) =>
  client.post(typesOf(), { data: { uid, name: uid, fields, ...more } })
const made = async (uid: string, fields: Loose[] = []): Promise<Type> =>
  ok(await make(uid, fields)).customFieldType
const change = (type: Type, data: Loose, more: Loose = {}) =>
  client.put(`${typesOf()}/${type._id}`, { data, ...more })
const makeModel = async (uid: string, fields: Loose[], of = app) => {
  const { model } = ok(await client.post(`${of.url}/model`, { data: { uid, name: uid, fields } }))
  return { model, url: `${of.url}/model/${uid}`, docs: `${of.url}/model/${uid}/doc` }
}
const storedOf = async (id: string) => {
  const row = await installation.database.kysely
    .selectFrom('document')
    .select(['draft', 'pub'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.draft ?? row.pub
}

describe('a custom type', () => {
  it('is created, read, listed, changed and deleted', async () => {
    const data = {
      uid: 'Q&A',
      name: 'よくある質問',
      description: '説明',
      fields: [field('question', 'TEXT')],
    }
    const { customFieldType } = ok(await client.post(typesOf(), { data }))
    expect(customFieldType).toMatchObject({ ...data, version: 1 })
    expect(customFieldType.fields[0]).toMatchObject({ multiple: false, inputType: 'inputText' })
    const url = `${typesOf()}/${customFieldType._id}`
    expect(ok(await client.get(url)).customFieldType).toEqual(customFieldType)
    expect(ok(await client.get(typesOf())).customFieldTypes).toEqual([customFieldType])
    const changed = ok(await client.put(url, { data: { name: '質問と答え', version: 1 } }))
    expect(changed).toMatchObject({
      customFieldType: { name: '質問と答え', version: 2, uid: 'Q&A' },
      losses: [],
    })
    // Writing unchanged values creates no version.
    expect(ok(await client.put(url, { data: { name: '質問と答え' } })).customFieldType.version).toBe(2)
    const stale = await client.put(url, { data: { name: 'x', version: 1 } })
    expect([stale.status, stale.body.code, stale.body.current]).toEqual([409, 'VersionConflict', 2])
    ok(await client.delete(url))
    expect((await client.get(url)).status).toBe(404)
    ok(await client.post(typesOf(), { data }))
  })

  const noUids = [
    ['', 'InvalidFormat'],
    ['a/b', 'InvalidFormat'],
    ['a\tb', 'InvalidFormat'],
    [' a', 'InvalidFormat'],
    ['か\u3099', 'InvalidFormat'],
    ['\u0000', 'InvalidFormat'],
    ['\ud83d', 'InvalidFormat'],
    ['a'.repeat(65), 'InvalidFormat'],
    ['TEXT', 'ReservedWord'],
    ['IMAGE', 'ReservedWord'],
  ] as const
  it('is rejected with a malformed uid or with the name of a field type as its uid', async () => {
    for (const [uid, code] of noUids) {
      const { status, body } = await make(uid, [], { name: '名' })
      expect([uid, status, body.issues]).toEqual([
        uid,
        400,
        [expect.objectContaining({ path: 'data.uid', code })],
      ])
    }
  })

  it('can have a uid with symbols, spaces, Japanese or emoji, or a uid such as `constructor`', async () => {
    const uids = ['Q&A', 'よくある質問', '部品 1', 'constructor', '__proto__', 'toString', '👪', "'; --"]
    for (const uid of uids) await made(uid, [field('a', 'TEXT')])
    const types = uids.map((customType) => ({ type: 'CUSTOM', customType }))
    const { docs } = await makeModel('page', [
      ...uids.map((uid, index) => custom(`one${index}`, uid)),
      field('any', 'MULTI_TYPE', { multiple: true, types }),
    ])
    const document = {
      ...Object.fromEntries(uids.map((uid, index) => [`one${index}`, { a: uid }])),
      any: uids.map((uid) => ({ type: uid, data: { a: uid } })),
    }
    const answer = ok(await client.post(docs, { document, type: 'PUBLISH' }))
    expect(answer.document).toMatchObject(document)
  })

  it('cannot have the uid or name of another custom type of the app, even in concurrent requests', async () => {
    await made('a')
    for (const [data, path] of [
      [{ uid: 'a', name: 'b' }, 'data.uid'],
      [{ uid: 'b', name: 'a' }, 'data.name'],
    ] as const) {
      const { status, body } = await client.post(typesOf(), { data })
      expect([status, body.code, body.issues[0].path]).toEqual([409, 'CustomFieldTypeIsAlreadyInUse', path])
    }
    const other = await made('other')
    expect((await change(other, { name: 'a' })).body.code).toBe('CustomFieldTypeIsAlreadyInUse')
    const answers = await Promise.all(Array.from({ length: 8 }, () => make('race')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  })

  it('is rejected with the path of its invalid field', async () => {
    const refused = [
      [field('a', 'NOTHING'), 'data.fields.0.type', 'NonExistentFieldType'],
      [custom('a', 'nothing'), 'data.fields.0.customType', 'InvalidValue'],
      [field('a', 'REFERENCE', { modelUid: 'nothing' }), 'data.fields.0.modelUid', 'InvalidValue'],
      [field('a', 'CUSTOM'), 'data.fields.0.customType', 'Required'],
      [field('select', 'TEXT'), 'data.fields.0.uid', 'ReservedWord'],
      [
        field('a', 'MULTI_TYPE', { types: [{ type: 'TEXT' }, { type: 'TEXT' }] }),
        'data.fields.0.types.1',
        'DuplicatedValue',
      ],
      [
        field('a', 'MULTI_TYPE', { types: [{ type: 'MULTI_TYPE' }] }),
        'data.fields.0.types.0.type',
        'InvalidValue',
      ],
      [
        field('a', 'MULTI_TYPE', { types: [{ type: 'TEXT', pattern: '(' }] }),
        'data.fields.0.types.0.pattern',
        'InvalidFormat',
      ],
      [
        field('a', 'MULTI_TYPE', { types: [{ type: 'TEXT', required: true }] }),
        'data.fields.0.types.0.required',
        'UnknownField',
      ],
      [
        field('a', 'MULTI_TYPE', { types: [{ type: 'CUSTOM', customType: 'x' }] }),
        'data.fields.0.types.0.customType',
        'InvalidValue',
      ],
    ] as const
    for (const [body, path, code] of refused) {
      const answer = await make('t', [body])
      expect([answer.status, answer.body.issues]).toEqual([400, [expect.objectContaining({ path, code })]])
    }
  })

  it('cannot contain itself, directly or through other types', async () => {
    const a = await made('a')
    expect((await change(a, { fields: [custom('x', 'a')] })).body.issues).toEqual([
      { path: 'data.fields.0.customType', code: 'CircularType', params: { circle: 'a → a' } },
    ])
    await made('b', [custom('x', 'a')])
    await made('c', [field('x', 'MULTI_TYPE', { types: [{ type: 'CUSTOM', customType: 'b' }] })])
    const fields = [
      field('t', 'TEXT'),
      field('x', 'MULTI_TYPE', { types: [{ type: 'CUSTOM', customType: 'c' }] }),
    ]
    expect((await change(a, { fields })).body.issues).toEqual([
      { path: 'data.fields.1.types.0.customType', code: 'CircularType', params: { circle: 'a → c → b → a' } },
    ])
    expect((await make('self', [custom('x', 'self')])).body.issues[0].code).toBe('CircularType')
  })

  it('is limited to ten levels of nesting and to a maximum number of fields, including nested fields', async () => {
    await made('t0', [field('a', 'TEXT')])
    for (let level = 1; level < 10; level++) await made(`t${level}`, [custom('in', `t${level - 1}`)])
    expect((await make('t10', [custom('in', 't9')])).body.issues).toEqual([
      { path: 'data.fields', code: 'NestedTooDeeply', params: { maximum: 10 } },
    ])
    const deepest = ok(await client.get(typesOf())).customFieldTypes.find((type: Type) => type.uid === 't0')
    await made('below')
    expect((await change(deepest, { fields: [custom('in', 'below')] })).body.issues[0].code).toBe(
      'NestedTooDeeply',
    )
    const { docs } = await makeModel('deep', [custom('in', 't9')])
    let value: Loose = { a: '底' }
    for (let level = 1; level < 10; level++) value = { in: value }
    const { document } = ok(await client.post(docs, { document: { in: value } }))
    expect(document.in).toEqual(value)

    await made(
      'wide',
      Array.from({ length: 150 }, (_, n) => field(`f${n}`, 'TEXT')),
    )
    const wider = Array.from({ length: 14 }, (_, n) => custom(`w${n}`, 'wide'))
    expect((await make('wider', wider)).body.issues[0]).toMatchObject({
      path: 'data.fields',
      code: 'TooManyItems',
    })
    expect(
      (await client.post(`${app.url}/model`, { data: { uid: 'w', name: 'w', fields: wider } })).status,
    ).toBe(400)
  })

  it('cannot be deleted while models or types use it, and the error lists them', async () => {
    const a = await made('a')
    const b = await made('b', [custom('x', 'a')])
    const { url } = await makeModel('page', [
      field('x', 'MULTI_TYPE', { types: [{ type: 'CUSTOM', customType: 'a' }] }),
    ])
    const { status, body } = await client.delete(`${typesOf()}/${a._id}`)
    expect([status, body.code, body.models, body.customFieldTypes]).toEqual([
      409,
      'CustomFieldTypeIsAlreadyInUse',
      ['page'],
      ['b'],
    ])
    ok(await client.delete(`${typesOf()}/${b._id}`))
    ok(await client.delete(url))
    ok(await client.delete(`${typesOf()}/${a._id}`))
  })

  it('prevents the deletion of a model to which it refers, and is updated when the uid of the model changes', async () => {
    await makeModel('person', [field('name', 'TEXT')])
    const types = [{ type: 'REFERENCE', modelUid: 'person' }]
    const a = await made('a', [
      field('by', 'REFERENCE', { modelUid: 'person' }),
      field('any', 'MULTI_TYPE', { types }),
    ])
    const { body } = await client.delete(`${app.url}/model/person`)
    expect([body.code, body.models, body.customFieldTypes]).toEqual(['ModelIsStillReferenced', [], ['a']])
    ok(await client.put(`${app.url}/model/person`, { data: { uid: 'human' } }))
    const { customFieldType } = ok(await client.get(`${typesOf()}/${a._id}`))
    expect(customFieldType.fields).toMatchObject([{ modelUid: 'human' }, { types: [{ modelUid: 'human' }] }])
  })
})

describe('a change of a custom type', () => {
  const fill = async () => {
    const a = await made('a', [field('text', 'TEXT'), field('number', 'TEXT'), field('gone', 'TEXT')])
    await made('b', [custom('in', 'a', { multiple: true })])
    const page = await makeModel('page', [
      field('title', 'TEXT'),
      field('any', 'MULTI_TYPE', { multiple: true, types: [{ type: 'CUSTOM', customType: 'b' }] }),
    ])
    const other = await makeModel('other', [custom('one', 'a')])
    const inner = { text: '文', number: '5', gone: '消える' }
    const any = [{ type: 'b', data: { in: [inner, { number: 'x' }] } }]
    const { document } = ok(await client.post(page.docs, { document: { title: '題', any }, type: 'PUBLISH' }))
    const second = ok(await client.post(other.docs, { document: { one: inner } })).document
    return { a, page, other, document, second }
  }

  it('renames types and fields without rewriting documents', async () => {
    const { a, page, document } = await fill()
    const before = await storedOf(document._id)
    const fields = a.fields.map((one) => ({ ...one, uid: `${one.uid}2` }))
    ok(await change(a, { uid: 'Q&A', fields }))
    expect(await storedOf(document._id)).toEqual(before)
    const read = ok(await client.get(`${page.docs}/${document._id}`)).document
    expect(read.any[0].data.in[0]).toMatchObject({ text2: '文', number2: '5' })
    expect(read._sys.version).toBe(document._sys.version)
    // References to the type's uid are updated in types and models.
    const [b] = ok(await client.get(typesOf())).customFieldTypes.filter((type: Type) => type.uid === 'b')
    expect(b.fields[0].customType).toBe('Q&A')
    expect(ok(await client.get(`${app.url}/model/other`)).model.fields[0].customType).toBe('Q&A')
    // In values of a multi-type field, the API identifies a custom type by its uid, the database by its `_id`.
    ok(await change(b, { uid: 'B' }))
    const again = ok(await client.get(`${page.docs}/${document._id}`)).document
    expect([again.any[0].type, await storedOf(document._id)]).toEqual(['B', before])
  })

  it('reports lost values, and converts documents of the affected models once the loss is accepted', async () => {
    const { a, page, other, document, second } = await fill()
    const [text, number] = a.fields
    const fields = [
      { ...text, type: 'TEXT', multiple: true },
      { ...field('number', 'NUMBER'), _id: number!._id },
    ]
    const losses = [
      { model: 'page', field: 'any[b].data.in.gone', documents: 1, reason: 'removed' },
      { model: 'page', field: 'any[b].data.in.number', documents: 1, reason: 'typeChanged' },
      { model: 'other', field: 'one.gone', documents: 1, reason: 'removed' },
    ]
    const dry = ok(await change(a, { fields }, { dryRun: true }))
    expect(dry.losses).toEqual(losses)
    expect(dry.models).toEqual([
      { uid: 'page', documents: 1 },
      { uid: 'other', documents: 1 },
    ])
    const refused = await change(a, { fields })
    expect([refused.status, refused.body.code, refused.body.losses]).toEqual([
      400,
      'ValidationFailed',
      dry.losses,
    ])
    expect(ok(await client.get(`${page.docs}/${document._id}`)).document).toEqual(document)

    ok(await change(a, { fields, version: 1 }, { acceptLoss: true }))
    const read = ok(await client.get(`${page.docs}/${document._id}`)).document
    const [first, last] = document.any[0].data.in
    expect(read.any[0].data.in).toEqual([{ _id: first._id, text: ['文'], number: 5 }, { _id: last._id }])
    expect(ok(await client.get(`${other.docs}/${second._id}`)).document.one).toEqual({
      text: ['文'],
      number: 5,
    })
    // Old revisions are read with the current fields.
    const { revision } = ok(await client.get(`${page.docs}/${document._id}/revision/1`))
    expect(revision.values.any[0].data.in[0]).toMatchObject({ text: ['文'], number: 5 })
  })

  it('makes a field unique, unless published documents have the same value in that field', async () => {
    const { a, other } = await fill()
    const one = { text: '同じ' }
    const [text, ...rest] = a.fields
    const fields = [{ ...text, unique: true }, ...rest]
    for (let n = 0; n < 2; n++) ok(await client.post(other.docs, { document: { one }, type: 'PUBLISH' }))
    const refused = await change(a, { fields })
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [{ path: 'data.fields.0.unique', code: 'DuplicatedValue' }],
    ])
    const { documents } = ok(await client.get(`${other.docs}?_sys.status=published&limit=1`))
    ok(await client.delete(`${other.docs}/${documents[0]._id}`))
    ok(await change(a, { fields }))
    const again = await client.post(other.docs, { document: { one }, type: 'PUBLISH' })
    expect(again.body.issues).toEqual([{ path: 'one.text', code: 'DuplicatedValue' }])
    ok(await change(a, { fields: a.fields }))
    ok(await client.post(other.docs, { document: { one }, type: 'PUBLISH' }))
  })

  it('causes no server error during concurrent saves', async () => {
    const { a, other, second } = await fill()
    const url = `${other.docs}/${second._id}`
    const writes = Array.from({ length: 12 }, (_, n) =>
      n % 4 === 0
        ? change(a, { fields: a.fields.map((one) => ({ ...one, uid: `${one.uid}_${n}` })) })
        : client.put(url, { doc: { one: { text: String(n) } } }),
    )
    for (const { status } of await Promise.all(writes)) expect([200, 400]).toContain(status)
  })
})

it('documents, lists and delivered contents can be read while a custom type is renamed', {
  tags: ['full'],
}, async () => {
  const a = await made('a0', [field('text', 'TEXT')])
  const { docs } = await makeModel('page', [custom('one', 'a0')])
  const { document } = ok(await client.post(docs, { document: { one: { text: '文' } }, type: 'PUBLISH' }))
  const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'cdn' } }))
  let isDone = false
  const rename = async () => {
    for (let n = 1; n <= 8; n++) ok(await change(a, { uid: `a${n}` }))
    isDone = true
  }
  const read = async (url: string, headers?: Record<string, string>) => {
    while (!isDone) expect(JSON.stringify(ok(await client.get(url, headers)))).toContain('文')
  }
  const at = `${docs}/${document._id}`
  const delivered = `/${space.uid}.cdn/v1/${app.uid}/page`
  const authorization = { authorization: `Bearer ${cdnToken.token}` }
  await Promise.all([rename(), read(at), read(docs), read(`${at}/api`), read(delivered, authorization)])
})

describe('a change of a field with custom types', () => {
  it('converts one value to several and several to one, and reports lost values', async () => {
    await made('a', [field('text', 'TEXT')])
    const { model, url, docs } = await makeModel('page', [custom('one', 'a')])
    const { document } = ok(await client.post(docs, { document: { one: { text: '一' } } }))
    const [one] = model.fields
    const multiple = { ...one, multiple: true }
    expect(ok(await client.put(url, { data: { fields: [multiple] } })).losses).toEqual([])
    const several = ok(await client.get(`${docs}/${document._id}`)).document
    expect(several.one).toEqual([{ text: '一', _id: expect.stringMatching(/^[0-9a-f]{24}$/) }])
    ok(await client.put(`${docs}/${document._id}`, { doc: { one: [...several.one, { text: '二' }] } }))
    const back = { data: { fields: [one] } }
    expect((await client.put(url, back)).body.losses).toEqual([
      { field: 'one', documents: 1, reason: 'multipleOff' },
    ])
    ok(await client.put(url, { ...back, acceptLoss: true }))
    expect(ok(await client.get(`${docs}/${document._id}`)).document.one).toEqual({ text: '一' })
  })

  it('reports the values that are lost when a custom type is replaced or removed', async () => {
    await made('a', [field('text', 'TEXT')])
    await made('b', [field('text', 'TEXT')])
    const types = [{ type: 'TEXT' }, { type: 'CUSTOM', customType: 'a' }]
    const { model, url, docs } = await makeModel('page', [
      custom('one', 'a'),
      field('any', 'MULTI_TYPE', { multiple: true, types }),
    ])
    const any = [
      { type: 'TEXT', data: 't' },
      { type: 'a', data: { text: 'x' } },
    ]
    const { document } = ok(
      await client.post(docs, { document: { one: { text: '一' }, any }, type: 'PUBLISH' }),
    )
    const fields = [
      { ...model.fields[0], customType: 'b' },
      { ...model.fields[1], types: types.slice(0, 1) },
    ]
    const refused = await client.put(url, { data: { fields } })
    expect(refused.body.losses.map(({ field: uid }: Loose) => uid)).toEqual(['one', 'any[a]'])
    ok(await client.put(url, { data: { fields }, acceptLoss: true }))
    const read = ok(await client.get(`${docs}/${document._id}`)).document
    expect([read.one, read.any]).toEqual([undefined, [expect.objectContaining({ type: 'TEXT', data: 't' })]])
  })
})

describe('a copy of a custom type from another app', () => {
  it('includes nested custom types, and is rejected if a referenced model is missing', async () => {
    const library = app
    await makeModel('person', [field('name', 'TEXT')])
    await made('part', [field('by', 'REFERENCE', { modelUid: 'person' })])
    await made('whole', [field('a', 'TEXT'), custom('parts', 'part', { multiple: true })])
    await made('unused')
    await makeModel('page', [custom('x', 'whole')])
    app = await createApp(client, space)
    const target = await makeModel('article', [field('title', 'TEXT')])
    const copy = (more: Loose = {}, who = client) =>
      who.post(`${target.url}/customFieldTypes`, {
        fromAppId: library.uid,
        fromModelUid: 'page',
        customFieldTypeName: 'whole',
        ...more,
      })
    for (const [more, path] of [
      [{ fromAppId: 'nothing' }, 'fromAppId'],
      [{ fromModelUid: 'nothing' }, 'fromModelUid'],
      [{ customFieldTypeName: 'unused' }, 'customFieldTypeName'],
    ] as const) {
      const { status, body } = await copy(more)
      expect([status, body.issues]).toEqual([400, [{ path, code: 'InvalidValue' }]])
    }
    const missing = await copy()
    expect([missing.status, missing.body.code, missing.body.models]).toEqual([
      400,
      'ValidationFailed',
      ['person'],
    ])
    await makeModel('person', [field('name', 'TEXT')])
    const { customFieldType, customFieldTypes } = ok(await copy())
    expect(customFieldType).toMatchObject({ uid: 'whole', fields: [{ uid: 'a' }, { customType: 'part' }] })
    expect(customFieldTypes.map((type: Type) => type.uid)).toEqual(['part', 'whole'])
    const again = await copy()
    expect([again.status, again.body.customFieldTypes]).toEqual([409, ['whole']])
    // Existing types with equal fields are reused; with different fields, the copy is refused.
    ok(await client.delete(`${typesOf()}/${customFieldType._id}`))
    expect(ok(await copy()).customFieldTypes.map((type: Type) => type.uid)).toEqual(['whole'])
    const [part] = ok(await client.get(typesOf())).customFieldTypes.filter(
      (type: Type) => type.uid === 'part',
    )
    const [whole] = ok(await client.get(typesOf())).customFieldTypes.filter(
      (type: Type) => type.uid === 'whole',
    )
    ok(await client.delete(`${typesOf()}/${whole._id}`))
    ok(await change(part, { fields: [] }))
    expect((await copy()).body.customFieldTypes).toEqual(['part'])

    // The right to change models in this app does not include the right to read in the other app.
    const admin = await createMember(installation, space, 'pjt-Member', {
      admin: client,
      url: app.url,
      role: 'app-Admin',
    })
    expect((await copy({}, admin.client)).status).toBe(403)
    ok(
      await client.patch(library.url, {
        accessSettings: { visibility: 'private', defaultRole: 'app-Editor' },
      }),
    )
    expect((await copy({}, admin.client)).body.issues).toEqual([{ path: 'fromAppId', code: 'InvalidValue' }])
  })
})

describe('undoing a change of a custom type', () => {
  const url = (type: Type, rest: string) => `${typesOf()}/${type._id}/${rest}`
  const changesOf = async (type: Type) => ok(await client.get(url(type, 'change'))).changes
  const takeBack = (type: Type, version: number, more: Loose = {}) =>
    client.post(url(type, 'change:takeBack'), { version, ...more })
  const [title, note] = [field('title', 'TEXT'), field('note', 'TEXT')]

  it('restores values in the affected models, and converts values that were written since the change', async () => {
    const hero = await made('hero', [title, note])
    const page = await makeModel('page', [field('name', 'TEXT'), custom('hero', 'hero')])
    const types = [{ type: 'CUSTOM', customType: 'hero' }]
    const shop = await makeModel('shop', [field('parts', 'MULTI_TYPE', { multiple: true, types })])
    const save = async (docs: string, document: Loose, type = 'PUBLISH') =>
      ok(await client.post(docs, { document, type })).document._id as string
    const [kept, written] = [
      await save(page.docs, { name: '一', hero: { title: 'いち', note: 'x' } }),
      await save(page.docs, { name: '二', hero: { title: '2' } }),
    ]
    const parts = [
      { type: 'hero', data: { title: '3', note: 'y' } },
      { type: 'hero', data: { title: 'よん' } },
    ]
    const sold = await save(shop.docs, { parts }, 'SAVE')
    const before = await Promise.all([kept, written, sold].map(storedOf))

    const [first, second] = hero.fields
    const fields = [field('title', 'NUMBER', { _id: first?._id })]
    const refused = await change(hero, { fields })
    expect([refused.status, refused.body.losses.length]).toEqual([400, 4])
    ok(await change(hero, { fields }, { acceptLoss: true }))
    expect(await storedOf(kept)).not.toHaveProperty('hero')
    // A newer change of a remaining field must be undone first.
    const renamed = field('heading', 'TEXT', { _id: first?._id, name: '見出し' })
    ok(await change(hero, { fields: [renamed] }))
    const [newer, older] = await changesOf(hero)
    expect(older).toMatchObject({
      version: 2,
      fields: [
        { uid: 'title', from: 'TEXT', to: 'NUMBER' },
        { uid: 'note', from: 'TEXT', to: null },
      ],
      changedBy: { name: expect.any(String) },
    })
    // These changes are not listed as changes of the models.
    expect(ok(await client.get(`${page.url}/change`)).changes).toEqual([])
    expect((await takeBack(hero, older.version)).body).toMatchObject({
      code: 'ChangeCannotBeTakenBack',
      reason: 'newer',
    })
    ok(await takeBack(hero, newer.version))
    ok(await client.put(`${page.docs}/${written}`, { doc: { hero: { heading: 22 } } }))
    const told = ok(await takeBack(hero, older.version, { dryRun: true }))
    expect([told.losses, told.models]).toEqual([
      [],
      [
        { uid: 'page', documents: 2 },
        { uid: 'shop', documents: 1 },
      ],
    ])
    const { customFieldType } = ok(await takeBack(hero, older.version))
    // The restored fields have their current uids and their former order.
    expect(customFieldType.fields.map(({ _id, uid, type }: Loose) => [_id, uid, type])).toEqual([
      [first?._id, 'heading', 'TEXT'],
      [second?._id, 'note', 'TEXT'],
    ])
    const after = await Promise.all([kept, written, sold].map(storedOf))
    expect([after[0], after[2]]).toEqual([before[0], before[2]])
    expect(ok(await client.get(`${page.docs}/${written}`)).document.hero).toEqual({ heading: '22' })
    expect(await changesOf(hero)).toEqual([])
    expect((await takeBack(hero, older.version)).status).toBe(404)
  })

  it('is refused after a later change of a nested type, and after the change itself is confirmed', async () => {
    const inner = await made('inner', [title])
    const outer = await made('outer', [note, custom('inner', 'inner')])
    const page = await makeModel('page', [custom('outer', 'outer')])
    const document = { outer: { note: 'n', inner: { title: 't' } } }
    ok(await client.post(page.docs, { document }))
    const accept = { acceptLoss: true }
    ok(await change(outer, { fields: outer.fields.slice(1) }, accept))
    ok(await change(inner, { fields: [] }, accept))
    const [change1] = await changesOf(outer)
    expect((await takeBack(outer, change1.version)).body).toMatchObject({ reason: 'types' })
    const [change2] = await changesOf(inner)
    ok(await takeBack(inner, change2.version))
    ok(await takeBack(outer, change1.version))
    const [{ outer: value }] = ok(await client.get(page.docs)).documents
    expect(value).toEqual(document.outer)

    ok(await change(inner, { fields: [] }, accept))
    const [kept] = await changesOf(inner)
    const confirm = (version: number) => client.post(url(inner, 'change:confirm'), { version })
    expect((await confirm(kept.version + 1)).status).toBe(404)
    expect(ok(await confirm(kept.version)).changes).toEqual([])
    expect((await takeBack(inner, kept.version)).status).toBe(404)
    // Unused types can be deleted although changes of them could still be undone.
    ok(await change(outer, { fields: [] }, accept))
    ok(await client.put(page.url, { data: { fields: [] }, ...accept }))
    ok(await client.delete(`${typesOf()}/${outer._id}`))
    ok(await client.delete(`${typesOf()}/${inner._id}`))
  })
})
