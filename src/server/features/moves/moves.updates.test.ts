import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openArchive } from '#archive/source.ts'
import { verifyMove } from '#moving/verify.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { ids } from '#test/newt-stand-in/sample-space.ts'
import {
  addAsset,
  addContent,
  assetsSrc,
  idOf,
  type Stored,
  type StoredSpace,
} from '#test/newt-stand-in/space.ts'
import { quadrants } from '#test/pictures.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { checkMoveJob, importMoveJob, undoMoveJob } from './moves.jobs.ts'

let installation: TestInstallation
let admin: TestAccount
let server: string
let first: Buffer
/** A space of Imori, the content of Newt, and the id of the move that imported it. */
let space: { uid: string; url: string }
let newt: StoredSpace
let origin: string

beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  await installation.server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  server = `http://127.0.0.1:${(installation.server.server.address() as AddressInfo).port}`
  first = await rescuedFrom(await picturedSpace())
})
afterAll(() => installation?.close())

beforeEach(async () => {
  newt = await picturedSpace()
  space = await createSpace(admin.client)
  origin = await upload(first)
  ok(await admin.client.post(`${space.url}/move/${origin}/start`))
  await runWaiting(installation, importMoveJob)
})

const moveUrl = (id: string, rest = '') => `${space.url}/move/${id}${rest}`
const getMove = async (id: string) => ok(await admin.client.get(moveUrl(id))).move
const doc = (model: string, id: string) => `${space.url}/app/blog/model/${model}/doc/${id}`
const read = async (model: string, id: string) => ok(await admin.client.get(doc(model, id))).document

async function upload(zip: Buffer, updates?: string): Promise<string> {
  const { client } = admin
  const data = { fileName: 'a.zip', fileSize: zip.length, ...(updates ? { updates } : {}) }
  const { move } = ok(await client.post(`${space.url}/move`, { data }))
  const { url } = ok(await client.get(moveUrl(move._id, '/signedUrl')))
  const headers = { 'content-type': 'application/zip' }
  const sent = await fetch(`${server}${url}`, { method: 'PUT', body: new Uint8Array(zip), headers })
  expect(sent.status).toBe(204)
  ok(await client.post(moveUrl(move._id, '/signedUrl')))
  await runWaiting(installation, checkMoveJob)
  return move._id
}

/** Saves a document in Newt at a given time and, by default, publishes it. */
function editThere(
  model: string,
  id: string,
  change: Record<string, Stored>,
  { at = '2026-11-20T10:00:00.000Z', publish = true } = {},
): void {
  const content = newt.models.get(model)?.get(id)
  if (!content) throw new Error(id)
  content.draft = { ...content.draft, ...change }
  content.updatedAt = at
  if (!publish) return
  content.published = content.draft
  content.publishedAt = at
  content.firstPublishedAt ??= at
}

/** Returns the number of changes of an update by kind or outcome, without zeros. */
async function counted(id: string, by: 'kind' | 'outcome' = 'kind') {
  const { counts } = ok(await admin.client.get(moveUrl(id, '/changes')))
  const sums: Record<string, number> = {}
  for (const count of counts) sums[count[by]] = (sums[count[by]] ?? 0) + count.count
  return sums
}

const changesOf = async (id: string) => ok(await admin.client.get(moveUrl(id, '/changes'))).changes

async function apply(id: string) {
  ok(await admin.client.post(moveUrl(id, '/start')))
  await runWaiting(installation, importMoveJob)
  return getMove(id)
}

/**
 * Compares the delivery API with the responses of Newt in the archive. Returns the models and paths of unexplained
 * differences.
 */
