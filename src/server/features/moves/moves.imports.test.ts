import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Carrying, comparable, startCarrying } from '#test/app-archives.ts'
import { createApp, createMember, createModel, createSpace, type TestAccount } from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { runWaiting } from '#test/run-now.ts'
import { formOf, ok } from '#test/server.ts'
import { checkMoveJob, importMoveJob } from './moves.jobs.ts'

let carrying: Carrying
/** Of a site that an archive is fetched from. */
let sitePort: number
let exported: Buffer
let newt: Buffer
/** A place to import into: a space with an app that somebody looks after who may do nothing else in the space. */
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let keeper: TestAccount & { memberId: string }
beforeAll(async () => {
  sitePort = await freePort()
  carrying = await startCarrying({ allowPrivate: [`http://127.0.0.1:${sitePort}`] })
  exported = await carrying.archives.exported(carrying.whole)
  newt = await rescuedFrom(await picturedSpace())
})
afterAll(() => carrying?.end())
beforeEach(async () => {
  const { installation, admin } = carrying
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  keeper = await createMember(installation, space, 'pjt-Member')
  ok(
    await admin.client.post(`${app.url}/members`, {
      email: keeper.email,
      roleId: 'app-Admin',
    }),
  )
})

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

const importUrl = (id: string, rest = '') => `${app.url}/import/${id}${rest}`
const getImport = async (id: string) => ok(await keeper.client.get(importUrl(id))).move
const zipOf = (bytes: Buffer) => formOf({ name: 'app.zip', type: 'application/zip', bytes })

async function plan(bytes: Buffer): Promise<string> {
  const { move } = ok(await keeper.client.post(`${app.url}/planImport`, zipOf(bytes)))
  await runWaiting(carrying.installation, checkMoveJob)
  return move._id
}
async function start(id: string) {
  ok(await keeper.client.post(importUrl(id, '/start')))
  await runWaiting(carrying.installation, importMoveJob)
  return getImport(id)
}
const changesOf = async (id: string) => ok(await keeper.client.get(importUrl(id, '/changes')))
async function countKinds(id: string) {
  const { counts } = await changesOf(id)
  const sums: Record<string, number> = {}
  for (const { kind, count } of counts as { kind: string; count: number }[])
    sums[kind] = (sums[kind] ?? 0) + count
  return sums
}
const documentsOf = async (model: string) =>
  ok(await carrying.admin.client.get(`${app.url}/model/${model}/doc?limit=100`)).documents as {
    _id: string
    title?: string
    name?: string
  }[]
const appsOf = async () => ok(await carrying.admin.client.get(`${space.url}/app`)).apps.length as number

