import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openArchive } from '#archive/source.ts'
import { verifyMove } from '#moving/verify.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { PlannedApp } from '#shared/contract/moves.ts'
import { openArchives } from '#test/app-archives.ts'
import { createSpace } from '#test/factories.ts'
import { rescueThreeApps, threeApps, zipOfApps } from '#test/newt-stand-in/three-apps.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { importMoveJob, undoMoveJob } from './moves.jobs.ts'

let installation: TestInstallation
let archives: Awaited<ReturnType<typeof openArchives>>
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let zip: Buffer

beforeAll(async () => {
  installation = await startInstallation()
  archives = await openArchives(installation)
  folder = await temporaryFolder()
  await rescueThreeApps(folder.path)
  zip = await zipOfApps(folder.path)
})
afterAll(async () => {
  await folder?.remove()
  await archives?.remove()
  await installation?.close()
})

const client = () => archives.admin.client
const newSpace = () => createSpace(client())
type Space = Awaited<ReturnType<typeof newSpace>>

const appsOf = async (space: Space, id: string) => ok(await client().get(`${space.url}/move/${id}/apps`))
const choicesOf = (apps: PlannedApp[]) =>
  apps.map(({ _id, chosen, uid, name }) => ({ _id, chosen, uid, name }))
const choose = (space: Space, id: string, data: object[]) =>
  client().put(`${space.url}/move/${id}/apps`, { data })
const act = (space: Space, id: string, what: string) => client().post(`${space.url}/move/${id}/${what}`)

async function count(
  table: 'document' | 'asset' | 'carry_asset' | 'carry_model' | 'moved_document',
  space: Space,
) {
  const { rows } = await installation.database.pool.query(
    `SELECT count(*)::int AS count FROM ${table} WHERE space_id = (SELECT id FROM space WHERE uid = $1)`,
    [space.uid],
  )
  return rows[0].count as number
}

async function imported(space: Space, id: string) {
  ok(await act(space, id, 'start'))
  await runWaiting(installation, importMoveJob)
  return archives.getMove(space, id)
}

/** Compares the delivery of the apps with the archives. Returns the number of calls and the unexplained differences. */
async function verified(space: Space, apps: readonly string[] = threeApps) {
  const tokens = {
    cdn: ok(await client().post(`${space.url}/cdnToken`, { data: { name: 'cdn' } })).cdnToken.token,
    api: ok(await client().post(`${space.url}/apiToken`, { data: { name: 'api' } })).apiToken.token,
  }
  const outgoing = createOutgoingHttp({ allowPrivate: [archives.origin] })
  const unexplained: unknown[] = []
  let calls = 0
  for (const app of apps) {
    const source = await openArchive(join(folder.path, `newt-demo-${app}`))
    const at = { server: archives.origin, space: space.uid, app, tokens, outgoing }
    const result = await verifyMove(source, at)
    source.close()
    calls += result.calls
    unexplained.push(...result.unexplained)
  }
  await outgoing.close()
  return { calls, unexplained }
}