async function unexplained(zip: Buffer): Promise<string[]> {
  const { client } = admin
  const tokens = {
    cdn: ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'cdn' } })).cdnToken.token,
    api: ok(await client.post(`${space.url}/apiToken`, { data: { name: 'api' } })).apiToken.token,
  }
  const folder = await temporaryFolder()
  await writeFile(join(folder.path, 'a.zip'), zip)
  const source = await openArchive(join(folder.path, 'a.zip'))
  const outgoing = createOutgoingHttp({ allowPrivate: [server] })
  try {
    const result = await verifyMove(source, { server, space: space.uid, app: 'blog', tokens, outgoing })
    expect(result.calls).toBeGreaterThan(50)
    return result.unexplained.map(({ call, difference }) => `${call.model} ${difference.path}`)
  } finally {
    source.close()
    await outgoing.close()
    await folder.remove()
  }
}

describe('an update', () => {
  it('imports the changes made in Newt, and finds no changes in the same archive afterwards', async () => {
    const at = '2026-11-20T10:00:00.000Z'
    const picture = addAsset(newt, {
      id: idOf(0xd001),
      fileName: 'new.png',
      fileType: 'image/png',
      bytes: await quadrants(64, 48),
      src: assetsSrc('demo', idOf(0xd001), 'new.png'),
      width: 64,
      height: 48,
    })
    editThere('article', ids.everything, { title: '直した題', image: picture })
    editThere('article', ids.draft, { title: '下書きの続き' }, { publish: false })
    editThere('article', ids.unpublished, { title: 'また公開した' })
    editThere('article', ids.republished, { title: '公開後の編集' }, { publish: false })
    const edited = newt.models.get('article')?.get(ids.edited)
    Object.assign(edited ?? {}, { published: undefined, publishedAt: null, updatedAt: at })
    addContent(newt, 'article', {
      id: idOf(0x1100),
      createdAt: at,
      draft: { title: '増えた', image: picture, author: { $ref: idOf(0x2100) } },
    })
    addContent(newt, 'author', { id: idOf(0x2100), createdAt: at, draft: { name: '新しい著者' } })
    ok(await admin.client.post(moveUrl(origin, '/accept')))

    const second = await rescuedFrom(newt)
    const id = await upload(second, origin)
    expect(await getMove(id)).toMatchObject({ state: 'planned', updates: origin, app: { uid: 'blog' } })
    expect(await counted(id)).toEqual({ new: 2, changed: 5 })
    expect((await changesOf(id)).counts).toMatchObject({ documents: 7, assets: 1 })
    expect((await read('article', ids.everything)).title).toContain('すべてのフィールド')
    const page = ok(await admin.client.get(moveUrl(id, '/changes/documents?kind=new'))).documents
    expect(page.map(({ title, model }: { title: string; model: string }) => [model, title])).toEqual([
      ['article', '増えた'],
      ['author', '新しい著者'],
    ])

    const done = await apply(id)
    expect(done).toMatchObject({ state: 'accepted', report: { documents: 7, assets: 1, problems: [] } })
    expect(await counted(id, 'outcome')).toEqual({ taken: 7 })
    expect(await read('article', ids.everything)).toMatchObject({
      title: '直した題',
      image: idOf(0xd001),
    })
    const sys = { version: 2, status: 'published', updatedAt: at, createdAt: '2023-01-06T00:00:00.000Z' }
    expect(await read('article', ids.unpublished)).toMatchObject({ title: 'また公開した', _sys: sys })
    const { revisions } = ok(await admin.client.get(`${doc('article', ids.unpublished)}/revisions`))
    expect(revisions.map(({ kind }: { kind: string }) => kind)).toEqual(['publish', 'create'])
    expect(await unexplained(second)).toEqual([])

    // The same archive has no further changes.
    const again = await upload(second, origin)
    expect(await getMove(again)).toMatchObject({ state: 'accepted', report: { documents: 0, assets: 0 } })
    expect(await counted(again)).toEqual({})
    expect((await changesOf(again)).counts).toMatchObject({ documents: 0, assets: 0 })
  })

  it('keeps the values of a field that only the app has', { tags: ['full'] }, async () => {
    const { client } = admin
    const url = `${space.url}/app/blog/model/article`
    const { uid, name, description, ...model } = ok(await client.get(url)).model
    const fields = [...model.fields, { uid: 'memo', name: 'メモ', type: 'TEXT' }]
    ok(await client.put(url, { data: { uid, name, description, titleField: 'title', fields } }))
    const [document] = ok(await client.get(`${url}/doc?limit=1`)).documents
    ok(await client.put(doc('article', document._id), { doc: { memo: 'こちらだけ' }, type: 'PUBLISH' }))
    editThere('article', document._id, { title: '変えた' })
    const id = await upload(await rescuedFrom(newt), origin)
    ok(await client.put(moveUrl(id, '/changes'), { data: { kinds: [{ kind: 'both', takes: true }] } }))
    await apply(id)
    expect(await read('article', document._id)).toMatchObject({ title: '変えた', memo: 'こちらだけ' })
  })

  it("applies the user's choices for documents that changed on both sides or were deleted in Newt", {
    tags: ['full'],
  }, async () => {
    const { client } = admin
    editThere('author', ids.author, { name: 'Newtで直した著者' })
    editThere('article', ids.everything, { title: 'Newtで直した題' })
    editThere('category', ids.category, { name: 'Newtで直した分類' })
    newt.models.get('article')?.delete(ids.bare)
    newt.models.get('article')?.delete(ids.unpublished)
    for (const [model, id, change] of [
      ['author', ids.author, { name: 'こちらで直した著者' }],
      ['article', ids.everything, { title: 'こちらで直した題' }],
      ['article', ids.draft, { title: 'こちらだけで直した下書き' }],
    ] as const)
      ok(await client.put(doc(model, id), { doc: change }))
    ok(await client.delete(doc('category', ids.category)))

    const second = await rescuedFrom(newt)
    const id = await upload(second, origin)
    expect(await counted(id)).toEqual({ both: 2, gone: 2, removed: 1 })
    const choices = {
      kinds: [{ kind: 'gone', takes: true }],
      documents: [
        { model: 'article', _id: ids.everything, takes: true },
        { model: 'article', _id: ids.bare, takes: false },
      ],
    }
    ok(await client.put(moveUrl(id, '/changes'), { data: choices }))
    const wrong = { documents: [{ model: 'article', _id: ids.draft, takes: true }] }
    const refused = await client.put(moveUrl(id, '/changes'), { data: wrong })
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [expect.objectContaining({ path: 'data.documents.0', code: 'InvalidValue' })],
    ])
    expect(await apply(id)).toMatchObject({ state: 'accepted', report: { documents: 2 } })
    expect(await counted(id, 'outcome')).toEqual({ taken: 2, kept: 2, null: 1 })
    expect((await read('author', ids.author)).name).toBe('こちらで直した著者')
    expect((await read('article', ids.everything)).title).toBe('Newtで直した題')
    expect((await read('article', ids.draft)).title).toBe('こちらだけで直した下書き')
    expect((await read('article', ids.bare))._id).toBe(ids.bare)
    expect((await client.get(doc('article', ids.unpublished))).status).toBe(404)
    expect((await client.put(moveUrl(id, '/changes'), { data: choices })).body.code).toBe('MoveIsNotReady')
    // Decided changes are not offered again.
    expect(await counted(await upload(second, origin))).toEqual({ removed: 1 })
  })

  it('keeps documents that were edited between its plan and its start, and lists them', {
    tags: ['full'],
  }, async () => {
    const { client } = admin
    editThere('author', ids.author, { name: 'Newtで直した著者' })
    editThere('article', ids.everything, { title: 'Newtで直した題' })
    const second = await rescuedFrom(newt)
    const id = await upload(second, origin)
    expect(await counted(id)).toEqual({ changed: 2 })
    ok(await client.put(doc('author', ids.author), { doc: { name: '間に直した著者' } }))
    // While this update is open, a second update and undoing the app are refused.
    const data = { fileName: 'b.zip', fileSize: 10, updates: origin }
    const other = await client.post(`${space.url}/move`, { data })
    expect([other.status, other.body]).toEqual([
      409,
      expect.objectContaining({ code: 'MoveIsNotReady', update: id }),
    ])
    expect((await client.post(moveUrl(origin, '/undo'))).body.code).toBe('MoveIsNotReady')
    expect((await client.post(moveUrl(id, '/undo'))).body.code).toBe('MoveIsNotReady')
    await apply(id)
    expect(await counted(id, 'outcome')).toEqual({ taken: 1, edited: 1 })
    const left = ok(await client.get(moveUrl(id, '/changes/documents?outcome=edited')))
    expect(left.documents).toEqual([expect.objectContaining({ _id: ids.author, model: 'author' })])
    expect((await read('author', ids.author)).name).toBe('間に直した著者')
    expect(await counted(await upload(second, origin))).toEqual({ both: 1 })
  })

  it('resumes after an interruption without importing documents twice', { tags: ['full'] }, async () => {
    for (let number = 0; number < 120; number++)
      addContent(newt, 'article', {
        id: idOf(0x5000 + number),
        createdAt: '2026-11-20T10:00:00.000Z',
        draft: { title: `増えた${number}` },
      })
    editThere('author', ids.author, { name: 'Newtで直した著者' })
    const id = await upload(await rescuedFrom(newt), origin)
    const { pool } = installation.database
    await pool.query(`CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'cut off'; END $$`)
    await pool.query(
      `CREATE TRIGGER cut_off BEFORE UPDATE ON move_change FOR EACH ROW
        WHEN (NEW.document_id = '${idOf(0x5000 + 70)}') EXECUTE FUNCTION cut_off()`,
    )
    ok(await admin.client.post(moveUrl(id, '/start')))
    await runWaiting(installation, importMoveJob)
    await pool.query('DROP TRIGGER cut_off ON move_change')
    await pool.query('DROP FUNCTION cut_off()')
    expect(await getMove(id)).toMatchObject({ state: 'importing', stopped: null })
    const before = await counted(id, 'outcome')
    expect(before.taken).toBeGreaterThan(0)
    expect(before.null).toBeGreaterThan(0)
    await runWaiting(installation, importMoveJob)
    expect(await getMove(id)).toMatchObject({ state: 'accepted', report: { documents: 121 } })
    const { total } = ok(await admin.client.get(`${space.url}/app/blog/model/article/doc?limit=1`))
    expect(total).toBe(126)
    const { revisions } = ok(await admin.client.get(`${doc('author', ids.author)}/revisions`))
    expect(revisions).toHaveLength(2)
    const { models } = ok(await admin.client.get(`${space.url}/app/blog/model`))
    const article = models.find(({ uid }: { uid: string }) => uid === 'article')
    expect(article).toMatchObject({ documentCount: 126, publishedCount: 124 })
  })

  it('is refused for an archive of another space, an older or incomplete archive, or an unknown format', {
    tags: ['full'],
  }, async () => {
    const elsewhere = await picturedSpace()
    elsewhere.uid = 'other'
    const refusals: [string, Buffer][] = [
      ['otherSource', await rescuedFrom(elsewhere)],
      ['lacksViews', await rescuedFrom(newt, { tokens: { api: newt.tokens.api } })],
      ['unknownSource', Buffer.from('not a zip at all')],
      ['cutShort', first.subarray(0, first.length - 1000)],
    ]
    for (const [code, zip] of refusals) {
      const id = await upload(zip, origin)
      expect(await getMove(id)).toMatchObject({ state: 'refused', refusal: { code } })
      expect((await admin.client.get(moveUrl(id, '/changes'))).status).toBe(404)
    }
    const second = await rescuedFrom(newt)
    expect(await getMove(await upload(second, origin))).toMatchObject({ state: 'accepted' })
    const id = await upload(first, origin)
    expect(await getMove(id)).toMatchObject({ state: 'refused', refusal: { code: 'olderArchive' } })
  })

  it("cannot be created, reviewed (`/changes`) or started by members who may not write the app's documents", async () => {
    const data = { fileName: 'b.zip', fileSize: 10, updates: origin }
    const stranger = await createAccount(installation)
    expect((await stranger.client.post(`${space.url}/move`, { data })).status).toBe(404)
    // A member who may create apps and manages none sees no moves of others. A member who manages this app but may not
    // write in it can neither start an update nor see its changes.
    const rights = ['space.view', 'app.create', 'asset.read', 'asset.write.own']
    const holderOf = async (name: string, ...more: string[]) => {
      const { role } = ok(
        await admin.client.post(`${space.url}/role`, { data: { name, rights: [...rights, ...more] } }),
      )
      return createMember(installation, space, role.uid)
    }
    const maker = await holderOf('移行係')
    const keeper = await holderOf('管理係', 'document.read', 'app.manage')
    expect((await maker.client.post(`${space.url}/move`, { data })).status).toBe(404)
    expect((await keeper.client.post(`${space.url}/move`, { data })).status).toBe(403)
    editThere('author', ids.author, { name: 'Newtで直した著者' })
    const id = await upload(await rescuedFrom(newt), origin)
    for (const [{ client }, status] of [
      [maker, 404],
      [keeper, 403],
    ] as const) {
      for (const rest of ['/changes', '/changes/documents'])
        expect([rest, (await client.get(moveUrl(id, rest))).status]).toEqual([rest, status])
      expect((await client.put(moveUrl(id, '/changes'), { data: {} })).status).toBe(status)
      expect((await client.post(moveUrl(id, '/start'))).status).toBe(status)
    }
    ok(await admin.client.delete(moveUrl(id)))
    const missing = { ...data, updates: 'f'.repeat(24) }
    expect((await admin.client.post(`${space.url}/move`, { data: missing })).status).toBe(404)
    ok(await admin.client.delete(`${space.url}/app/blog`))
    expect((await admin.client.post(`${space.url}/move`, { data })).status).toBe(404)
  })

  it("can be deleted after a cancellation, and is removed with its files if the app's migration is undone", {
    tags: ['full'],
  }, async () => {
    const { client } = admin
    const picture = {
      id: idOf(0xd001),
      fileName: 'new.png',
      fileType: 'image/png',
      bytes: await quadrants(64, 48),
      src: assetsSrc('demo', idOf(0xd001), 'new.png'),
      width: 64,
      height: 48,
    }
    editThere('article', ids.republished, { title: '直した題', image: addAsset(newt, picture) })
    const second = await rescuedFrom(newt)
    const stopped = await upload(second, origin)
    ok(await client.post(moveUrl(stopped, '/start')))
    expect((await client.delete(moveUrl(stopped))).body.code).toBe('MoveIsNotReady')
    ok(await client.post(moveUrl(stopped, '/cancel')))
    expect((await getMove(stopped)).stopped).toMatchObject({ code: 'cancelled' })
    ok(await client.delete(moveUrl(stopped)))

    await apply(await upload(second, origin))
    const assets = async () => ok(await client.get(`${space.url}/assets`)).total
    const before = await assets()
    ok(await client.post(moveUrl(origin, '/undo')))
    await runWaiting(installation, undoMoveJob)
    expect([before, await assets()]).toEqual([14, 0])
    expect(ok(await client.get(`${space.url}/move`)).moves).toHaveLength(1)
  })

  it('cannot be uploaded or checked again by a member who may not write documents', async () => {
    const data = { fileName: 'a.zip', fileSize: first.length, updates: origin }
    const { move } = ok(await admin.client.post(`${space.url}/move`, { data }))
    const url = moveUrl(move._id, '/signedUrl')
    const rights = [
      'space.view',
      'app.create',
      'app.manage',
      'document.read',
      'asset.read',
      'asset.write.own',
    ]
    const { role } = ok(await admin.client.post(`${space.url}/role`, { data: { name: '管理係', rights } }))
    const { client } = await createMember(installation, space, role.uid)
    expect((await client.get(url)).body.code).toBe('Forbidden')
    expect((await client.post(url)).body.code).toBe('Forbidden')
    ok(await admin.client.delete(moveUrl(move._id)))
    const again = await upload(first, origin)
    const { pool } = installation.database
    await pool.query(`UPDATE move SET state = 'checking' WHERE id = $1`, [again])
    await pool.query(`UPDATE job SET state = 'failed' WHERE id = (SELECT job_id FROM move WHERE id = $1)`, [
      again,
    ])
    expect((await client.post(moveUrl(again, '/retry'))).body.code).toBe('Forbidden')
    ok(await admin.client.post(moveUrl(again, '/retry')))
  })

  it('finds changes based on the `moved_document` rows that database migration 0063 adds', {
    tags: ['full'],
  }, async () => {
    const { client } = admin
    const sql = await readFile(
      new URL('../../db/migrations/0063_moved_documents.sql', import.meta.url),
      'utf8',
    )
    ok(await client.put(doc('author', ids.author), { doc: { name: 'こちらで直した著者' } }))
    ok(await client.put(doc('article', ids.edited), { doc: { title: 'こちらで直した題' } }))
    const { pool } = installation.database
    await pool.query('DELETE FROM moved_document')
    await pool.query(sql)
    expect(await counted(await upload(await rescuedFrom(newt), origin))).toEqual({})
    editThere('article', ids.edited, { title: 'Newtで直した題' })
    editThere('article', ids.everything, { title: 'Newtで直した題' })
    newt.models.get('article')?.delete(ids.bare)
    expect(await counted(await upload(await rescuedFrom(newt), origin))).toEqual({
      both: 1,
      changed: 1,
      gone: 1,
    })
  })

  it('lists a new model whose uid the app already uses, and imports values of fields created in the app', {
    tags: ['full'],
  }, async () => {
    editThere('author', ids.author, { name: '著者', profile: '増えたフィールド', motto: 'あとで作る' })
    const author = newt.models.get('author')?.get(ids.author)
    if (author) author.published = author.draft
    const addField = async (field: string) => {
      const at = `${space.url}/app/blog/model/author`
      const { uid, name, description, fields } = ok(await admin.client.get(at)).model
      const added = [...fields, { uid: field, name: field, type: 'TEXT' }]
      ok(await admin.client.put(at, { data: { uid, name, description, titleField: 'name', fields: added } }))
    }
    await addField('profile')
    const shop = {
      uid: 'shop',
      name: 'こちらのモデル',
      fields: [{ uid: 'name', name: '名前', type: 'TEXT' }],
    }
    ok(await admin.client.post(`${space.url}/app/blog/model`, { data: shop }))
    addContent(newt, 'shop', {
      id: idOf(0x6001),
      createdAt: '2026-11-20T10:00:00.000Z',
      draft: { name: '店' },
    })
    const id = await upload(await rescuedFrom(newt, { models: ['article', 'shop'] }), origin)
    const changes = await changesOf(id)
    expect(changes.newModels).toEqual(['shop'])
    expect(changes.additions.models).toEqual([])
    const [part] = changes.additions.parts
    expect([part.uid, part.fields.map(({ from }: { from: string }) => from)]).toEqual(['author', ['motto']])
    // A field created after planning is filled, too, and keeps its settings.
    await addField('motto')
    await apply(id)
    expect(await read('author', ids.author)).toMatchObject({
      profile: '増えたフィールド',
      motto: 'あとで作る',
    })
    const [field] = (await changesOf(id)).additions.parts[0].fields
    expect(field).toMatchObject({ outcome: 'refused', problem: 'taken' })
  })
})