describe('an import', () => {
  it('fills an empty app by who looks after it, who may make no apps', async () => {
    const id = await plan(exported)
    expect(await getImport(id)).toMatchObject({ state: 'planned', app: { uid: app.uid } })
    expect(await documentsOf('article').catch(() => [])).toEqual([])
    const done = await start(id)
    expect(done).toMatchObject({ state: 'accepted', report: { problems: [] } })
    expect(await appsOf()).toBe(1)
    const { archives, whole } = carrying
    const there = comparable(await archives.unpack(await archives.exported(app)))
    const here = comparable(await archives.unpack(await archives.exported(whole)))
    for (const path of Object.keys(here).filter((path) => path.startsWith('documents/')))
      expect([path, there[path]]).toEqual([path, here[path]])
    expect(there['assets.ndjson']).toBe(here['assets.ndjson'])
    const parts = (text: string | undefined) => {
      const { models, customFieldTypes, views } = JSON.parse(text ?? '{}')
      return { models, customFieldTypes, views }
    }
    expect(parts(there['app.json'])).toEqual(parts(here['app.json']))
  })

  it('of an address fills an empty app without more ado, and waits for a word where there is something', async () => {
    const { installation } = carrying
    const site = createServer((request, response) => {
      if (request.url === '/gone.zip') response.writeHead(404).end()
      else response.writeHead(200, { 'content-length': exported.length }).end(exported)
    })
    site.listen(sitePort, '127.0.0.1')
    await once(site, 'listening')
    try {
      const address = (name: string) => ({ importUrl: `http://127.0.0.1:${sitePort}/${name}` })
      const begin = async (body: object) =>
        ok(await keeper.client.post(`${app.url}/import`, body)).move._id as string
      const id = await begin(address('app.zip'))
      expect(await getImport(id)).toMatchObject({ state: 'checking', fileName: 'app.zip' })
      await runWaiting(installation, checkMoveJob)
      expect(await getImport(id)).toMatchObject({ state: 'importing', fileSize: exported.length })
      await runWaiting(installation, importMoveJob)
      expect(await getImport(id)).toMatchObject({ state: 'accepted', report: { problems: [] } })
      const [first] = await documentsOf('person')
      const person = `${app.url}/model/person/doc/${first?._id}`
      ok(await keeper.client.put(person, { doc: { name: '変えた' } }))
      const next = await begin(address('app.zip'))
      await runWaiting(installation, checkMoveJob)
      expect(await getImport(next)).toMatchObject({ state: 'planned' })
      for (const body of [address('gone.zip'), { importUrl: 'http://127.0.0.1:1/a.zip' }]) {
        const none = await begin(body)
        await runWaiting(installation, checkMoveJob)
        expect(await getImport(none)).toMatchObject({ state: 'refused', refusal: { code: 'notFetched' } })
      }
      for (const importUrl of ['file:///etc/passwd', 'x'])
        expect((await keeper.client.post(`${app.url}/import`, { importUrl })).status).toBe(400)
    } finally {
      site.close()
    }
  })

  it('goes into an app that has something by the plan that was confirmed', async () => {
    await start(await plan(exported))
    const { admin } = carrying
    const [first] = await documentsOf('person')
    const mine = ok(
      await admin.client.post(`${app.url}/model/person/doc`, { document: { name: '私' } }),
    ).document
    ok(
      await admin.client.put(`${app.url}/model/person/doc/${first?._id}`, {
        doc: { name: 'ここで変えた' },
        type: 'PUBLISH',
      }),
    )
    const id = await plan(exported)
    expect(await countKinds(id)).toEqual({ both: 1 })
    expect(await start(id)).toMatchObject({ state: 'accepted', report: { documents: 0 } })
    const names = async () => (await documentsOf('person')).map(({ name }) => name)
    expect(await names()).toEqual(expect.arrayContaining(['私', 'ここで変えた']))
    const again = await plan(exported)
    ok(
      await keeper.client.put(importUrl(again, '/changes'), {
        data: { kinds: [{ kind: 'both', takes: true }] },
      }),
    )
    expect(await start(again)).toMatchObject({ state: 'accepted', report: { documents: 1 } })
    expect(await names()).toEqual(expect.arrayContaining(['私', first?.name]))
    expect((await documentsOf('person')).map(({ _id }) => _id)).toContain(mine._id)
    // It has everything now.
    expect(await getImport(await plan(exported))).toMatchObject({ state: 'accepted' })
  })

  it('brings contents of Newt beside what is there, models that are there growing', async () => {
    const { admin } = carrying
    const own = await createModel(admin.client, app)
    const note = ok(await admin.client.post(`${own.url}/doc`, { document: { title: '前から' } })).document
    const fields = [
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'memo', name: 'メモ', type: 'TEXT' },
    ]
    ok(await admin.client.post(`${app.url}/model`, { data: { uid: 'article', name: '記事', fields } }))
    const kept = ok(
      await admin.client.post(`${app.url}/model/article/doc`, {
        document: { title: '元の記事', memo: '残る' },
      }),
    ).document
    const id = await plan(newt)
    const { changes } = await changesOf(id)
    expect(changes.additions.parts.map(({ uid }: { uid: string }) => uid)).toEqual(['article'])
    expect(await start(id)).toMatchObject({ state: 'accepted' })
    const articles = await documentsOf('article')
    expect(articles.length).toBeGreaterThan(1)
    expect(articles.find(({ _id }) => _id === kept._id)).toMatchObject({ title: '元の記事', memo: '残る' })
    expect(ok(await admin.client.get(`${own.url}/doc`)).documents[0]._id).toBe(note._id)
    expect(await getImport(await plan(newt))).toMatchObject({ state: 'accepted', report: { documents: 0 } })
  })

  it('belongs to its app: nobody else begins, sees or moves it', async () => {
    const { installation, admin } = carrying
    const id = await plan(exported)
    const other = await createApp(admin.client, space)
    const editor = await createMember(installation, space, 'pjt-Member')
    ok(await admin.client.post(`${app.url}/members`, { email: editor.email, roleId: 'app-Editor' }))
    const stranger = await createMember(installation, space, 'pjt-Member')
    ok(await admin.client.post(`${other.url}/members`, { email: stranger.email, roleId: 'app-Admin' }))
    for (const { client } of [editor, stranger]) {
      expect((await client.get(importUrl(id))).status).toBe(403)
      expect((await client.post(importUrl(id, '/start'))).status).toBe(403)
      expect((await client.post(`${app.url}/planImport`, zipOf(exported))).status).toBe(403)
      expect(
        (await client.post(`${app.url}/import`, { importUrl: 'https://example.com/a.zip' })).status,
      ).toBe(403)
    }
    expect((await stranger.client.get(`${other.url}/import/${id}`)).status).toBe(404)
    // It is no move of the space.
    expect((await admin.client.get(`${space.url}/move/${id}`)).status).toBe(404)
    expect(ok(await admin.client.get(`${space.url}/move`)).moves).toEqual([])
    expect(ok(await keeper.client.get(`${app.url}/import`)).moves).toMatchObject([{ _id: id }])
    ok(await keeper.client.delete(importUrl(id)))
    expect((await keeper.client.get(importUrl(id))).status).toBe(404)
  })
})
