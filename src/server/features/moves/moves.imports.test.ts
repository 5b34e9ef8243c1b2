import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Manifest } from '#archive/format.ts'
import { openArchive } from '#archive/source.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { loadConfig } from '#server/config.ts'
import { createOutgoing } from '#server/outgoing.ts'
import type { MoveProblem } from '#shared/contract/move-plans.ts'
import type { Additions } from '#shared/contract/move-updates.ts'
import type { Right } from '#shared/permissions.ts'
import { type Carrying, comparable, startCarrying } from '#test/app-archives.ts'
import {
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { runWaiting } from '#test/run-now.ts'
import { type Client, formOf, ok } from '#test/server.ts'
import { picture, sourceFixture, tarred, zipped } from '#test/source-fixtures.ts'
import { convertUpload } from './check/convert-upload.ts'
import { checkMoveJob, importMoveJob } from './moves.jobs.ts'

let carrying: Carrying
/** Port of the server from which archives are fetched. */
let sitePort: number
let exported: Buffer
let newt: Buffer
/** The target of the imports: a space with an app whose manager has no other rights in the space. */
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let keeper: TestAccount & { memberId: string }
beforeAll(async () => {
  sitePort = await freePort()
  carrying = await startCarrying({ IMORI_IMPORT_ORIGINS: `http://127.0.0.1:${sitePort}` })
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
      memberId: keeper.memberId,
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
/** Starts an import. First confirms the contents if the file is in an unknown format. */
async function start(id: string) {
  if ((await changesOf(id)).confirmed === false)
    ok(await keeper.client.put(importUrl(id, '/changes'), { data: { confirmed: true } }))
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

/** Converts a file to an archive as earlier versions did: without the mark `timeless` on its contents. */
async function archivedEarlier(fileName: string, bytes: Buffer): Promise<Buffer> {
  const folder = await temporaryFolder()
  const outgoing = createOutgoing(loadConfig({}).outgoing)
  try {
    const path = join(folder.path, 'upload')
    await writeFile(path, bytes)
    const work = { folder: join(folder.path, 'work'), language: 'ja' as const }
    expect(await convertUpload({ path, fileName, ...work, outgoing, progress: async () => {} })).toBe(
      undefined,
    )
    const source = await openArchive(path)
    const files = new Map<string, Buffer>()
    for await (const name of source.list()) {
      const chunks: Buffer[] = []
      for await (const chunk of source.read(name, 1e6)) chunks.push(chunk)
      const isLines = /^(?:contents|texts)\//.test(name)
      const whole = Buffer.concat(chunks)
      const unmarked = isLines ? whole.toString('utf8').replace(/,"timeless":(?:true|false)/g, '') : whole
      files.set(name, Buffer.from(unmarked))
    }
    await source.close()
    const manifest = JSON.parse(files.get('manifest.json')?.toString('utf8') ?? '') as Manifest
    for (const file of manifest.files) {
      const changed = files.get(file.path) ?? Buffer.alloc(0)
      file.bytes = changed.length
      file.sha256 = createHash('sha256').update(changed).digest('hex')
    }
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
    return await carrying.archives.pack(files)
  } finally {
    await outgoing.close()
    await folder.remove()
  }
}

describe('an import into an app', () => {
  it('fills an empty app for a member who manages it and may not create apps', async () => {
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

  it('is refused with a reason if the file is truncated, has unsafe names or an invalid manifest', async () => {
    const renamed = Buffer.from(
      exported.toString('latin1').replaceAll('assets.ndjson', '../ets.ndjson'),
      'latin1',
    )
    const manifest = await zipped(new Map([['manifest.json', Buffer.from('['.repeat(100_000))]]))
    for (const [bytes, code] of [
      [exported.subarray(0, 200), 'cutShort'],
      [exported.subarray(0, exported.length - 1000), 'cutShort'],
      [renamed, 'unsafeNames'],
      [manifest, 'notAnArchive'],
    ] as const) {
      const id = await plan(bytes)
      expect(await getImport(id)).toMatchObject({ state: 'refused', refusal: { code } })
    }
  })

  it('by URL of an exported app starts automatically in an empty app, but not over an edited document', async () => {
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

  it('keeps documents that were changed in the app unless the user chooses the imported ones', async () => {
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
    // The app equals the archive now.
    expect(await getImport(await plan(exported))).toMatchObject({ state: 'accepted' })
  })

  it('adds contents of Newt to an app, and keeps the documents of the app', {
    tags: ['full'],
  }, async () => {
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

  it.each([
    [
      'a table without times',
      '花.csv',
      '名前,価格\n桜,100\n梅,200\n',
      (text: string) => text.replace('200', '250'),
    ],
    [
      'a table with creation dates',
      '花.csv',
      '名前,価格,作成日\n桜,100,2026-04-01\n梅,200,2026-04-02\n',
      (text: string) => text.replace('200', '250'),
    ],
    [
      'a table with unchanged modification dates',
      '花.csv',
      '名前,価格,更新日\n桜,100,2026-04-01\n梅,200,2026-04-02\n',
      (text: string) => text.replace('200', '250'),
    ],
    [
      'a table with states',
      '花.csv',
      '名前,状態,更新日\n桜,公開中,2026-04-01\n梅,公開中,2026-04-02\n',
      (text: string) => text.replace('梅,公開中', '梅,下書き'),
    ],
    [
      'Markdown without times',
      '花.zip',
      '---\ntitle: 桜\nprice: 100\n---\n本文の![絵](a.png)\n\n- 一\n- 二\n',
      (text: string) => text.replace('100', '250'),
    ],
    [
      'Markdown with a date',
      '花.zip',
      '---\ntitle: 桜\ndate: 2026-04-01\nevents:\n  - place: 上野\n    at: 2026-04-01\n---\n本文\n',
      (text: string) => text.replace('本文', '直した本文'),
    ],
    [
      'Markdown with an unchanged modification date',
      '花.zip',
      '---\ntitle: 桜\ndate: 2026-04-01\nlastmod: 2026-04-02\n---\n本文\n',
      (text: string) => text.replace('本文', '直した本文'),
    ],
    [
      'JSON with unchanged times',
      '花.json',
      JSON.stringify([
        {
          id: 1,
          name: '桜',
          createdAt: '2026-04-01T00:00:00Z',
          updatedAt: '2026-04-02T00:00:00Z',
          parts: [{ name: '花びら' }, { name: '葉' }],
        },
      ]),
      (text: string) => text.replace('葉', '枝'),
    ],
    [
      'WordPress with a date of the post',
      'a.xml',
      `<rss xmlns:wp="http://wordpress.org/export/1.2/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>花</title><wp:wxr_version>1.2</wp:wxr_version><item><title>春</title><wp:post_id>3</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_date>2026-04-01 09:00:00</wp:post_date><content:encoded><![CDATA[<p>本文</p>]]></content:encoded></item></channel></rss>`,
      (text: string) => text.replace('本文', '直した本文'),
    ],
    [
      'WordPress without times',
      'a.xml',
      `<rss xmlns:wp="http://wordpress.org/export/1.2/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>花</title><wp:wxr_version>1.2</wp:wxr_version><wp:author><wp:author_id>1</wp:author_id><wp:author_login>hana</wp:author_login><wp:author_display_name>花</wp:author_display_name></wp:author><wp:category><wp:term_id>2</wp:term_id><wp:category_nicename>sakura</wp:category_nicename><wp:cat_name>桜</wp:cat_name></wp:category><item><title>春</title><wp:post_id>3</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><content:encoded><![CDATA[<p>本文</p><ul><li>一</li></ul>]]></content:encoded></item></channel></rss>`,
      (text: string) => text.replace('春', '夏'),
    ],
  ])(
    'of %s finds no changes in the same file, and one changed document in an edited file',
    { tags: ['full'] },
    async (_, name, text, edit) => {
      const bytesOf = async (text: string) =>
        name === '花.zip'
          ? zipped(
              new Map([
                ['花/a.md', Buffer.from(text)],
                ['花/a.png', await picture()],
              ]),
            )
          : Buffer.from(text)
      const bring = async (text: string, archived = async (_name: string, bytes: Buffer) => bytes) => {
        const bytes = await archived(name, await bytesOf(text))
        const type = 'application/octet-stream'
        const { move } = ok(await keeper.client.post(`${app.url}/planImport`, formOf({ name, type, bytes })))
        await runWaiting(carrying.installation, checkMoveJob)
        return move._id as string
      }
      expect(await start(await bring(text))).toMatchObject({ state: 'accepted', report: { problems: [] } })
      const again = await bring(text)
      expect(
        (await changesOf(again)).changes.models.map(({ unchanged }: { unchanged: number }) => unchanged),
      ).not.toContain(0)
      expect(await countKinds(again)).toEqual({})
      expect(await getImport(again)).toMatchObject({ state: 'accepted' })
      expect(await countKinds(await bring(edit(text)))).toEqual({ both: 1 })
      expect(await countKinds(await bring(text, archivedEarlier))).toEqual({})
      expect(await countKinds(await bring(edit(text), archivedEarlier))).toEqual({ both: 1 })
    },
  )

  it('of a Strapi export detects changed documents by `updatedAt`, not by their values', {
    tags: ['full'],
  }, async () => {
    const files = await sourceFixture('strapi')
    const bring = async () => {
      const file = { name: 'a.tar.gz', type: 'application/gzip', bytes: await tarred(files) }
      const { move } = ok(await keeper.client.post(`${app.url}/planImport`, formOf(file)))
      await runWaiting(carrying.installation, checkMoveJob)
      return move._id as string
    }
    const edit = (change: (data: Record<string, unknown>) => void) => {
      const path = 'entities/entities_00001.jsonl'
      const lines = (files.get(path)?.toString('utf8') ?? '').trim().split('\n')
      const edited = lines.map((line) => {
        const entity = JSON.parse(line)
        if (entity.type === 'api::author.author') change(entity.data)
        return `${JSON.stringify(entity)}\n`
      })
      files.set(path, Buffer.from(edited.join('')))
    }
    await start(await bring())
    edit((data) => {
      data.name = '別名'
    })
    expect(await countKinds(await bring())).toEqual({})
    edit((data) => {
      data.updatedAt = '2026-05-01T00:00:00.000Z'
    })
    expect(await countKinds(await bring())).toEqual({ both: 1 })
  })

  it('cannot be created by members who lack rights for files, documents or, in an empty app, models', async () => {
    const { installation, admin } = carrying
    const manages: Right[] = ['space.view', 'document.read', 'app.manage']
    const files: Right[] = ['asset.read', 'asset.write.own']
    const writes: Right[] = ['document.write.own', 'document.publish.own', 'document.write.any']
    const holderOf = async (rights: Right[]) => {
      const { role } = ok(
        await admin.client.post(`${space.url}/role`, { data: { name: unique('係'), rights } }),
      )
      return createMember(installation, space, role.uid)
    }
    const begin = async ({ client }: { client: Client }) => [
      (await client.post(`${app.url}/import`, { importUrl: `http://127.0.0.1:${sitePort}/app.zip` })).status,
      (await client.post(`${app.url}/planImport`, zipOf(exported))).status,
      (
        await client.post(`${app.url}/import:upload`, {
          data: { fileName: 'app.zip', fileSize: exported.length },
        })
      ).status,
    ]
    for (const rights of [manages, [...manages, ...files], [...manages, ...writes]])
      expect(await begin(await holderOf(rights)), rights.join()).toEqual([403, 403, 403])
    // Importing into an empty app creates models, and `editor` lacks the right to do so.
    const editor = await holderOf([...manages, ...files, ...writes])
    expect(await begin(editor)).toEqual([403, 403, 403])
    const waiting = await plan(exported)
    expect((await editor.client.post(importUrl(waiting, '/start'))).status).toBe(403)
    expect(ok(await editor.client.get(`${app.url}/import`)).moves).toHaveLength(1)
    await start(waiting)
    const [person] = await documentsOf('person')
    const changed = { doc: { name: 'ここで変えた' }, type: 'PUBLISH' }
    ok(await admin.client.put(`${app.url}/model/person/doc/${person?._id}`, changed))
    const { move } = ok(await editor.client.post(`${app.url}/planImport`, zipOf(exported)))
    await runWaiting(installation, checkMoveJob)
    expect(await getImport(move._id)).toMatchObject({ state: 'planned' })
    ok(await editor.client.post(importUrl(move._id, '/start')))
    await runWaiting(installation, importMoveJob)
    expect(await getImport(move._id)).toMatchObject({ state: 'accepted' })
    // A right in one model does not cover the others.
    const writer = await holderOf([...manages, ...files, 'model.manage'])
    const { model } = ok(await admin.client.get(`${app.url}/model/article`))
    const models = { [model._id]: { rights: ['document.read', ...writes] } }
    const inOne = ok(
      await admin.client.post(`${app.url}/role`, {
        data: { name: unique('記事係'), rights: ['document.read'], models },
      }),
    ).role
    ok(await admin.client.post(`${app.url}/members`, { memberId: writer.memberId, roleId: inOne.uid }))
    expect(await begin(writer)).toEqual([403, 403, 403])
    // Only a caller who may start the check of an upload may continue the upload of another member.
    const reader = await holderOf([...manages, ...files])
    const rights = ['document.read', ...writes]
    const exceptOne = ok(
      await admin.client.post(`${app.url}/role`, {
        data: {
          name: unique('記事以外'),
          rights,
          models: { [model._id]: { rights: ['document.read'] } },
        },
      }),
    ).role
    ok(await admin.client.post(`${app.url}/members`, { memberId: reader.memberId, roleId: exceptOne.uid }))
    const data = { fileName: 'app.zip', fileSize: exported.length }
    const begun = ok(await keeper.client.post(`${app.url}/import:upload`, { data })).move._id
    const continued = async ({ client }: { client: Client }) => [
      (await client.get(importUrl(begun, '/signedUrl'))).status,
      (await client.post(importUrl(begun, '/signedUrl'))).status,
    ]
    expect(await begin(reader)).toEqual([403, 403, 403])
    expect(await continued(reader)).toEqual([403, 403])
    expect(await continued(editor)).toEqual([200, 409])
  })

  it('lists the views and roles that it leaves out, with reasons, before and after it runs', async () => {
    const { installation, admin } = carrying
    const rights: Right[] = [
      ...(['space.view', 'document.read', 'app.manage', 'model.manage', 'asset.read'] as const),
      ...(['asset.write.own', 'document.write.own', 'document.publish.own', 'document.write.any'] as const),
    ]
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, { data: { name: unique('係'), rights } }),
    )
    const helper = await createMember(installation, space, role.uid)
    const id = await plan(exported)
    const views = { what: 'views', count: 1, examples: ['花の記事'] }
    const roles = { what: 'roles', why: 'givesRights', count: 1, examples: ['手伝い'] }
    const toldTo = async ({ client }: { client: Client }) =>
      ok(await client.get(importUrl(id, '/changes'))).changes.notImported
    expect(await toldTo(keeper)).toEqual([roles])
    expect(await toldTo(helper)).toEqual([{ ...views, why: 'lacksRight' }, roles])
    ok(await helper.client.post(importUrl(id, '/start')))
    await runWaiting(installation, importMoveJob)
    expect(await getImport(id)).toMatchObject({ state: 'accepted', report: { problems: [] } })
    for (const who of [keeper, helper])
      expect(await toldTo(who)).toEqual([{ ...views, why: 'lacksRight' }, roles])
    expect(ok(await keeper.client.get(`${app.url}/appView`)).appViews).toEqual([])
    // The models exist now, so their views are left out.
    const again = await plan(exported)
    expect(await getImport(again)).toMatchObject({ state: 'accepted' })
    expect((await changesOf(again)).changes.notImported).toEqual([{ ...views, why: 'modelExists' }, roles])
  })

  it('lists the problems of the contents before and after it runs', async () => {
    const zero = '<wp:post_date>0000-00-00 00:00:00</wp:post_date>'
    const item = (id: number, status: string, text: string) =>
      `<item><title>t${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>${status}</wp:status>${zero}<content:encoded><![CDATA[${text}]]></content:encoded></item>`
    const text = `<rss xmlns:wp="http://wordpress.org/export/1.2/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>花</title><wp:wxr_version>1.2</wp:wxr_version>${item(1, 'private', '<p>[gallery ids="1"]</p>')}${item(2, 'publish', '<p>本文</p>')}</channel></rss>`
    const file = formOf({ name: 'a.xml', type: 'text/xml', bytes: Buffer.from(text) })
    const { move } = ok(await keeper.client.post(`${app.url}/planImport`, file))
    await runWaiting(carrying.installation, checkMoveJob)
    const told = async () =>
      (await changesOf(move._id)).problems.map(({ code, path, count }: MoveProblem) => [code, path, count])
    const expected = [
      ['undatedContents', 'post', 2],
      ['shortcodes', 'post', 1],
    ]
    expect(await told()).toEqual(expected)
    expect(await start(move._id)).toMatchObject({ state: 'accepted' })
    expect(await told()).toEqual(expected)
  })

  it('shows titles of referenced contents as samples, and derives field names and uids from keys', async () => {
    const item =
      '<item><title>春</title><wp:post_id>3</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><category domain="category" nicename="sakura"><![CDATA[桜]]></category></item>'
    const wordpress = `<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>花</title><wp:wxr_version>1.2</wp:wxr_version><wp:category><wp:term_id>2</wp:term_id><wp:category_nicename>sakura</wp:category_nicename><wp:cat_name>桜</wp:cat_name></wp:category>${item}</channel></rss>`
    const json = JSON.stringify([{ _id: '1', 人数: 3 }])
    const fieldsOf = async (name: string, text: string) => {
      const file = formOf({ name, type: 'application/octet-stream', bytes: Buffer.from(text) })
      const { move } = ok(await keeper.client.post(`${app.url}/planImport`, file))
      await runWaiting(carrying.installation, checkMoveJob)
      const { models } = (await changesOf(move._id)).changes.additions as Additions
      return models.flatMap(({ fields }) => fields)
    }
    const categories = (await fieldsOf('a.xml', wordpress)).find(({ from }) => from === 'categories')
    expect(categories).toMatchObject({ field: { type: 'REFERENCE' }, samples: ['桜'] })
    const named = (await fieldsOf('x.json', json)).map(({ field: { uid, name } }) => [uid, name])
    expect(named).toContainEqual(['sourceId', '元のID'])
    expect(named).toContainEqual(['headcount', '人数'])
  })

  it('cannot be created, read or started by members who do not manage its app', async () => {
    const { installation, admin } = carrying
    const id = await plan(exported)
    const other = await createApp(admin.client, space)
    const editor = await createMember(installation, space, 'pjt-Member')
    ok(await admin.client.post(`${app.url}/members`, { memberId: editor.memberId, roleId: 'app-Editor' }))
    const stranger = await createMember(installation, space, 'pjt-Member')
    ok(await admin.client.post(`${other.url}/members`, { memberId: stranger.memberId, roleId: 'app-Admin' }))
    for (const { client } of [editor, stranger]) {
      expect((await client.get(importUrl(id))).status).toBe(403)
      expect((await client.post(importUrl(id, '/start'))).status).toBe(403)
      expect((await client.post(`${app.url}/planImport`, zipOf(exported))).status).toBe(403)
      expect(
        (await client.post(`${app.url}/import`, { importUrl: 'https://example.com/a.zip' })).status,
      ).toBe(403)
    }
    expect((await stranger.client.get(`${other.url}/import/${id}`)).status).toBe(404)
    // An import is not a move of the space.
    expect((await admin.client.get(`${space.url}/move/${id}`)).status).toBe(404)
    expect(ok(await admin.client.get(`${space.url}/move`)).moves).toEqual([])
    expect(ok(await keeper.client.get(`${app.url}/import`)).moves).toMatchObject([{ _id: id }])
    ok(await keeper.client.delete(importUrl(id)))
    expect((await keeper.client.get(importUrl(id))).status).toBe(404)
  })
})
