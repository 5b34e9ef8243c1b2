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

describe('creating or changing a model', () => {
  const bad: [string, Loose, string, string][] = [
    ['no uid', { name: 'x', type: 'TEXT' }, 'uid', 'Required'],
    ['a uid with a space', text('a b'), 'uid', 'InvalidFormat'],
    ['a Japanese uid', text('題'), 'uid', 'InvalidFormat'],
    ['a uid of 65 characters', text('a'.repeat(65)), 'uid', 'TooManyCharacters'],
    ['a uid with NUL', { ...text('a'), uid: 'a\u0000' }, 'uid', 'InvalidFormat'],
    ['the uid _id', text('_id'), 'uid', 'ReservedWord'],
    ['the uid _sys', text('_sys'), 'uid', 'ReservedWord'],
    ['the uid select', text('select'), 'uid', 'ReservedWord'],
    ['the uid or', text('or'), 'uid', 'ReservedWord'],
    ['the uid __proto__', text('__proto__'), 'uid', 'ReservedWord'],
    ['the uid constructor', text('constructor'), 'uid', 'ReservedWord'],
    ['an unknown type', { ...text('a'), type: 'IMAGINARY' }, 'type', 'NonExistentFieldType'],
    ['a type with the name of a method', { ...text('a'), type: 'toString' }, 'type', 'NonExistentFieldType'],
    ['an unknown setting', text('a', { color: 'red' }), 'color', 'UnknownField'],
    ['a setting of another type', text('a', { min: 1 }), 'min', 'UnknownField'],
    ['a setting with a value of the wrong type', text('a', { maxLength: '5' }), 'maxLength', 'InvalidType'],
    ['a negative length', text('a', { minLength: -1 }), 'minLength', 'TooSmallValue'],
    [
      'lengths that exclude each other',
      text('a', { minLength: 5, maxLength: 4 }),
      'maxLength',
      'TooSmallValue',
    ],
    ['items that exclude each other', text('a', { minItems: 5, maxItems: 4 }), 'maxItems', 'TooSmallValue'],
    ['an invalid pattern', text('a', { pattern: '(' }), 'pattern', 'InvalidFormat'],
    ['a pattern with a lookahead', text('a', { pattern: '(?=x)' }), 'pattern', 'InvalidFormat'],
    [
      'a pattern that is too large',
      text('a', { pattern: '((x{100}){100}){100}' }),
      'pattern',
      'InvalidFormat',
    ],
    ['a pattern with NUL', text('a', { pattern: 'x\u0000' }), 'pattern', 'InvalidValue'],
    ['a pattern with a lone surrogate', text('a', { pattern: '\ud800' }), 'pattern', 'InvalidValue'],
    ['a name with NUL', text('a', { name: 'x\u0000' }), 'name', 'InvalidCharacter'],
    [
      'a description with a lone surrogate',
      text('a', { description: '\ud800' }),
      'description',
      'InvalidValue',
    ],
    ['an unknown _id', text('a', { _id: 'f'.repeat(24) }), '_id', 'InvalidValue'],
    ['an invalid _id', text('a', { _id: 'x' }), '_id', 'InvalidFormat'],
    [
      'numbers that exclude each other',
      { uid: 'n', name: 'n', type: 'NUMBER', min: 2, max: 1 },
      'max',
      'TooSmallValue',
    ],
    ['a number beyond 2^53', { uid: 'n', name: 'n', type: 'NUMBER', max: 2 ** 53 }, 'max', 'TooLargeValue'],
    ['a step of 0', { uid: 'n', name: 'n', type: 'NUMBER', step: 0 }, 'step', 'TooSmallValue'],
    ['multiple numbers', { uid: 'n', name: 'n', type: 'NUMBER', multiple: true }, 'multiple', 'InvalidValue'],
    ['a unique checkbox', { uid: 'n', name: 'n', type: 'CHECKBOX', unique: true }, 'unique', 'InvalidValue'],
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
    ['a reference without a model', { uid: 'r', name: 'r', type: 'REFERENCE' }, 'modelUid', 'Required'],
    [
      'a reference to an unknown model',
      { uid: 'r', name: 'r', type: 'REFERENCE', modelUid: 'nowhere' },
      'modelUid',
      'InvalidValue',
    ],
  ]
  it.each(bad)('rejects a field with %s', async (_name, field, path, code) => {
    const answer = await create({ uid: unique('model'), fields: [text('sound'), field] })
    expect([answer.status, answer.body.code]).toEqual([400, 'ValidationFailed'])
    expect(answer.body.issues).toEqual([expect.objectContaining({ path: `data.fields.1.${path}`, code })])
  })

  it('reports all invalid fields in one response', async () => {
    const fields = [text('a'), text('a'), text('or'), { uid: 'n', name: 'n', type: 'NUMBER', unknown: 1 }]
    const answer = await create({ uid: unique('model'), fields })
    expect(answer.body.issues).toEqual([
      { path: 'data.fields.1.uid', code: 'DuplicatedValue' },
      { path: 'data.fields.2.uid', code: 'ReservedWord' },
      { path: 'data.fields.3.unknown', code: 'UnknownField' },
    ])
  })

  it('rejects more than 200 fields', async () => {
    const fields = Array.from({ length: 201 }, (_, n) => text(`f${n}`))
    expect((await create({ uid: unique('model'), fields })).status).toBe(400)
    ok(await create({ uid: unique('model'), fields: fields.slice(1) }))
  })

  it("rejects the `_id` of another model's field, and the same `_id` twice", async () => {
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
    'rejects the model uid %j',
    async (uid) => {
      const answer = await create({ uid })
      expect([answer.status, answer.body.issues[0].path]).toEqual([400, 'data.uid'])
    },
  )
})
