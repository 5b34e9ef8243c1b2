import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createSpace, type TestAccount, unique } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { articles } from './blog-articles.ts'

let installation: TestInstallation
let admin: TestAccount
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
})
afterAll(() => installation?.close())

type Doc = Record<string, unknown> & {
  _id: string
  title: string
  body: string
  _sys: Record<string, string>
}

describe('the sample blog', () => {
  let url: string
  let documents: Doc[]
  beforeAll(async () => {
    const uid = unique('sample')
    ok(
      await admin.client.post('/api/project', {
        project: { uid, name: 'はじめてのスペース' },
        template: 'blog',
      }),
    )
    url = `/api/project/${uid}/app/blog`
    documents = ok(
      await admin.client.get(`${url}/model/article/doc?limit=100&order=-_sys.createdAt`),
    ).documents
  })

  it('is an app with three models and every type of field', async () => {
    expect(ok(await admin.client.get(url)).app).toMatchObject({
      name: 'ブログ',
      icon: { value: '🦎' },
      joined: true,
    })
    const { models } = ok(await admin.client.get(`${url}/model`))
    expect(models.map((model: { uid: string }) => model.uid)).toEqual(['article', 'author', 'category'])
    expect(models.map((model: { documentCount: number }) => model.documentCount)).toEqual([12, 3, 4])
    expect(models[0].publishedCount).toBe(11)
    const types = models.flatMap((model: { fields: { type: string }[] }) =>
      model.fields.map((field) => field.type),
    )
    expect([...new Set(types)].sort()).toEqual(
      ['CHECKBOX', 'DATE', 'MARKDOWN', 'NUMBER', 'REFERENCE', 'RICH_TEXT', 'SELECT', 'TEXT'].sort(),
    )
  })

  it('has twelve articles that meet their own rules, kept as they were written', async () => {
    expect(documents).toHaveLength(12)
    for (const document of documents) {
      const { _id, _sys, ...doc } = document
      const verdict = ok(await admin.client.post(`${url}/model/article/doc/validate`, { doc }))
      // Its own slug is taken, by itself: reserved where it is published.
      const taken = document._sys.status === 'draft' ? verdict.warnings : verdict.issues
      expect(taken).toEqual([{ path: 'slug', code: 'DuplicatedValue' }])
      expect(verdict.issues.length + verdict.warnings.length).toBe(1)
      expect(document.body).toBe(articles.find((article) => article.slug === document.slug)?.body.join(''))
      expect(document.body.replace(/<[^>]+>/g, '').length).toBeGreaterThan(300)
    }
    for (const model of ['author', 'category'])
      for (const { _sys } of ok(await admin.client.get(`${url}/model/${model}/doc`)).documents)
        expect(_sys.status).toBe('published')
  })

  it('is published, but for a draft, and one article has newer edits', () => {
    const statuses = documents.map((document) => document._sys.status)
    expect(statuses.filter((status) => status === 'draft')).toHaveLength(1)
    expect(statuses.filter((status) => status === 'changed')).toHaveLength(1)
    const times = documents.flatMap((document) => document._sys.publishedAt ?? [])
    expect(new Set(times).size).toBe(11)
    expect([...times].sort().reverse()).toEqual(times)
    for (const document of documents)
      if (document._sys.publishedAt)
        expect(String(document.publishedOn).slice(0, 10)).toBe(
          new Date(new Date(document._sys.publishedAt).getTime() + 9 * 3_600_000).toISOString().slice(0, 10),
        )
  })

  it('links its articles to authors and a category', async () => {
    const [newest] = documents.filter((document) => document._sys.status === 'published')
    const preview = ok(await admin.client.get(`${url}/model/article/doc/${newest?._id}/api?depth=1`)).document
    expect(preview.category).toMatchObject({ name: '季節', slug: 'seasons' })
    expect(preview.authors.map((author: { name: string }) => author.name)).toEqual(['早瀬みなと', '野々村拓'])
  })

  it('tells of each write where it came from', async () => {
    const rows = await installation.database.kysely
      .selectFrom('revision')
      .select(['source', 'kind'])
      .execute()
    expect(rows).toHaveLength(3 + 4 + 12 + 1)
    expect(rows.every((row) => row.source === 'sample')).toBe(true)
  })

  it('was written by a job that its admin asked for, whose documents are theirs', async () => {
    const events = await installation.database.kysely
      .selectFrom('event')
      .select(['actor_kind', 'actor_name', 'actor_id'])
      .where('document_id', 'is not', null)
      .execute()
    expect(events.length).toBeGreaterThanOrEqual(3 + 4 + 12 + 1)
    for (const event of events)
      expect(event).toEqual({ actor_kind: 'job', actor_name: 'sample', actor_id: admin.id })
    for (const { _sys } of documents) expect(_sys.createdBy).toEqual({ _id: admin.id, name: admin.name })
  })
})

describe('the template of an app', () => {
  it('fills an app beside those that are there, under a uid that is free', async () => {
    const space = await createSpace(admin.client)
    await createApp(admin.client, space, 'blog')
    const make = async () =>
      ok(
        // A base version in the request's header is not about these documents.
        await admin.client.post(`${space.url}/app`, { appTemplateId: 'blog' }, { 'if-match': '"7"' }),
      ).app.uid
    expect([await make(), await make()]).toEqual(['blog-2', 'blog-3'])
    const { models } = ok(await admin.client.get(`${space.url}/app/blog-3/model`))
    expect(models.map((model: { documentCount: number }) => model.documentCount)).toEqual([12, 3, 4])
  })

  it('leaves nothing of a space whose uid is taken', async () => {
    const { uid } = await createSpace(admin.client)
    const count = async () =>
      (await installation.database.kysely.selectFrom('document').select('id').execute()).length
    const before = await count()
    const answer = await admin.client.post('/api/project', { project: { uid, name: 'x' }, template: 'blog' })
    expect(answer.status).toBe(409)
    expect(await count()).toBe(before)
  })
})
