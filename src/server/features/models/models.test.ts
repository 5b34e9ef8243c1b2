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
  it('is made, read, listed, changed and deleted', async () => {
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

    // Renamed and moved, the fields are the same fields.
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

  it('has a uid that no other model of the app has', async () => {
    const uid = unique('taken')
    ok(await create({ uid }))
    const answer = await create({ uid })
    expect([answer.status, answer.body.code]).toEqual([409, 'ModelUidIsAlreadyInUse'])
    const { url } = await make([])
    expect((await client.put(url, { data: { uid } })).body.code).toBe('ModelUidIsAlreadyInUse')
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ uid: 'race' })))
    expect(answers.map((found) => found.status).sort()).toEqual([200, ...Array(7).fill(409)])
  })

  it('is titled by its first text, by the field that is named, or by none', async () => {
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

  it('with a stale base version is not changed', async () => {
    const { url } = await make([text('a')])
    ok(await client.put(url, { data: { name: '2', version: 1 } }))
    const answer = await client.put(url, { data: { name: '3', version: 1 } })
    expect([answer.status, answer.body.code, answer.body.current]).toEqual([409, 'VersionConflict', 2])
    ok(await client.put(url, { data: { name: '3' } }))
  })

  it('that is deleted takes no more documents', async () => {
    const { url, docs } = await make([text('title')])
    const saves = (n: number) =>
      Array.from({ length: n }, () => client.post(docs, { document: { title: 'x' } }))
    const [deleted, ...saved] = await Promise.all([client.delete(url), ...saves(10)])
    expect(deleted?.status).toBe(200)
    for (const answer of saved) expect([200, 404]).toContain(answer.status)
    for (const answer of await Promise.all(saves(2))) expect(answer.body.code).toBe('NotFound')
  })

  it('makes no version when nothing changes', async () => {
    const { model, url } = await make([text('a')])
    const data = { uid: model.uid, name: model.name, fields: model.fields, titleField: 'a', version: 1 }
    expect(ok(await client.put(url, { data })).model).toEqual(model)
  })

  it('tells other processes and the outbox', async () => {
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

it('keeps uids that were reserved after they were taken, its own and its fields’, and takes no other such', async () => {
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

describe('fields that are none', () => {
  const bad: [string, Loose, string, string][] = [
    ['no uid', { name: 'x', type: 'TEXT' }, 'uid', 'Required'],
    ['a uid with a space', text('a b'), 'uid', 'InvalidFormat'],
    ['a Japanese uid', text('題'), 'uid', 'InvalidFormat'],
    ['a uid of 65 characters', text('a'.repeat(65)), 'uid', 'TooManyCharacters'],
    ['a uid with NUL', { ...text('a'), uid: 'a\u0000' }, 'uid', 'InvalidFormat'],
    ['_id', text('_id'), 'uid', 'ReservedWord'],
    ['_sys', text('_sys'), 'uid', 'ReservedWord'],
    ['select', text('select'), 'uid', 'ReservedWord'],
    ['or', text('or'), 'uid', 'ReservedWord'],
    ['__proto__', text('__proto__'), 'uid', 'ReservedWord'],
    ['constructor', text('constructor'), 'uid', 'ReservedWord'],
    ['a type there is not', { ...text('a'), type: 'IMAGINARY' }, 'type', 'NonExistentFieldType'],
    ['a type that is a method', { ...text('a'), type: 'toString' }, 'type', 'NonExistentFieldType'],
    ['a setting there is not', text('a', { color: 'red' }), 'color', 'UnknownField'],
    ['a setting of another type', text('a', { min: 1 }), 'min', 'UnknownField'],
    ['a wrong type of setting', text('a', { maxLength: '5' }), 'maxLength', 'InvalidType'],
    ['a length below nothing', text('a', { minLength: -1 }), 'minLength', 'TooSmallValue'],
    [
      'lengths that exclude each other',
      text('a', { minLength: 5, maxLength: 4 }),
      'maxLength',
      'TooSmallValue',
    ],
    ['items that exclude each other', text('a', { minItems: 5, maxItems: 4 }), 'maxItems', 'TooSmallValue'],
    ['a pattern that is none', text('a', { pattern: '(' }), 'pattern', 'InvalidFormat'],
    ['a pattern that looks around', text('a', { pattern: '(?=x)' }), 'pattern', 'InvalidFormat'],
    ['a pattern of huge size', text('a', { pattern: '((x{100}){100}){100}' }), 'pattern', 'InvalidFormat'],
    ['a pattern with NUL', text('a', { pattern: 'x\u0000' }), 'pattern', 'InvalidValue'],
    ['a pattern with half a character', text('a', { pattern: '\ud800' }), 'pattern', 'InvalidValue'],
    ['a name with NUL', text('a', { name: 'x\u0000' }), 'name', 'InvalidValue'],
    [
      'a description with half a character',
      text('a', { description: '\ud800' }),
      'description',
      'InvalidValue',
    ],
    ['an _id of our own making', text('a', { _id: 'f'.repeat(24) }), '_id', 'InvalidValue'],
    ['an _id that is none', text('a', { _id: 'x' }), '_id', 'InvalidFormat'],
    [
      'numbers that exclude each other',
      { uid: 'n', name: 'n', type: 'NUMBER', min: 2, max: 1 },
      'max',
      'TooSmallValue',
    ],
    ['a number beyond 2^53', { uid: 'n', name: 'n', type: 'NUMBER', max: 2 ** 53 }, 'max', 'TooLargeValue'],
    ['a step of nothing', { uid: 'n', name: 'n', type: 'NUMBER', step: 0 }, 'step', 'TooSmallValue'],
    ['several numbers', { uid: 'n', name: 'n', type: 'NUMBER', multiple: true }, 'multiple', 'InvalidValue'],
    ['a unique box', { uid: 'n', name: 'n', type: 'CHECKBOX', unique: true }, 'unique', 'InvalidValue'],
    [
      'the same option twice',
      { uid: 's', name: 's', type: 'SELECT', options: [{ value: 'a' }, { value: 'a' }] },
      'options.1.value',
      'DuplicatedValue',
    ],
    [
      'an option of the wrong type',
      { uid: 's', name: 's', type: 'SELECT', valueType: 'number', options: [{ value: 'a' }] },
      'options.0.value',
      'InvalidType',
    ],
    ['a reference to nothing', { uid: 'r', name: 'r', type: 'REFERENCE' }, 'modelUid', 'Required'],
    [
      'a reference to no model of the app',
      { uid: 'r', name: 'r', type: 'REFERENCE', modelUid: 'nowhere' },
      'modelUid',
      'InvalidValue',
    ],
  ]
  it.each(bad)('%s', async (_name, field, path, code) => {
    const answer = await create({ uid: unique('model'), fields: [text('sound'), field] })
    expect([answer.status, answer.body.code]).toEqual([400, 'ValidationFailed'])
    expect(answer.body.issues).toEqual([expect.objectContaining({ path: `data.fields.1.${path}`, code })])
  })

  it('are all named at once', async () => {
    const fields = [text('a'), text('a'), text('or'), { uid: 'n', name: 'n', type: 'NUMBER', unknown: 1 }]
    const answer = await create({ uid: unique('model'), fields })
    expect(answer.body.issues).toEqual([
      { path: 'data.fields.1.uid', code: 'DuplicatedValue' },
      { path: 'data.fields.2.uid', code: 'ReservedWord' },
      { path: 'data.fields.3.unknown', code: 'UnknownField' },
    ])
  })

  it('are more than 200', async () => {
    const fields = Array.from({ length: 201 }, (_, n) => text(`f${n}`))
    expect((await create({ uid: unique('model'), fields })).status).toBe(400)
    ok(await create({ uid: unique('model'), fields: fields.slice(1) }))
  })

  it('have the _id of another field, or the same _id twice', async () => {
    const one = await make([text('a')])
    const other = await make([text('a')])
    const foreign = { ...text('b'), _id: other.model.fields[0]._id }
    const answer = await client.put(one.url, { data: { fields: [one.model.fields[0], foreign] } })
    expect(answer.body.issues).toEqual([{ path: 'data.fields.1._id', code: 'InvalidValue' }])
    const twice = [one.model.fields[0], { ...one.model.fields[0], uid: 'b' }]
    expect((await client.put(one.url, { data: { fields: twice } })).body.issues).toEqual([
      { path: 'data.fields.1._id', code: 'DuplicatedValue' },
    ])
  })

  it.each(['settings', 'apps', 'constructor', '1a', '', 'a b', 'あ', 'a\u0000', 'a'.repeat(65), '__proto__'])(
    'are not the matter: the uid %j of a model is refused',
    async (uid) => {
      const answer = await create({ uid })
      expect([answer.status, answer.body.issues[0].path]).toEqual([400, 'data.uid'])
    },
  )
})

describe('references between models', () => {
  it('follow a uid that changes, in other models and the model itself', async () => {
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

  it('keep their target from being deleted', async () => {
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

  it('do not reach into another app', async () => {
    const other = await createApp(client, { url: app.url.slice(0, app.url.indexOf('/app/')) })
    ok(await client.post(`${other.url}/model`, { data: { uid: 'elsewhere', name: 'x' } }))
    const fields = [{ uid: 'r', name: 'r', type: 'REFERENCE', modelUid: 'elsewhere' }]
    expect((await create({ uid: unique('model'), fields })).status).toBe(400)
  })
})

describe('a change that touches documents', () => {
  it('says what it would lose, changes nothing until it is accepted, and then loses just that', async () => {
    const { docs, url, model } = await make([
      text('title'),
      text('tags', { multiple: true }),
      text('year'),
      { uid: 'n', name: 'n', type: 'NUMBER' },
    ])
    const post = async (document: Loose, type = 'SAVE') =>
      ok(await client.post(docs, { document, type })).document
    const rich = await post({ title: '1', tags: ['a', 'b'], year: '昨年', n: 1 }, 'PUBLISH')
    const poor = await post({ title: '2', tags: ['a'], year: '2025' })
    const gone = await post({ title: '3', tags: ['a', 'b'], n: 1 })
    ok(await client.delete(`${docs}/${gone._id}`))
    const [title, tags, year] = model.fields
    const fields = [
      title,
      { ...tags, multiple: false },
      { _id: year._id, uid: 'year', name: 'y', type: 'NUMBER' },
    ]
    const losses = [
      { field: 'tags', documents: 1, reason: 'multipleOff' },
      { field: 'year', documents: 1, reason: 'typeChanged' },
      { field: 'n', documents: 1, reason: 'removed' },
    ]
    expect(ok(await client.put(url, { data: { fields }, dryRun: true })).losses).toEqual(losses)
    const refused = await client.put(url, { data: { fields } })
    expect([refused.status, refused.body.code, refused.body.losses]).toEqual([
      400,
      'ValidationFailed',
      losses,
    ])
    expect(ok(await client.get(url)).model).toMatchObject({ version: 1, fields: model.fields })
    expect(ok(await client.get(`${docs}/${rich._id}`)).document).toEqual(rich)

    expect(ok(await client.put(url, { data: { fields }, acceptLoss: true })).losses).toEqual(losses)
    const after = ok(await client.get(`${docs}/${rich._id}`)).document
    expect(after).toEqual({ _id: rich._id, _sys: rich._sys, title: '1', tags: 'a' })
    expect(ok(await client.get(`${docs}/${poor._id}`)).document).toMatchObject({ tags: 'a', year: 2025 })
    expect(ok(await client.get(`${docs}?year=2025`)).total).toBe(1)
    // Revisions stay as they were written, and are read as far as today's fields can.
    const { revision } = ok(await client.get(`${docs}/${rich._id}/revision/1`))
    expect(revision.values).toEqual({ title: '1', tags: 'a' })
    const { rows } = await installation.database.pool.query(
      `SELECT "values" FROM revision WHERE document_id = $1`,
      [rich._id],
    )
    expect(Object.values(rows[0].values)).toContainEqual(['a', 'b'])
  })

  it('keeps what another type can hold', async () => {
    const select = { type: 'SELECT', options: [{ value: 'S' }] }
    const changes: [Loose, unknown, Loose, unknown][] = [
      [{ type: 'TEXT' }, 'a\nb', { type: 'MARKDOWN' }, 'a\nb'],
      [{ type: 'MARKDOWN' }, '# a', { type: 'TEXT' }, '# a'],
      [{ type: 'MARKDOWN' }, '# a', { type: 'RICH_TEXT' }, '<h1>a</h1>'],
      [{ type: 'TEXT' }, 'a < b', { type: 'RICH_TEXT' }, '<p>a &lt; b</p>'],
      [{ type: 'RICH_TEXT' }, '<p><b>a</b></p>', { type: 'MARKDOWN' }, '<p><b>a</b></p>'],
      [{ type: 'RICH_TEXT' }, '<p>a<br />b</p>', { type: 'TEXT' }, 'a\nb'],
      [{ type: 'NUMBER' }, 1.5, { type: 'TEXT' }, '1.5'],
      [{ type: 'TEXT' }, ' -2.5 ', { type: 'NUMBER' }, -2.5],
      [{ type: 'TEXT' }, '2026-01-02', { type: 'DATE' }, '2026-01-02T00:00:00.000Z'],
      [{ type: 'DATE' }, '2026-01-02', { type: 'TEXT' }, '2026-01-02T00:00:00.000Z'],
      [select, 'S', { type: 'TEXT', multiple: true }, ['S']],
      [{ ...select, multiple: true }, ['S'], { type: 'TEXT' }, 'S'],
      [{ type: 'TEXT' }, 'S', select, 'S'],
      [{ type: 'NUMBER' }, 3, { type: 'SELECT' }, '3'],
      [{ type: 'TEXT' }, 'a', { type: 'TEXT', multiple: true }, ['a']],
    ]
    for (const [from, value, to, expected] of changes) {
      const { docs, url, model } = await make([text('title'), { uid: 'f', name: 'f', ...from }])
      const document = { title: 'x', f: value }
      const { _id } = ok(await client.post(docs, { document, type: 'PUBLISH' })).document
      ok(await client.put(`${docs}/${_id}`, { doc: { title: 'y' } }))
      const [title, { _id: fieldId }] = model.fields
      const fields = [title, { uid: 'f', name: 'f', ...to, _id: fieldId }]
      expect([from, to, ok(await client.put(url, { data: { fields } })).losses]).toEqual([from, to, []])
      expect(ok(await client.get(`${docs}/${_id}`)).document.f).toEqual(expected)
      // What is published is converted too.
      const { rows } = await installation.database.pool.query('SELECT pub FROM document WHERE id = $1', [_id])
      expect(rows[0].pub[fieldId]).toEqual(expected)
    }
  }, 60_000)

  it('makes texts searchable that were not, and lets the next save merge', async () => {
    const { docs, url, model } = await make([
      text('title'),
      { uid: 'kind', name: 'k', type: 'SELECT', options: [{ value: 'りんご' }] },
    ])
    const { document } = ok(await client.post(docs, { document: { title: 'x', kind: 'りんご' } }))
    const search = async () => ok(await client.get(`${docs}?search=${encodeURIComponent('りんご')}`)).total
    expect(await search()).toBe(0)
    const fields = [model.fields[0], { ...text('kind'), _id: model.fields[1]._id }]
    ok(await client.put(url, { data: { fields } }))
    expect(await search()).toBe(1)
    ok(await client.put(`${docs}/${document._id}`, { doc: { title: 'y' } }))
    const merged = ok(await client.put(`${docs}/${document._id}`, { doc: { ...document, title: 'x' } }))
    expect(merged.document).toMatchObject({ kind: 'りんご' })
  })

  it('never lets old plain text out as HTML that is not sanitised', async () => {
    const { docs, url, model } = await make([text('title'), text('body')])
    const hostile = '<img src=x onerror=alert(1)>a<script>b</script>'
    const { document } = ok(await client.post(docs, { document: { title: 'x', body: hostile } }))
    const fields = [model.fields[0], { uid: 'body', name: 'b', type: 'RICH_TEXT', _id: model.fields[1]._id }]
    ok(await client.put(url, { data: { fields } }))
    const converted = ok(await client.get(`${docs}/${document._id}`)).document.body
    expect(converted).toBe('<p>&lt;img src=x onerror=alert(1)&gt;a&lt;script&gt;b&lt;/script&gt;</p>')
    const { values } = ok(await client.get(`${docs}/${document._id}/revision/1`)).revision
    expect(values.body).not.toMatch(/onerror|script/)
  })

  it('to unique is refused while documents are published with the same value', async () => {
    const { docs, url, model } = await make([text('title'), text('slug')])
    const ids = []
    for (const [slug, type] of [['a', 'PUBLISH'], ['a', 'PUBLISH'], ['a'], ['b', 'PUBLISH'], ['']])
      ids.push(ok(await client.post(docs, { document: { title: 'x', slug }, type })).document._id)
    const fields = [model.fields[0], { ...model.fields[1], unique: true }]
    const answer = await client.put(url, { data: { fields } })
    expect([answer.status, answer.body.issues]).toEqual([
      400,
      [{ path: 'data.fields.1.unique', code: 'DuplicatedValue' }],
    ])
    expect(ok(await client.get(url)).model.version).toBe(1)
    ok(await client.delete(`${docs}/${ids[0]}`))
    ok(await client.put(url, { data: { fields } }))
    const body = { document: { title: 'y', slug: 'b' }, type: 'PUBLISH' }
    expect((await client.post(docs, body)).status).toBe(400)
    ok(await client.put(url, { data: { fields: model.fields } }))
    ok(await client.post(docs, body))
  })

  it('lets no save slip through that it did not see', async () => {
    const { docs, url, model } = await make([text('title'), text('slug')])
    const fields = [model.fields[0], { ...model.fields[1], unique: true }]
    const saves = Array.from({ length: 12 }, (_, n) =>
      client.post(docs, { document: { title: 'x', slug: `${n % 6}` }, type: 'PUBLISH' }),
    )
    const [change] = await Promise.all([client.put(url, { data: { fields } }), ...saves])
    expect([200, 400]).toContain(change?.status)
    for (const answer of await Promise.all(saves)) expect([200, 400]).toContain(answer.status)
  })

  it('of the target of a reference drops what points to the old one', async () => {
    const one = await make([text('name')])
    const two = await make([text('name')])
    const reference = { uid: 'r', name: 'r', type: 'REFERENCE', modelUid: one.model.uid }
    const { docs, url, model } = await make([text('title'), reference])
    const target = ok(await client.post(one.docs, { document: { name: 'x' } })).document
    ok(await client.post(docs, { document: { title: 'x', r: target._id } }))
    const fields = [model.fields[0], { ...model.fields[1], modelUid: two.model.uid }]
    const refused = await client.put(url, { data: { fields } })
    expect(refused.body.losses).toEqual([{ field: 'r', documents: 1, reason: 'typeChanged' }])
    ok(await client.put(url, { data: { fields }, acceptLoss: true }))
    expect(ok(await client.get(`${one.docs}/${target._id}/references`)).total).toBe(0)
  })

  it('goes through a thousand documents', async () => {
    const { docs, url, model } = await make([text('title'), text('n')])
    const { pool } = installation.database
    ok(await client.post(docs, { document: { title: 'x', n: '1' }, type: 'PUBLISH' }))
    const { rows } = await pool.query('SELECT id FROM model WHERE public_id = $1', [model._id])
    for (const [table, columns] of [
      [
        'document',
        'space_id, model_id, {}, version, draft, pub, published_version, created_at, updated_at, first_published_at, published_at, published_updated_at',
      ],
      ['revision', 'space_id, model_id, {}, version, kind, source, "values"'],
      ['document_text', 'space_id, model_id, {}, stage, texts, grams'],
      ['event', 'space_id, type, app_id, model_id, {}, payload'],
    ] as const) {
      const key = table === 'document' ? 'id' : 'document_id'
      const names = columns.replace('{}', key)
      const copied = columns.replace('{}', "lpad(to_hex(n), 24, '0')")
      await pool.query(
        `INSERT INTO ${table} (${names}) SELECT ${copied} FROM ${table}, generate_series(1, 1000) AS n
         WHERE model_id = $1 AND ${key} IS NOT NULL`,
        [rows[0].id],
      )
    }
    await pool.query('UPDATE model_stat SET documents = 1001, published = 1001 WHERE model_id = $1', [
      rows[0].id,
    ])
    const fields = [model.fields[0], { uid: 'n', name: 'n', type: 'NUMBER', _id: model.fields[1]._id }]
    const started = performance.now()
    ok(await client.put(url, { data: { fields } }))
    expect(performance.now() - started).toBeLessThan(15_000)
    expect(ok(await client.get(`${docs}?n=1`)).total).toBe(1001)
  }, 60_000)
})

describe('the order of models', () => {
  const uids = (body: { models: { uid: string }[] }) => body.models.map((model) => model.uid)

  it('is as asked, a new model comes last, and anything but exactly the app’s uids is refused', async () => {
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
