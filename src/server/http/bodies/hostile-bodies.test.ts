import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { shortestHold } from '#test/loop-delay.ts'
import { type Answer, type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

/*
 * Requests of a member must not block the event loop for longer than a busy loop of about 100 ms, whatever their body
 * contains.
 */

let installation: TestInstallation
let client: Client
let model: { url: string }
let app: { uid: string; url: string }
let headers: Record<string, string>

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  const space = await createSpace(client)
  app = await createApp(client, space)
  model = await createModel(client, app, 'text', [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'tags', name: '札', type: 'TEXT', multiple: true },
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
    { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
    { uid: 'code', name: '埋め込み', type: 'EMBED' },
  ])
  const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
  headers = { authorization: `Bearer ${cdnToken.token}` }
})
afterAll(() => installation?.close())

const times = (count: number, make: (index: number) => string, between = ',') =>
  Array.from({ length: count }, (_, index) => make(index)).join(between)
const megabytes = (count: number, text: string) => text.repeat(Math.floor((count * 1_000_000) / text.length))

/**
 * Bodies with the expected status. `any`: 200, 400 or 413, because the limits of texts and of their HTML may also
 * apply.
 */
const bodies: [name: string, status: number | 'any', body: () => string][] = [
  ['an object of 60,000 keys', 400, () => `{"document":{${times(60_000, (key) => `"k${key}":1`)}}}`],
  ['an object of 9,000 keys', 400, () => `{"document":{${times(9_000, (key) => `"k${key}":1`)}}}`],
  ['empty objects', 400, () => `{"document":{"tags":[${megabytes(3.9, '{},')}{}]}}`],
  ['99,000 values', 400, () => `{"document":{"tags":[${times(99_000, () => '"a"')}]}}`],
  [
    '99,000 values of an unknown field',
    400,
    () => `{"document":{"none":[${times(99_000, () => '1')}],"title":5}}`,
  ],
  ['1,900,000 nested arrays', 400, () => `{"document":${'['.repeat(1_900_000)}${']'.repeat(1_900_000)}}`],
  ['minus signs', 400, () => `{"document":${megabytes(3.9, '-')}}`],
  ['digits', 400, () => `{"document":${megabytes(3.9, '1')}}`],
  ['digits after a decimal point', 400, () => `{"document":0.${megabytes(3.9, '0')}1}`],
  ['an exponent of many digits', 400, () => `{"document":1e${megabytes(3.9, '9')}}`],
  ['quotation marks', 400, () => `{"document":${megabytes(3.9, '"')}}`],
  ['escape sequences', 'any', () => `{"document":{"title":"${megabytes(3.8, '\\u0061')}"}}`],
  ['a forbidden key', 400, () => `{"document":{"constructor":1,"tags":[${times(90_000, () => '1')}]}}`],
  [
    'a number that is too long, after a long text',
    400,
    () => `{"document":{"title":"${megabytes(3.8, 'a')}","n":12345678901234567890}}`,
  ],
  ['a text of a megabyte', 200, () => `{"document":{"title":"${'あ'.repeat(330_000)}"}}`],
  [
    'rich text of a megabyte',
    'any',
    () => JSON.stringify({ document: { body: megabytes(0.9, '<p>a<b>b</b></p>') } }),
  ],
  ['nested rich text', 'any', () => JSON.stringify({ document: { body: '<div>'.repeat(150_000) } })],
  [
    'rich text of 2,000 open tags',
    200,
    () => JSON.stringify({ document: { title: '題', body: ' <b>'.repeat(2_000) } }),
  ],
  [
    'an embed code of 2,000 open tags',
    400,
    () => JSON.stringify({ document: { title: '題', code: ' <b>'.repeat(2_000) } }),
  ],
  ['Markdown of brackets', 'any', () => JSON.stringify({ document: { memo: '['.repeat(900_000) } })],
  ['Markdown of emphasis', 'any', () => JSON.stringify({ document: { memo: '*a_ '.repeat(220_000) } })],
]

describe('a request body that is expensive to process', { tags: ['full'] }, () => {
  it.each(bodies)('does not block the event loop for more than about 100 ms: %s', async (_, status, body) => {
    const text = body()
    await expectShortHold(() => client.post(`${model.url}/doc`, text), status)
  })
})

it('an object with too many keys is rejected with TooManyItems', async () => {
  const body = `{"document":{${times(10_001, (key) => `"k${key}":1`)}}}`
  const { status, text } = await client.post(`${model.url}/doc`, body)
  expect([status, text]).toEqual([400, expect.stringContaining('TooManyItems')])
})

describe('a request with large values', { tags: ['full'] }, () => {
  it('does not block the event loop for more than about 100 ms when it checks one field', async () => {
    const value = Array.from({ length: 90_000 }, () => 'a')
    await expectShortHold(() => client.post(`${model.url}/doc/validateField`, { field: 'tags', value }), 200)
  })

  it('does not block the event loop for more than about 100 ms when it sends a model with 5,000 fields', async () => {
    const { model: known } = ok(await client.get(model.url))
    const fields = Array.from({ length: 5_000 }, (_, index) => ({
      uid: `f${index}`,
      name: `${index}`,
      type: 'TEXT',
    }))
    await expectShortHold(
      () => client.put(model.url, { data: { ...known, fields: [...known.fields, ...fields] } }),
      400,
    )
  })

  it('does not block the event loop for more than about 100 ms when it searches or filters', async () => {
    const path = `/v1/${app.uid}/text`
    const long = 'あ'.repeat(6_000)
    for (const query of [
      `search=${encodeURIComponent(long)}`,
      `title[match]=${encodeURIComponent('('.repeat(15_000))}`,
      `or=${encodeURIComponent('('.repeat(15_000))}`,
      `or=${encodeURIComponent(`(${times(4_000, (index) => `[title]=${index}`, ';')})`)}`,
      times(10_000, (index) => `a${index}=1`, '&'),
      `title[in]=${times(20_000, () => 'a')}`,
    ])
      await expectShortHold(() => client.get(`${path}?${query}`, headers), 400)
    const found = await client.get(`${model.url}/doc?search=${encodeURIComponent(long)}`)
    expect(found.status).toBeLessThan(500)
  })
})

async function expectShortHold(request: () => Promise<Answer>, status: number | 'any'): Promise<void> {
  const { result, held, milliseconds } = await shortestHold(request)
  if (process.env.IMORI_TEST_HOLDS) process.stdout.write(`${milliseconds.toFixed(0).padStart(6)} ms\n`)
  if (status === 'any') expect([200, 400, 413]).toContain(result.status)
  else expect(result.status, result.text.slice(0, 500)).toBe(status)
  expect(held).toBeLessThan(1)
}
