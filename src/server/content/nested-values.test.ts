import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createSpace } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let tokens: Record<'cdn' | 'api', string>
let people: { url: string; docs: string; ids: string[] }
let page: { url: string; docs: string; uid: string }
let types: Record<'qa' | 'hero', { _id: string; uid: string; fields: Loose[]; version: number }>

type Loose = Record<string, unknown>
const field = (uid: string, type: string, more: Loose = {}) => ({ uid, name: uid, type, ...more })
const id = (n: number) => n.toString(16).padStart(24, '0')

const createType = async (uid: string, fields: Loose[], name = uid) =>
  ok(await client.post(`${app.url}/customFieldType`, { data: { uid, name, fields } })).customFieldType

async function createModel(uid: string, fields: Loose[]) {
  const { model } = ok(await client.post(`${app.url}/model`, { data: { uid, name: uid, fields } }))
  return { model, uid, url: `${app.url}/model/${uid}`, docs: `${app.url}/model/${uid}/doc` }
}

const sections = {
  types: [
    { type: 'CUSTOM', customType: 'hero' },
    { type: 'TEXT', maxLength: 20 },
    { type: 'NUMBER' },
    { type: 'RICH_TEXT' },
    { type: 'REFERENCE', modelUid: 'person' },
  ],
}

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation, { name: '佐藤' })).client
  space = await createSpace(client)
  app = await createApp(client, space)
  const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'cdn' } }))
  const { apiToken } = ok(await client.post(`${space.url}/apiToken`, { data: { name: 'api' } }))
  tokens = { cdn: cdnToken.token, api: apiToken.token }
  const person = await createModel('person', [
    field('name', 'TEXT', { required: true }),
    field('friend', 'REFERENCE', { modelUid: 'person' }),
  ])
  const ids: string[] = []
  for (const name of ['山田', '鈴木', '田中']) {
    const document = { name, ...(ids.length > 0 ? { friend: ids[0] } : {}) }
    ids.push(ok(await client.post(person.docs, { document, type: 'PUBLISH' })).document._id)
  }
  people = { ...person, ids }
  const qa = await createType('Q&A', [
    field('question', 'TEXT', { required: true, pattern: '\\?$' }),
    field('slug', 'TEXT', { unique: true }),
    field('by', 'REFERENCE', { modelUid: 'person' }),
    field('body', 'RICH_TEXT'),
    field('n', 'NUMBER', { max: 5 }),
  ])
  const hero = await createType('hero', [
    field('title', 'TEXT', { maxLength: 10 }),
    field('faq', 'CUSTOM', { customType: 'Q&A', multiple: true, maxItems: 3 }),
    field('seo', 'CUSTOM', { customType: 'Q&A' }),
    field('markdown', 'MARKDOWN'),
  ])
  types = { qa, hero }
  page = await createModel('page', [
    field('title', 'TEXT', { required: true }),
    field('sections', 'MULTI_TYPE', { multiple: true, ...sections }),
    field('lead', 'CUSTOM', { customType: 'Q&A' }),
    field('author', 'REFERENCE', { modelUid: 'person' }),
  ])
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

const save = (document: Loose, type = 'SAVE') => client.post(page.docs, { document, type })
const publish = async (document: Loose) => {
  const { document: made } = ok(await save({ title: 'ページ', ...document }, 'PUBLISH'))
  return { document: made, at: `${page.docs}/${made._id}` }
}
const hero = (data: Loose, _id?: string) => ({ ...(_id ? { _id } : {}), type: 'hero', data })
const deliver = async (kind: 'cdn' | 'api', path: string) => {
  const answer = await client.get(`/${space.uid}.${kind}/v1/${app.uid}/${path}`, {
    authorization: `Bearer ${tokens[kind]}`,
  })
  return ok(answer)
}

