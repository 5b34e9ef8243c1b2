import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openArchive } from '#archive/source.ts'
import { verifyMove } from '#moving/verify.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { checkMoveJob, importMoveJob, undoMoveJob } from './moves.jobs.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let port: number
let zip: Buffer
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  await installation.server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  port = (installation.server.server.address() as AddressInfo).port
  const newt = await picturedSpace()
  newt.app.name = '井森の日々 🧑🏽\u200d🌾'
  zip = await rescuedFrom(newt)
})
afterAll(() => installation?.close())

const put = (url: string, bytes: Buffer, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${url}`, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers: { 'content-type': 'application/zip', ...headers },
  })

const moveUrl = (id: string, rest = '') => `${space.url}/move/${id}${rest}`

/** Uploads an archive in two parts and checks it. */
async function upload(bytes: Buffer): Promise<string> {
  const { client } = admin
  const data = { fileName: 'blog.zip', fileSize: bytes.length }
  const { move } = ok(await client.post(`${space.url}/move`, { data }))
  expect(move).toMatchObject({ state: 'uploading', received: 0, app: null, stopped: null })
  const first = ok(await client.get(moveUrl(move._id, '/signedUrl')))
  // The connection breaks halfway. The rest is sent to another URL.
  const half = bytes.length >> 1
  const range = `bytes 0-${half - 1}/${bytes.length}`
  expect((await put(first.url, bytes.subarray(0, half), { 'content-range': range })).status).toBe(204)
  expect((await client.post(moveUrl(move._id, '/signedUrl'))).body).toMatchObject({
    code: 'UploadIsIncomplete',
  })
  const second = ok(await client.get(moveUrl(move._id, '/signedUrl')))
  expect(second.received).toBe(half)
  const rest = `bytes ${half}-${bytes.length - 1}/${bytes.length}`
  expect((await put(second.url, bytes.subarray(half), { 'content-range': rest })).status).toBe(204)
  expect(ok(await client.post(moveUrl(move._id, '/signedUrl'))).move.state).toBe('checking')
  await runWaiting(installation, checkMoveJob)
  return move._id
}

const get = async (id: string) => ok(await admin.client.get(moveUrl(id))).move

const count = async (table: 'document' | 'revision' | 'document_text' | 'asset' | 'carry_asset') => {
  const { rows } = await installation.database.pool.query(`SELECT count(*)::int AS count FROM ${table}`)
  return rows[0].count as number
}

/** Compares the delivery API, through the client that sites use, with the responses of Newt in the archive. */
async function verified() {
  const { client } = admin
  const tokens = {
    cdn: ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'cdn' } })).cdnToken.token,
    api: ok(await client.post(`${space.url}/apiToken`, { data: { name: 'api' } })).apiToken.token,
  }
  const folder = await temporaryFolder()
  await writeFile(join(folder.path, 'a.zip'), zip)
  const source = await openArchive(join(folder.path, 'a.zip'))
  const server = `http://127.0.0.1:${port}`
  const outgoing = createOutgoingHttp({ allowPrivate: [server] })
  try {
    return await verifyMove(source, { server, space: space.uid, app: 'blog', tokens, outgoing })
  } finally {
    source.close()
    await outgoing.close()
    await folder.remove()
  }
}

/** Expects the icon and the cover that the app had in Newt. */
async function expectPictures(): Promise<void> {
  const { app } = ok(await admin.client.get(`${space.url}/app/blog`))
  expect(app).toMatchObject({
    name: '井森の日々 🧑🏽\u200d🌾',
    icon: { type: 'emoji', value: '🦎' },
    cover: { type: 'image', value: expect.stringContaining('/cover.') },
  })
  const answer = await admin.client.get(app.cover.value)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/webp'])
}

