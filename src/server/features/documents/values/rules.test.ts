import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueCodes } from '#shared/errors.ts'
import { addMember, createAccount, createApp, createModel, createSpace, unique } from '#test/factories.ts'
import { lengthOf } from '#test/full-length.ts'
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

type Fields = NonNullable<Parameters<typeof createModel>[3]>

async function makeModel(fields: Fields) {
  const model = await createModel(client, app, unique('model'), fields)
  return { ...model, docs: `${model.url}/doc` }
}
const create = async (docs: string, document: Record<string, unknown>, type = 'SAVE') =>
  ok(await client.post(docs, { document, type })).document

describe('the rules of fields', () => {
  const fields: Fields = [
    { uid: 'title', name: '題', type: 'TEXT', required: true, maxLength: 5 },
    { uid: 'code', name: 'コード', type: 'TEXT', minLength: 3, pattern: '^[a-z]+$' },
    { uid: 'tags', name: 'タグ', type: 'TEXT', multiple: true, maxLength: 3, minItems: 2, maxItems: 3 },
    { uid: 'body', name: '本文', type: 'RICH_TEXT', required: true, maxLength: 4 },
    { uid: 'notes', name: 'メモ', type: 'MARKDOWN', minLength: 2 },
    { uid: 'price', name: '価格', type: 'NUMBER', min: 0, max: 100, integer: true },
    { uid: 'ratio', name: '率', type: 'NUMBER', step: 0.1 },
    { uid: 'day', name: '日', type: 'DATE', inputType: 'date', required: true },
    { uid: 'agreed', name: '同意', type: 'CHECKBOX', required: true },
    {
      uid: 'size',
      name: '大きさ',
      type: 'SELECT',
      multiple: true,
      options: [{ value: 'S' }, { value: 'M' }],
    },
  ]
  const broken = {
    title: '長すぎる題名',
    code: 'A1',
    tags: ['長い長い長いタグ'],
    body: '<p><strong>五文字ある</strong></p>',
    notes: 'x',
    price: 100.5,
    ratio: 0.25,
    agreed: false,
    size: ['S', 'XXL'],
  }
  const named = [
    ['title', 'TooManyCharacters'],
    ['code', 'TooFewCharacters'],
    ['code', 'InvalidValue'],
    ['tags', 'TooFewItems'],
    ['tags.0', 'TooManyCharacters'],
    ['body', 'TooManyCharacters'],
    ['notes', 'TooFewCharacters'],
    ['price', 'TooLargeValue'],
    ['price', 'InvalidValue'],
    ['ratio', 'InvalidValue'],
    ['day', 'Required'],
    ['agreed', 'Required'],
    ['size.1', 'InvalidValue'],
  ]

  it('allow saving an invalid document, and block publishing with an issue for each broken rule', async () => {
    const { docs } = await makeModel(fields)
    const saved = await create(docs, broken)
    for (const answer of [
      await client.post(docs, { document: broken, type: 'PUBLISH' }),
      await client.put(`${docs}/${saved._id}`, { doc: {}, type: 'PUBLISH' }),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.body.code).toBe('ValidationFailed')
      expect(answer.body.issues.map(({ path, code }: Record<string, string>) => [path, code])).toEqual(named)
    }
    expect(ok(await client.get(`${docs}/${saved._id}`)).document).toEqual(saved)
    const validation = ok(await client.post(`${docs}/validate`, { doc: broken }))
    expect(validation).toMatchObject({ isValid: false, isTooLarge: false })
    expect(validation.invalidFieldUIDs).toEqual([...new Set(named.map(([path]) => path?.split('.')[0]))])
  })

  it('allow publishing a valid document with its parsed and sanitised values', async () => {
    const { docs } = await makeModel(fields)
    const sound = {
      title: '題👪',
      code: 'abc',
      tags: ['a', '', 'b'],
      body: '<p onclick="x()">本文</p><script>x()</script>',
      notes: '# x',
      price: 100,
      ratio: 0.3,
      day: '2026-11-20',
      agreed: true,
      size: ['M'],
    }
    expect(ok(await client.post(`${docs}/validate`, { doc: sound })).isValid).toBe(true)
    expect(await create(docs, sound, 'PUBLISH')).toMatchObject({
      ...sound,
      body: '<p>本文</p>',
      day: '2026-11-20T00:00:00.000Z',
    })
  })

  it('apply to visible fields only, and hidden fields keep their values', async () => {
    const inner = [
      { uid: 'external', name: '外部', type: 'CHECKBOX' },
      {
        uid: 'url',
        name: 'URL',
        type: 'TEXT',
        required: true,
        condition: { field: 'external', is: 'filled' },
      },
    ]
    const data = { uid: 'link', name: 'リンク', fields: inner }
    ok(await client.post(`${app.url}/customFieldType`, { data }))
    const { docs, uid } = await makeModel([
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'kind', name: '種類', type: 'SELECT', options: [{ value: 'a' }, { value: 'b' }] },
      {
        uid: 'detail',
        name: '詳細',
        type: 'TEXT',
        required: true,
        maxLength: 3,
        condition: { field: 'kind', is: 'oneOf', values: ['a'] },
      },
      { uid: 'links', name: 'リンク', type: 'CUSTOM', customType: 'link', multiple: true },
    ])
    const links = [{ external: true }, { external: false }]
    const document = await create(docs, { title: '題', kind: 'a', links })
    const publish = (doc: Record<string, unknown>) =>
      client.put(`${docs}/${document._id}`, { doc, type: 'PUBLISH' })
    const { status, body } = await publish({})
    expect([status, body.issues]).toEqual([
      400,
      [
        { path: 'detail', code: 'Required' },
        { path: 'links.0.url', code: 'Required' },
      ],
    ])
    ok(await client.put(`${docs}/${document._id}`, { doc: { detail: '長すぎる', kind: 'b' }, type: 'SAVE' }))
    const doc = { links: [{ external: false, url: '/' }] }
    expect(ok(await publish(doc)).document).toMatchObject({ detail: '長すぎる', ...doc })
    const { document: served } = ok(await client.get(`${docs}/${document._id}/api`))
    expect([served.detail, served.links[0].url]).toEqual(['長すぎる', '/'])
    expect((await publish({ kind: 'a' })).body.issues).toMatchObject([
      { path: 'detail', code: 'TooManyCharacters' },
    ])

    // A condition must refer to another field that exists.
    const { model } = ok(await client.get(`${app.url}/model/${uid}`))
    const without = model.fields.filter((field: { uid: string }) => field.uid !== 'kind')
    const removed = await client.put(`${app.url}/model/${uid}`, { data: { fields: without } })
    expect([removed.status, removed.body.issues]).toEqual([
      400,
      [{ path: 'data.fields.1.condition.field', code: 'InvalidValue' }],
    ])
  })

  it('validateField rejects a request without the parameter `field`', async () => {
    const { docs } = await makeModel(fields)
    const { status, body } = await client.post(`${docs}/validateField`, { value: 'x' })
    expect([status, body.issues]).toEqual([400, [{ path: 'field', code: 'Required' }]])
    expect(body.message).toBe('ValidationFailed: field: Required')
  })

  it('are checked for one field by validateField', async () => {
    const { docs } = await makeModel(fields)
    const check = async (field: string, value: unknown) =>
      ok(await client.post(`${docs}/validateField`, { field, value })).code
    expect(await check('title', 'ok')).toBeNull()
    expect(await check('title', '')).toBe('Required')
    expect(await check('title', 5)).toBe('InvalidType')
    expect(await check('title', 'x\u0000')).toBe('InvalidValue')
    expect(await check('code', 'ABC')).toBe('InvalidValue')
    expect(await check('tags', ['a'])).toBe('TooFewItems')
    expect(await check('nothing', 1)).toBe('UnknownField')
    expect(await check('title', 'x'.repeat(1_100_000))).toBe('TooManyCharacters')
  })
})