describe('a nested value', () => {
  const item = id(1)
  const full = () => ({
    sections: [
      hero(
        {
          title: '見出し',
          faq: [
            {
              question: 'なぜ?',
              slug: 'why',
              by: people.ids[1],
              body: '<p>本文</p><script>x</script>',
              _id: id(2),
            },
            { question: 'だれ?', n: 3, _id: id(3) },
          ],
          seo: { question: '検索?' },
          markdown: '**太**',
        },
        item,
      ),
      { _id: id(4), type: 'TEXT', data: '文' },
      { _id: id(5), type: 'REFERENCE', data: people.ids[2] },
      { _id: id(6), type: 'TEXT' },
    ],
  })

  it('is returned as sent but sanitised, and is stored by the _ids of types and fields', async () => {
    const { document } = await publish(full())
    const sent = full()
    const wanted = JSON.parse(JSON.stringify(sent).replace('<script>x</script>', ''))
    expect(document.sections).toEqual(wanted.sections)
    const row = await installation.database.kysely
      .selectFrom('document')
      .select('pub')
      .where('id', '=', document._id)
      .executeTakeFirstOrThrow()
    const stored = JSON.stringify(row.pub)
    expect(stored).toContain(`"type":"${types.hero._id}"`)
    expect(stored).not.toContain('question')
    ok(await client.delete(`${page.docs}/${document._id}`))
  })

  it('is delivered with every field, and with references up to the requested depth', async () => {
    const [yamada, suzuki, tanaka] = people.ids
    const { document } = await publish({ ...full(), author: suzuki })
    const at = `page/${document._id}`
    for (const kind of ['cdn', 'api'] as const) {
      const flat = await deliver(kind, `${at}?depth=0`)
      expect(Object.keys(flat)).toEqual(['_id', '_sys', 'title', 'sections', 'lead', 'author'])
      expect(Object.keys(flat.sections[0])).toEqual(['_id', 'type', 'data'])
      expect(flat.sections[0]).toEqual({
        _id: item,
        type: 'hero',
        data: {
          title: '見出し',
          faq: [
            { question: 'なぜ?', slug: 'why', by: suzuki, body: '<p>本文</p>', n: null, _id: id(2) },
            { question: 'だれ?', slug: '', by: null, body: '', n: 3, _id: id(3) },
          ],
          seo: { question: '検索?', slug: '', by: null, body: '', n: null },
          markdown: '<p><strong>太</strong></p>\n',
        },
      })
      expect(Object.keys(flat.sections[0].data.faq[0]).at(-1)).toBe('_id')
      expect(flat.sections.slice(1)).toEqual([
        { _id: id(4), type: 'TEXT', data: '文' },
        { _id: id(5), type: 'REFERENCE', data: tanaka },
        { _id: id(6), type: 'TEXT', data: '' },
      ])
      // A single custom value that was never set is delivered with empty inner values.
      expect(flat.lead).toEqual({ question: '', slug: '', by: null, body: '', n: null })
      const one = await deliver(kind, `${at}?depth=1`)
      expect(one.sections[0].data.faq[0].by).toMatchObject({ _id: suzuki, name: '鈴木', friend: yamada })
      expect(one.author).toEqual(one.sections[0].data.faq[0].by)
      expect(one.sections[2].data).toMatchObject({ _id: tanaka, _sys: {}, friend: yamada })
      const two = await deliver(kind, `${at}?depth=2`)
      expect(two.sections[0].data.faq[0].by.friend).toMatchObject({ name: '山田', friend: null })
      expect((await deliver(kind, 'page?depth=2')).items[0]).toEqual(two)
    }
    const part = await deliver(
      'cdn',
      `${at}?select=sections.data.faq.question,sections.data.faq.by.name,lead.n&depth=1`,
    )
    expect(part).toEqual({
      _id: document._id,
      sections: [
        {
          _id: item,
          type: 'hero',
          data: {
            faq: [
              { question: 'なぜ?', by: { _id: suzuki, name: '鈴木' }, _id: id(2) },
              { question: 'だれ?', by: null, _id: id(3) },
            ],
          },
        },
        { _id: id(4), type: 'TEXT', data: '文' },
        { _id: id(5), type: 'REFERENCE', data: { _id: tanaka } },
        { _id: id(6), type: 'TEXT', data: '' },
      ],
      lead: { n: null },
    })
    const plain = `sections.data.faq.body[fmt]=text&sections.data.markdown[fmt]=text&lead.body[fmt]=text`
    const [texts] = (await deliver('cdn', `${at}?${plain}`)).sections
    expect([texts.data.faq[0].body, texts.data.markdown]).toEqual(['本文', '**太**'])
    for (const query of [
      'select=sections.title',
      'select=lead.nothing',
      'lead.n[fmt]=text',
      'lead.n=1',
      'order=lead.n',
    ]) {
      const { status, body } = await client.get(`/${space.uid}.cdn/v1/${app.uid}/${at}?${query}`, {
        authorization: `Bearer ${tokens.cdn}`,
      })
      expect([query, status, body.code]).toEqual([query, 400, 'InvalidQueryParameter'])
    }
    ok(await client.delete(`${page.docs}/${document._id}`))
  })

  it('is rejected when published if it breaks field rules, with the path of each error', async () => {
    const broken = {
      title: '題',
      sections: [
        hero({
          title: '長すぎる見出しは困ります',
          faq: [{ question: 'なぜ' }, { n: 6 }, { question: 'a?' }, { question: 'b?' }],
          seo: { slug: 's' },
        }),
        { type: 'TEXT', data: 'あ'.repeat(21) },
      ],
      lead: { n: 9 },
    }
    const answer = await save(broken, 'PUBLISH')
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ path, code }: Loose) => [path, code])).toEqual([
      ['sections.0.data.title', 'TooManyCharacters'],
      ['sections.0.data.faq', 'TooManyItems'],
      ['sections.0.data.faq.0.question', 'InvalidValue'],
      ['sections.0.data.faq.1.question', 'Required'],
      ['sections.0.data.faq.1.n', 'TooLargeValue'],
      ['sections.0.data.seo.question', 'Required'],
      ['sections.1.data', 'TooManyCharacters'],
      ['lead.question', 'Required'],
      ['lead.n', 'TooLargeValue'],
    ])
    const validation = ok(await client.post(`${page.docs}/validate`, { doc: broken }))
    expect(validation).toMatchObject({ isValid: false, invalidFieldUIDs: ['sections', 'lead'] })
    ok(await save(broken)) // drafts may break rules
    const of = { value: broken.sections, field: 'sections' }
    expect(ok(await client.post(`${page.docs}/validateField`, of))).toMatchObject({
      code: 'TooManyCharacters',
      path: '0.data.title',
    })
  })

  it('is rejected when saved if it is malformed, with the path of the first error', async () => {
    const hostile: [unknown, string, string][] = [
      [{}, 'sections', 'InvalidType'],
      [['x'], 'sections.0', 'InvalidType'],
      [[{ data: 'x' }], 'sections.0.type', 'Required'],
      [[{ type: 'COLOR', data: 'x' }], 'sections.0.type', 'NonExistentFieldType'],
      [[{ type: types.hero._id, data: {} }], 'sections.0.type', 'NonExistentFieldType'],
      [[{ type: '__proto__', data: {} }], 'sections.0.type', 'NonExistentFieldType'],
      [[{ type: ['hero'], data: {} }], 'sections.0.type', 'NonExistentFieldType'],
      [[hero({ constructor: 1 })], 'document.sections.0.data.constructor', 'ReservedWord'],
      [[hero({ nothing: 1 })], 'sections.0.data.nothing', 'UnknownField'],
      [[{ ...hero({}), extra: 1 }], 'sections.0.extra', 'UnknownField'],
      [[hero({ seo: { _id: id(1), question: '?' } })], 'sections.0.data.seo._id', 'UnknownField'],
      [[hero({ faq: { question: '?' } })], 'sections.0.data.faq', 'InvalidType'],
      [[hero({ faq: [{ question: 1 }] })], 'sections.0.data.faq.0.question', 'InvalidType'],
      [[hero({ faq: [{ _id: 'x' }] })], 'sections.0.data.faq.0._id', 'InvalidFormat'],
      [[hero({ faq: [{ _id: 'A'.repeat(24) }] })], 'sections.0.data.faq.0._id', 'InvalidFormat'],
      [[hero({ faq: [{ _id: id(1) }, { _id: id(1) }] })], 'sections.0.data.faq.1._id', 'DuplicatedValue'],
      [[hero({}, id(1)), hero({}, id(1))], 'sections.1._id', 'DuplicatedValue'],
      [[{ type: 'REFERENCE', data: id(99) }], 'sections.0.data', 'InvalidValue'],
      [[hero({ faq: [{ by: id(99) }] })], 'sections.0.data.faq.0.by', 'InvalidValue'],
      [Array(10_001).fill({ type: 'TEXT' }), 'sections', 'TooManyItems'],
    ]
    for (const [value, path, code] of hostile) {
      const { status, body } = await save({ title: '題', sections: value })
      expect([status, body.issues?.[0]?.path, body.issues?.[0]?.code]).toEqual([400, path, code])
    }
    const proto = await client.send(
      'POST',
      page.docs,
      '{"document":{"title":"題","sections":[{"type":"hero","data":{"__proto__":{"title":"x"}}}]}}',
    )
    expect(proto.status).toBe(400)
    const large = await save({ title: '題', sections: [{ type: 'RICH_TEXT', data: 'x'.repeat(1 << 20) }] })
    expect(large.status).toBe(413)
  })

  it('may have 10,000 items', { tags: ['full'] }, async () => {
    const items = Array.from({ length: 10_000 }, (_, n) => ({ _id: id(n + 1), type: 'NUMBER', data: n }))
    const { document } = ok(await save({ title: '多い', sections: items }))
    const changed = items.map((one) => (one.data === 5000 ? { ...one, data: -1 } : one))
    const url = `${page.docs}/${document._id}`
    ok(await client.put(url, { doc: { sections: changed } }, { 'if-match': '"1"' }))
    const merged = await client.put(url, { doc: { sections: [...items].reverse() } }, { 'if-match': '"1"' })
    const saved = ok(merged).document.sections
    expect([saved.length, saved[0].data, saved[4999].data]).toEqual([10_000, 9999, -1])
    ok(await client.delete(url))
  })

  it('is listed as a reference to a document, and is delivered as null after that document is deleted', async () => {
    const { document: target } = ok(
      await client.post(people.docs, { document: { name: '消える' }, type: 'PUBLISH' }),
    )
    const { document, at } = await publish({
      sections: [
        hero({ faq: [{ question: 'a?', by: target._id }] }),
        { type: 'REFERENCE', data: target._id },
      ],
    })
    const references = `${people.docs}/${target._id}/references`
    expect(ok(await client.get(references))).toMatchObject({ total: 1, references: [{ _id: document._id }] })
    ok(await client.delete(`${people.docs}/${target._id}`))
    const gone = await deliver('cdn', `page/${document._id}`)
    expect([gone.sections[0].data.faq[0].by, gone.sections[1].data]).toEqual([null, null])
    // A dangling reference may be saved again at its position.
    ok(await client.put(at, { doc: { title: '別', sections: document.sections } }))
    const elsewhere = [...document.sections, { type: 'REFERENCE', data: id(77) }]
    const refused = await client.put(at, { doc: { sections: elsewhere } })
    expect(refused.body.issues).toEqual([{ path: 'sections.2.data', code: 'InvalidValue' }])
    ok(await client.delete(at))
  })

  it('is delivered with changes of the referenced document and of the custom type', async () => {
    const { document: target } = ok(
      await client.post(people.docs, { document: { name: '旧' }, type: 'PUBLISH' }),
    )
    const { document, at } = await publish({ sections: [hero({ seo: { question: 'a?', by: target._id } })] })
    const seo = async () => (await deliver('cdn', `page/${document._id}`)).sections[0].data
    // Repeated reads may come from the response cache.
    for (let time = 0; time < 3; time++) expect((await seo()).seo.by.name).toBe('旧')
    ok(await client.put(`${people.docs}/${target._id}`, { doc: { name: '新' }, type: 'PUBLISH' }))
    expect((await seo()).seo.by.name).toBe('新')
    const url = `${app.url}/customFieldType/${types.hero._id}`
    const rename = (uid: string) =>
      client.put(url, {
        data: {
          fields: types.hero.fields.map((one) =>
            one.uid === 'seo' || one.uid === 'meta' ? { ...one, uid } : one,
          ),
        },
      })
    ok(await rename('meta'))
    await expect.poll(async () => (await seo()).meta?.by.name).toBe('新')
    ok(await rename('seo'))
    await expect.poll(async () => (await seo()).seo?.by.name).toBe('新')
    ok(await client.delete(at))
  })

  it('cannot be published with a unique value that another published document has at another position', async () => {
    const { at } = await publish({ sections: [hero({ faq: [{ question: 'a?', slug: 'taken' }] })] })
    const twin = {
      title: '二',
      sections: [hero({ title: 'x' }), hero({ seo: { question: 'b?', slug: 'taken' } })],
    }
    const refused = await save(twin, 'PUBLISH')
    expect(refused.body.issues).toEqual([{ path: 'sections.1.data.seo.slug', code: 'DuplicatedValue' }])
    const top = await save({ title: '三', lead: { question: 'c?', slug: 'taken' } }, 'PUBLISH')
    expect(top.body.issues).toEqual([{ path: 'lead.slug', code: 'DuplicatedValue' }])
    const { document: draft } = ok(await save(twin))
    // A copy omits unique values.
    const copied = ok(await client.put(at, { doc: {}, type: 'DUPLICATE' })).document
    expect(copied.sections[0].data.faq).toEqual([{ question: 'a?', _id: expect.any(String) }])
    ok(await client.delete(at))
    ok(await client.put(`${page.docs}/${draft._id}`, { doc: {}, type: 'PUBLISH' }))
    ok(await client.delete(`${page.docs}/${draft._id}`))
  })

  it('is filtered by inner values and referenced documents, and sorted by single inner values', async () => {
    const faq = (question: string, n: number, by?: string) => ({ question, n, ...(by ? { by } : {}) })
    const [yamada, suzuki] = people.ids
    const documents = {
      a: {
        sections: [
          hero({ title: 'ＡＢＣ', faq: [faq('一?', 1, yamada), faq('二?', 5)] }),
          { type: 'NUMBER', data: 7 },
        ],
        lead: faq('甲?', 2),
      },
      b: {
        sections: [hero({ faq: [faq('一?', 4, suzuki)], seo: faq('検索?', 3) }), { type: 'TEXT', data: '7' }],
        lead: { ...faq('乙?', 1, yamada), body: '<p>a&lt;<strong>b</strong> &amp; c</p>' },
      },
      c: { sections: [{ type: 'REFERENCE', data: suzuki }] },
    }
    const names = new Map<string, string>()
    for (const [name, values] of Object.entries(documents))
      names.set((await publish(values)).document._id, name)
    const ask = (query: string) =>
      client.get(`/${space.uid}.cdn/v1/${app.uid}/page?${encodeURI(query)}&order=_sys.createdAt`, {
        authorization: `Bearer ${tokens.cdn}`,
      })
    const found = async (query: string) =>
      ok(await ask(query))
        .items.map(({ _id }: { _id: string }) => names.get(_id))
        .join('')
    const asked = {
      'lead.question=甲?': 'a',
      'lead.body[match]=a<ｂ': 'b',
      'lead.body[match]=strong': '',
      'lead.question[ne]=甲?': 'bc',
      'lead.n[gte]=2': 'a',
      'lead.n[exists]=false': 'c',
      'lead.by.name=山田': 'b',
      'sections.data.title[match]=abc': 'a',
      'sections.data.title[match]=一': '',
      'sections.data.faq.question=一?': 'ab',
      'sections.data.faq.question[match]=二': 'a',
      'sections.data.faq.question[in]=二?,三?': 'a',
      'sections.data.faq.question[all]=一?,二?': 'a',
      'sections.data.faq.n[gt]=4': 'a',
      'sections.data.faq.n[lt]=2': 'a',
      'sections.data.faq.n[exists]=false': 'c',
      'sections.data.faq.by.name[match]=鈴': 'b',
      [`sections.data.faq.by=${yamada}`]: 'a',
      [`sections.data.faq.by[nin]=${yamada},${suzuki}`]: 'c',
      'sections.data.seo.question=検索?': 'b',
      // The filter compares items of every type that stores values under this path: a number and a text.
      'sections.data=7': 'ab',
      'sections.data[ne]=7': 'c',
      'sections.data.name=鈴木': 'c',
      'sections.data.name[match]=木': 'c',
      '[or]=(lead.n=1;sections.data.faq.n=5)': 'ab',
    }
    const answers: Record<string, string> = {}
    for (const query of Object.keys(asked)) answers[query] = await found(query)
    expect(answers).toEqual(asked)
    const managed = ok(await client.get(`${page.docs}?${encodeURI('order=-lead.n&lead.n[exists]=true')}`))
    const sorted = managed.documents.flatMap(({ _id }: { _id: string }) => names.get(_id) ?? [])
    expect(sorted).toEqual(['a', 'b'])

    for (const query of [
      'lead.nothing=1',
      'lead.question.deeper=1',
      'sections.title=x',
      'sections.data.faq.n=x',
      'sections.data.seo[match]=x',
      'lead.by.friend.friend.friend.friend.name=x',
      `${'sections.data.'.repeat(500)}title=x`,
    ])
      expect([query, (await ask(query)).body]).toMatchObject([query, { code: 'InvalidQueryParameter' }])
    for (const order of ['sections.data.title', 'lead.by.name', 'lead.body', 'lead.nothing'])
      expect([order, (await client.get(`${page.docs}?order=${order}`)).status]).toEqual([order, 400])
    for (const id of names.keys()) ok(await client.delete(`${page.docs}/${id}`))
  })

  it('is a column of an exported table if a document has at most one such value', async () => {
    const { document } = await publish({ title: '輸出', lead: { question: 'いくつ?', n: 3 } })
    const exported = (format: string, select: string) =>
      client.get(`${page.docs}/export.${format}?_id=${document._id}&select=${select}`)
    const csv = await exported('csv', 'lead.n,title,lead.question')
    expect(csv.bytes.toString()).toBe(
      `\ufeff_id,lead › n,title,lead › question\r\n${document._id},3,輸出,いくつ?\r\n`,
    )
    expect(ok(await exported('json', 'lead.question,lead.n'))).toEqual([
      { _id: document._id, lead: { question: 'いくつ?', n: 3 } },
    ])
    for (const select of ['sections.data', 'author.name', 'lead.nothing'])
      expect((await exported('csv', select)).status).toBe(400)
  })

  it('is searched, matched and tested for existence as a whole', async () => {
    const { document } = await publish({
      sections: [hero({ faq: [{ question: '珍獣はどこ?', body: '<p>オオサンショウウオ</p>' }] })],
    })
    const total = async (query: string) => (await deliver('cdn', `page?${query}`)).total
    expect(await total('search=サンショウウオ')).toBe(1)
    expect(await total('search=サンショウウオ+ない')).toBe(0)
    expect(await total('sections[match]=珍獣')).toBe(1)
    expect(await total('lead[match]=珍獣')).toBe(0)
    expect([
      await total(`_id=${document._id}&sections[exists]=true`),
      await total(`_id=${document._id}&lead[exists]=true`),
    ]).toEqual([1, 0])
    for (const query of ['sections=x', 'order=sections', 'sections[gt]=1', 'sections[in]=a', 'lead[all]=a']) {
      const { status } = await client.get(`/${space.uid}.cdn/v1/${app.uid}/page?${query}`, {
        authorization: `Bearer ${tokens.cdn}`,
      })
      expect([query, status]).toEqual([query, 400])
    }
    expect(ok(await client.get(`${page.docs}?search=珍獣`)).total).toBe(1)
    ok(await client.delete(`${page.docs}/${document._id}`))
  })

  it('separates list items and table cells of its HTML in searches, matches and texts', async () => {
    const body =
      '<ul><li>東京<ul><li>都庁</li></ul></li></ul><table><tbody><tr><td>千代</td><td>田区</td></tr></tbody></table>'
    const { document } = await publish({ lead: { question: '場所?', body } })
    const total = async (query: string) => (await deliver('cdn', `page?${query}`)).total
    const words = ['東京', '都庁', '東京都', '田区', '千代田']
    const totals = { 東京: 1, 都庁: 1, 東京都: 0, 田区: 1, 千代田: 0 }
    for (const parameter of ['search', 'lead.body[match]']) {
      const found = await Promise.all(words.map(async (word) => [word, await total(`${parameter}=${word}`)]))
      expect({ parameter, ...Object.fromEntries(found) }).toEqual({ parameter, ...totals })
    }
    const { lead } = await deliver('cdn', `page/${document._id}?lead.body[fmt]=text`)
    expect(lead.body).toBe('東京\n都庁\n千代\n田区')
    ok(await client.delete(`${page.docs}/${document._id}`))
  })

  it('is restored from a revision', async () => {
    const { document, at } = await publish({ ...full(), lead: { question: '前?' } })
    ok(await client.put(at, { doc: { sections: [], lead: null } }))
    const { revision } = ok(await client.get(`${at}/revision/1`))
    expect(revision.values.sections).toEqual(document.sections)
    const restored = ok(await client.put(at, { doc: revision.values })).document
    expect(restored).toMatchObject({ sections: document.sections, lead: { question: '前?' } })
    ok(await client.delete(at))
  })
})

