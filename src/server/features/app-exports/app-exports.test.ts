import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openArchive } from '#archive/source.ts'
import { verifyArchive } from '#archive/verify.ts'
import { importMoveJob, undoMoveJob } from '#server/features/moves/moves.jobs.ts'
import { fillAppJob } from '#server/features/templates/templates.jobs.ts'
import { type Carrying, comparable, startCarrying } from '#test/app-archives.ts'
import { createAccount, createApp, createMember, createSpace } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { runNow, runWaiting } from '#test/run-now.ts'
import { ok } from '#test/server.ts'
import { cleanUpExportsJob, writeExportJob } from './app-exports.jobs.ts'

let installation: Carrying['installation']
let archives: Carrying['archives']
let admin: Carrying['admin']
let home: Carrying['home']
let away: Carrying['away']
let whole: Carrying['whole']
let end: Carrying['end'] | undefined

beforeAll(async () => {
  ;({ installation, archives, admin, home, away, whole, end } = await startCarrying())
})
afterAll(() => end?.())

describe('the export of an app', () => {
  it('has the same contents after an import into another space', async () => {
    const zip = await archives.exported(whole)
    const before = await archives.unpack(zip)
    expect(await verifyArchive(before.path)).toMatchObject({
      status: 'complete',
      found: 0,
      contents: 7,
      signature: { state: 'valid' },
    })
    // The export of an unchanged app is the same file again.
    expect(comparable(await archives.unpack(await archives.exported(whole)))).toEqual(comparable(before))

    const { client } = admin
    const id = await archives.upload(away, zip)
    const url = `${away.url}/move/${id}`
    expect(await archives.getMove(away, id)).toMatchObject({
      state: 'planned',
      source: { kind: 'imori', app: whole.uid, signature: { state: 'own' } },
      counts: { documents: 7, assets: 2 },
    })
    const { plan } = ok(await client.get(`${url}/plan`))
    expect(plan).toMatchObject({ ids: 'kept', views: 1, roles: [{ uid: 'helper' }], problems: [] })
    expect(
      plan.models.map((model: { uid: string; documents: number }) => [model.uid, model.documents]),
    ).toEqual([
      ['person', 1],
      ['place', 1],
      ['article', 5],
    ])
    const { models, customTypes, app } = plan
    expect((await client.put(`${url}/plan`, { data: { app, models, customTypes } })).status).toBe(400)
    const reserved = await client.put(`${url}/plan`, { data: { app: { ...app, uid: 'x y' }, ids: 'kept' } })
    expect(reserved.body.issues).toMatchObject([{ path: 'data.app.uid' }])

    ok(await client.post(`${url}/start`))
    const half = `${away.url}/app/${whole.uid}/export`
    const refused = { code: 'AppIsBeingFilled', apps: [plan.app.name] }
    expect((await client.post(half)).body).toMatchObject(refused)
    expect((await client.post(`${away.url}/export`)).body).toMatchObject(refused)
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(away, id)).toMatchObject({
      state: 'imported',
      report: { documents: 7, assets: 2, problems: [] },
    })
    const after = await archives.unpack(await archives.exported({ url: `${away.url}/app/${whole.uid}` }))
    expect(comparable(after)).toEqual(comparable(before))

    ok(await client.post(`${url}/undo`))
    await runWaiting(installation, undoMoveJob)
    expect((await client.get(`${away.url}/app/${whole.uid}`)).status).toBe(404)
    const { rows } = await installation.database.pool.query(
      'SELECT (SELECT count(*)::int FROM asset JOIN space ON space.id = space_id WHERE uid = $1) AS assets, (SELECT count(*)::int FROM carry_model) AS rows',
      [away.uid],
    )
    expect(rows[0]).toEqual({ assets: 0, rows: 0 })
    ok(await client.delete(url))
  })

  it('with revisions preserves the revisions and the names of their authors through an import', {
    tags: ['full'],
  }, async () => {
    const { client } = admin
    const editor = await createMember(installation, home, 'pjt-Admin')
    const article = `${whole.url}/model/article/doc/${whole.documents.changed}`
    ok(await editor.client.put(article, { doc: { title: '二人目', color: '#00ff00' } }))
    ok(await client.put(article, { doc: { title: '変更後' } }))
    const zip = await archives.exported(whole, { revisions: true })
    const before = await archives.unpack(zip)
    expect((await verifyArchive(before.path)).problems).toEqual([])
    expect(before.manifest.counts.revisions).toBeGreaterThan(before.manifest.counts.documents)
    const lines = String(before.files.get('revisions/article.ndjson'))
    expect(lines).toContain(editor.email)

    // The editor is not a member of the target space.
    const id = await archives.upload(away, zip)
    const url = `${away.url}/move/${id}`
    expect(ok(await client.get(`${url}/plan`)).plan.revisions).toBe(before.manifest.counts.revisions)
    ok(await client.post(`${url}/start`))
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(away, id)).toMatchObject({ state: 'imported', report: { problems: [] } })
    const there = `${away.url}/app/${whole.uid}`
    const history = async (doc: string) => ok(await client.get(`${doc}/revisions?limit=100`)).revisions
    const moved = `${there}/model/article/doc/${whole.documents.changed}`
    const own = await history(article)
    expect(await history(moved)).toEqual(
      own.map((revision: { createdBy: { _id: string; name: string } }) =>
        revision.createdBy._id === editor.id
          ? { ...revision, createdBy: null, author: editor.name }
          : revision,
      ),
    )
    expect(own.map(({ kind }: { kind: string }) => kind)).toEqual(['save', 'save', 'save', 'publish'])
    for (const version of [1, 2, 3, 4])
      expect(ok(await client.get(`${moved}/revision/${version}`)).revision.values.title).toBe(
        ok(await client.get(`${article}/revision/${version}`)).revision.values.title,
      )
    // An edit continues the imported revisions.
    ok(await client.put(moved, { doc: { title: '続き' } }))
    expect((await history(moved))[0]).toMatchObject({ version: 5, createdBy: { _id: admin.id } })
    ok(await client.post(`${url}/undo`))
    await runWaiting(installation, undoMoveJob)
    ok(await client.delete(url))

    const second = await archives.upload(away, zip)
    ok(await client.post(`${away.url}/move/${second}/start`))
    await runWaiting(installation, importMoveJob)
    // Undone imports leave counts of 0.
    const broken = await findViolations(installation.database)
    expect(broken.filter((one) => !/: counts .* of 0\/0$/.test(one))).toEqual([])
    expect(
      comparable(await archives.unpack(await archives.exported({ url: there }, { revisions: true }))),
    ).toEqual(comparable(before))
    ok(await client.post(`${away.url}/move/${second}/undo`))
    await runWaiting(installation, undoMoveJob)
    ok(await client.delete(`${away.url}/move/${second}`))
  })

  it('of a duplicate contains the same parts, with views that refer to the copied documents', async () => {
    const { client } = admin
    const { app } = ok(await client.post(`${whole.url}/duplicate`, { appName: '写し', appUid: 'copy' }))
    const url = `${home.url}/app/${app.uid}`
    expect((await client.post(`${url}/export`)).body).toMatchObject({
      code: 'AppIsBeingFilled',
      apps: ['写し'],
    })
    await runWaiting(installation, fillAppJob)
    const read = async (from: { url: string }) => {
      const { files, manifest } = await archives.unpack(await archives.exported(from))
      return { portable: JSON.parse(String(files.get('app.json'))), files, manifest }
    }
    const [original, copy] = [await read(whole), await read({ url })]
    const [person] = ok(await client.get(`${url}/model/person/doc`)).documents
    const named = JSON.stringify(original.portable.views).replaceAll(String(whole.documents.hana), person._id)
    expect(copy.portable).toEqual({
      ...original.portable,
      app: { ...original.portable.app, uid: 'copy', name: '写し' },
      views: JSON.parse(named),
    })
    expect(copy.portable.roles).toHaveLength(1)
    expect(JSON.stringify(copy.portable.roles)).toContain('"readOnly":["address"]')
    expect(copy.manifest.counts).toMatchObject({ documents: 7, assets: { all: 2 } })
    // The files belong to the space, not to an app.
    expect(copy.files.get('assets.ndjson')).toEqual(original.files.get('assets.ndjson'))
    ok(await client.delete(url))
  })

  it('is imported with new copies of files that are in the trash of the space', async () => {
    const zip = await archives.exported(whole)
    const { files } = await archives.unpack(zip)
    // The URL of a file is exported as a reference, also in a plain text field.
    expect(String(files.get('documents/article.ndjson'))).toContain(
      `"tags":["春","夏","imori-asset://${whole.assets[1]}/`,
    )
    const { client } = admin
    const third = await createSpace(client)
    const first = await archives.upload(third, zip)
    ok(await client.post(`${third.url}/move/${first}/start`))
    await runWaiting(installation, importMoveJob)
    ok(await client.post(`${third.url}/move/${first}/accept`))
    ok(await client.delete(`${third.url}/app/${whole.uid}`))
    for (const id of whole.assets) ok(await client.delete(`${third.url}/asset/${id}`))

    const second = await archives.upload(third, zip)
    ok(await client.post(`${third.url}/move/${second}/start`))
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(third, second)).toMatchObject({ report: { assets: 2, problems: [] } })
    const docs = `${third.url}/app/${whole.uid}/model/article/doc`
    const { image, tags } = ok(await client.get(`${docs}/${whole.documents.published}`)).document
    expect(whole.assets).not.toContain(image)
    expect(ok(await client.get(`${third.url}/assets/${image}`)).asset).toMatchObject({ title: '朝' })
    const [, id] = /\.assets\/v1\/([0-9a-f]{24})\/%E8%B3%87%E6%96%99\.pdf$/.exec(tags[2]) ?? []
    expect(ok(await client.get(`${third.url}/assets/${id}`)).asset).toMatchObject({ fileName: '資料.pdf' })
  })

  it('can be imported into its own space with new ids, and this import resumes after an interruption', async () => {
    const zip = await archives.exported(whole)
    const { client } = admin
    const id = await archives.upload(home, zip)
    const url = `${home.url}/move/${id}`
    const { plan } = ok(await client.get(`${url}/plan`))
    expect(plan.problems.map(({ code }: { code: string }) => code)).toEqual([
      'appUidTaken',
      'documentIdsTaken',
      'assetIdsTaken',
    ])
    expect((await client.post(`${url}/start`)).body).toMatchObject({ code: 'MovePlanHasProblems' })
    const app = { uid: 'beside', name: 'となり' }
    expect(ok(await client.put(`${url}/plan`, { data: { app, ids: 'new' } })).plan.ids).toBe('new')
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
      report: { documents: 7, problems: [] },
    })

    const docs = `${home.url}/app/beside/model/article/doc`
    expect((await client.get(`${docs}/${whole.documents.published}`)).status).toBe(404)
    const { documents } = ok(await client.get(docs))
    const { name } = ok(await client.get(`${home.url}/app/beside/model/person/doc`)).documents[0]
    expect(name).toBe('花')
    const [person] = ok(await client.get(`${home.url}/app/beside/model/person/doc`)).documents
    const own = documents.find((document: { title: string }) => document.title === '公開')
    expect(own.body).toContain(`data-document="${person._id}"`)
    expect(own.blocks[2].data).toBe(person._id)

    // After undoing and importing again, the app exists again, with its cover.
    ok(await client.post(`${url}/undo`))
    await runWaiting(installation, undoMoveJob)
    ok(await client.post(`${url}/start`))
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(home, id)).toMatchObject({ state: 'imported', report: { documents: 7 } })
    expect(ok(await client.get(`${home.url}/app/beside`)).app.cover).not.toBeNull()
    ok(await client.post(`${url}/accept`))
  })

  it('without revisions contains no CDN token, no server secret, and no name, email or id of the exporter', async () => {
    const { client } = admin
    const { token } = ok(await client.post(`${home.url}/cdnToken`, { data: { name: 't' } })).cdnToken
    const { files } = await archives.unpack(await archives.exported(whole))
    const text = [...files.values()].map((bytes) => bytes.toString('latin1')).join('\n')
    const { deps } = installation
    const { rows } = await installation.database.pool.query('SELECT private_key FROM archive_key')
    for (const secret of [
      token,
      deps.services.secrets.sessionKey,
      ...deps.services.secrets.encryptionKeys,
      rows[0].private_key,
      'PRIVATE KEY',
      admin.email,
      admin.name,
      admin.id,
    ])
      expect(text).not.toContain(secret)
  })

  it('can be downloaded only by members who may export it, and each download is logged', async () => {
    const { client } = admin
    const space = await createSpace(client)
    const app = await createApp(client, space)
    const role = 'app-Admin'
    const keeper = await createMember(installation, space, 'pjt-Member', { admin: client, ...app, role })
    const member = await createMember(installation, space)
    for (const { url, name } of [
      { url: app.url, name: 'app.fetchExport' },
      { url: space.url, name: 'space.fetchExport' },
    ]) {
      ok(await client.post(`${url}/export`, { data: {} }))
      await runWaiting(installation, writeExportJob)
      const { export: found, downloadUrl } = ok(await client.get(`${url}/export`))
      expect((await installation.visitor().get(downloadUrl)).status).toBe(401)
      expect((await member.client.get(downloadUrl)).status).toBe(403)
      const other = url === app.url ? keeper : admin
      const file = await other.client.get(downloadUrl)
      expect([file.status, file.bytes.length]).toEqual([200, found.fileSize])
      const { auditLogs } = ok(await client.get(`${space.url}/auditLog?search=fetchExport`))
      expect(auditLogs[0]).toMatchObject({
        act: name,
        outcome: 'done',
        actor: { _id: other.id },
        ip: other.client.ip,
        object: { _id: url.split('/').at(-1) },
        details: { fileName: found.fileName },
      })
    }
    const { downloadUrl } = ok(await keeper.client.get(`${app.url}/export`))
    ok(await client.put(`${space.url}/security`, { data: { ipRanges: [client.ip] } }))
    expect((await keeper.client.get(downloadUrl)).body.code).toBe('IpAddressNotAllowed')
    expect((await client.get(downloadUrl)).status).toBe(200)
    ok(await client.put(`${space.url}/security`, { data: { ipRanges: [] } }))
    ok(await client.patch(`${app.url}/member/${keeper.memberId}`, { roleId: 'app-Editor' }))
    expect((await keeper.client.get(downloadUrl)).status).toBe(403)
  })

  it('is written on the first request, and anew if the app has changed and the file is an hour old', async () => {
    const { client } = admin
    const app = await createApp(client, home)
    const url = `${app.url}/export`
    expect(ok(await client.get(`${url}?start=false`))).toEqual({ export: null, downloadUrl: null })
    const begun = ok(await client.get(url))
    expect(begun).toMatchObject({ export: { state: 'writing', format: 'archive' }, downloadUrl: null })
    expect(begun.export.job._id).toMatch(/^[0-9a-f]{24}$/)
    await runWaiting(installation, writeExportJob)
    const first = ok(await client.get(url))
    expect(first).toMatchObject({ export: { _id: begun.export._id, state: 'ready' } })
    expect((await client.get(first.downloadUrl)).status).toBe(200)

    // A client that waits for the file gets it despite later changes. More than ten minutes later, the export counts as
    // outdated.
    ok(await client.put(app.url, { data: { name: '新しい名前' } }))
    expect(ok(await client.get(url)).export._id).toBe(begun.export._id)
    await installation.database.pool.query(
      `UPDATE app_export SET created_at = created_at - interval '1 hour' WHERE id = $1`,
      [begun.export._id],
    )
    const second = ok(await client.get(url))
    expect(second.export).toMatchObject({ state: 'writing' })
    expect(second.export._id).not.toBe(begun.export._id)
    await runWaiting(installation, writeExportJob)
    const { auditLogs } = ok(await client.get(`${home.url}/auditLog?object=${app.uid}&search=app.export`))
    expect(auditLogs).toHaveLength(2)
  })

  it('cannot be downloaded after it expires, and the clean-up job then removes its file', async () => {
    await archives.exported(whole, { assets: false })
    const { client } = admin
    const { export: found, downloadUrl } = ok(await client.get(`${whole.url}/export`))
    expect((await client.get(`${downloadUrl}x`)).status).toBe(404)
    const path = join(
      installation.deps.services.config.dataDir,
      'exports',
      `${(await installation.database.pool.query('SELECT id FROM space WHERE uid = $1', [home.uid])).rows[0].id}-${found._id}.zip`,
    )
    await runNow(installation, cleanUpExportsJob)
    expect((await stat(path)).size).toBe(found.fileSize)
    await installation.database.pool.query(
      `UPDATE app_export SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [found._id],
    )
    expect((await client.get(downloadUrl)).status).toBe(404)
    expect(ok(await client.get(`${whole.url}/export?start=false`))).toMatchObject({
      export: { state: 'expired' },
      downloadUrl: null,
    })
    await runNow(installation, cleanUpExportsJob)
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('without files causes the problem `missingAssets` in the plan of its import', async () => {
    const zip = await archives.exported(whole, { assets: false })
    const { files } = await archives.unpack(zip)
    expect([...files.keys()].filter((path) => path.startsWith('assets/')).length).toBe(1)
    const id = await archives.upload(away, zip)
    const { plan } = ok(await admin.client.get(`${away.url}/move/${id}/plan`))
    expect(plan.problems).toMatchObject([{ code: 'missingAssets', count: 2 }])
    ok(await admin.client.delete(`${away.url}/move/${id}`))
  })

  it('in NDJSON, CSV or Markdown contains the current state of the documents', async () => {
    const plain = async (format: string) => {
      const path = archives.nextPath()
      await writeFile(path, await archives.exported(whole, { format }))
      const source = await openArchive(path)
      const files: Record<string, string> = {}
      for await (const name of source.list()) {
        files[name] = ''
        for await (const chunk of source.read(name, 1e9)) files[name] += chunk.toString('utf8')
      }
      source.close()
      return files
    }
    const ndjson = await plain('ndjson')
    expect(Object.keys(ndjson).sort()).toEqual(['article.ndjson', 'person.ndjson', 'place.ndjson'])
    const lines = String(ndjson['article.ndjson'])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const states = Object.fromEntries(lines.map(({ title, _sys }) => [title, _sys.status]))
    expect(states).toEqual({
      公開: 'published',
      下書き: 'draft',
      変更後: 'changed',
      公開終了: 'unpublished',
      題だけ: 'draft',
    })
    expect(lines.find(({ title }) => title === '公開').body).toContain(
      `https://cms.example.com/${home.uid}.assets/v1/${whole.assets[0]}/`,
    )

    const csv = await plain('csv')
    const [head = '', row = ''] = String(csv['person.csv']).split('\r\n')
    expect(head).toBe('\ufeff_id,status,createdAt,updatedAt,firstPublishedAt,publishedAt,name')
    expect(row).toMatch(RegExp(`^${whole.documents.hana},published,.*,花$`))

    const markdown = await plain('markdown')
    expect(Object.keys(markdown)).toHaveLength(7)
    const text = String(markdown[`article/${whole.documents.published}.md`])
    expect(text).toMatch(/^---\n_id: "[0-9a-f]{24}"\n_status: "published"\n/)
    expect(text).toContain('\ntitle: "公開"\n')
    expect(text).toMatch(/\n---\n\n<p>文と/)
  })

  it('does not exist before a request, and cannot be requested by accounts outside the space', async () => {
    const app = await createApp(admin.client, home)
    expect(ok(await admin.client.get(`${app.url}/export?start=false`))).toEqual({
      export: null,
      downloadUrl: null,
    })
    const stranger = await createAccount(installation)
    expect((await stranger.client.get(`${app.url}/export`)).status).toBe(404)
    expect((await stranger.client.post(`${app.url}/export`, { data: {} })).status).toBe(404)
  })
})
