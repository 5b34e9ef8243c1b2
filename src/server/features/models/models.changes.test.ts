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

describe('a change of fields', () => {
  it('reports the values that would be lost, and changes nothing before the loss is accepted', async () => {
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
    // Revisions stay as written. Reading one adapts its values to the current fields, and `left` contains the values
    // that do not fit.
    const { revision } = ok(await client.get(`${docs}/${rich._id}/revision/1`))
    expect(revision.values).toEqual({ title: '1', tags: 'a' })
    expect(revision.left).toEqual([
      { field: 'tags', value: ['a', 'b'] },
      { field: 'year', value: '昨年' },
      { field: null, value: 1 },
    ])
    const { rows } = await installation.database.pool.query(
      `SELECT "values" FROM revision WHERE document_id = $1`,
      [rich._id],
    )
    expect(Object.values(rows[0].values)).toContainEqual(['a', 'b'])
  })

  it('converts values without losses if the new type can represent them', async () => {
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
      // The published state is converted too.
      const { rows } = await installation.database.pool.query('SELECT pub FROM document WHERE id = $1', [_id])
      expect(rows[0].pub[fieldId]).toEqual(expected)
    }
  })

  it('makes converted texts searchable, and allows a merge with a version from before the change', async () => {
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

  it('converts plain text to harmless rich text, in documents and in revisions', async () => {
    const { docs, url, model } = await make([text('title'), text('body')])
    const hostile = '<img src=x onerror=alert(1)>a<script>b</script>'
    const { document } = ok(await client.post(docs, { document: { title: 'x', body: hostile } }))
    const fields = [model.fields[0], { uid: 'body', name: 'b', type: 'RICH_TEXT', _id: model.fields[1]._id }]
    ok(await client.put(url, { data: { fields } }))
    const converted = ok(await client.get(`${docs}/${document._id}`)).document.body
    expect(converted).toBe('<p>&lt;img src=x onerror=alert(1)&gt;a&lt;script&gt;b&lt;/script&gt;</p>')
    const { values, left } = ok(await client.get(`${docs}/${document._id}/revision/1`)).revision
    expect(values.body).not.toMatch(/onerror|script/)
    expect(left).toEqual([])
  })

  it('that makes a field unique is refused while published documents have the same value', async () => {
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

  it('that makes a field unique causes no server error during concurrent publications', async () => {
    const { docs, url, model } = await make([text('title'), text('slug')])
    const fields = [model.fields[0], { ...model.fields[1], unique: true }]
    const saves = Array.from({ length: 12 }, (_, n) =>
      client.post(docs, { document: { title: 'x', slug: `${n % 6}` }, type: 'PUBLISH' }),
    )
    const [change] = await Promise.all([client.put(url, { data: { fields } }), ...saves])
    expect([200, 400]).toContain(change?.status)
    for (const answer of await Promise.all(saves)) expect([200, 400]).toContain(answer.status)
  })

  it('to another target model of a reference field removes the references to the old target', async () => {
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

  it('converts a thousand documents', { tags: ['full'] }, async () => {
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
    ok(await client.put(url, { data: { fields } }))
    expect(ok(await client.get(`${docs}?n=1`)).total).toBe(1001)
  })
})

it('a dry run of a model change reports changed site responses and newly invalid documents', async () => {
  const { model, url, docs } = await make([
    text('title'),
    text('code'),
    { uid: 'year', name: 'Year', type: 'NUMBER' },
    { uid: 'gone', name: 'Gone', type: 'CHECKBOX' },
  ])
  const { uid } = model
  const [title, code, year] = model.fields
  const save = async (document: object) => ok(await client.post(docs, { document })).document
  const published = await save({ title: 'a', code: 'same', year: 1 })
  await save({ title: 'b', code: 'same' })
  await save({ title: 'c', code: 'other', year: 9 })
  const plan = async (data: object) => {
    const { losses, site, blocked } = ok(await client.put(url, { data, dryRun: true }))
    return { losses, site, blocked }
  }
  const nothing = { losses: [], site: [], blocked: [] }
  const fields = [
    title,
    { ...code, uid: 'number', unique: true },
    { ...year, required: true, max: 5 },
    { uid: 'lead', name: 'Lead', type: 'TEXT', required: true },
  ]
  const blocked = [
    { field: 'number', code: 'DuplicatedValue', documents: 1 },
    { field: 'year', code: 'Required', documents: 1 },
    { field: 'year', code: 'TooLargeValue', documents: 1 },
    { field: 'lead', code: 'Required', documents: 3 },
  ]
  // Nothing is published, so no site is affected.
  expect(await plan({ uid: 'articles', fields })).toEqual({ ...nothing, blocked })
  ok(await client.put(`${docs}/${published._id}`, { doc: { title: 'a' }, type: 'PUBLISH' }))
  expect(
    await plan({
      uid: 'articles',
      fields: [{ _id: title._id, uid: 'title', name: 'title', type: 'NUMBER' }, ...fields.slice(1)],
    }),
  ).toMatchObject({
    losses: [{ field: 'title', reason: 'typeChanged', documents: 3 }],
    site: [
      { kind: 'modelUid', field: null, before: uid, after: 'articles' },
      { kind: 'type', field: 'title', before: 'string', after: 'number | null' },
      { kind: 'uid', field: 'code', before: 'code', after: 'number' },
      { kind: 'removed', field: 'gone', after: null },
    ],
  })
  // Settings that affect neither rules nor responses have no consequences. Rules that are already broken are not
  // reported.
  expect(
    await plan({ name: 'New name', fields: [{ ...title, name: '見出し' }, code, year, model.fields[3]] }),
  ).toEqual(nothing)
  ok(await client.put(url, { data: { fields: [title, code, { ...year, required: true }, model.fields[3]] } }))
  const [, , required] = ok(await client.get(url)).model.fields
  expect(await plan({ fields: [title, code, { ...required, min: 0 }, model.fields[3]] })).toEqual(nothing)
})
