import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spaceScope } from '#server/db/scope.ts'
import { formLimits } from '#shared/forms/fields.ts'
import {
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { insertForm, insertSubmission } from '#test/forms.ts'
import { formValues } from '#test/matrix-fixture.ts'
import { type Answer, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import * as forms from './definition.repository.ts'
import { newFormKey } from './form-key.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let spaceId: number
beforeAll(async () => {
  installation = await startInstallation({ IMORI_URL: 'https://cms.example.com' })
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  spaceId = await idOf(space)
})
afterAll(() => installation?.close())

const db = () => installation.database.kysely
const idOf = async ({ uid }: { uid: string }) =>
  (await db().selectFrom('space').select('id').where('uid', '=', uid).executeTakeFirstOrThrow()).id
const url = () => `${space.url}/form`
const create = async (data: object = {}) =>
  ok(await admin.client.post(url(), { data: { name: 'お問い合わせ', ...data } })).form
const label = { ja: '件名', en: 'Subject' }
const issuesOf = ({ status, body }: Answer) => [
  status,
  ...(body.issues ?? []).map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
]
const memberWith = async (...rights: string[]) => {
  const data = { name: unique('係'), rights: ['space.view', ...rights] }
  return createMember(
    installation,
    space,
    ok(await admin.client.post(`${space.url}/role`, { data })).role.uid,
  )
}
const entries = async (): Promise<{ act: string; object: object; details: object }[]> =>
  ok(await admin.client.get(`${space.url}/auditLog?limit=10`)).auditLogs

describe('newFormKey', () => {
  it('returns nine URL-safe characters', () => {
    const keys = new Set(Array.from({ length: 500 }, newFormKey))
    expect(keys.size).toBe(500)
    for (const key of keys) expect(key).toMatch(/^[\w-]{9}$/)
  })
})

describe('createForm', () => {
  it('returns the form with defaults, its address, and an event and an audit entry', async () => {
    const form = await create()
    expect(form).toEqual({
      ...formValues,
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      formId: expect.stringMatching(/^[\w-]{9}$/),
      url: `https://cms.example.com/${space.uid}.form/v1/${form.formId}`,
      name: 'お問い合わせ',
      version: 1,
      newSubmissions: 0,
      lastReceivedAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      deletedAt: null,
    })
    expect(ok(await admin.client.get(`${url()}/${form._id}`)).form).toEqual(form)
    const events = await db().selectFrom('event').selectAll().where('space_id', '=', spaceId).execute()
    expect(events.filter(({ payload }) => payload.formId === form._id)).toMatchObject([
      { type: 'form.created', actor_id: admin.id },
    ])
    expect((await entries())[0]).toMatchObject({
      act: 'form.create',
      object: { kind: 'form', _id: form._id, name: 'お問い合わせ' },
    })
  })

  it('keeps every property', async () => {
    const fields = [
      {
        ...{ type: 'text', name: '氏名', label, help: label, required: true, message: label },
        ...{ minLength: 1, maxLength: 10, pattern: '^\\p{Han}+$' },
      },
      { type: 'choice', name: 'topic', label, options: [{ value: 'a', label }], display: 'select' },
      { type: 'consent', name: '__proto__', label, link: 'https://example.com/privacy' },
    ]
    const data = {
      name: '資料 <b>請求</b>',
      enabled: false,
      fields,
      origins: ['https://Example.com/contact?a=1', 'http://localhost:3000'],
      thanksUrl: 'https://example.com/ありがとう',
      thanksMessage: { ja: '"\'\\', en: '<script>' },
      retentionDays: 365,
    }
    const form = await create(data)
    const { help, message } = { help: { ja: '', en: '' }, message: { ja: '', en: '' } }
    expect(form).toMatchObject({
      ...data,
      thanksUrl: 'https://example.com/%E3%81%82%E3%82%8A%E3%81%8C%E3%81%A8%E3%81%86',
      fields: [
        fields[0],
        { ...fields[1], help, message, required: false },
        { ...fields[2], help, message, required: false },
      ],
      origins: ['https://example.com', 'http://localhost:3000'],
    })
    expect(ok(await admin.client.get(url())).forms).toContainEqual(form)
  })

  it('keeps a given public id, which another form of the space cannot have', async () => {
    const formId = 'Abc-_1239'
    expect((await create({ formId })).formId).toBe(formId)
    const again = await admin.client.post(url(), { data: { name: '二つ目', formId } })
    expect([again.body.code, ...issuesOf(again)]).toEqual([
      'FormIdIsAlreadyInUse',
      409,
      'data.formId DuplicatedValue',
    ])
    const other = await createSpace(admin.client)
    ok(await admin.client.post(`${other.url}/form`, { data: { name: '別のスペース', formId } }))
    for (const bad of ['short', 'too-long-for-a-form', 'äbcdefghi', '../../../'])
      expect(issuesOf(await admin.client.post(url(), { data: { name: 'x', formId: bad } }))).toEqual([
        400,
        'data.formId InvalidFormat',
      ])
  })

  it('returns an address on the host of the space with a wildcard domain', async () => {
    const wildcard = await startInstallation({
      IMORI_URL: 'https://cms.example.com',
      IMORI_DOMAIN: 'example.net',
    })
    const { client } = await createAccount(wildcard)
    const own = await createSpace(client)
    const { form } = ok(await client.post(`${own.url}/form`, { data: { name: 'x' } }))
    expect(form.url).toBe(`https://${own.uid}.form.example.net/v1/${form.formId}`)
    await wildcard.close()
  })

  it.each([
    ['an unknown property', { color: 'red' }, 'data.color UnknownField'],
    ['an empty name', { name: ' ' }, 'data.name Required'],
    ['an invisible control in a name', { name: 'a\u202e' }, 'data.name InvalidCharacter'],
    ['a retention of no day', { retentionDays: 0 }, 'data.retentionDays TooSmallValue'],
    ['a script as the page of thanks', { thanksUrl: 'javascript:alert(1)' }, 'data.thanksUrl InvalidFormat'],
    ['NUL in the page of thanks', { thanksUrl: 'https://a.example/\u0000' }, 'data.thanksUrl InvalidFormat'],
    ['a lone surrogate', { thanksUrl: 'https://a.example/\ud800' }, 'data.thanksUrl InvalidFormat'],
    ['an origin without a protocol', { origins: ['example.com'] }, 'data.origins.0 InvalidFormat'],
    ['51 origins', { origins: Array(51).fill('https://a.example') }, 'data.origins TooManyItems'],
    ['a form id that is a number', { formId: 123456789 }, 'data.formId InvalidType'],
  ])('rejects %s with its path', async (_, data, issue) => {
    expect(issuesOf(await admin.client.post(url(), { data: { name: 'x', ...data } }))).toEqual([400, issue])
  })

  const text = { type: 'text', name: 'a', label }
  const options = [
    { value: 'a', label },
    { value: 'b', label },
  ]
  it.each([
    ['an unknown type', { type: 'password' }, 'type'],
    ['a look-around in a pattern', { ...text, pattern: '(?=a)' }, 'pattern'],
    ['a pattern that is too large', { ...text, pattern: '((a{100}){100}){100}' }, 'pattern'],
    ['lengths that exclude each other', { ...text, minLength: 3, maxLength: 2 }, 'maxLength'],
    ['bounds that exclude each other', { ...text, type: 'number', min: 2, max: 1 }, 'max'],
    [
      'bounds without an integer between',
      { ...text, type: 'number', min: 1.2, max: 1.8, integer: true },
      'max',
    ],
    ['a reserved name', { ...text, name: '_imori_token' }, 'name'],
    ['a label without a text', { ...text, label: { ja: ' ', en: '' } }, 'label'],
    ['more required boxes than options', { ...text, type: 'checkboxes', options, minItems: 3 }, 'minItems'],
    [
      'numbers of boxes that exclude each other',
      { ...text, type: 'checkboxes', options, minItems: 2, maxItems: 1 },
      'maxItems',
    ],
    [
      'duplicate values of options',
      { ...text, type: 'choice', options: [...options, options[0]] },
      'options.2.value',
    ],
    ['no options', { ...text, type: 'choice', options: [] }, 'options'],
    ['a script as the link of a consent', { ...text, type: 'consent', link: 'javascript:1' }, 'link'],
  ])('rejects %s with its path', async (_, field, path) => {
    const valid = (name: string) => ({ ...text, name })
    const fields = [valid('b'), valid('c'), field]
    const answer = await admin.client.post(url(), { data: { name: 'x', fields } })
    expect([answer.status, answer.body.issues.map((issue: { path: string }) => issue.path)]).toEqual([
      400,
      [`data.fields.2.${path}`],
    ])
  })

  it('rejects duplicate names, 101 fields, and fields that are too large in total', async () => {
    const field = (name: string, more = {}) => ({ ...text, name, ...more })
    const send = async (fields: object[]) =>
      issuesOf(await admin.client.post(url(), { data: { name: 'x', fields } }))
    expect(await send([field('a'), field('b'), field('a')])).toEqual([
      400,
      'data.fields.2.name DuplicatedValue',
    ])
    expect(await send(Array.from({ length: 101 }, (_, index) => field(`f${index}`)))).toEqual([
      400,
      'data.fields TooManyItems',
    ])
    const long = 'あ'.repeat(500)
    const large = Array.from({ length: 100 }, (_, index) =>
      field(`f${index}`, { help: { ja: long, en: long } }),
    )
    expect(await send(large)).toEqual([400, 'data.fields TooComplex'])
  })

  it('accepts exactly 200 forms, including those in the trash, when calls are concurrent', async () => {
    const own = await createSpace(admin.client)
    const id = await idOf(own)
    for (let count = 0; count < formLimits.perSpace - 2; count++)
      await insertForm(db(), id, { deletedAt: count % 2 ? new Date() : null })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => admin.client.post(`${own.url}/form`, { data: { name: 'x' } })),
    )
    expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([
      200,
      200,
      ...Array(3).fill('TooManyForms'),
    ])
  })
})