describe('a migration of several apps', () => {
  it('is planned, imported, undone and restarted as a whole, and resumes after an interruption', {
    tags: ['full'],
  }, async () => {
    const space = await newSpace()
    const id = await archives.upload(space, zip)
    const planned = await archives.getMove(space, id)
    expect(planned).toMatchObject({ state: 'planned', refusal: null, app: null, partOf: null })
    expect(planned.apps.map(({ uid }: { uid: string }) => uid)).toEqual(threeApps)
    const { apps, links } = await appsOf(space, id)
    expect(links).toEqual([])
    expect(apps.map(({ uid, chosen, problems }: PlannedApp) => [uid, chosen, problems])).toEqual(
      threeApps.map((uid) => [uid, true, []]),
    )
    const documents = apps.reduce((sum: number, { counts }: PlannedApp) => sum + counts.documents, 0)
    // The list shows the move as a whole; the plan of a part is corrected under the part's id.
    expect(ok(await client().get(`${space.url}/move`)).moves).toHaveLength(1)
    expect((await client().get(`${space.url}/move/${id}/plan`)).status).toBe(404)
    const [blog] = apps
    const at = `${space.url}/move/${blog._id}`
    expect(ok(await client().get(at)).move).toMatchObject({ partOf: id, state: 'planned', apps: [] })
    const { app, models, customTypes } = ok(await client().get(`${at}/plan`)).plan
    models[0].name = '書き物'
    ok(await client().put(`${at}/plan`, { data: { app, models, customTypes } }))
    expect((await appsOf(space, id)).apps[0].models[0].name).toBe('書き物')
    for (const what of ['start', 'undo', 'accept', 'cancel', 'retry'])
      expect([what, (await act(space, blog._id, what)).body.code]).toEqual([what, 'MoveIsNotReady'])
    expect((await client().delete(at)).body.code).toBe('MoveIsNotReady')

    const done = await imported(space, id)
    expect(done).toMatchObject({ state: 'imported', report: { documents, problems: [] } })
    expect(done.report.assets).toBe(await count('asset', space))
    const result = await verified(space)
    expect(result.calls).toBeGreaterThan(100)
    expect(result.unexplained).toEqual([])

    ok(await act(space, id, 'undo'))
    for (const uid of threeApps) expect((await client().get(`${space.url}/app/${uid}`)).status).toBe(404)
    await runWaiting(installation, undoMoveJob)
    expect(await archives.getMove(space, id)).toMatchObject({ state: 'undone', report: null })
    for (const table of ['document', 'asset', 'carry_asset', 'carry_model'] as const)
      expect([table, await count(table, space)]).toEqual([table, 0])

    // After an interruption in the second app, the import resumes without creating anything twice.
    ok(await act(space, id, 'start'))
    await cutOffOnce('writer', () => runWaiting(installation, importMoveJob))
    expect(await archives.getMove(space, id)).toMatchObject({ state: 'importing' })
    const first = await archives.getMove(space, blog._id)
    expect(first.state).toBe('imported')
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(space, id)).toMatchObject({ state: 'imported', report: { documents } })
    expect((await archives.getMove(space, blog._id)).finishedAt).toBe(first.finishedAt)
    expect(await count('document', space)).toBe(documents)
    expect(ok(await act(space, id, 'accept')).move.state).toBe('accepted')
    expect((await act(space, id, 'undo')).body.code).toBe('MoveIsNotReady')
    ok(await client().delete(`${space.url}/move/${id}`))
    expect(await count('carry_model', space)).toBe(0)
    expect(await count('document', space)).toBe(documents)
  })

  it('can be updated app by app from a file of several archives', {
    tags: ['full'],
  }, async () => {
    const space = await newSpace()
    const id = await archives.upload(space, zip)
    const [blog, news] = (await appsOf(space, id)).apps
    await imported(space, id)
    const unchanged = await archives.getMove(space, await archives.upload(space, zip, news._id))
    expect(unchanged).toMatchObject({ state: 'accepted', report: { documents: 0, assets: 0 } })

    const later = await temporaryFolder()
    await rescueThreeApps(later.path, { edited: 'Newtで直した題名' })
    const all = await zipOfApps(later.path)
    const update = await archives.upload(space, all, news._id)
    const { source, counts } = await archives.getMove(space, update)
    expect({ source, counts }).toMatchObject({ source: { app: 'news' }, counts: { documents: 1, assets: 0 } })
    expect((await act(space, id, 'undo')).body.code).toBe('MoveIsNotReady')
    expect(await imported(space, update)).toMatchObject({ state: 'accepted', report: { documents: 1 } })
    const titlesOf = async (app: string) =>
      ok(await client().get(`${space.url}/app/${app}/model/article/doc`)).documents.map(
        ({ title }: { title: string }) => title,
      )
    expect(await titlesOf('news')).toContain('Newtで直した題名')
    expect(await titlesOf('blog')).not.toContain('Newtで直した題名')
    const ofOthers = await archives.upload(
      space,
      await zipOfApps(later.path, ['newt-demo-news', 'newt-demo-shop']),
      blog._id,
    )
    expect(await archives.getMove(space, ofOthers)).toMatchObject({ refusal: { code: 'otherSource' } })

    ok(await act(space, id, 'undo'))
    await runWaiting(installation, undoMoveJob)
    for (const table of ['document', 'asset', 'carry_asset', 'carry_model', 'moved_document'] as const)
      expect([table, await count(table, space)]).toEqual([table, 0])
    await later.remove()
  })

  it('imports the chosen apps, and does not start while a chosen uid is already used', {
    tags: ['full'],
  }, async () => {
    const space = await newSpace()
    ok(await client().post(`${space.url}/app`, { data: { uid: 'blog', name: '先にあるApp' } }))
    const id = await archives.upload(space, zip)
    const stopped = (apps: PlannedApp[]) =>
      apps.map(({ uid, problems }) => [uid, ...problems.map(({ code }) => code)])
    const { apps } = await appsOf(space, id)
    expect(stopped(apps)).toEqual([['blog', 'appUidTaken'], ['news'], ['shop']])
    const refused = await act(space, id, 'start')
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ code: 'MovePlanHasProblems', problem: 'appUidTaken', app: 'blog' }),
    ])
    const [blog, news, shop] = choicesOf(apps)
    const renamed = { ...blog, uid: 'news', name: 'ブログ' }
    const twice = ok(await choose(space, id, [renamed, news!, shop!])).apps
    expect(stopped(twice)).toEqual([['news', 'appUidTwice'], ['news', 'appUidTwice'], ['shop']])
    expect((await act(space, id, 'start')).body.problem).toBe('appUidTwice')
    // Apps that are not chosen cause no clash.
    const left = ok(await choose(space, id, [renamed, { ...news, chosen: false }, shop!])).apps
    expect(stopped(left)).toEqual([['news'], ['news'], ['shop']])

    for (const [data, paths] of [
      [[renamed, news], ['data']],
      [
        [{ ...blog, uid: 'NO UID' }, news, { ...shop, name: ' ' }],
        ['data.0.uid', 'data.2.name'],
      ],
      [[blog, news, shop, { ...shop, _id: '0'.repeat(24) }], ['data.3._id']],
      [[blog, blog, news, shop], ['data.1._id']],
    ] as const)
      expect(
        (await choose(space, id, [...data] as object[])).body.issues.map(
          ({ path }: { path: string }) => path,
        ),
      ).toEqual(paths)
    // The refused choices were not stored, not even partially.
    expect(choicesOf((await appsOf(space, id)).apps)).toEqual([renamed, { ...news, chosen: false }, shop])
    ok(
      await choose(
        space,
        id,
        [blog!, news!, shop!].map((app) => ({ ...app, chosen: false })),
      ),
    )
    expect((await act(space, id, 'start')).body.issues[0].path).toBe('apps')
    ok(await choose(space, id, [{ ...blog, uid: 'blog-2' }, { ...news, chosen: false }, shop!]))
    const done = await imported(space, id)
    expect(done.state).toBe('imported')
    const { apps: here } = ok(await client().get(`${space.url}/app`))
    expect(here.map(({ uid }: { uid: string }) => uid).sort()).toEqual(['blog', 'blog-2', 'shop'])
    expect((await verified(space, ['shop'])).unexplained).toEqual([])
    ok(await act(space, id, 'undo'))
    await runWaiting(installation, undoMoveJob)
    const { apps: after } = ok(await client().get(`${space.url}/app`))
    expect(after.map(({ uid }: { uid: string }) => uid)).toEqual(['blog'])
    expect(await count('asset', space)).toBe(0)
    ok(await client().delete(`${space.url}/move/${id}`))
    const { rows } = await installation.database.pool.query('SELECT FROM move WHERE parent_id = $1', [id])
    expect(rows).toEqual([])
  })
})

