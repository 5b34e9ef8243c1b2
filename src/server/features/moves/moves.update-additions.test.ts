import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openArchive } from '#archive/source.ts'
import { verifyMove } from '#moving/verify.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Additions, NewField } from '#shared/contract/move-updates.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { ids } from '#test/newt-stand-in/sample-space.ts'
import { addContent, idOf, type Stored, type StoredSpace } from '#test/newt-stand-in/space.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { checkMoveJob, importMoveJob, undoMoveJob } from './moves.jobs.ts'

const at = '2026-11-20T10:00:00.000Z'

let installation: TestInstallation
let admin: TestAccount
let server: string
let first: Buffer
/** A space of ours, what Newt has, and the move that brought it. */
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
const modelUrl = (uid: string) => `${space.url}/app/blog/model/${uid}`
const getMove = async (id: string) => ok(await admin.client.get(moveUrl(id))).move
const changesOf = async (id: string) => ok(await admin.client.get(moveUrl(id, '/changes'))).changes
const additionsOf = async (id: string): Promise<Additions> => (await changesOf(id)).additions
const getModel = async (uid: string) => ok(await admin.client.get(modelUrl(uid))).model
const read = async (model: string, id: string) =>
  ok(await admin.client.get(`${modelUrl(model)}/doc/${id}`)).document
const typesOf = (fields: { uid: string; type: string }[]) => fields.map(({ uid, type }) => [uid, type])

/** Sends an archive and has it checked. */
async function upload(zip: Buffer, updates?: string): Promise<string> {
  const { client } = admin
  const data = { fileName: 'a.zip', fileSize: zip.length, ...(updates ? { updates } : {}) }
  const { move } = ok(await client.post(`${space.url}/move`, { data }))
  const { url } = ok(await client.get(moveUrl(move._id, '/signedUrl')))
  const headers = { 'content-type': 'application/zip' }
  await fetch(`${server}${url}`, { method: 'PUT', body: new Uint8Array(zip), headers })
  ok(await client.post(moveUrl(move._id, '/signedUrl')))
  await runWaiting(installation, checkMoveJob)
  return move._id
}

/** Saves and publishes a document in Newt. */
function editThere(model: string, id: string, change: Record<string, Stored>): void {
  const content = newt.models.get(model)?.get(id)
  if (!content) throw new Error(id)
  content.draft = { ...content.draft, ...change }
  Object.assign(content, { published: content.draft, updatedAt: at, publishedAt: at, firstPublishedAt: at })
}

async function apply(id: string) {
  ok(await admin.client.post(moveUrl(id, '/start')))
  await runWaiting(installation, importMoveJob)
  return getMove(id)
}

/** What the delivery API answers otherwise than Newt would, and nothing explains. */
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
    return result.unexplained.map(({ call, difference }) => `${call.model} ${difference.path}`)
  } finally {
    source.close()
    await outgoing.close()
    await folder.remove()
  }
}

/** A model of shops that refer to each other, and fields of all kinds in models that are here. */
function growThere(): void {
  addContent(newt, 'shop', {
    id: idOf(0x6001),
    createdAt: at,
    draft: { name: '本店', opened: '2026-01-01T00:00:00.000Z', seats: 12, owner: { $ref: ids.author } },
  })
  addContent(newt, 'shop', {
    id: idOf(0x6002),
    createdAt: at,
    draft: { name: '支店', seats: 4, near: { $ref: idOf(0x6001) } },
  })
  editThere('author', ids.author, {
    shop: { $ref: idOf(0x6001) },
    links: [
      { label: '地図', href: 'https://example.com/', _id: idOf(0x9201) },
      { label: '予約', href: 'https://example.com/b', _id: idOf(0x9202) },
    ],
    age: 41,
  })
  editThere('article', ids.everything, {
    customs: [
      { label: '1', note: '増えた項目', _id: idOf(0x9001) },
      { label: '2', _id: idOf(0x9002) },
    ],
  })
}

