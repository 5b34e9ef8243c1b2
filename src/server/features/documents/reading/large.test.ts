/** @module-tag full */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

/** Number of documents of 1 MB: more than a response may keep in memory. */
const count = 40

let installation: TestInstallation
let client: Client
let docs: string
let referrer: string

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  const app = await createApp(client, await createSpace(client))
  const large = await createModel(client, app, 'large', [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'body', name: '本文', type: 'TEXT' },
  ])
  const other = await createModel(client, app, 'other', [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'all', name: '全部', type: 'REFERENCE', modelUid: 'large', multiple: true },
  ])
  docs = `${large.url}/doc`
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const document = { title: `大 ${n}`, body: 'a'.repeat(1_000_000) }
    ids.push(ok(await client.post(docs, { document })).document._id)
  }
  const { document } = ok(await client.post(`${other.url}/doc`, { document: { title: 't', all: ids } }))
  referrer = `${other.url}/doc/${document._id}`
})
afterAll(() => installation?.close())

it('a page of 40 documents of 1 MB is rejected, and a page of 20 documents is returned', async () => {
  const answer = await client.get(`${docs}?limit=100`)
  expect([answer.status, answer.body.code]).toEqual([400, 'InvalidQueryParameter'])
  expect(answer.body.issues).toEqual([{ path: 'limit', code: 'InvalidValue' }])
  const page = ok(await client.get(`${docs}?limit=20&order=title`))
  expect([page.documents.length, page.total]).toEqual([20, count])
  expect(ok(await client.get(`${docs}?limit=100&title=%E5%A4%A7%207`)).documents[0].body).toHaveLength(
    1_000_000,
  )
})

it('a preview with 40 references to documents of 1 MB is rejected, and returned with depth 0', async () => {
  const answer = await client.get(`${referrer}/api?depth=1`)
  expect([answer.status, answer.body.code]).toEqual([400, 'InvalidQueryParameter'])
  expect(answer.body.issues).toEqual([{ path: 'depth', code: 'InvalidValue' }])
  expect(ok(await client.get(`${referrer}/api?depth=0`)).document.all).toHaveLength(count)
})
