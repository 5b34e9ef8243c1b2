import { afterAll, beforeAll, expect, it } from 'vitest'
import { onBehalf } from '#server/access/callers/job.ts'
import { enter } from '#server/access/enter.ts'
import { newId } from '#server/lib/ids.ts'
import { createAccount, createApp, createModel, createSpace, type TestAccount } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { readDocument } from '../documents.service.ts'

let installation: TestInstallation
let owner: TestAccount
let client: Client
let space: { uid: string; url: string }
let app: { uid: string; url: string }

beforeAll(async () => {
  installation = await startInstallation()
  owner = await createAccount(installation)
  client = owner.client
  space = await createSpace(client)
  app = await createApp(client, space)
})
afterAll(() => installation?.close())

/** Reads an article in a job on behalf of the owner. Returns the code of the error, if it is refused. */
function readInJob(id: string, stage: 'published' | 'draft', options?: { depth: number }) {
  const server = { db: installation.database.kysely, services: installation.deps.services }
  const caller = onBehalf({ kind: 'job', id: newId(), name: 'test.read', askedBy: owner.id })
  return enter(server, caller, { space: space.uid, app: app.uid }, 'document.read', (ctx) =>
    readDocument(ctx, 'article', id, stage, options),
  ).catch(({ code }: { code: string }) => code)
}

it('readDocument returns a document in a job as the delivery API does, for both stages', async () => {
  const title = { uid: 'title', name: '題', type: 'TEXT' } as const
  const authors = await createModel(client, app, 'author', [title])
  const articles = await createModel(client, app, 'article', [
    title,
    { uid: 'by', name: '著者', type: 'REFERENCE', modelUid: 'author' },
  ])
  const write = async (url: string, document: object, type = 'PUBLISH'): Promise<string> =>
    ok(await client.post(`${url}/doc`, { document, type })).document._id
  const by = await write(authors.url, { title: '著者' })
  const id = await write(articles.url, { title: '公開', by })
  ok(await client.put(`${authors.url}/doc/${by}`, { doc: { title: '著者の下書き' } }))
  ok(await client.put(`${articles.url}/doc/${id}`, { doc: { title: '下書き' } }))

  const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
  const headers = { authorization: `Bearer ${cdnToken.token}` }
  const published = await readInJob(id, 'published')
  expect(published).toMatchObject({ title: '公開', by: { title: '著者' } })
  const site = await installation.visitor().get(`/v1/${app.uid}/article/${id}?depth=1`, headers)
  expect(published).toEqual(ok(site))
  const draft = await readInJob(id, 'draft')
  expect(draft).toMatchObject({ title: '下書き', by: { title: '著者の下書き' } })
  expect(draft).toEqual(ok(await client.get(`${articles.url}/doc/${id}/api`)).document)
  expect(await readInJob(id, 'draft', { depth: 0 })).toMatchObject({ by })

  const unpublished = await write(articles.url, { title: '未公開' }, 'SAVE')
  expect(await readInJob(unpublished, 'published')).toBe('NotFound')
  expect(await readInJob(unpublished, 'draft')).toMatchObject({ title: '未公開' })
  expect(await readInJob('nonsense', 'draft')).toBe('InvalidContentId')
})