describe('insertForm', () => {
  it('returns false without an effect if another form of the space has the key', async () => {
    const { formId: key } = await create()
    const { thanksMessage, ...values } = formValues
    const form = { ...values, thanksMessage, id: '0'.repeat(24), key }
    expect(await forms.insertForm(db(), spaceScope(spaceId), form)).toBe(false)
    const rows = await db().selectFrom('form').select('id').where('key', '=', key).execute()
    expect(rows.filter(({ id }) => id === form.id)).toEqual([])
  })
})

describe('updateForm', () => {
  const change = (id: string, data: object) =>
    admin.client.put(`${url()}/${id}`, { data: { ...formValues, ...data } })

  it('replaces all properties, and records the old and new values', async () => {
    const fields = [{ type: 'text', name: 'a', label }]
    const reply = { ...formValues.reply, subject: label, body: label, enabled: true }
    const { _id, formId } = await create({ origins: ['https://a.example'], fields, reply })
    const changes = { name: '新しい名前', enabled: false, fields, reply, version: 1 }
    const { fields: stored, ...changed } = ok(await change(_id, changes)).form
    expect(stored).toMatchObject(fields)
    const { fields: _, ...others } = formValues
    expect(changed).toMatchObject({
      ...others,
      name: '新しい名前',
      enabled: false,
      reply,
      version: 2,
      formId,
    })
    expect((await entries())[0]).toMatchObject({
      act: 'form.update',
      object: { _id, name: '新しい名前' },
      details: {
        changes: [
          { key: 'name', before: 'お問い合わせ', after: '新しい名前' },
          { key: 'enabled', before: true, after: false },
          { key: 'origins', before: ['https://a.example'], after: [] },
        ],
      },
    })
  })

  it('rejects another version than the current one, so that one of two concurrent calls succeeds', async () => {
    const { _id } = await create()
    const both = await Promise.all(['a', 'b'].map((name) => change(_id, { name, version: 1 })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await change(_id, { version: 1 })).body).toMatchObject({ code: 'VersionConflict', current: 2 })
    expect((await change(_id, {})).status).toBe(400)
  })

  it('rejects a shorter retention by a member who may not delete submissions', async () => {
    const manager = await memberWith('form.read', 'form.manage')
    const { _id } = await create({ retentionDays: 30 })
    const send = (retentionDays: number | null, version: number) =>
      manager.client.put(`${url()}/${_id}`, { data: { ...formValues, retentionDays, version } })
    expect(issuesOf(await send(29, 1))).toEqual([403, 'data.retentionDays NotAllowed'])
    ok(await send(30, 1))
    ok(await send(null, 2))
    expect((await send(3650, 3)).status).toBe(403)
  })
})

