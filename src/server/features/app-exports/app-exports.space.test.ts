import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SpaceManifest } from '#archive/space-format.ts'
import { verifyArchive } from '#archive/verify.ts'
import { importMoveJob, undoMoveJob } from '#server/features/moves/moves.jobs.ts'
import type { PlannedApp } from '#shared/contract/moves.ts'
import { type Carrying, comparable, createNeighbour, startCarrying } from '#test/app-archives.ts'
import { createMember, createSpace } from '#test/factories.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok } from '#test/server.ts'

let installation: Carrying['installation']
let archives: Carrying['archives']
let admin: Carrying['admin']
let home: Carrying['home']
let first: Carrying['whole']
let second: { uid: string; url: string }
let end: Carrying['end'] | undefined

beforeAll(async () => {
  ;({ installation, archives, admin, home, whole: first, end } = await startCarrying())
  second = await createNeighbour({ admin, home, whole: first })
})
afterAll(() => end?.())

describe('the export of a space', () => {
  it("is one signed archive that contains each app as in the app's own export", async () => {
    const zip = await archives.exported(home)
    const whole = await archives.unpack<SpaceManifest>(zip)
    expect(await verifyArchive(whole.path)).toMatchObject({
      status: 'complete',
      problems: [],
      contents: 8,
      signature: { state: 'valid' },
    })
    expect(whole.manifest).toMatchObject({
      source: { kind: 'imori', space: home.uid },
      apps: [
        { uid: first.uid, folder: `apps/${first.uid}` },
        { uid: second.uid, folder: `apps/${second.uid}` },
      ],
      counts: { documents: 8, assets: { all: 2, files: 2 } },
    })
    for (const app of [first, second]) {
      const alone = comparable(await archives.unpack(await archives.exported(app)))
      for (const [path, bytes] of Object.entries(alone)) {
        const there = path.startsWith('assets/') ? path : `apps/${app.uid}/${path}`
        expect([path, whole.files.get(there)?.toString('latin1')]).toEqual([path, bytes])
      }
    }
    expect(comparable(await archives.unpack<SpaceManifest>(await archives.exported(home)))).toEqual(
      comparable(whole),
    )
  })

  it('contains revisions, or leaves out files, on request', async () => {
    const past = await archives.unpack<SpaceManifest>(await archives.exported(home, { revisions: true }))
    expect((await verifyArchive(past.path)).problems).toEqual([])
    expect(past.manifest.counts.revisions).toBeGreaterThan(8)
    const bare = await archives.unpack<SpaceManifest>(await archives.exported(home, { assets: false }))
    expect(await verifyArchive(bare.path)).toMatchObject({ problems: [], listed: 2 })
    expect([...bare.files.keys()].filter((path) => path.startsWith('assets/'))).toHaveLength(1)
  })

  it('can be cancelled, and is written anew on the next request', async () => {
    const { client } = admin
    const { export: begun } = ok(await client.post(`${home.url}/export`, { data: {} }))
    expect(begun).toMatchObject({ state: 'writing', job: { cancelRequested: false } })
    ok(await client.post(`${home.url}/job/${begun.job._id}/cancel`))
    expect(ok(await client.get(`${home.url}/export`))).toMatchObject({
      export: { state: 'failed', stopped: { code: 'cancelled' }, job: null },
      downloadUrl: null,
    })
    expect((await archives.exported(home)).length).toBeGreaterThan(0)
  })

  it('without revisions contains no CDN token, no server secret, and no name, email or id of the exporter', async () => {
    const { client } = admin
    const { token } = ok(await client.post(`${home.url}/cdnToken`, { data: { name: 't' } })).cdnToken
    const { files } = await archives.unpack<SpaceManifest>(await archives.exported(home))
    const text = [...files.values()].map((bytes) => bytes.toString('latin1')).join('\n')
    const { secrets } = installation.deps.services
    for (const secret of [
      token,
      secrets.sessionKey,
      ...secrets.encryptionKeys,
      admin.email,
      admin.name,
      admin.id,
    ])
      expect(text).not.toContain(secret)
  })

  it('is refused for a member who manages no app, and for a space without apps', async () => {
    const member = await createMember(installation, home, 'pjt-Member')
    expect((await member.client.post(`${home.url}/export`, { data: {} })).status).toBe(403)
    expect((await member.client.get(`${home.url}/export`)).status).toBe(403)
    const empty = await createSpace(admin.client)
    expect(ok(await admin.client.get(`${empty.url}/export`))).toEqual({ export: null, downloadUrl: null })
    expect((await admin.client.post(`${empty.url}/export`, { data: {} })).status).toBe(400)
  })
})