describe('models and fields that are new in Newt', () => {
  it('are made as they were recognised and filled, and sites receive what Newt answered', async () => {
    growThere()
    const second = await rescuedFrom(newt)
    const id = await upload(second, origin)
    expect(await getMove(id)).toMatchObject({ state: 'planned', counts: { documents: 2, assets: 0 } })
    const found = await additionsOf(id)
    expect(found.models.map(({ from, takes }) => [from, takes])).toEqual([['shop', true]])
    const described = (fields: NewField[]) =>
      fields.map(({ from, field, takes }) => [from, field.type, takes])
    expect(described(found.models[0]?.fields ?? [])).toEqual([
      ['name', 'TEXT', true],
      ['opened', 'DATE', true],
      ['seats', 'NUMBER', true],
      ['near', 'REFERENCE', true],
      ['owner', 'REFERENCE', true],
    ])
    expect(found.parts.map(({ kind, uid, fields }) => [kind, uid, ...described(fields)])).toEqual([
      ['model', 'author', ['shop', 'REFERENCE', true], ['links', 'CUSTOM', true], ['age', 'NUMBER', true]],
      ['customType', 'customs', ['note', 'TEXT', true]],
    ])
    expect((await changesOf(id)).newModels).toEqual([])
    // Nothing is made before it begins.
    expect((await admin.client.get(modelUrl('shop'))).status).toBe(404)

    expect(await apply(id)).toMatchObject({ state: 'accepted', report: { documents: 4, problems: [] } })
    const shop = await getModel('shop')
    expect(shop).toMatchObject({ documentCount: 2, publishedCount: 2 })
    expect(await read('shop', idOf(0x6002))).toMatchObject({ name: '支店', seats: 4, near: idOf(0x6001) })
    expect(await read('author', ids.author)).toMatchObject({
      shop: idOf(0x6001),
      age: 41,
      links: [{ label: '地図', href: 'https://example.com/' }, { label: '予約' }],
    })
    expect((await read('article', ids.everything)).customs[0]).toMatchObject({ note: '増えた項目' })
    const after = await additionsOf(id)
    expect([...after.models, ...after.parts].flatMap(({ fields }) => fields)).toHaveLength(9)
    for (const { outcome } of [...after.models, ...after.parts].flatMap(({ fields }) => fields as NewField[]))
      expect(outcome).toBe('made')
    expect(await unexplained(second)).toEqual([])

    // They are known now: the same archive brings nothing.
    const again = await upload(second, origin)
    expect(await getMove(again)).toMatchObject({ state: 'accepted' })
    expect((await additionsOf(again)).parts).toEqual([])
    // The move takes back what its update has made.
    ok(await admin.client.post(moveUrl(origin, '/undo')))
    await runWaiting(installation, undoMoveJob)
    const left = await installation.database.pool.query(
      'SELECT count(*)::int AS count FROM document JOIN space ON space.id = space_id WHERE uid = $1',
      [space.uid],
    )
    expect(left.rows).toEqual([{ count: 0 }])
  }, 120_000)

  it('are left one by one, made of another type that was chosen, and not offered again unasked', async () => {
    const { client } = admin
    growThere()
    const id = await upload(await rescuedFrom(newt), origin)
    const { parts } = await additionsOf(id)
    const age = parts[0]?.fields.find(({ from }) => from === 'age')
    const asText = age?.choices.findIndex(({ settings }) => settings.type === 'TEXT') ?? -1
    expect(asText).toBeGreaterThan(0)
    const wrong = {
      models: [{ from: 'nowhere', takes: false }],
      fields: [{ kind: 'model', uid: 'author', from: 'age', choice: 99 }],
    }
    const refused = await client.put(moveUrl(id, '/changes'), { data: wrong })
    expect([refused.status, refused.body.issues?.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['data.models.0', 'data.fields.0'],
    ])
    const data = {
      models: [{ from: 'shop', takes: false }],
      fields: [
        { kind: 'model', uid: 'author', from: 'links', takes: false },
        { kind: 'model', uid: 'author', from: 'age', choice: asText },
      ],
    }
    ok(await client.put(moveUrl(id, '/changes'), { data }))
    expect(await apply(id)).toMatchObject({ state: 'accepted' })
    expect((await client.get(modelUrl('shop'))).status).toBe(404)
    const author = await getModel('author')
    expect(typesOf(author.fields)).toEqual([
      ['name', 'TEXT'],
      ['face', 'IMAGE'],
      ['age', 'TEXT'],
    ])
    expect(await read('author', ids.author)).toMatchObject({ age: '41' })
    const [part] = (await additionsOf(id)).parts
    expect(part?.fields.map(({ from, outcome, problem }) => [from, outcome, problem])).toEqual([
      // What it refers to was left.
      ['shop', 'refused', 'lacksTarget'],
      ['links', 'left', null],
      ['age', 'made', null],
    ])
    const types = ok(await client.get(`${space.url}/app/blog/customFieldType`)).customFieldTypes
    expect(types.map(({ uid }: { uid: string }) => uid)).not.toContain('links')

    const next = await additionsOf(await upload(await rescuedFrom(newt), origin))
    expect(next.models.map(({ from, takes }) => [from, takes])).toEqual([['shop', false]])
    expect(next.parts.flatMap(({ fields }) => fields.map(({ from, takes }) => [from, takes]))).toEqual([
      ['shop', true],
      ['links', false],
    ])
  }, 120_000)

  it('stay away where somebody removed or retyped them here', async () => {
    const { client } = admin
    const { name, description, fields } = await getModel('author')
    const kept = fields.filter(({ uid }: { uid: string }) => uid !== 'face')
    const data = { uid: 'author', name, description, titleField: 'name', fields: kept }
    ok(await client.put(`${modelUrl('author')}?acceptLoss=true`, { data, acceptLoss: true }))
    const before = typesOf((await getModel('author')).fields)
    expect(before).toEqual([['name', 'TEXT']])
    editThere('author', ids.author, { name: 'Newtで直した著者' })
    const id = await upload(await rescuedFrom(newt), origin)
    expect(await additionsOf(id)).toEqual({ models: [], parts: [], customTypes: [] })
    const { models } = await changesOf(id)
    expect(models.find(({ from }: { from: string }) => from === 'author').unknownFields).toEqual(['face'])
    await apply(id)
    expect(typesOf((await getModel('author')).fields)).toEqual(before)
  }, 120_000)

  it('are made once by a run that is cut off', async () => {
    growThere()
    const id = await upload(await rescuedFrom(newt), origin)
    const { pool } = installation.database
    await pool.query(`CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'cut off'; END $$`)
    const cutAt = async (trigger: string, work: () => Promise<void>) => {
      await pool.query(`CREATE TRIGGER cut_off ${trigger} EXECUTE FUNCTION cut_off()`)
      await work()
      await pool.query(`DROP TRIGGER cut_off ON ${/ ON (\w+)/.exec(trigger)?.[1]}`)
    }
    ok(await admin.client.post(moveUrl(id, '/start')))
    // While they are made: none is.
    await cutAt('BEFORE UPDATE ON move FOR EACH ROW WHEN (NEW.changes IS DISTINCT FROM OLD.changes)', () =>
      runWaiting(installation, importMoveJob),
    )
    expect((await admin.client.get(modelUrl('shop'))).status).toBe(404)
    expect(typesOf((await getModel('author')).fields)).toHaveLength(2)
    // Behind that, in the middle of their documents.
    await cutAt(`BEFORE UPDATE ON move_change FOR EACH ROW WHEN (NEW.document_id = '${idOf(0x6002)}')`, () =>
      runWaiting(installation, importMoveJob),
    )
    await pool.query('DROP FUNCTION cut_off()')
    expect(await getMove(id)).toMatchObject({ state: 'importing' })
    expect(await getModel('shop')).toMatchObject({ documentCount: 0 })
    await runWaiting(installation, importMoveJob)
    expect(await getMove(id)).toMatchObject({ state: 'accepted', report: { documents: 4 } })
    expect(await getModel('shop')).toMatchObject({ documentCount: 2 })
    const { models } = ok(await admin.client.get(`${space.url}/app/blog/model`))
    expect(models.filter(({ uid }: { uid: string }) => uid.startsWith('shop'))).toHaveLength(1)
    expect((await getModel('author')).fields).toHaveLength(5)
  }, 120_000)
})
