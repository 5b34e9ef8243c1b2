import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openArchive } from '#archive/source.ts'
import { writeApp } from '#archive/write-app.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { asSystem } from '#server/access/callers/job.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { findGrants } from '#server/access/grants.ts'
import { toSpaceRow } from '#server/access/membership.ts'
import { inTransaction, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { createWholeApp } from '#test/whole-app.ts'
import {
  archivedApp,
  type Filling,
  fillApp,
  insertCarryModels,
  liveApp,
  makeApp,
  newDocumentName,
  type PortableSource,
  readPortableApp,
} from './portable-apps.service.ts'

let installation: TestInstallation
let admin: TestAccount
let home: { uid: string; url: string }
let away: { uid: string; url: string }
let whole: Awaited<ReturnType<typeof createWholeApp>>
const caller = asSystem({ name: 'test' }, 'pendingRangesExpired')

beforeAll(async () => {
  installation = await startInstallation({ IMORI_URL: 'https://cms.example.com' })
  admin = await createAccount(installation)
  home = await createSpace(admin.client)
  away = await createSpace(admin.client)
  whole = await createWholeApp(installation, admin.client, home)
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

const idsOf = async (space: { uid: string }, app: string) => {
  const { rows } = await installation.database.pool.query(
    'SELECT space.id AS space, app.id AS app FROM space JOIN app ON app.space_id = space.id WHERE space.uid = $1 AND app.uid = $2 AND app.deleted_at IS NULL',
    [space.uid, app],
  )
  return rows[0] as { space: number; app: number }
}

async function live(
  space: { uid: string },
  app: string,
  addresses: 'portable' | 'kept' = 'portable',
): Promise<PortableSource> {
  const { database, deps } = installation
  const ids = await idsOf(space, app)
  const scope = spaceScope(ids.space)
  const { services } = deps
  const where = { db: database.kysely, services, scope, caller, appId: ids.app, right: 'app.manage' as const }
  return liveApp({ ...where, addresses })
}

/** Returns all parts of an app as text. */
async function everything(source: PortableSource): Promise<string> {
  const lines = [JSON.stringify(source.app, null, 1)]
  for (const { uid } of source.app.models)
    for await (const document of source.documents(uid, null)) lines.push(`${uid} ${JSON.stringify(document)}`)
  for await (const asset of source.assets()) {
    const chunks: Uint8Array[] = []
    for await (const chunk of source.bytes(asset)) chunks.push(chunk)
    lines.push(`${JSON.stringify(asset)} ${Buffer.concat(chunks).toString('base64')}`)
  }
  return lines.join('\n')
}

/** Creates an app in a space from a source. Returns the context for filling it. */
async function carry(
  space: { uid: string; url: string },
  source: PortableSource,
  uid: string,
  options: Pick<Filling, 'ids' | 'assets' | 'trusted'>,
): Promise<Filling> {
  const { database, deps } = installation
  const carryId = newId()
  const documentName = options.ids === 'new' ? { documentName: newDocumentName(carryId) } : {}
  const made = await asAdmin(space, async (ctx) => {
    const { app, models } = await makeApp(ctx, await readPortableApp(source.app), {
      names: { uid, name: `複製 ${uid}` },
      ...documentName,
    })
    const rows = models.map((model) => ({ model: model.uid, modelId: model.scope.modelId, total: 0 }))
    await insertCarryModels(ctx.db, ctx.scope, carryId, rows)
    return app
  })
  return {
    db: database.kysely,
    scope: made.scope,
    services: deps.services,
    caller,
    right: 'app.manage',
    appId: made.scope.appId,
    carryId,
    source,
    progress: async () => {},
    at: () => {},
    ...options,
  }
}

/** Runs `work` like a request of the space's admin. */
async function asAdmin<T>(space: { uid: string }, work: (ctx: SpaceContext) => Promise<T>): Promise<T> {
  return inTransaction(installation.database.kysely, async (db) => {
    const row = await db
      .selectFrom('space')
      .selectAll()
      .where('uid', '=', space.uid)
      .executeTakeFirstOrThrow()
    const member = await db
      .selectFrom('space_member')
      .select('id')
      .where('space_id', '=', row.id)
      .where('account_id', '=', admin.id)
      .executeTakeFirstOrThrow()
    const scope: SpaceScope = spaceScope(row.id)
    const grants = await findGrants(db, scope, member.id, null)
    if (!grants) throw new Error('no grants')
    const actor = { kind: 'account', account: { id: admin.id } } as unknown as SpaceContext['actor']
    const { services } = installation.deps
    return work({ db, services, origin: null, scope, space: toSpaceRow(row), actor, grants })
  })
}

describe('a portable app', () => {
  it('is recreated in another space byte for byte, except for its name', async () => {
    const before = await everything(await live(home, whole.uid))
    expect(before).toContain('imori-asset://')
    expect(before).not.toContain(home.uid)
    for (const state of ['draft', 'published', 'changed', 'unpublished'])
      expect(before).toContain(whole.documents[state])
    expect(before).not.toContain(whole.documents.trashed)
    expect(before).not.toContain('unused.png')
    expect(before).not.toContain('自分用')

    const source = await live(home, whole.uid)
    // Used assets are known after the documents were read.
    await everything(source)
    const filling = await carry(away, source, whole.uid, { ids: 'kept', assets: 'brought', trusted: false })
    const report = await fillApp(filling)
    expect(report).toEqual({ documents: 7, assets: 2, problems: [] })
    const after = await everything(await live(away, whole.uid))
    expect(after.replaceAll(`複製 ${whole.uid}`, `アプリ ${whole.uid}`)).toBe(before)

    const app = ok(await admin.client.get(`${away.url}/app/${whole.uid}`)).app
    expect(app).toMatchObject({
      description: '持ち運ぶアプリ',
      icon: { type: 'emoji', value: '🦎' },
      cover: { type: 'image', value: expect.stringContaining(`/${away.uid}.assets/v1/`) },
      accessSettings: { visibility: 'private', defaultRole: 'helper' },
    })
    // Addresses point to the imported file.
    const docs = `${away.url}/app/${whole.uid}/model/article/doc`
    const { document } = ok(await admin.client.get(`${docs}/${whole.documents.published}`))
    expect(document.body).toContain(
      `src="https://cms.example.com/${away.uid}.assets/v1/${whole.assets[0]}/%E6%9C%9D%E3%81%AE%20%E5%85%89.png?width=80"`,
    )
  })

  it('copied in its space with shared files creates no files, and its documents get derived `_id`s', async () => {
    const source = await live(home, whole.uid, 'kept')
    const filling = await carry(home, source, 'copy', { ids: 'new', assets: 'shared', trusted: true })
    expect(await fillApp(filling)).toMatchObject({ documents: 7, assets: 0, problems: [] })
    const called = newDocumentName(filling.carryId)
    let expected = (await everything(await live(home, whole.uid)))
      .replaceAll(`"${whole.uid}"`, '"copy"')
      .replaceAll(`アプリ ${whole.uid}`, '複製 copy')
    for (const id of Object.values(whole.documents)) expected = expected.replaceAll(id, called(id))
    const sorted = (text: string) => text.split('\n').sort()
    expect(sorted(await everything(await live(home, 'copy')))).toEqual(sorted(expected))
    const { rows } = await installation.database.pool.query('SELECT count(*)::int AS n FROM asset')
    // Three assets in the source space, two in the target space.
    expect(rows[0].n).toBe(5)
  })

  it('is filled completely by a second run after an interruption', async () => {
    const source = await live(home, whole.uid, 'kept')
    const filling = await carry(home, source, 'again', { ids: 'kept', assets: 'shared', trusted: true })
    let read = 0
    const cutOff: PortableSource = {
      ...source,
      async *documents(model, after) {
        for await (const document of source.documents(model, after)) {
          read += 1
          if (model === 'article' && read === 4) throw new Error('cut off')
          yield document
        }
      },
    }
    await expect(fillApp({ ...filling, source: cutOff })).rejects.toThrow('cut off')
    const { rows } = await installation.database.pool.query(
      'SELECT model, done FROM carry_model WHERE carry_id = $1 ORDER BY model',
      [filling.carryId],
    )
    expect(rows).toEqual([
      { model: 'article', done: 0 },
      { model: 'person', done: 1 },
      { model: 'place', done: 1 },
    ])
    expect(await fillApp(filling)).toMatchObject({ documents: 7 })
    // A repeated run has nothing left to do.
    expect(await fillApp(filling)).toMatchObject({ documents: 7 })
  })

  it('is the same after it was written to an archive and read again', async () => {
    const folder = await temporaryFolder()
    try {
      const source = await live(home, whole.uid)
      const about = { kind: 'imori', space: home.uid, app: whole.uid, origin: '' } as const
      const { manifest, elsewhere } = await writeApp(folder.path, source, {
        generator: 'test',
        finishedAt: new Date(0).toISOString(),
        source: about,
      })
      for (const [path, file] of elsewhere) {
        const target = join(folder.path, path)
        await mkdir(dirname(target), { recursive: true })
        await writeFile(target, 'type' in file ? await source.picture(file) : source.bytes(file))
      }
      const archive = await openArchive(folder.path)
      expect(await everything(await archivedApp(archive, manifest))).toBe(
        await everything(await live(home, whole.uid)),
      )
      const filling = await carry(home, await archivedApp(archive, manifest), 'unpacked', {
        ids: 'kept',
        assets: 'brought',
        trusted: false,
      })
      expect(await fillApp(filling)).toEqual({ documents: 7, assets: 2, problems: [] })
      archive.close()
    } finally {
      await folder.remove()
    }
  })

  it('is rejected with the paths of its invalid parts', async () => {
    const { app } = await live(home, whole.uid)
    const wrong = structuredClone(app)
    const [first, second] = wrong.models
    if (!first || !second) throw new Error('two models')
    first.uid = '__proto__'
    second.fields[0] = { uid: 'a', name: 'a', type: 'NOTHING' }
    wrong.views[0] = { modelUid: 'nowhere', name: 'v', type: 'TABLE', settings: { x: 1 } }
    await expect(readPortableApp(wrong)).rejects.toThrow(
      expect.objectContaining({
        issues: expect.arrayContaining([
          expect.objectContaining({ path: 'models.0.uid' }),
          expect.objectContaining({ path: 'models.1.fields.0.type', code: 'NonExistentFieldType' }),
          expect.objectContaining({ path: 'views.0.modelUid' }),
        ]),
      }),
    )
  })
})