describe('a migration', () => {
  it('is uploaded in parts, planned, imported, verified, undone and started again', async () => {
    const { client } = admin
    const id = await upload(zip)
    expect(await get(id)).toMatchObject({ state: 'planned', app: { uid: 'blog' }, stopped: null })
    const { plan } = ok(await client.get(moveUrl(id, '/plan')))
    expect(plan.models.map((model: { uid: string }) => model.uid)).toContain('article')
    expect(plan.app).toEqual({ uid: 'blog', name: '井森の日々 🧑🏽\u200d🌾' })
    expect((await client.post(moveUrl(id, '/undo'))).body.code).toBe('MoveIsNotReady')

    // A plan with invalid corrections is refused with their paths. Valid corrections are stored.
    const { app, models, customTypes } = plan
    const wrong = structuredClone({ app, models, customTypes })
    wrong.models[0].fields[0].field.type = 'IMAGE'
    wrong.models[1].fields.pop()
    const refused = await client.put(moveUrl(id, '/plan'), { data: wrong })
    expect(refused.body.issues.map((issue: { path: string }) => issue.path)).toEqual([
      'data.models.0.fields.0.field.type',
      'data.models.1.fields',
    ])
    // Uniqueness of the values is only known for the first choice.
    const other = structuredClone({ app, models, customTypes })
    const article = other.models.findIndex((model: { uid: string }) => model.uid === 'article')
    const slug = other.models[article].fields.findIndex(({ from }: { from: string }) => from === 'slug')
    const planned = other.models[article].fields[slug]
    expect(planned.allows.unique).toBe(true)
    planned.field = { ...planned.field, ...planned.choices[1].settings, unique: true }
    expect((await client.put(moveUrl(id, '/plan'), { data: other })).body.issues).toEqual([
      expect.objectContaining({ path: `data.models.${article}.fields.${slug}.field.unique` }),
    ])
    models[0].name = '記事'
    // Conflicts are detected anew with each correction.
    ok(await client.post(`${space.url}/app`, { data: { uid: 'taken', name: '先にあるApp' } }))
    const taken = ok(
      await client.put(moveUrl(id, '/plan'), {
        data: { app: { ...app, uid: 'taken' }, models, customTypes },
      }),
    ).plan.problems
    expect(taken[0]).toMatchObject({ code: 'appUidTaken', examples: ['taken'] })
    const stopped = await client.post(moveUrl(id, '/start'))
    expect([stopped.status, stopped.body.code, stopped.body.problem]).toEqual([
      409,
      'MovePlanHasProblems',
      'appUidTaken',
    ])
    ok(await client.delete(`${space.url}/app/taken`))
    expect(ok(await client.get(moveUrl(id, '/plan'))).plan.problems[0].code).not.toBe('appUidTaken')
    expect(
      ok(await client.put(moveUrl(id, '/plan'), { data: { app, models, customTypes } })).plan.models[0].name,
    ).toBe('記事')

    ok(await client.post(moveUrl(id, '/start')))
    expect((await client.delete(moveUrl(id))).body.code).toBe('MoveIsNotReady')
    await runWaiting(installation, importMoveJob)
    const done = await get(id)
    expect(done).toMatchObject({ state: 'imported', report: { documents: 10, assets: 12 } })
    expect(
      done.report.problems.map(({ code, params }: { code: string; params: object }) => [code, params]),
    ).toEqual([
      ['fileRefused', { reason: 'FileIsEmpty' }],
      ['htmlRemoved', { kind: '<script>' }],
    ])
    const result = await verified()
    expect(result.calls).toBeGreaterThan(50)
    expect(result.unexplained).toEqual([])
    await expectPictures()

    // Files are served by their `_id`, and by their former uid at Newt.
    for (const path of ['00000000000000000000a000/a.png', '00000000a001-uuid/b.jpg']) {
      const answer = await client.get(`/${space.uid}.assets/v1/${path}`)
      expect([path, answer.status, answer.headers['content-type']]).toEqual([path, 200, 'image/png'])
    }

    const { move } = ok(await client.post(moveUrl(id, '/undo')))
    expect(move.state).toBe('undoing')
    expect((await client.get(`${space.url}/app/blog`)).status).toBe(404)
    await runWaiting(installation, undoMoveJob)
    expect(await get(id)).toMatchObject({ state: 'undone', report: null })
    for (const table of ['document', 'revision', 'document_text', 'asset', 'carry_asset'] as const)
      expect([table, await count(table)]).toEqual([table, 0])

    // A run that was interrupted between two transactions resumes without creating anything twice.
    ok(await client.post(moveUrl(id, '/start')))
    await cutOffOnce(() => runWaiting(installation, importMoveJob))
    expect(await get(id)).toMatchObject({ state: 'importing', stopped: null })
    await runWaiting(installation, importMoveJob)
    expect(await get(id)).toMatchObject({ state: 'imported', report: { documents: 10, assets: 12 } })
    expect(await count('document')).toBe(10)
    await expectPictures()
    expect(ok(await client.post(moveUrl(id, '/accept'))).move.state).toBe('accepted')
    expect((await client.post(moveUrl(id, '/undo'))).body.code).toBe('MoveIsNotReady')
    expect(ok(await client.delete(moveUrl(id)))).toEqual({ success: true })
    expect(await count('document')).toBe(10)
  })

  it('is refused with a reason if its file is incomplete, damaged or not an archive', async () => {
    const damaged = Buffer.from(zip)
    const at = damaged.indexOf('article.ndjson')
    damaged.writeUInt8((damaged.readUInt8(at + 40) + 1) % 256, at + 40)
    for (const [bytes, code] of [
      [Buffer.from('not a zip at all'), 'unknownSource'],
      [zip.subarray(0, zip.length - 1000), 'cutShort'],
      [damaged, 'damaged'],
    ] as const) {
      const id = await upload(bytes)
      expect(await get(id)).toMatchObject({ state: 'refused', refusal: { code } })
      expect((await admin.client.get(moveUrl(id, '/plan'))).status).toBe(404)
      expect((await admin.client.post(moveUrl(id, '/start'))).body.code).toBe('MoveIsNotReady')
      ok(await admin.client.delete(moveUrl(id)))
    }
  })

  it("can be listed with a migration key, but no longer after the key's creator has signed out", async () => {
    const { key } = ok(await admin.client.post(`${space.url}/move:key`))
    const program = installation.visitor()
    const headers = { authorization: `Bearer ${key}` }
    expect(ok(await program.get(`${space.url}/move`, headers)).moves).toBeInstanceOf(Array)
    const other = await createSpace(admin.client)
    const outside: [string, number][] = [
      [`${other.url}/move`, 401],
      [`${space.url}/app`, 401],
      [`${space.url}/cdnToken`, 401],
    ]
    for (const [url, status] of outside)
      expect([url, (await program.get(url, headers)).status]).toEqual([url, status])
    expect((await program.get(`${space.url}/move`, { authorization: `Bearer ${key}x` })).status).toBe(401)
    ok(await admin.client.post('/api/auth/logout'))
    expect((await program.get(`${space.url}/move`, headers)).status).toBe(401)
  })
})

/** Runs `work` while the progress of one model cannot be stored, as if the server had crashed. */
async function cutOffOnce(work: () => Promise<void>): Promise<void> {
  const { pool } = installation.database
  await pool.query(`CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'cut off'; END $$`)
  await pool.query(
    `CREATE TRIGGER cut_off BEFORE UPDATE ON carry_model FOR EACH ROW WHEN (NEW.model = 'author') EXECUTE FUNCTION cut_off()`,
  )
  await work()
  await pool.query('DROP TRIGGER cut_off ON carry_model')
  await pool.query('DROP FUNCTION cut_off()')
}