/**
 * Settings of a field, a value that breaks its rule, a valid value, and the messages for the invalid value in Japanese
 * and English.
 */
type Broken = [settings: Record<string, unknown>, wrong: unknown, right: unknown, ja: string, en: string]

describe('the twelve messages of fields', () => {
  const items = '条件を満たしていない項目があります'
  const text = { type: 'TEXT' }
  const cases: Record<string, Broken> = {
    Required: [{ ...text, required: true }, '', 'x', '入力してください', 'Required'],
    TooManyCharacters: [
      { ...text, maxLength: 3 },
      '四文字だ',
      '👩‍👩‍👧か゚字', // three user-perceived characters
      '3文字以内で入力してください',
      'Use at most 3 characters',
    ],
    TooFewCharacters: [
      { ...text, minLength: 2 },
      '👩‍👩‍👧',
      '二字',
      '2文字以上で入力してください',
      'Use at least 2 characters',
    ],
    TooLargeValue: [
      { type: 'NUMBER', max: 10 },
      10.5,
      10,
      '10以下の値を入力してください',
      'Enter 10 or less',
    ],
    TooSmallValue: [
      { type: 'NUMBER', min: -1 },
      -1.5,
      -1,
      '-1以上の値を入力してください',
      'Enter -1 or more',
    ],
    TooManyItems: [
      { ...text, multiple: true, maxItems: 2 },
      ['a', 'b', 'c'],
      ['a', 'b'],
      '2件以内にしてください',
      'Use at most 2 items',
    ],
    TooFewItems: [
      { ...text, multiple: true, minItems: 2 },
      ['a'],
      ['a', 'b'],
      '2件以上にしてください',
      'Use at least 2 items',
    ],
    SomeFieldsDoNotMeetTheRequirements: [
      { type: 'CUSTOM', customType: 'short' },
      { word: '四文字だ' },
      { word: '三文字' },
      '条件を満たしていないフィールドがあります',
      'Some fields do not meet the requirements',
    ],
    SomeItemsDoNotMeetTheRequirements: [
      { ...text, multiple: true, maxLength: 3 },
      ['三文字', '四文字だ'],
      ['三文字', ''],
      items,
      'Some items do not meet the requirements',
    ],
    DuplicatedValue: [
      { ...text, unique: true },
      'taken',
      'free',
      'この値はすでに使われています',
      'This value is already used',
    ],
    InvalidValue: [{ ...text, pattern: '^[a-z]+$' }, 'ABC', 'abc', 'この値は使えません', 'Invalid value'],
    NonExistentFieldType: [
      { type: 'MULTI_TYPE', types: [text] },
      { type: 'GONE', data: 'x' },
      { type: 'TEXT', data: 'x' },
      '存在しないか、ここでは使えないフィールドタイプです',
      'This field type does not exist or cannot be used here',
    ],
  }

  it('are returned by validateField for values that break a rule, in both languages', async () => {
    expect(Object.keys(cases)).toEqual(issueCodes.slice(0, 12))
    const word = { uid: 'word', name: '語', type: 'TEXT', maxLength: 3 }
    ok(
      await client.post(`${app.url}/customFieldType`, { data: { uid: 'short', name: '短', fields: [word] } }),
    )
    const { docs } = await makeModel([
      { uid: 'heading', name: '題', type: 'TEXT' },
      ...Object.entries(cases).map(([uid, [settings]]) => ({ uid, name: uid, ...settings })),
    ] as Fields)
    await create(docs, { heading: '1', DuplicatedValue: 'taken' })
    const english = await createAccount(installation)
    const memberId = await addMember(installation, { uid: docs.split('/')[3] ?? '' }, english)
    ok(await client.post(`${app.url}/members`, { memberId, roleId: 'app-Editor' }))
    ok(await english.client.put(`/api/account/${english.id}`, { data: { language: 'en' } }))
    for (const [field, [, wrong, right, ja, en]] of Object.entries(cases)) {
      const say = async (of: Client, value: unknown) => {
        const { errorMessage, blocksPublishing } = ok(
          await of.post(`${docs}/validateField`, { field, value }),
        )
        return [errorMessage, blocksPublishing]
      }
      // The value of the field `DuplicatedValue` exists only in another draft, so it does not block publishing.
      const expected = field !== 'DuplicatedValue'
      expect([field, await say(client, wrong)]).toEqual([field, [ja, expected]])
      expect([field, await say(english.client, wrong)]).toEqual([field, [en, expected]])
      expect([field, await say(client, right)]).toEqual([field, [null, false]])
    }
    // The response also contains the nested issue with its path.
    const inside = { field: 'SomeItemsDoNotMeetTheRequirements', value: ['三文字', '四文字だ'] }
    expect(ok(await client.post(`${docs}/validateField`, inside))).toEqual({
      errorMessage: items,
      code: 'TooManyCharacters',
      path: '1',
      params: { maximum: 3, actual: 4 },
      blocksPublishing: true,
    })
  })
})