describe('deleteForm and restoreForm', () => {
  it('move a form to the trash and back, with events and audit entries', async () => {
    const { _id } = await create({ name: '消すフォーム' })
    const one = `${url()}/${_id}`
    ok(await admin.client.delete(one))
    const ids = async (query = '') =>
      ok(await admin.client.get(url() + query)).forms.map((form: { _id: string }) => form._id)
    expect(await ids()).not.toContain(_id)
    expect(await ids('?trash=true')).toContain(_id)
    expect(ok(await admin.client.get(one)).form.deletedAt).toEqual(expect.any(String))
    expect((await admin.client.delete(one)).status).toBe(404)
    expect((await admin.client.put(one, { data: { ...formValues, version: 1 } })).status).toBe(404)
    for (let repeated = 0; repeated < 2; repeated++)
      expect(ok(await admin.client.post(`${one}:restore`)).form).toMatchObject({ _id, deletedAt: null })
    expect(await ids()).toContain(_id)
    expect((await entries()).slice(0, 3)).toMatchObject([
      { act: 'form.restore', object: { _id, name: '消すフォーム' } },
      { act: 'form.restore', object: { _id } },
      { act: 'form.delete', object: { _id, name: '消すフォーム' } },
    ])
    const events = await db().selectFrom('event').selectAll().where('space_id', '=', spaceId).execute()
    const types = events.filter(({ payload }) => payload.formId === _id).map(({ type }) => type)
    expect(types).toEqual(['form.created', 'form.deleted', 'form.restored'])
  })

  it('return 404 for forms of another space and for malformed ids', async () => {
    const stranger = await createAccount(installation)
    const foreign = await createSpace(stranger.client)
    const { _id } = await create()
    for (const id of [_id, '0'.repeat(24), 'none', '%00', "'--"]) {
      const one = `${foreign.url}/form/${id}`
      for (const { status } of [
        await stranger.client.get(one),
        await stranger.client.put(one, { data: { ...formValues, version: 1 } }),
        await stranger.client.delete(one),
        await stranger.client.post(`${one}:restore`),
      ])
        expect([id, status]).toEqual([id, 404])
    }
    expect(ok(await admin.client.get(`${url()}/${_id}`)).form).toMatchObject({ version: 1, deletedAt: null })
  })
})

