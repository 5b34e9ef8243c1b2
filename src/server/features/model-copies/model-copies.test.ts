import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { typeScriptOf } from '#shared/fields/type-script.ts'
import { createAccount, createApp, createMember, createSpace, unique } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let space: { uid: string; url: string }
/** New apps for every test: source and target of models. */
let from: { uid: string; url: string }
let to: { uid: string; url: string }

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  space = await createSpace(client)
})
beforeEach(async () => {
  from = await createApp(client, space)
  to = await createApp(client, space)
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

type Loose = Record<string, unknown>
const field = (uid: string, type: string, more: Loose = {}) => ({ uid, name: uid, type, ...more })
const reference = (uid: string, modelUid: string) => field(uid, 'REFERENCE', { modelUid })
const makeModel = async (app: { url: string }, uid: string, fields: Loose[], more: Loose = {}) =>
  ok(await client.post(`${app.url}/model`, { data: { uid, name: `モデル${uid}`, fields, ...more } })).model
const makeType = async (app: { url: string }, uid: string, fields: Loose[]) =>
  ok(await client.post(`${app.url}/customFieldType`, { data: { uid, name: uid, fields } })).customFieldType
const typesOf = async (app: { url: string }) =>
  ok(await client.get(`${app.url}/customFieldType`)).customFieldTypes as { uid: string; fields: Loose[] }[]
const duplicate = (app: { url: string }, uid: string, more: Loose = {}) =>
  client.post(`${app.url}/model/duplicate`, { fromAppId: from.uid, fromModelId: uid, ...more })
const importing = (data: Loose, more: Loose = {}) => client.post(`${to.url}/model:import`, { data, ...more })
const withoutIds = (fields: Loose[]) => fields.map(({ _id, ...rest }) => rest)

describe('a duplicate of a model', () => {
  it('in the same app has fields with new ids, and references itself if the original does', async () => {
    await makeModel(from, 'author', [field('name', 'TEXT')])
    const original = await makeModel(
      from,
      'article',
      [
        field('lead', 'TEXT'),
        field('title', 'TEXT', { required: true, width: 'half', tab: '基本' }),
        reference('author', 'author'),
        field('related', 'REFERENCE', { modelUid: 'article', multiple: true, maxItems: 3 }),
        field('note', 'TEXT', { condition: { field: 'lead', is: 'filled' } }),
      ],
      { titleField: 'title', description: '記事です' },
    )
    const { model, plan } = ok(await duplicate(from, 'article'))
    expect(plan).toEqual({
      uid: 'article-2',
      name: 'モデルarticle',
      fields: ['lead', 'title', 'author', 'related', 'note'],
      customFieldTypes: { made: [], used: [] },
      leftOut: [],
    })
    expect(model).toMatchObject({ uid: 'article-2', description: '記事です', documentCount: 0, version: 1 })
    const renamed = original.fields.map((one: Loose) =>
      one.uid === 'related' ? { ...one, modelUid: 'article-2' } : one,
    )
    expect(withoutIds(model.fields)).toEqual(withoutIds(renamed))
    expect(model.titleField).toBe(model.fields[1]._id)
    const ids = new Set(original.fields.map(({ _id }: { _id: string }) => _id))
    expect(model.fields.some(({ _id }: { _id: string }) => ids.has(_id))).toBe(false)
    expect(ok(await client.get(`${from.url}/model/article-2`)).model.fields).toEqual(model.fields)
    // A further copy gets another uid. The caller can also choose its uid and name.
    expect(ok(await duplicate(from, 'article', { uid: 'news', name: 'お知らせ' })).model).toMatchObject({
      uid: 'news',
      name: 'お知らせ',
    })
    expect(ok(await duplicate(from, 'article')).model.uid).toBe('article-3')
    const { _id } = ok(await client.get(`${from.url}/model/article`)).model
    expect(ok(await duplicate(from, _id)).model.uid).toBe('article-4')
    // Settings that refer to another field by _id refer to the copied field.
    await makeModel(from, 'named', [field('title', 'TEXT')])
    const url = `${from.url}/model/named`
    const [title] = ok(await client.get(url)).model.fields
    const slug = field('slug', 'TEXT', { slugOf: title._id })
    ok(await client.put(url, { data: { fields: [title, slug] } }))
    const copied = ok(await duplicate(from, 'named')).model.fields
    expect([copied[1].slugOf, copied[0]._id === title._id]).toEqual([copied[0]._id, false])
  })

  it('in another app includes its custom types, and omits references to missing models', async () => {
    for (const uid of ['author', 'tag']) await makeModel(from, uid, [field('name', 'TEXT')])
    await makeModel(to, 'author', [field('name', 'TEXT')])
    await makeType(from, 'link', [field('url', 'TEXT'), reference('tag', 'tag')])
    await makeType(from, 'hero', [field('image', 'IMAGE'), field('link', 'CUSTOM', { customType: 'link' })])
    await makeType(from, 'other', [field('text', 'TEXT')])
    await makeModel(from, 'page', [
      field('title', 'TEXT'),
      reference('author', 'author'),
      reference('tag', 'tag'),
      field('byline', 'TEXT', { condition: { field: 'tag', is: 'filled' } }),
      field('sections', 'MULTI_TYPE', {
        multiple: true,
        types: [
          { type: 'TEXT' },
          { type: 'CUSTOM', customType: 'hero' },
          { type: 'REFERENCE', modelUid: 'tag' },
        ],
      }),
    ])
    const expected = {
      uid: 'page',
      name: 'モデルpage',
      fields: ['title', 'author', 'byline', 'sections'],
      customFieldTypes: { made: ['link', 'hero'], used: [] },
      leftOut: [
        { path: 'tag', model: 'tag' },
        { path: 'sections.REFERENCE', model: 'tag' },
        { path: 'byline.condition', model: 'tag' },
        { path: 'link.tag', model: 'tag' },
      ],
    }
    const asked = ok(await duplicate(to, 'page', { dryRun: true }))
    expect(asked).toEqual({ model: null, plan: expected })
    expect([await typesOf(to), (await client.get(`${to.url}/model/page`)).status]).toEqual([[], 404])

    const { model, plan } = ok(await duplicate(to, 'page'))
    expect(plan).toEqual(expected)
    expect(model.fields.at(-1).types.map(({ type }: { type: string }) => type)).toEqual(['TEXT', 'CUSTOM'])
    expect(model.fields[2].condition ?? null).toBeNull()
    expect((await typesOf(to)).map(({ uid, fields }) => [uid, fields.map((one) => one.uid)])).toEqual([
      ['hero', ['image', 'link']],
      ['link', ['url']],
    ])
    const document = { title: '池', sections: [{ type: 'hero', data: { link: { url: '/' } } }] }
    ok(await client.post(`${to.url}/model/page/doc`, { document, type: 'PUBLISH' }))

    // The second copy reuses the existing types.
    const again = ok(await duplicate(to, 'page', { uid: 'page2' }))
    expect(again.plan.customFieldTypes).toEqual({ made: [], used: ['link', 'hero'] })
    expect(await typesOf(to)).toHaveLength(2)
  })

  it('is rejected if a custom type differs in the target app, and the model is not created', async () => {
    await makeType(from, 'hero', [field('image', 'IMAGE')])
    await makeModel(from, 'page', [field('hero', 'CUSTOM', { customType: 'hero' })])
    await makeType(to, 'hero', [field('image', 'FILE')])
    for (const dryRun of [true, false]) {
      const { status, body } = await duplicate(to, 'page', { dryRun })
      expect([status, body.code, body.customFieldTypes]).toEqual([
        409,
        'CustomFieldTypeIsAlreadyInUse',
        ['hero'],
      ])
    }
    expect((await client.get(`${to.url}/model/page`)).status).toBe(404)
  })

  it('is rejected for unknown sources, invalid input and a taken uid', async () => {
    await makeModel(from, 'page', [])
    const tries: [Loose, number, string, string][] = [
      [{ fromAppId: 'unknown' }, 400, 'ValidationFailed', 'fromAppId'],
      [{ fromModelId: 'unknown' }, 400, 'ValidationFailed', 'fromModelId'],
      [{ fromModelId: "'; --" }, 400, 'ValidationFailed', 'fromModelId'],
      [{ uid: 'settings' }, 400, 'ValidationFailed', 'uid'],
      [{ name: ' ' }, 400, 'ValidationFailed', 'name'],
      [{ more: 1 }, 400, 'ValidationFailed', 'more'],
    ]
    for (const [more, status, code, path] of tries) {
      const { status: answered, body } = await duplicate(to, 'page', more)
      expect([answered, body.code, body.issues[0].path]).toEqual([status, code, path])
    }
    const taken = await duplicate(from, 'page', { uid: 'page', dryRun: true })
    expect([taken.status, taken.body.code]).toEqual([409, 'ModelUidIsAlreadyInUse'])
  })

  it('requires the right to change models in the target app and to read the source app', async () => {
    await makeModel(from, 'page', [field('title', 'TEXT')])
    const admin = { admin: client, url: to.url, role: 'app-Admin' as const }
    const member = await createMember(installation, space, 'pjt-Member', admin)
    const ask = () =>
      member.client.post(`${to.url}/model/duplicate`, { fromAppId: from.uid, fromModelId: 'page' })
    expect((await ask()).status).toBe(403)
    ok(await client.post(`${from.url}/members`, { memberId: member.memberId, roleId: 'app-Subscriber' }))
    ok(await ask())
    const back = { fromAppId: to.uid, fromModelId: 'page' }
    expect((await member.client.post(`${from.url}/model/duplicate`, back)).status).toBe(403)
    // An app that the caller cannot see is treated as missing.
    const hidden = await createApp(client, space)
    const accessSettings = { visibility: 'private', defaultRole: 'app-Author' }
    ok(await client.patch(hidden.url, { accessSettings }))
    const { status, body } = await member.client.post(`${to.url}/model/duplicate`, {
      fromAppId: hidden.uid,
      fromModelId: 'page',
    })
    expect([status, body.issues]).toEqual([400, [{ path: 'fromAppId', code: 'InvalidValue' }]])
  })
})

describe('a model from JSON', () => {
  const question = {
    uid: 'Q&A',
    name: '質問',
    fields: [field('q', 'TEXT'), field('faq', 'CUSTOM', { customType: 'list' })],
  }

  it('is created with its custom types', async () => {
    const data = {
      uid: 'help',
      name: 'ヘルプ',
      description: '',
      titleField: 'title',
      fields: [
        { ...field('title', 'TEXT'), _id: '0'.repeat(24) },
        reference('parent', 'help'),
        reference('author', 'author'),
        field('faq', 'CUSTOM', { customType: 'Q&A', multiple: true }),
      ],
      customFieldTypes: [
        question,
        { uid: 'list', name: '一覧', fields: [field('items', 'TEXT', { multiple: true })] },
      ],
    }
    const plan = {
      uid: 'help',
      name: 'ヘルプ',
      fields: ['title', 'parent', 'faq'],
      customFieldTypes: { made: ['Q&A', 'list'], used: [] },
      leftOut: [{ path: 'author', model: 'author' }],
    }
    expect(ok(await importing(data, { dryRun: true }))).toEqual({ model: null, plan })
    const { model } = ok(await importing(data))
    expect(model.titleField).toBe(model.fields[0]._id)
    expect(model.fields[0]._id).not.toBe('0'.repeat(24))
    const document = { title: '池', faq: [{ q: '深さは?', faq: { items: ['浅い'] } }] }
    ok(await client.post(`${to.url}/model/help/doc`, { document, type: 'PUBLISH' }))
    expect((await importing(data)).body).toMatchObject({ code: 'ModelUidIsAlreadyInUse' })
  })

  const culprits: [string, Loose, string, string][] = [
    ['no uid', { uid: undefined }, 'data.uid', 'Required'],
    ['an unknown property', { feilds: [] }, 'data.feilds', 'UnknownField'],
    [
      'a field of an unknown type',
      { fields: [field('a', 'NOTHING')] },
      'data.fields.0.type',
      'NonExistentFieldType',
    ],
    [
      'an unknown setting',
      { fields: [field('a', 'TEXT', { size: 1 })] },
      'data.fields.0.size',
      'UnknownField',
    ],
    [
      'a title field of the wrong type',
      { fields: [field('a', 'NUMBER')], titleField: 'a' },
      'data.titleField',
      'InvalidValue',
    ],
    [
      'an unknown custom type',
      { fields: [field('a', 'CUSTOM', { customType: 'x' })] },
      'data.fields.0.customType',
      'InvalidValue',
    ],
    [
      'an invalid field of a custom type',
      { customFieldTypes: [{ uid: 'x', name: 'x', fields: [field('a', 'TEXT', { maxLength: 0 })] }] },
      'data.customFieldTypes.0.fields.0.maxLength',
      'TooSmallValue',
    ],
    [
      'custom types that contain each other',
      {
        customFieldTypes: ['x', 'y'].map((uid) => ({
          uid,
          name: uid,
          fields: [field('a', 'CUSTOM', { customType: uid === 'x' ? 'y' : 'x' })],
        })),
      },
      'data.customFieldTypes.0.fields.0.customType',
      'CircularType',
    ],
    [
      'two custom types with the same uid',
      { customFieldTypes: ['x', 'x'].map((uid, index) => ({ uid, name: `x${index}`, fields: [] })) },
      'data.customFieldTypes.1.uid',
      'DuplicatedValue',
    ],
    [
      'a condition on an unknown field',
      { fields: [field('a', 'TEXT', { condition: { field: 'b', is: 'filled' } })] },
      'data.fields.0.condition.field',
      'InvalidValue',
    ],
  ]
  it.each(culprits)('with %s is rejected with the path of the problem', async (_what, part, path, code) => {
    for (const dryRun of [true, false]) {
      const { status, body } = await importing({ uid: unique('bad'), name: '悪い', ...part }, { dryRun })
      expect([status, body.issues?.[0]]).toMatchObject([400, { path, code }])
    }
    expect([(await typesOf(to)).length, ok(await client.get(`${to.url}/model`)).models]).toEqual([0, []])
  })
})

describe('the TypeScript type of a model', () => {
  it('accepts documents in delivered form, and rejects a value of the wrong type', async () => {
    await makeModel(from, 'author', [field('name', 'TEXT'), reference('friend', 'author')])
    await makeType(from, 'Q&A', [field('q', 'TEXT'), field('n', 'NUMBER'), reference('by', 'author')])
    const options = [{ value: 'a' }, { value: 'b' }]
    await makeModel(from, 'page', [
      field('title', 'TEXT'),
      field('words', 'TEXT', { multiple: true }),
      field('body', 'MARKDOWN'),
      field('count', 'NUMBER'),
      field('day', 'DATE'),
      field('on', 'CHECKBOX'),
      field('color', 'COLOR'),
      field('kind', 'SELECT', { options }),
      field('kinds', 'SELECT', { options, multiple: true }),
      field('size', 'SELECT', { options: [{ value: 1 }], valueType: 'number' }),
      field('image', 'IMAGE'),
      reference('author', 'author'),
      field('authors', 'REFERENCE', { modelUid: 'author', multiple: true }),
      field('lead', 'CUSTOM', { customType: 'Q&A' }),
      field('faq', 'CUSTOM', { customType: 'Q&A', multiple: true }),
      field('sections', 'MULTI_TYPE', {
        multiple: true,
        types: [{ type: 'TEXT' }, { type: 'NUMBER' }, { type: 'CUSTOM', customType: 'Q&A' }],
      }),
      field('one', 'MULTI_TYPE', { types: [{ type: 'TEXT' }] }),
    ])
    const author = ok(
      await client.post(`${from.url}/model/author/doc`, { document: { name: '花子' }, type: 'PUBLISH' }),
    ).document._id
    const full = {
      ...{ title: '池', words: ['a'], body: '**x**', count: 1, day: '2026-11-21T00:00:00Z', on: true },
      ...{ color: '#ff8800', kind: 'b', kinds: ['a', 'b'], size: 1, author, authors: [author] },
      lead: { q: '?', n: 2, by: author },
      faq: [{ q: '?' }],
      sections: [
        { type: 'TEXT', data: 'x' },
        { type: 'NUMBER' },
        { type: 'Q&A', data: { by: author } },
        { type: 'Q&A' },
      ],
      one: { type: 'TEXT', data: 'x' },
    }
    const docs = `${from.url}/model/page/doc`
    const delivered: string[] = []
    for (const document of [full, { title: '空' }]) {
      const { _id } = ok(await client.post(docs, { document, type: 'PUBLISH' })).document
      delivered.push(JSON.stringify(ok(await client.get(`${docs}/${_id}/api?depth=5`)).document))
    }
    const { models } = ok(await client.get(`${from.url}/model`))
    const text = typeScriptOf('page', { models, customTypes: (await typesOf(from)) as never })
    expect(text).toMatch(/^import type \{ Content, Image \} from 'newt-client-js'\n/)
    // Looser types replace the types of newt-client-js, which describe only published contents with a custom order.
    const own = text.replace(
      /^import.*$/m,
      'type Content = { _id: string; _sys: object }\ntype Image = { src: string }',
    )
    const broken = delivered[0]?.replace('"count":1', '"count":"1"')
    expect(broken).not.toBe(delivered[0])
    const folder = await mkdtemp(join(tmpdir(), 'imori-types-'))
    try {
      const source = `${own}
        export const pages: Page[] = [${delivered.join(', ')}]
        // @ts-expect-error
        export const broken: Page = ${broken}\n`
      await writeFile(join(folder, 'page.ts'), source)
      const flags = ['--noEmit', '--strict', '--target', 'es2022', '--types', '', join(folder, 'page.ts')]
      const tsc = 'node_modules/typescript/lib/tsc.js'
      await promisify(execFile)(process.execPath, [tsc, '--ignoreConfig', ...flags]).catch(({ stdout }) => {
        throw new Error(stdout)
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