describe('links between apps', () => {
  it('are counted if the linked app is in the same file or already in the space', {
    tags: ['full'],
  }, async () => {
    const named = await temporaryFolder()
    await rescueThreeApps(named.path, { named: true })
    const space = await newSpace()
    const all = await archives.upload(space, await zipOfApps(named.path))
    const link = { app: 'news', field: 'article.guest', to: { app: 'blog', here: false }, count: 1 }
    expect((await appsOf(space, all)).links).toEqual([expect.objectContaining(link)])
    // Imported in two moves: links to apps that were imported earlier are found.
    await imported(space, await archives.upload(space, await zipOfApps(named.path, ['newt-demo-blog'])))
    const rest = await archives.upload(
      space,
      await zipOfApps(named.path, ['newt-demo-news', 'newt-demo-shop']),
    )
    const { links } = await appsOf(space, rest)
    expect(links).toEqual([expect.objectContaining({ ...link, to: { app: 'blog', here: true } })])
    expect(links[0].examples).toHaveLength(1)
    await named.remove()
  })
})

describe('a file of several archives', () => {
  const files = async (part: string): Promise<[string, Buffer][]> => {
    const source = await openArchive(join(folder.path, `newt-demo-${part}`))
    const found: [string, Buffer][] = []
    for await (const name of source.list()) {
      const chunks: Buffer[] = []
      for await (const chunk of source.read(name, 1e9)) chunks.push(chunk)
      found.push([name, Buffer.concat(chunks)])
    }
    return found
  }
  const under = (part: string, found: [string, Buffer][]) =>
    found.map(([name, bytes]): [string, Buffer] => [`${part}/${name}`, bytes])
  const stateOf = async (entries: [string, Buffer][]) => {
    const space = await newSpace()
    return archives.getMove(space, await archives.upload(space, await archives.pack(new Map(entries))))
  }

  it('may contain the archives in a subfolder, next to other files', async () => {
    const [blog, shop] = [await files('blog'), await files('shop')]
    const { state, apps } = await stateOf([
      ...under('rescued/a', blog),
      ...under('rescued/b', shop),
      ['rescued/notes.txt', Buffer.from('x')],
      ['rescued/a/.rescue/journal', Buffer.from('x')],
      ['__MACOSX/rescued/a/manifest.json', Buffer.from('x')],
      ['rescued/site/manifest.json', Buffer.from('{"name":"a web app"}')],
    ])
    expect([state, apps.map(({ uid }: { uid: string }) => uid)]).toEqual(['planned', ['blog', 'shop']])
  })

  it('with the same app twice can be imported after one of the two copies is deselected', {
    tags: ['full'],
  }, async () => {
    const shop = await files('shop')
    const space = await newSpace()
    const id = await archives.upload(
      space,
      await archives.pack(new Map([...under('newer', shop), ...under('older', shop)])),
    )
    const { apps } = await appsOf(space, id)
    expect(apps.map(({ problems }: PlannedApp) => problems.map(({ code }) => code))).toEqual([
      ['appUidTwice'],
      ['appUidTwice'],
    ])
    const [newer, older] = choicesOf(apps)
    ok(await choose(space, id, [newer!, { ...older, chosen: false }]))
    expect((await imported(space, id)).state).toBe('imported')
  })

  it('is refused as a whole if one archive is damaged, and the refusal names that archive', async () => {
    const [blog, shop] = [await files('blog'), await files('shop')]
    const damaged = shop.map(([name, bytes]): [string, Buffer] =>
      name === 'app.json' ? [name, Buffer.from('{}')] : [name, bytes],
    )
    expect(await stateOf([...under('a', blog), ...under('b', damaged)])).toMatchObject({
      state: 'refused',
      refusal: { code: 'damaged', items: [{ kind: 'size', what: 'b/app.json' }], count: 1 },
    })
    const broken = shop.map(([name, bytes]): [string, Buffer] =>
      name === 'manifest.json'
        ? [name, Buffer.from('{"format":"imori-archive","formatVersion":1')]
        : [name, bytes],
    )
    expect(await stateOf([...under('a', blog), ...under('b', broken)])).toMatchObject({
      state: 'refused',
      refusal: { code: 'notAnArchive', items: [{ kind: 'part', what: 'b' }] },
    })
    const stray = [
      ...under('a', blog),
      ...under('b', shop),
      ['b/x.txt', Buffer.from('x')] as [string, Buffer],
    ]
    expect((await stateOf(stray)).refusal.items).toEqual([{ kind: 'extra', what: 'b/x.txt' }])
  })

  it('is refused if it contains 101 archives, or if file sizes in its manifests together exceed the limit', async () => {
    const manifest = Buffer.from('{"format":"imori-archive","formatVersion":1}')
    const many = Array.from({ length: 101 }, (_, n): [string, Buffer] => [`app-${n}/manifest.json`, manifest])
    expect(await stateOf(many)).toMatchObject({
      state: 'refused',
      refusal: { code: 'tooManyApps', count: 101 },
      apps: [],
    })
    const [blog, shop] = [await files('blog'), await files('shop')]
    const boasting = (found: [string, Buffer][]) =>
      found.map(([name, bytes]): [string, Buffer] => {
        if (name !== 'manifest.json') return [name, bytes]
        const read = JSON.parse(bytes.toString('utf8'))
        read.files[0].bytes = 700 * 1024 ** 2
        return [name, Buffer.from(JSON.stringify(read))]
      })
    expect((await stateOf([...under('a', boasting(blog)), ...under('b', boasting(shop))])).refusal.code).toBe(
      'tooLarge',
    )
  })
})

/** Runs `work` while the progress of one model cannot be stored, as if the server had crashed. */
async function cutOffOnce(model: string, work: () => Promise<void>): Promise<void> {
  const { pool } = installation.database
  await pool.query(`CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'cut off'; END $$`)
  await pool.query(
    `CREATE TRIGGER cut_off BEFORE UPDATE ON carry_model FOR EACH ROW WHEN (NEW.model = '${model}') EXECUTE FUNCTION cut_off()`,
  )
  await work()
  await pool.query('DROP TRIGGER cut_off ON carry_model')
  await pool.query('DROP FUNCTION cut_off()')
}