describe('the rights on forms', () => {
  it('allow each call to members with the right only, and not to roles of apps', async () => {
    const { _id } = await create()
    const one = `${url()}/${_id}`
    const app = await createApp(admin.client, space)
    const calls = {
      list: (account: TestAccount) => account.client.get(url()),
      get: (account: TestAccount) => account.client.get(one),
      create: (account: TestAccount) => account.client.post(url(), { data: { name: 'x' } }),
      delete: (account: TestAccount) => account.client.delete(one),
      restore: (account: TestAccount) => account.client.post(`${one}:restore`),
    }
    const statuses = async (account: TestAccount) => {
      const results: Record<string, number> = {}
      for (const [name, call] of Object.entries(calls)) results[name] = (await call(account)).status
      return results
    }
    const none = { list: 403, get: 403, create: 403, delete: 403, restore: 403 }
    const inApp = { admin: admin.client, url: app.url, role: 'app-Admin' }
    expect(await statuses(await createMember(installation, space, 'pjt-Member', inApp))).toEqual(none)
    const reader = await memberWith('form.read')
    expect(await statuses(reader)).toEqual({ ...none, list: 200, get: 200 })
    expect(await statuses(await memberWith('form.read', 'form.manage'))).toEqual({
      ...none,
      list: 200,
      get: 200,
      create: 200,
    })
    const manager = await memberWith('form.read', 'form.manage', 'submission.read', 'submission.manage')
    expect(await statuses(manager)).toEqual({ list: 200, get: 200, create: 200, delete: 200, restore: 200 })
    const viewing = await admin.client.get(one, { 'x-imori-view-as': reader.memberId })
    expect(ok(viewing).form.newSubmissions).toBeNull()
  })

  it('include the number and time of submissions only with submission.read', async () => {
    const { id } = await insertForm(db(), spaceId)
    const at = new Date('2026-01-02T03:04:05.678Z')
    await insertSubmission(db(), spaceId, id, { receivedAt: at, state: 'spam' })
    for (const state of ['new', 'new', 'done'] as const)
      await insertSubmission(db(), spaceId, id, { receivedAt: new Date(0), state })
    await insertSubmission(db(), spaceId, id, { receivedAt: new Date(0), deletedAt: new Date() })
    const seen = async (account: TestAccount) => {
      const { form } = ok(await account.client.get(`${url()}/${id}`))
      const listed = ok(await account.client.get(url())).forms.find((one: { _id: string }) => one._id === id)
      expect(listed).toEqual(form)
      return [form.newSubmissions, form.lastReceivedAt]
    }
    expect(await seen(await memberWith('form.read', 'submission.read'))).toEqual([2, at.toISOString()])
    expect(await seen(await memberWith('form.read', 'form.manage'))).toEqual([null, null])
  })
})