describe('concurrent edits of nested values', () => {
  const start = () => ({
    title: '共同',
    sections: [
      hero(
        {
          title: '題',
          faq: [
            { _id: id(11), question: '一?' },
            { _id: id(12), question: '二?' },
          ],
        },
        id(1),
      ),
      { _id: id(2), type: 'TEXT', data: '文' },
    ],
  })
  const open = async () => {
    const { document } = ok(await save(start()))
    const at = `${page.docs}/${document._id}`
    const edit = (change: (sections: Loose[]) => unknown, version = 1) => {
      const sections = structuredClone(start().sections) as Loose[]
      change(sections)
      return client.put(at, { doc: { sections } }, { 'if-match': `"${version}"` })
    }
    return { at, edit }
  }
  const faqOf = (sections: Loose[]) => (sections[0]!.data as { faq: Loose[] }).faq

  it('are merged if they change different inner values, and the response lists the merged changes', async () => {
    const { edit } = await open()
    ok(await edit((sections) => faqOf(sections).push({ _id: id(13), question: '三?' })))
    const both = ok(
      await edit((sections) => {
        faqOf(sections)[0]!.question = '壱?'
        sections.push({ _id: id(3), type: 'NUMBER', data: 1 })
      }),
    )
    expect(both.merged).toEqual(['sections.0.data.faq.2'])
    expect(faqOf(both.document.sections).map(({ question }) => question)).toEqual(['壱?', '二?', '三?'])
    expect(both.document.sections).toHaveLength(3)
    const last = ok(await edit((sections) => sections.reverse()))
    expect(last.merged).toEqual(['sections.0.data.faq.0.question', 'sections.0.data.faq.2', 'sections.2'])
    // An added item stays after the item that preceded it.
    expect(last.document.sections.map(({ _id }: Loose) => _id)).toEqual([id(2), id(3), id(1)])
  })

  it('conflict if they change the same inner value, and the error names the path', async () => {
    const { edit } = await open()
    ok(await edit((sections) => Object.assign(faqOf(sections)[1]!, { question: '彼ら?', n: 1 })))
    const answer = await edit((sections) => {
      faqOf(sections)[1]!.question = '私?'
      sections[1]!.data = '私'
    })
    expect([answer.status, answer.body.code]).toEqual([409, 'VersionConflict'])
    expect(answer.body).toMatchObject({ current: 2, fields: ['sections.0.data.faq.1.question'] })
    const removed = await edit((sections) => faqOf(sections).pop())
    expect([removed.status, removed.body.fields]).toEqual([409, ['sections.0.data.faq.1']])
  })

  it('by sixteen writers that retry conflicts lose no change', { tags: ['full'] }, async () => {
    const { document } = ok(
      await save({ title: '同時', sections: [hero({ faq: [] }, id(1)), { _id: id(2), type: 'TEXT' }] }),
    )
    const at = `${page.docs}/${document._id}`
    /** Adds an item or changes one. Retries if a concurrent write changed this item or the order of the list. */
    const write = async (n: number) => {
      for (let attempt = 0; attempt < 40; attempt++) {
        const { document: read } = ok(await client.get(at))
        const sections = read.sections as Loose[]
        const top = sections.find(({ _id }) => _id === id(1))!
        const data = { faq: [], ...(top.data as object) } as { faq: Loose[] }
        top.data = data
        const kinds = [
          () => data.faq.push({ question: `書き込み${n}?` }),
          () => sections.push({ type: 'TEXT', data: `書き込み${n}?` }),
          () => sections.splice(n % 3, 0, hero({ title: `書き込み${n}?` })),
          () => {
            const [first] = data.faq
            if (first) first.body = `${first.body ?? ''}<p>書き込み${n}?</p>`
            else data.faq.push({ question: `書き込み${n}?` })
          },
        ]
        kinds[n % kinds.length]!()
        const answer = await client.put(at, { doc: { sections } }, { 'if-match': `"${read._sys.version}"` })
        if (answer.status === 200) return
        expect(answer.body.code).toBe('VersionConflict')
      }
      throw new Error('always in conflict')
    }
    await Promise.all(Array.from({ length: 16 }, (_, n) => write(n)))
    const text = JSON.stringify(ok(await client.get(at)).document)
    for (let n = 0; n < 16; n++) expect(text).toContain(`書き込み${n}?`)
  })
})
