import { createClient } from 'newt-client-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { isFull } from '#test/full-length.ts'
import { findViolations } from '#test/invariants.ts'
import { runNow, runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { shippedTemplates } from './shipped/index.ts'
import { cleanUpTemplatesJob, fillAppJob, saveTemplateJob } from './templates.jobs.ts'
import { shippedApp } from './templates.shipped.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

type Loose = Record<string, unknown>
type Doc = Loose & { _id: string; _sys: Record<string, string> }

async function make(body: Loose, into = space) {
  const { app, job } = ok(await admin.client.post(`${into.url}/app`, body))
  expect(job).toMatch(/^[0-9a-f]{24}$/)
  await runWaiting(installation, fillAppJob)
  const [done] = ok(await admin.client.get(`${into.url}/job?id=${job}`)).jobs
  expect([done.state, done.error]).toEqual(['done', null])
  return app as { uid: string; name: string; cover: { value: string } | null; icon: Loose }
}

/** Returns newt-client-js with a token that also reads drafts. */
async function newtClient() {
  const issued = ok(await admin.client.post(`${space.url}/apiToken`, { data: { name: 'site' } }))
  return createClient({
    spaceUid: space.uid,
    token: issued.apiToken.token,
    apiType: 'api',
    fetch: (async (url: string, init: { headers: Record<string, string> }) => {
      const { pathname, search } = new URL(url)
      const answer = await installation.server.inject({ url: pathname + search, headers: init.headers })
      return new Response(answer.body, { status: answer.statusCode })
    }) as unknown as typeof fetch,
  })
}

describe('built-in templates', () => {
  it('are ten, each with a cover and with names in Japanese and English', async () => {
    const url = `${space.url}/appTemplate`
    const { appTemplates } = ok(await admin.client.get(url))
    expect(appTemplates.map(({ _id }: { _id: string }) => _id)).toEqual([
      'blog',
      'corporate',
      'landing',
      'news',
      'shop',
      'event',
      'recruit',
      'portfolio',
      'docs',
      'contact',
    ])
    for (const template of appTemplates) {
      expect(template.name).toMatch(/[ぁ-ん一-龠ァ-ヶ]/)
      expect(template.models.length).toBeGreaterThan(1)
      const cover = await installation.server.inject({
        url: template.cover.value,
        headers: { cookie: [...admin.client.cookies].map((pair) => pair.join('=')).join('; ') },
      })
      expect([cover.statusCode, cover.headers['content-type']]).toEqual([200, 'image/webp'])
    }
    ok(await admin.client.put(`/api/account/${admin.id}`, { data: { language: 'en' } }))
    for (const template of ok(await admin.client.get(url)).appTemplates)
      expect(JSON.stringify([template.name, template.description, template.models])).not.toMatch(
        /[ぁ-んァ-ヶ]/,
      )
    ok(await admin.client.put(`/api/account/${admin.id}`, { data: { language: 'ja' } }))
    expect((await admin.client.get(`${url}/nothing/cover`)).status).toBe(404)
  })

  // Later tests of this file use the apps of these templates.
  it.each(
    shippedTemplates
      .filter(({ id }) => isFull || ['blog', 'shop', 'corporate'].includes(id))
      .map((template) => [template.id, template] as const),
  )('create the app %s with valid documents that sites can read', async (id, template) => {
    const app = await make({ appTemplateId: id })
    expect(app).toMatchObject({ uid: id, icon: { value: template.icon } })
    const url = `${space.url}/app/${id}`
    const { cover } = ok(await admin.client.get(url)).app
    expect((await installation.server.inject(cover.value)).statusCode).toBe(200)
    const { models } = ok(await admin.client.get(`${url}/model`))
    expect(
      models.map((model: { uid: string; documentCount: number }) => [model.uid, model.documentCount]),
    ).toEqual(template.models.map(({ uid, documents }) => [uid, documents.length]))
    const { appViews } = ok(await admin.client.get(`${url}/appView`))
    expect(appViews).toHaveLength(template.models.flatMap(({ views = [] }) => views).length)
    const newt = await newtClient()
    const seen = new Set<string>()
    for (const { uid, documents } of template.models) {
      const found = await newt.getContents<Doc>({
        appUid: id,
        modelUid: uid,
        query: { depth: 2, limit: 100 },
      })
      expect([uid, found.total]).toEqual([uid, documents.length])
      for (const { src, altText } of picturesIn(found.items)) {
        seen.add(src)
        expect(altText).not.toBe('')
        const answer = await installation.server.inject(new URL(src).pathname)
        expect([src, answer.statusCode, answer.headers['content-type']]).toEqual([src, 200, 'image/webp'])
      }
      await expectValid(`${url}/model/${uid}/doc`)
    }
    // Every picture is used in a document or as the cover.
    const isSeen = (name: string) => [...seen].some((src) => src.endsWith(`/${name}.webp`))
    expect(Object.keys(template.pictures).filter((name) => !isSeen(name) && name !== template.cover)).toEqual(
      [],
    )
  })

  it('name models in the language of the user who creates the app', async () => {
    ok(await admin.client.put(`/api/account/${admin.id}`, { data: { language: 'en' } }))
    const app = await make({ appTemplateId: 'shop', data: { uid: 'store', name: 'Store' } })
    ok(await admin.client.put(`/api/account/${admin.id}`, { data: { language: 'ja' } }))
    expect([app.uid, app.name]).toEqual(['store', 'Store'])
    const { models } = ok(await admin.client.get(`${space.url}/app/store/model`))
    expect(models.map(({ name }: { name: string }) => name)).toEqual([
      'Products',
      'Categories',
      'Shopping guide',
    ])
    expect(JSON.stringify(models)).not.toMatch(/[ぁ-んァ-ヶ]/)
  })

  it('create two apps under free uids if the uid is taken, and share the files between these apps', {
    tags: ['full'],
  }, async () => {
    const own = await createSpace(admin.client)
    await createApp(admin.client, own, 'blog')
    expect([
      (await make({ appTemplateId: 'blog' }, own)).uid,
      (await make({ appTemplateId: 'blog' }, own)).uid,
    ]).toEqual(['blog-2', 'blog-3'])
    const { total } = ok(await admin.client.get(`${own.url}/assets`))
    expect(total).toBe(15)
    const taken = await admin.client.post(`${own.url}/app`, { appTemplateId: 'blog', data: { uid: 'blog' } })
    expect([taken.status, taken.body.code]).toEqual([409, 'AppUidIsAlreadyInUse'])
    const unknown = await admin.client.post(`${own.url}/app`, { appTemplateId: 'nothing' })
    expect([unknown.status, unknown.body.issues]).toEqual([
      400,
      [expect.objectContaining({ path: 'appTemplateId', code: 'InvalidValue' })],
    ])
  })

  it("create the blog's documents in the name of the user, with one draft and one changed article", async () => {
    const { documents } = ok(await admin.client.get(`${space.url}/app/blog/model/article/doc?limit=100`))
    const statuses = documents.map(({ _sys }: Doc) => _sys.status)
    expect(statuses.filter((status: string) => status === 'draft')).toHaveLength(1)
    expect(statuses.filter((status: string) => status === 'changed')).toHaveLength(1)
    for (const { _sys } of documents) expect(_sys.createdBy).toEqual({ _id: admin.id, name: admin.name })
    const times = documents.flatMap(({ _sys }: Doc) => _sys.publishedAt ?? [])
    expect(new Set(times).size).toBe(11)
    for (const document of documents as Doc[])
      if (document._sys.publishedAt)
        expect(String(document.publishedOn).slice(0, 10)).toBe(dayInJapan(document._sys.publishedAt))
  })

  it.each([
    ['just after midnight in Japan', '2026-11-23T15:00:02.000Z'],
    ['some minutes after midnight in Japan', '2026-11-23T15:04:00.000Z'],
    ['just before midnight in Japan', '2026-11-23T14:59:59.000Z'],
  ])(
    "publish the blog's documents on the day in `publishedOn` if the app is created %s",
    async (_when, made) => {
      const template = shippedTemplates.find(({ id }) => id === 'blog')
      if (!template) throw new Error('No blog')
      const { app, documents } = await shippedApp(template, { language: 'ja', madeAt: new Date(made) })
      for (const { uid } of app.models) {
        const times: string[] = []
        for await (const { createdAt, publishedAt, current } of documents(uid, null)) {
          times.push(createdAt)
          if (publishedAt && current.publishedOn) expect(current.publishedOn).toBe(dayInJapan(publishedAt))
        }
        expect(new Set(times).size).toBe(times.length)
      }
    },
  )

  it('create an app together with a new space, but no app if the uid of the space is taken', async () => {
    const body = { project: { uid: 'first-space', name: 'はじめてのスペース' }, template: 'blog' }
    ok(await admin.client.post('/api/project', body))
    await runWaiting(installation, fillAppJob)
    const { models } = ok(await admin.client.get('/api/project/first-space/app/blog/model'))
    expect(models.map(({ documentCount }: { documentCount: number }) => documentCount)).toEqual([12, 3, 4])
    const count = () => installation.database.pool.query('SELECT count(*)::int AS n FROM app')
    const before = (await count()).rows
    expect((await admin.client.post('/api/project', body)).status).toBe(409)
    expect((await count()).rows).toEqual(before)
  })
})

const dayInJapan = (time: string) =>
  new Date(new Date(time).getTime() + 9 * 3_600_000).toISOString().slice(0, 10)

function picturesIn(value: unknown): { src: string; altText: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const { src, altText } = value as { src?: string; altText?: string }
  if (typeof src === 'string') return [{ src, altText: altText ?? '' }]
  return Object.values(value).flatMap(picturesIn)
}

/**
 * Asserts that every document of a model satisfies its rules. Ignores `DuplicatedValue`, because the stored document
 * has the same unique values.
 */
async function expectValid(url: string): Promise<void> {
  const { documents } = ok(await admin.client.get(`${url}?limit=100`))
  for (const { _id, _sys, ...doc } of documents as Doc[]) {
    const { issues, warnings } = ok(await admin.client.post(`${url}/validate`, { doc }))
    const others = [...issues, ...warnings].filter(({ code }: { code: string }) => code !== 'DuplicatedValue')
    expect([url, doc, others]).toEqual([url, doc, []])
  }
}

describe('a duplicate of an app', () => {
  it('has copied documents with references between the copies, but not the members of the original', async () => {
    await createMember(installation, space, 'pjt-Member', {
      admin: admin.client,
      url: `${space.url}/app/blog`,
      role: 'app-Editor',
    })
    const docs = `${space.url}/app/blog/model/article/doc`
    const [first, second] = ok(await admin.client.get(`${docs}?limit=2`)).documents
    const link = `<p><a href="/x" data-document="${second._id}" data-model="article">つづき</a></p>`
    ok(await admin.client.put(`${docs}/${first._id}`, { doc: { body: link }, type: 'PUBLISH' }))

    const { app, job } = ok(
      await admin.client.post(`${space.url}/app/blog/duplicate`, { appName: '写しのブログ' }),
    )
    expect([app.uid, app.name]).toEqual(['blog-2', '写しのブログ'])
    await runWaiting(installation, fillAppJob)
    expect(ok(await admin.client.get(`${space.url}/job?id=${job}`)).jobs[0].state).toBe('done')
    const copies: Doc[] = ok(
      await admin.client.get(`${space.url}/app/blog-2/model/article/doc?limit=100`),
    ).documents
    const originals: Doc[] = ok(await admin.client.get(`${docs}?limit=100`)).documents
    const bySlug = new Map(copies.map((copy) => [copy.slug, copy]))
    const authors: Doc[] = ok(await admin.client.get(`${space.url}/app/blog-2/model/author/doc`)).documents
    const authorIds = authors.map(({ _id }) => _id)
    for (const original of originals) {
      const copy = bySlug.get(original.slug)
      if (!copy) throw new Error(`no copy of ${original.slug}`)
      expect(copy._id).not.toBe(original._id)
      expect(copy).toMatchObject({ title: original.title, cover: original.cover })
      expect(copy._sys.status).toBe(original._sys.status)
      expect(copy._sys.publishedAt).toBe(original._sys.publishedAt)
      for (const author of copy.authors as (string | Doc)[])
        expect(authorIds).toContain(typeof author === 'string' ? author : author._id)
    }
    expect(bySlug.get(first.slug)?.body).toContain(`data-document="${bySlug.get(second.slug)?._id}"`)
    const members = ok(await admin.client.get(`${space.url}/app/blog-2/members`)).members
    expect(members).toHaveLength(1)
    const views = ok(await admin.client.get(`${space.url}/app/blog-2/appView`)).appViews
    expect(views.map(({ type }: { type: string }) => type)).toEqual(['GALLERY', 'TABLE', 'GALLERY'])
  })

  it('can be created without documents and with a chosen uid', async () => {
    const body = { appName: '空のショップ', appUid: 'empty-shop', documents: false }
    const { app } = ok(await admin.client.post(`${space.url}/app/shop/duplicate`, body))
    await runWaiting(installation, fillAppJob)
    expect(app.uid).toBe('empty-shop')
    const { models } = ok(await admin.client.get(`${space.url}/app/empty-shop/model`))
    expect(models.map(({ documentCount }: { documentCount: number }) => documentCount)).toEqual([0, 0, 0])
    expect(ok(await admin.client.get(`${space.url}/app/empty-shop`)).app.cover).not.toBeNull()
    const again = await admin.client.post(`${space.url}/app/shop/duplicate`, body)
    expect([again.status, again.body.code]).toEqual([409, 'AppUidIsAlreadyInUse'])
  })

  it('requires the right to create apps', async () => {
    const access = { admin: admin.client, url: `${space.url}/app/blog`, role: 'app-Admin' }
    const member = await createMember(installation, space, 'pjt-Member', access)
    const answer = await member.client.post(`${space.url}/app/blog/duplicate`, { appName: 'x' })
    expect([answer.status, answer.body.code]).toEqual([403, 'Forbidden'])
  })

  it('completes its job without an error if it is deleted before it is filled', async () => {
    const { app, job } = ok(
      await admin.client.post(`${space.url}/app/blog/duplicate`, { appName: 'すぐ消す' }),
    )
    ok(await admin.client.delete(`${space.url}/app/${app.uid}`))
    await runWaiting(installation, fillAppJob)
    expect(ok(await admin.client.get(`${space.url}/job?id=${job}`)).jobs[0].state).toBe('done')
    const { rows } = await installation.database.pool.query('SELECT count(*)::int AS n FROM carry_model')
    expect(rows[0].n).toBe(0)
  })
})

describe('a template saved from an app', () => {
  const saved = (app: string) => `${space.url}/app/${app}/template`
  async function save(app: string, data: Loose) {
    const { template } = ok(await admin.client.post(saved(app), { data }))
    expect(template.state).toBe('saving')
    await runWaiting(installation, saveTemplateJob)
    const now = ok(await admin.client.get(`${saved(app)}/${template.version}`)).template
    expect(now.state).toBe('saved')
    return now
  }
  const own = async () =>
    ok(await admin.client.get(`${space.url}/appTemplate`)).appTemplates.filter(
      ({ version }: { version: number | null }) => version !== null,
    )
  /** Returns the contents of an app, without `_id`s and times. */
  async function contentsOf(app: string) {
    const url = `${space.url}/app/${app}`
    const { models } = ok(await admin.client.get(`${url}/model`))
    const { appViews } = ok(await admin.client.get(`${url}/appView`))
    const documents = []
    for (const { uid } of models) {
      const found = ok(await admin.client.get(`${url}/model/${uid}/doc?limit=100`)).documents
      documents.push(...found.map(({ _sys, ...doc }: Doc) => JSON.stringify({ ...doc, status: _sys.status })))
    }
    const anonymous = (text: string) =>
      text
        .replace(/"(_id|uid|titleField|slugOf)":"[0-9a-f]{24}"/g, '"$1":"an id"')
        .replace(/"(createdAt|updatedAt)":"[^"]*"/g, '"$1":"a time"')
        .replace(/"version":\d+/g, '"version":0')
    // Views are ordered within their model.
    const views = models.map(({ uid }: Loose) => appViews.filter(({ modelUid }: Loose) => modelUid === uid))
    const shape = JSON.parse(anonymous(JSON.stringify([models, views])))
    return [shape, documents.map(anonymous).map(withoutReferences).sort()]
  }

  it('creates an app with the same contents and no new files', async () => {
    const before = (await installation.database.pool.query('SELECT count(*)::int AS n FROM asset')).rows[0].n
    const version = await save('corporate', { name: '会社のひな形', description: '社内用' })
    expect(version).toMatchObject({ version: 1, documents: true, createdBy: { _id: admin.id } })
    const [template] = await own()
    expect(template).toMatchObject({
      _id: version._id,
      version: 1,
      name: '会社のひな形',
      description: '社内用',
    })
    const cover = await admin.client.get(template.cover.value)
    expect([cover.status, cover.headers['content-type']]).toEqual([200, 'image/webp'])
    const app = await make({ appTemplateId: template._id })
    expect([app.uid, app.name]).toEqual(['corporate-2', '会社のひな形'])
    expect(await contentsOf('corporate-2')).toEqual(await contentsOf('corporate'))
    const after = (await installation.database.pool.query('SELECT count(*)::int AS n FROM asset')).rows[0].n
    expect(after).toBe(before)
  })

  it('has versions, and creates apps from the newest one unless another is requested', async () => {
    const second = await save('corporate', { name: '会社のひな形', documents: false })
    expect(second.version).toBe(2)
    expect(
      ok(await admin.client.get(saved('corporate'))).templates.map(({ version }: Loose) => version),
    ).toEqual([2, 1])
    const counts = async (uid: string) =>
      ok(await admin.client.get(`${space.url}/app/${uid}/model`)).models.map(
        ({ documentCount }: Loose) => documentCount,
      )
    const id = second._id
    expect(await counts((await make({ appTemplateId: id, data: { uid: 'empty-company' } })).uid)).toEqual([
      0, 0, 0, 0,
    ])
    const first = await make({ appTemplateId: id, appTemplateVersion: 1, data: { uid: 'full-company' } })
    expect(await counts(first.uid)).toEqual([3, 3, 2, 1])
    const unknown = await admin.client.post(`${space.url}/app`, { appTemplateId: id, appTemplateVersion: 9 })
    expect([unknown.status, unknown.body.issues[0].path]).toEqual([400, 'appTemplateVersion'])
    ok(await admin.client.delete(`${saved('corporate')}/2`))
    expect((await own())[0].version).toBe(1)
    expect((await admin.client.get(`${saved('corporate')}/2`)).status).toBe(404)
    expect((await admin.client.delete(`${saved('corporate')}/x`)).status).toBe(404)
  })

  it('remains after its app is deleted, and its files are removed with the template', async () => {
    await save('full-company', { name: '残るひな形' })
    ok(await admin.client.delete(`${space.url}/app/full-company`))
    const template = (await own()).find(({ name }: Loose) => name === '残るひな形')
    expect((await make({ appTemplateId: template._id, data: { uid: 'again' } })).uid).toBe('again')
    const files = async () => {
      const keys = []
      for await (const { key } of installation.deps.services.storages.default.list('templates/'))
        keys.push(key)
      return keys.filter((key) => key.includes(template._id))
    }
    expect((await files()).some((key) => key.endsWith('/manifest.json'))).toBe(true)
    ok(await admin.client.delete(`${space.url}/appTemplate/${template._id}`))
    expect(await runNow(installation, cleanUpTemplatesJob)).toBe('done')
    expect(await files()).toEqual([])
    expect(await own()).toHaveLength(1)
    expect((await admin.client.delete(`${space.url}/appTemplate/${template._id}`)).status).toBe(404)
    ok(await admin.client.delete(saved('corporate')))
    expect(await own()).toEqual([])
  })

  it('can be deleted by its only author and by members who manage its app', async () => {
    const holderOf = async (...rights: string[]) => {
      const data = { name: unique('役'), rights: ['space.view', 'app.create', ...rights] }
      const { role } = ok(await admin.client.post(`${space.url}/role`, { data }))
      return createMember(installation, space, role.uid)
    }
    const [maker, other, manager, keeper] = [
      await holderOf(),
      await holderOf('space.update'),
      await holderOf(),
      await holderOf('document.read', 'app.manage'),
    ]
    /** Creates an app of `maker` that `manager` manages too, and saves it as a template. */
    async function make() {
      const app = await createApp(maker.client, space)
      ok(await maker.client.post(`${app.url}/members`, { memberId: manager.memberId, roleId: 'app-Admin' }))
      const { template } = ok(await maker.client.post(saved(app.uid), { data: { name: unique('ひな形') } }))
      await runWaiting(installation, saveTemplateJob)
      return { url: `${space.url}/appTemplate/${template._id}`, id: template._id, app }
    }
    const deletable = async ({ client }: TestAccount, id: string) =>
      ok(await client.get(`${space.url}/appTemplate`)).appTemplates.find(({ _id }: Loose) => _id === id)
        .deletable
    for (const one of [maker, manager, keeper]) {
      const { url, id } = await make()
      expect(await deletable(other, id)).toBe(false)
      const answer = await other.client.delete(url)
      expect([answer.status, answer.body.code]).toEqual([403, 'Forbidden'])
      expect(await deletable(one, id)).toBe(true)
      ok(await one.client.delete(url))
    }
    // If others have saved versions too, the maker may not delete the template without the right to manage the app.
    const { url, id, app } = await make()
    ok(await manager.client.post(saved(app.uid), { data: { name: unique('ひな形') } }))
    await runWaiting(installation, saveTemplateJob)
    ok(await manager.client.patch(`${app.url}/member/${maker.memberId}`, { roleId: 'app-Editor' }))
    expect(await deletable(maker, id)).toBe(false)
    expect((await maker.client.delete(url)).status).toBe(403)
    ok(await manager.client.delete(url))
  })

  it('of a private app is hidden from non-members, and from its subscriber once the app is deleted', async () => {
    const { uid } = await make({ appTemplateId: 'shop', data: { uid: unique('hidden') } })
    const app = { uid, url: `${space.url}/app/${uid}` }
    const data = { name: unique('役'), rights: ['space.view', 'app.create'] }
    const { role } = ok(await admin.client.post(`${space.url}/role`, { data }))
    const [maker, joined] = [
      await createMember(installation, space, role.uid),
      await createMember(installation, space, role.uid, {
        admin: admin.client,
        url: app.url,
        role: 'app-Subscriber',
      }),
    ]
    const { _id: id } = await save(app.uid, { name: '非公開のひな形' })
    const find = async ({ client }: TestAccount) =>
      ok(await client.get(`${space.url}/appTemplate`)).appTemplates.find(({ _id }: Loose) => _id === id)
    const coverOf = async ({ client }: TestAccount) =>
      (await client.get(`${space.url}/appTemplate/${id}/cover`)).status
    const create = ({ client }: TestAccount) =>
      client.post(`${space.url}/app`, { appTemplateId: id, data: { uid: unique('made') } })
    const { app: made } = ok(await create(maker))
    await runWaiting(installation, fillAppJob)
    const update = `${space.url}/app/${made.uid}/templateUpdate`
    expect(ok(await maker.client.get(update)).template._id).toBe(id)

    const access = { visibility: 'private', defaultRole: 'app-Subscriber' }
    ok(await admin.client.patch(app.url, { accessSettings: access }))
    await save(app.uid, { name: '非公開のひな形' })
    for (const one of [joined, admin]) {
      expect(await find(one)).toMatchObject({ version: 2 })
      expect(await coverOf(one)).toBe(200)
      ok(await create(one))
    }
    expect(await find(maker)).toBeUndefined()
    expect(await coverOf(maker)).toBe(404)
    const refused = await create(maker)
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'appTemplateId'])
    const first = await maker.client.post(`${space.url}/app`, { appTemplateId: id, appTemplateVersion: 1 })
    expect(first.status).toBe(400)
    // The app that was created before stays as it is and is offered no newer version.
    expect(ok(await maker.client.get(update))).toEqual({ template: null, items: null, undo: null })
    const taken = await maker.client.post(update, { version: 2, take: [] })
    expect([taken.status, taken.body.code]).toEqual([404, 'NotFound'])

    ok(await admin.client.delete(app.url))
    expect([await find(maker), await find(joined)]).toEqual([undefined, undefined])
    expect(await find(admin)).toMatchObject({ deletable: true })
    ok(await admin.client.delete(`${space.url}/appTemplate/${id}`))
    await runWaiting(installation, fillAppJob)
  })

  it('stays available to the member who saved it when its app is deleted', async () => {
    const data = { name: unique('役'), rights: ['space.view', 'app.create'] }
    const { role } = ok(await admin.client.post(`${space.url}/role`, { data }))
    const maker = await createMember(installation, space, role.uid)
    const app = await createApp(maker.client, space)
    const { template } = ok(await maker.client.post(saved(app.uid), { data: { name: unique('ひな形') } }))
    await runWaiting(installation, saveTemplateJob)
    ok(await maker.client.delete(app.url))
    const body = { appTemplateId: template._id, data: { uid: unique('made') } }
    ok(await maker.client.post(`${space.url}/app`, body))
    await runWaiting(installation, fillAppJob)
    ok(await maker.client.delete(`${space.url}/appTemplate/${template._id}`))
  })

  it('is hidden after the deletion of its app from a former member who saved only an older version', async () => {
    const data = { name: unique('役'), rights: ['space.view', 'app.create'] }
    const { role } = ok(await admin.client.post(`${space.url}/role`, { data }))
    const maker = await createMember(installation, space, role.uid)
    const app = await createApp(maker.client, space)
    const access = { visibility: 'private', defaultRole: 'app-Subscriber' }
    ok(await maker.client.patch(app.url, { accessSettings: access }))
    const { template } = ok(await maker.client.post(saved(app.uid), { data: { name: unique('ひな形') } }))
    await runWaiting(installation, saveTemplateJob)
    ok(await admin.client.delete(`${app.url}/member/${maker.memberId}`))
    await save(app.uid, { name: unique('ひな形') })
    ok(await admin.client.delete(app.url))
    const listed = ok(await maker.client.get(`${space.url}/appTemplate`)).appTemplates
    expect(listed.map(({ _id }: Loose) => _id)).not.toContain(template._id)
    for (const version of [{}, { appTemplateVersion: 1 }, { appTemplateVersion: 2 }]) {
      const body = { appTemplateId: template._id, ...version, data: { uid: unique('made') } }
      expect((await maker.client.post(`${space.url}/app`, body)).status).toBe(400)
    }
    ok(await admin.client.delete(`${space.url}/appTemplate/${template._id}`))
  })

  it('cannot be used before it is saved, and is removed if its app is deleted before that', async () => {
    const { template } = ok(await admin.client.post(saved('again'), { data: { name: '消える' } }))
    const other = await createSpace(admin.client)
    const stolen = await admin.client.post(`${other.url}/app`, { appTemplateId: template._id })
    expect(stolen.status).toBe(400)
    // The template is not saved yet, so it cannot be used.
    expect((await admin.client.post(`${space.url}/app`, { appTemplateId: template._id })).status).toBe(400)
    ok(await admin.client.delete(`${space.url}/app/again`))
    await runWaiting(installation, saveTemplateJob)
    expect((await installation.database.pool.query('SELECT FROM app_template')).rows).toEqual([])
  })
})

/** Replaces `_id`s, because references in a copy point to other documents. */
const withoutReferences = (text: string) => text.replace(/"[0-9a-f]{24}"/g, '"reference"')