describe('the archive of a space', () => {
  const appsOf = async (url: string) => ok(await admin.client.get(`${url}/apps`)).apps as PlannedApp[]
  const choicesOf = (apps: PlannedApp[]) =>
    apps.map(({ _id, chosen, uid, name }) => ({ _id, chosen, uid, name }))

  it('has the same contents after an import into an empty space, and the import can be undone', {
    tags: ['full'],
  }, async () => {
    const { client } = admin
    const away = await createSpace(client)
    const zip = await archives.exported(home, { revisions: true })
    const id = await archives.upload(away, zip)
    const url = `${away.url}/move/${id}`
    const apps = await appsOf(url)
    expect(apps).toMatchObject([
      {
        uid: first.uid,
        chosen: true,
        source: { kind: 'imori', space: home.uid, app: first.uid, signature: { state: 'own' } },
        counts: { documents: 7, assets: 2 },
        problems: [],
      },
      { uid: second.uid, chosen: true, counts: { documents: 1, assets: 1 }, problems: [] },
    ])
    ok(await client.post(`${url}/start`))
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(away, id)).toMatchObject({
      state: 'imported',
      report: { documents: 8, assets: 2, problems: [] },
    })
    const there = await archives.unpack<SpaceManifest>(await archives.exported(away, { revisions: true }))
    expect(comparable(there)).toEqual(comparable(await archives.unpack<SpaceManifest>(zip)))
    expect(there.manifest.apps.map(({ uid }) => uid)).toEqual([first.uid, second.uid])

    ok(await client.post(`${url}/undo`))
    await runWaiting(installation, undoMoveJob)
    const { rows } = await installation.database.pool.query(
      `SELECT (SELECT count(*)::int FROM app WHERE space_id = space.id AND deleted_at IS NULL) AS apps,
        (SELECT count(*)::int FROM document WHERE space_id = space.id) AS documents,
        (SELECT count(*)::int FROM asset WHERE space_id = space.id) AS assets FROM space WHERE uid = $1`,
      [away.uid],
    )
    expect(rows).toEqual([{ apps: 0, documents: 0, assets: 0 }])
    ok(await client.delete(url))
  })

  it('needs other uids for an import into its own space, and the import resumes after an interruption', {
    tags: ['full'],
  }, async () => {
    const { client } = admin
    const zip = await archives.exported(home)
    const id = await archives.upload(home, zip)
    const url = `${home.url}/move/${id}`
    const apps = await appsOf(url)
    expect(apps.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      ['appUidTaken'],
      ['appUidTaken'],
    ])
    expect((await client.post(`${url}/start`)).body).toMatchObject({ code: 'MovePlanHasProblems' })
    const choices = choicesOf(apps).map((choice, index) => ({ ...choice, uid: `beside-${index}` }))
    ok(await client.put(`${url}/apps`, { data: choices }))
    for (const { _id } of apps) {
      const { plan } = ok(await client.get(`${home.url}/move/${_id}/plan`))
      ok(await client.put(`${home.url}/move/${_id}/plan`, { data: { app: plan.app, ids: 'new' } }))
    }
    ok(await client.post(`${url}/start`))
    const { pool } = installation.database
    await pool.query(`CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'cut off'; END $$`)
    await pool.query(
      `CREATE TRIGGER cut_off BEFORE UPDATE ON carry_model FOR EACH ROW WHEN (NEW.model = 'place') EXECUTE FUNCTION cut_off()`,
    )
    await runWaiting(installation, importMoveJob)
    expect((await archives.getMove(home, id)).state).toBe('importing')
    await pool.query('DROP TRIGGER cut_off ON carry_model')
    await pool.query('DROP FUNCTION cut_off()')
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(home, id)).toMatchObject({
      state: 'imported',
      report: { documents: 8, problems: [] },
    })
    // Both apps use the same files of the library.
    const { documents } = ok(await client.get(`${home.url}/app/beside-1/model/article/doc`))
    expect(documents).toMatchObject([{ title: 'もう一つのApp', image: first.assets[0] }])
    ok(await client.post(`${url}/undo`))
    await runWaiting(installation, undoMoveJob)
    // Assets that existed before the import are kept.
    expect(ok(await client.get(`${home.url}/assets/${first.assets[0]}`)).asset).toMatchObject({ title: '朝' })
    ok(await client.delete(url))
  })

  it('can be imported with only one of its apps, and with only the files of that app', async () => {
    const { client } = admin
    const away = await createSpace(client)
    const id = await archives.upload(away, await archives.exported(home))
    const url = `${away.url}/move/${id}`
    const choices = choicesOf(await appsOf(url)).map((choice) => ({
      ...choice,
      chosen: choice.uid === second.uid,
    }))
    ok(await client.put(`${url}/apps`, { data: choices }))
    ok(await client.post(`${url}/start`))
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(away, id)).toMatchObject({ report: { documents: 1, assets: 1 } })
    expect(ok(await client.get(`${away.url}/app`)).apps).toMatchObject([{ uid: second.uid }])
    const there = await archives.exported({ url: `${away.url}/app/${second.uid}` })
    expect(comparable(await archives.unpack(there))).toEqual(
      comparable(await archives.unpack(await archives.exported(second))),
    )
    ok(await client.post(`${url}/accept`))
  })
})