describe('the title', () => {
  it('must not be empty on save', async () => {
    const { docs } = await makeModel([
      { uid: 'heading', name: '見出し', type: 'TEXT' },
      { uid: 'body', name: '本文', type: 'MARKDOWN', required: true },
    ])
    for (const document of [{}, { heading: '' }, { heading: null, body: 'x' }]) {
      const answer = await client.post(docs, { document })
      expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'heading', code: 'Required' }]])
    }
    const saved = await create(docs, { heading: '見出し' })
    expect((await client.put(`${docs}/${saved._id}`, { doc: { heading: '' } })).status).toBe(400)
  })

  it('has only one issue if it is empty and its field is required', async () => {
    const { docs } = await makeModel([{ uid: 'title', name: '題', type: 'TEXT', required: true }])
    const answer = await client.post(docs, { document: {}, type: 'PUBLISH' })
    expect(answer.body.issues).toEqual([{ path: 'title', code: 'Required' }])
  })

  it('is not required in a model without a title field', async () => {
    const { docs } = await makeModel([{ uid: 'n', name: '数', type: 'NUMBER' }])
    expect((await create(docs, {}))._sys.version).toBe(1)
  })
})

describe('unique values', () => {
  const fields: Fields = [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
  ]

  const duplicated = [400, [{ path: 'slug', code: 'DuplicatedValue' }]]

  it('are reserved by published documents only', async () => {
    const { docs } = await makeModel(fields)
    const first = await create(docs, { title: '1', slug: 'a' }, 'PUBLISH')
    const at = `${docs}/${first._id}`
    ok(await client.put(at, { doc: { slug: 'b' } }))
    // Duplicates can be saved but not published.
    const second = await create(docs, { title: '2', slug: 'a' })
    for (const answer of [
      await client.post(docs, { document: { title: '3', slug: 'a' }, type: 'PUBLISH' }),
      await client.put(`${docs}/${second._id}`, { doc: {}, type: 'PUBLISH' }),
    ])
      expect([answer.status, answer.body.issues]).toEqual(duplicated)
    const bulk = { documentIds: [second._id] }
    const { results } = ok(await client.post(`${docs}/bulkPublish`, bulk))
    expect(results).toEqual([
      { _id: second._id, success: false, code: 'ValidationFailed', issues: duplicated[1] },
    ])
    // The draft value `b` is not reserved. The published value `a` is released when `b` is published.
    const third = await create(docs, { title: '3', slug: 'b' }, 'PUBLISH')
    expect((await client.put(at, { doc: {}, type: 'PUBLISH' })).body.issues).toEqual(duplicated[1])
    ok(await client.post(`${docs}/bulkUnpublish`, { documentIds: [third._id] }))
    ok(await client.put(at, { doc: {}, type: 'PUBLISH' }))
    ok(await client.post(`${docs}/bulkPublish`, bulk))
    expect(
      ok(await client.post(`${docs}/bulkPublish`, { documentIds: [third._id] })).results[0].issues,
    ).toEqual(duplicated[1])
    ok(await client.delete(at))
    expect(
      ok(await client.post(`${docs}/bulkPublish`, { documentIds: [third._id] })).results[0].success,
    ).toBe(true)
  })

  it('are compared in NFC, with exact case', async () => {
    const { docs } = await makeModel(fields)
    await create(docs, { title: '1', slug: 'が' }, 'PUBLISH')
    const same = { document: { title: '2', slug: 'か\u3099' }, type: 'PUBLISH' }
    expect((await client.post(docs, same)).status).toBe(400)
    await create(docs, { title: '3', slug: 'A' }, 'PUBLISH')
    await create(docs, { title: '4', slug: 'a' }, 'PUBLISH')
  })

  it('work as filters of lists: alone, negated, in groups and through references', async () => {
    const { docs, uid } = await makeModel(fields)
    const first = await create(docs, { title: '1', slug: 'a' }, 'PUBLISH')
    const second = await create(docs, { title: '2', slug: 'か\u3099' })
    ok(await client.put(`${docs}/${first._id}`, { doc: { slug: 'b' } }))
    const found = async (query: string, at = docs) => {
      const { documents, total } = ok(await client.get(`${at}?${query}`))
      expect(total).toBe(documents.length)
      return documents.map(({ title }: { title: string }) => title).sort()
    }
    expect(await found('slug=b&limit=1')).toEqual(['1'])
    // The value `a` is in the published state, which this list does not read.
    expect(await found('slug=a')).toEqual([])
    // Drafts may have the same value.
    await create(docs, { title: '3', slug: 'b' })
    expect(await found('slug=b')).toEqual(['1', '3'])
    ok(await client.delete(`${docs}/${(await create(docs, { title: '4', slug: 'b' }))._id}`))
    expect(await found(`slug=${encodeURIComponent('か\u3099')}`)).toEqual(['2'])
    expect(await found('slug[ne]=b')).toEqual(['2'])
    expect(await found(`[or]=(slug=b;slug=${encodeURIComponent('か\u3099')})`)).toEqual(['1', '2', '3'])
    const other = await makeModel([
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'to', name: '先', type: 'REFERENCE', modelUid: uid },
    ])
    await create(other.docs, { title: 'to 1', to: first._id })
    await create(other.docs, { title: 'to 2', to: second._id })
    expect(await found('to.slug=b', other.docs)).toEqual(['to 1'])
  })

  it('lead to an issue if another document has published them, and to a warning if only a draft has them', async () => {
    const { docs } = await makeModel(fields)
    const own = await create(docs, { title: '1', slug: 'a' })
    const ask = async (body: Record<string, unknown>) =>
      ok(await client.post(`${docs}/validateField`, { field: 'slug', value: 'a', ...body }))
    const answer = (blocksPublishing: boolean) => ({
      errorMessage: 'この値はすでに使われています',
      code: 'DuplicatedValue',
      path: '',
      blocksPublishing,
    })
    const { _id, _sys, ...values } = own
    const validate = async (doc: object) => ok(await client.post(`${docs}/validate`, { doc }))

    expect(await ask({})).toEqual(answer(false))
    expect(await ask({ docId: 'f'.repeat(24) })).toEqual(answer(false))
    expect(await ask({ docId: own._id })).toEqual({ errorMessage: null, code: null, blocksPublishing: false })
    expect(await validate(values)).toMatchObject({ isValid: true, issues: [], warnings: duplicated[1] })

    ok(await client.post(`${docs}/bulkPublish`, { documentIds: [own._id] }))
    expect(await ask({})).toEqual(answer(true))
    expect(await ask({ docId: own._id })).toMatchObject({ code: null })
    expect(await validate(values)).toMatchObject({ isValid: false, issues: duplicated[1], warnings: [] })
    expect(await validate(own)).toMatchObject({ isValid: true, issues: [], warnings: [] })
  })

  it('that another document has are reported together with issues of other fields', async () => {
    const { docs } = await makeModel([
      ...fields,
      { uid: 'body', name: '本文', type: 'MARKDOWN', required: true },
    ])
    await create(docs, { title: '1', slug: 'a', body: 'x' }, 'PUBLISH')
    const answer = await client.post(docs, { document: { title: '2', slug: 'a' }, type: 'PUBLISH' })
    expect(answer.body.issues).toEqual([
      { path: 'body', code: 'Required' },
      { path: 'slug', code: 'DuplicatedValue' },
    ])
  })
})

