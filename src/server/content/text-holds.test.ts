/** @module-tag full */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { shortestHold } from '#test/loop-delay.ts'
import { type OutsideAnswer, type OutsideClient, openOutsideClient } from '#test/outside-client.ts'
import { type Client, type Method, ok, startInstallation, type TestInstallation } from '#test/server.ts'

/*
 * Hostile texts of up to a megabyte do not block the event loop when they are saved, validated, published, read or used
 * in queries.
 */

let installation: TestInstallation
let client: Client
let outside: OutsideClient
let docs: string
let delivered: string
let headers: Record<string, string>
beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  const space = await createSpace(client)
  const app = await createApp(client, space)
  const model = await createModel(client, app, 'texts', [
    { uid: 'title', name: '題', type: 'TEXT', unique: true },
    { uid: 'body', name: '本文', type: 'RICH_TEXT', minLength: 1, maxLength: 500_000 },
    { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
    { uid: 'codes', name: '符号', type: 'TEXT', multiple: true, minLength: 1, maxLength: 20_000 },
    { uid: 'color', name: '色', type: 'COLOR' },
  ])
  docs = `${model.url}/doc`
  delivered = `/v1/${app.uid}/texts`
  const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
  headers = { authorization: `Bearer ${cdnToken.token}` }
  outside = await openOutsideClient(installation, client)
})
afterAll(async () => {
  await outside?.close()
  await installation?.close()
})

/** Expects that at least one attempt of this request blocks the event loop for less time than a busy loop of 100 ms. */
async function expectShort(
  what: string,
  request: (attempt: number) => Promise<OutsideAnswer>,
): Promise<OutsideAnswer> {
  let attempt = 0
  const { result, held, milliseconds } = await shortestHold(
    () => request(attempt++),
    process.env.IMORI_TEST_HOLDS ? 1 : undefined,
  )
  if (process.env.IMORI_TEST_HOLDS)
    process.stdout.write(`${milliseconds.toFixed(0).padStart(6)} ms ${held.toFixed(2)} ${what}\n`)
  else expect([what, held < 1]).toEqual([what, true])
  return result
}

const marks = '\u0301\u0316'.repeat(15)
const hostile: { name: string; values: Record<string, unknown> }[] = [
  { name: 'ampersands', values: { body: '&'.repeat(200_000) } },
  { name: 'ligatures that become 18 times longer', values: { memo: '\ufdfa'.repeat(290_000) } },
  { name: 'ligatures in a unique field', values: { title: '\ufdfa'.repeat(290_000) } },
  { name: 'runs of combining marks', values: { title: `a${marks}`.repeat(16_000) } },
  {
    name: 'many texts with a limited length',
    values: { codes: Array.from({ length: 26 }, (_, index) => `${index}${'か\u3099'.repeat(6_000)}`) },
  },
  { name: 'beginnings of asset addresses', values: { memo: '.assets'.repeat(145_000) } },
  {
    name: 'asset addresses',
    values: { memo: Array.from({ length: 21_000 }, () => `a.assets/v1/${'a'.repeat(24)}/ .assets`).join('') },
  },
]

describe.each(hostile)('a document with $name', ({ name, values }) => {
  const documentOf = (attempt: number, kind: string) => {
    const { title = '' } = values
    return { ...values, title: `${name} ${kind} ${attempt} ${title}` }
  }
  const create = (kind: string, type: 'SAVE' | 'PUBLISH') => (attempt: number) =>
    outside.send('POST', docs, JSON.stringify({ document: documentOf(attempt, kind), type }))

  it('does not block the event loop for more than about 100 ms when saved, validated, published and read', async () => {
    expect((await expectShort('save', create('save', 'SAVE'))).status).toBe(200)
    const check = (attempt: number) =>
      outside.send('POST', `${docs}/validate`, JSON.stringify({ doc: documentOf(attempt, 'check') }))
    const checked = await expectShort('check', check)
    expect([checked.status, checked.text]).toEqual([200, expect.stringContaining('"isValid":true')])
    const [uid = '', value] = Object.entries(values)[0] ?? []
    const checkField = () =>
      outside.send('POST', `${docs}/validateField`, JSON.stringify({ field: uid, value }))
    expect((await expectShort('check a field', checkField)).status).toBe(200)
    const published = await expectShort('publish', create('publish', 'PUBLISH'))
    expect(published.status).toBe(200)
    const newest = await client.get(`${delivered}?select=color&order=-_sys.createdAt&limit=1`, headers)
    const id = ok(newest).items[0]._id
    const read = (url: string) => () => outside.send('GET', url, undefined, headers)
    const format = 'body' in values ? 'body[fmt]=text' : 'memo[fmt]=text'
    for (const url of [`${delivered}/${id}?${format}`, `${delivered}?_id=${id}&${format}`]) {
      const answer = await expectShort(url, read(url))
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    }
  })
})

describe('a hostile text', () => {
  const ligatures = (count: number) => encodeURIComponent('\ufdfa'.repeat(count))
  // Raw text, as sent by a client that does not encode its URL.
  const raw = (count: number) => Buffer.from('\ufdfa'.repeat(count)).toString('latin1')
  const marked = encodeURIComponent(`a${marks}`.repeat(40))
  const queries: [string, string, number][] = [
    ['search', `search=${ligatures(200)}`, 400],
    ['search', `search=${ligatures(800)}`, 400],
    ['marks', `search=${marked}`, 400],
    ['match', `title[match]=${ligatures(200)}`, 200],
    ['match', `title[match]=${ligatures(800)}`, 400],
    ['match', `title[match]=${raw(2_600)}`, 400],
    ['equal', `title=${ligatures(800)}`, 200],
    ['equal', `title=${raw(2_600)}`, 200],
    ['in', `title[in]=${ligatures(400)},a${ligatures(400)}`, 200],
    ['color', `color=${raw(2_600)}`, 400],
  ]
  const lists: [string, () => string, () => Record<string, string> | undefined][] = [
    ['members', () => docs, () => undefined],
    ['sites', () => delivered, () => headers],
  ]
  it.each(lists)(
    'does not block the event loop for more than about 100 ms in queries sent by %s',
    async (_, url, given) => {
      for (const [name, query, status] of queries) {
        if (name !== 'match' && name !== 'equal' && name !== 'in' && url() === delivered) continue
        const ask = () => outside.send('GET', `${url()}?${query}`, undefined, given())
        const answer = await expectShort(`${name} ${query.length}`, ask)
        expect([query.slice(0, 30), answer.status, answer.text.slice(0, 200)]).toEqual([
          query.slice(0, 30),
          status,
          expect.any(String),
        ])
      }
    },
  )

  it('does not block the event loop for more than about 100 ms when a color field rejects it', async () => {
    const send = (method: Method, url: string, body: unknown) => () =>
      outside.send(method, url, JSON.stringify(body))
    const color = '\ufdfa'.repeat(290_000)
    const answer = await expectShort('color', send('POST', docs, { document: { title: 'x', color } }))
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('InvalidFormat')])
  })
})