describe('a duplicate of a document', () => {
  it('is an unpublished copy with a number after the unique slug', async () => {
    const { docs } = await makeModel([
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
      { uid: 'body', name: '本文', type: 'MARKDOWN' },
    ])
    const source = await create(docs, { title: '題', slug: 'a', body: '本文' }, 'PUBLISH')
    const at = `${docs}/${source._id}`
    const { document: copy } = ok(await client.put(at, { doc: { ...source, body: '別' }, type: 'DUPLICATE' }))
    expect(copy._id).not.toBe(source._id)
    expect(copy).toMatchObject({ title: '題', body: '別', _sys: { version: 1, status: 'draft' } })
    expect(copy.slug).toBe('a-2')
    expect(ok(await client.get(at)).document).toEqual(source)
    const { document: other } = ok(await client.post(docs, { document: source, type: 'DUPLICATE' }))
    expect(other).toMatchObject({ title: '題', body: '本文', _sys: { status: 'draft' } })
    expect(other.slug).toBe('a-3')
  })

  it('keeps references to documents in the trash, and rejects new references to missing documents', async () => {
    const uid = unique('family')
    const model = await createModel(client, app, uid, [
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'parent', name: '親', type: 'REFERENCE', modelUid: uid },
    ])
    const docs = `${model.url}/doc`
    const parent = await create(docs, { title: '親' })
    const child = await create(docs, { title: '子', parent: parent._id })
    ok(await client.delete(`${docs}/${parent._id}`))
    const at = `${docs}/${child._id}`
    expect(ok(await client.put(at, { doc: {}, type: 'DUPLICATE' })).document.parent).toBe(parent._id)
    const answer = await client.put(at, { doc: { parent: 'e'.repeat(24) }, type: 'DUPLICATE' })
    expect(answer.body.issues).toEqual([{ path: 'parent', code: 'InvalidValue' }])
  })

  it('has the requested title, and keeps references and texts', async () => {
    const uid = unique('family')
    const model = await createModel(client, app, uid, [
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'parent', name: '親', type: 'REFERENCE', modelUid: uid },
      { uid: 'body', name: '本文', type: 'MARKDOWN' },
    ])
    const docs = `${model.url}/doc`
    const parent = await create(docs, { title: '親' })
    const source = await create(docs, { title: '子', parent: parent._id, body: '公開中' }, 'PUBLISH')
    ok(await client.put(`${docs}/${source._id}`, { doc: { body: '編集中' } }))
    const at = `${docs}/${source._id}/duplicate`
    const body = { docTitle: '子のコピー', type: 'DUPLICATE' }
    const { document: copy } = ok(await client.post(at, body))
    expect(copy).toMatchObject({ title: '子のコピー', parent: parent._id, body: '編集中' })
    expect(copy._sys).toMatchObject({ version: 1, status: 'draft', firstPublishedAt: null })
    expect(ok(await client.post(at)).document.title).toBe('子')
    const key = { 'idempotency-key': unique('copy') }
    const [one, two] = [await client.post(at, body, key), await client.post(at, body, key)]
    expect(ok(two).document._id).toBe(ok(one).document._id)
  })

  it('is refused with an empty title, another type, and for unknown documents', async () => {
    const { docs } = await makeModel([{ uid: 'title', name: '題', type: 'TEXT' }])
    const source = await create(docs, { title: '題' })
    const at = `${docs}/${source._id}/duplicate`
    const empty = await client.post(at, { docTitle: ' ' })
    expect([empty.status, empty.body.issues]).toEqual([400, [{ path: 'docTitle', code: 'Required' }]])
    for (const body of [{ type: 'PUBLISH' }, { docTitle: 1 }, { doc: {} }])
      expect((await client.post(at, body)).status).toBe(400)
    expect((await client.post(at, { docTitle: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413)
    expect((await client.post(`${docs}/nonsense/duplicate`)).body.code).toBe('InvalidContentId')
    expect((await client.post(`${docs}/${'f'.repeat(24)}/duplicate`)).status).toBe(404)
    ok(await client.delete(`${docs}/${source._id}`))
    expect((await client.post(at)).status).toBe(404)
  })

  it('has no unique value that its source has', async () => {
    const { docs } = await makeModel([
      { uid: 'title', name: '題', type: 'TEXT', unique: true },
      { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
      { uid: 'word', name: '単語', type: 'TEXT', unique: true, pattern: '^[a-z]+$' },
      { uid: 'mail', name: 'メール', type: 'TEXT', unique: true },
      { uid: 'codes', name: '番号', type: 'TEXT', unique: true, multiple: true },
      { uid: 'number', name: '数', type: 'NUMBER', unique: true },
      { uid: 'day', name: '日', type: 'DATE', unique: true },
    ])
    const slug = '記事/ｘ-1'
    const values = { title: '題', slug, word: 'abc', mail: 'a@example.com', number: 1, day: '2026-11-28' }
    const source = await create(docs, { ...values, codes: ['a', 'b'] })
    await create(docs, { title: '別', slug: `${slug}-2` })
    const copy = async (body: object) => {
      const { _id, _sys, ...rest } = ok(await client.post(`${docs}/${source._id}/duplicate`, body)).document
      return rest
    }
    expect(await copy({})).toEqual({ title: '題 (2)', slug: `${slug}-3` })
    expect(await copy({ docTitle: '題' })).toEqual({ title: '題 (3)', slug: `${slug}-4` })
    expect(await copy({ docTitle: '自由' })).toEqual({ title: '自由', slug: `${slug}-5` })
  })

  it('gets other numbers than copies that are created at the same time', async () => {
    const { docs } = await makeModel([
      { uid: 'title', name: '題', type: 'TEXT', unique: true },
      { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
    ])
    const source = await create(docs, { title: '題', slug: 'a' })
    const copies = await Promise.all(
      Array.from({ length: 8 }, () => client.post(`${docs}/${source._id}/duplicate`)),
    )
    const slugs = copies.map((answer) => ok(answer).document.slug)
    expect(slugs.sort()).toEqual(['a-2', 'a-3', 'a-4', 'a-5', 'a-6', 'a-7', 'a-8', 'a-9'])
  })

  it('gets a number in its title if titles are unique', async () => {
    const { docs } = await makeModel([{ uid: 'title', name: '題', type: 'TEXT', unique: true }])
    const source = await create(docs, { title: '題' })
    for (const title of ['題 (2)', '題 (3)']) {
      const answer = ok(await client.put(`${docs}/${source._id}`, { doc: {}, type: 'DUPLICATE' }))
      expect(answer.document.title).toBe(title)
    }
  })
})

describe('references', () => {
  async function makeBlog() {
    const authors = await makeModel([{ uid: 'name', name: '名前', type: 'TEXT' }])
    const articles = await makeModel([
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'author', name: '著者', type: 'REFERENCE', modelUid: authors.uid, required: true },
      { uid: 'readers', name: '読者', type: 'REFERENCE', modelUid: authors.uid, multiple: true },
    ])
    const author = await create(authors.docs, { name: '著者' })
    return { authors, articles, author }
  }

  it('to missing documents are rejected in new documents, with the path of the reference', async () => {
    const { authors, articles, author } = await makeBlog()
    const article = await create(articles.docs, { title: '1' })
    const gone = await create(authors.docs, { name: '消えた' })
    ok(await client.delete(`${authors.docs}/${gone._id}`))
    for (const bad of ['f'.repeat(24), article._id, gone._id]) {
      const single = await client.post(articles.docs, { document: { title: '2', author: bad } })
      expect([single.status, single.body.issues]).toEqual([400, [{ path: 'author', code: 'InvalidValue' }]])
      const readers = [author._id, author._id, bad]
      const multiple = await client.post(articles.docs, { document: { title: '2', readers } })
      expect(multiple.body.issues).toEqual([{ path: 'readers.2', code: 'InvalidValue' }])
      const check = { field: 'readers', value: readers }
      const answer = await client.post(`${articles.docs}/validateField`, check)
      expect(ok(answer).code).toBe('InvalidValue')
    }
  })

  it('stay when the target is deleted, but block publishing if the field is required', async () => {
    const { authors, articles, author } = await makeBlog()
    const values = { title: '1', author: author._id, readers: [author._id] }
    const article = await create(articles.docs, values, 'PUBLISH')
    const at = `${articles.docs}/${article._id}`
    ok(await client.delete(`${authors.docs}/${author._id}`))
    expect(ok(await client.get(at)).document).toMatchObject({ ...values, _sys: { status: 'published' } })
    const saved = ok(await client.put(at, { doc: { ...article, title: '2' } })).document
    expect(saved).toMatchObject({ title: '2', author: author._id })
    const answer = await client.put(at, { doc: {}, type: 'PUBLISH' })
    expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'author', code: 'Required' }]])
    const check = { field: 'author', value: author._id, docId: article._id }
    expect(ok(await client.post(`${articles.docs}/validateField`, check))).toMatchObject({ code: 'Required' })
    const other = await create(authors.docs, { name: '別' })
    ok(await client.put(at, { doc: { author: other._id }, type: 'PUBLISH' }))
  })

  it('are listed for their target, and are resolved in previews by default, but not with depth 0', async () => {
    const { authors, articles, author } = await makeBlog()
    const published = await create(articles.docs, { title: '公開', author: author._id }, 'PUBLISH')
    const draft = await create(articles.docs, { title: '下書き', readers: [author._id] })
    const gone = await create(articles.docs, { title: '消えた', author: author._id })
    ok(await client.delete(`${articles.docs}/${gone._id}`))
    const { references, total } = ok(await client.get(`${authors.docs}/${author._id}/references`))
    expect(total).toBe(2)
    expect(references).toEqual([
      { _id: draft._id, modelUid: articles.uid, title: '下書き', published: false },
      { _id: published._id, modelUid: articles.uid, title: '公開', published: true },
    ])
    const preview = ok(await client.get(`${articles.docs}/${published._id}/api`)).document
    expect(preview).toMatchObject({ title: '公開', author: { _id: author._id, name: '著者' }, readers: [] })
    const flat = ok(await client.get(`${articles.docs}/${published._id}/api?depth=0`)).document
    expect(flat.author).toBe(author._id)
  })

  it('in texts are listed for the linked document, even if the link names an unknown model', async () => {
    const { authors, author } = await makeBlog()
    const texts = await makeModel([
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'body', name: '本文', type: 'RICH_TEXT' },
      { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
    ])
    const link = (id: string, model = authors.uid) =>
      `<a data-document="${id}" data-model="${model}">著者</a>`
    const body = `<p>${link(author._id)}${link(author._id)}${link('f'.repeat(24))}</p>`
    const rich = await create(texts.docs, { title: '1', body })
    expect(rich.body).toBe(body)
    const marked = await create(
      texts.docs,
      { title: '2', memo: `${link(author._id, 'renamed')}と` },
      'PUBLISH',
    )
    const listed = async () =>
      ok(await client.get(`${authors.docs}/${author._id}/references`)).references.map(
        ({ title, published }: { title: string; published: boolean }) => [title, published],
      )
    expect(await listed()).toEqual([
      ['2', true],
      ['1', false],
    ])
    ok(await client.put(`${texts.docs}/${rich._id}`, { doc: { body: '<p>なし</p>' } }))
    ok(await client.put(`${texts.docs}/${marked._id}`, { doc: { memo: '' } }))
    expect(await listed()).toEqual([['2', true]])
  })

  it('to a concurrently deleted document are either saved or rejected with 400', async () => {
    const { authors, articles } = await makeBlog()
    for (let round = 0; round < lengthOf(10, 200); round++) {
      const author = await create(authors.docs, { name: `著者${round}` })
      const [saved, deleted] = await Promise.all([
        client.post(articles.docs, { document: { title: 'x', author: author._id } }),
        client.delete(`${authors.docs}/${author._id}`),
      ])
      expect(deleted.status).toBe(200)
      expect([200, 400]).toContain(saved.status)
    }
  })

  it('to the document itself are allowed', async () => {
    const uid = unique('tree')
    const model = await createModel(client, app, uid, [
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'parent', name: '親', type: 'REFERENCE', modelUid: uid },
    ])
    const document = await create(`${model.url}/doc`, { title: '1' })
    const at = `${model.url}/doc/${document._id}`
    ok(await client.put(at, { doc: { parent: document._id }, type: 'PUBLISH' }))
    expect(ok(await client.get(`${at}/references`)).total).toBe(1)
  })
})
