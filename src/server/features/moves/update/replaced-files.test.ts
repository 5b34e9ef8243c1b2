/** @module-tag full */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMember, createSpace } from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { ids } from '#test/newt-stand-in/sample-space.ts'
import { idOf } from '#test/newt-stand-in/space.ts'
import { quadrants } from '#test/pictures.ts'
import { runWaiting } from '#test/run-now.ts'
import { formOf, ok } from '#test/server.ts'
import { MovedApp, Movers } from '#test/updated-move.ts'
import { importMoveJob } from '../moves.jobs.ts'

let movers: Movers
let app: MovedApp
let other: Buffer
beforeAll(async () => {
  movers = await Movers.start()
  other = await quadrants(96, 64)
})
afterAll(() => movers?.installation.close())
beforeEach(async () => {
  app = await movers.moveIn()
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const [photo, banner, text] = [idOf(0xa000), idOf(0xa001), idOf(0xc002)] as const
const assetUrl = (id: string, rest = '') => `${app.space.url}/assets/${id}${rest}`
const getAsset = async (id: string) => ok(await movers.admin.client.get(assetUrl(id))).asset

/** Replaces a file in Newt under its URL. */
function replaceThere(id: string, bytes: Buffer): void {
  const asset = app.newt.assets.get(id)
  if (!asset) throw new Error(id)
  asset.bytes = bytes
}

const replaceHere = async (id: string, bytes: Buffer) => {
  const file = { name: 'a.png', type: 'image/png', bytes }
  ok(await movers.admin.client.put(assetUrl(id, ':refresh'), formOf(file)))
}

const filesOf = async (id: string) =>
  (await app.getUpdate(id)).files.map(
    ({
      kind,
      takes,
      outcome,
      count,
      examples,
    }: Record<string, unknown> & { examples: { _id: string }[] }) => [
      kind,
      takes,
      outcome,
      count,
      examples.map(({ _id }) => _id),
    ],
  )

describe('an update with files that were missing in the first archive', () => {
  it('imports them, and leaves no unexplained differences in the delivery API', async () => {
    const newt = await picturedSpace()
    const moved = new MovedApp(movers, await createSpace(movers.admin.client), newt)
    const kept = [photo, banner].map((id) => [id, newt.assets.get(id)] as const)
    const refuses = [photo, '00000000a001-uuid']
    const lacking = await rescuedFrom(
      newt,
      {},
      {
        fault: ({ path }) =>
          refuses.some((part) => path.includes(part)) ? { kind: 'status', status: 404 } : undefined,
      },
    )
    moved.origin = await moved.upload(lacking)
    await moved.apply(moved.origin)
    const zip = await rescuedFrom(newt)
    const id = await moved.upload(zip, moved.origin)
    expect(await moved.getMove(id)).toMatchObject({ state: 'planned', counts: { assets: 2 } })
    expect(await moved.apply(id)).toMatchObject({ state: 'accepted', report: { assets: 2, problems: [] } })
    for (const [one, asset] of kept) {
      const url = `${moved.space.url}/assets/${one}`
      expect(ok(await movers.admin.client.get(url)).asset).toMatchObject({
        hash: sha256(asset?.bytes ?? Buffer.alloc(0)),
        elsewhere: false,
      })
    }
    expect(await moved.unexplained(zip)).toEqual([])
    expect(await moved.getMove(await moved.upload(zip, moved.origin))).toMatchObject({ state: 'accepted' })
  })
})

describe('an update with files that were replaced in Newt', () => {
  it('replaces files that were not changed in the app, and keeps their addresses', async () => {
    const before = await getAsset(photo)
    replaceThere(photo, other)
    const second = await rescuedFrom(app.newt)
    const id = await app.upload(second, app.origin)
    expect(await app.getMove(id)).toMatchObject({ state: 'planned', counts: { documents: 0, assets: 1 } })
    expect(await filesOf(id)).toEqual([['changed', true, null, 1, [photo]]])
    expect((await getAsset(photo)).hash).toBe(before.hash)
    expect(await app.apply(id)).toMatchObject({ state: 'accepted', report: { assets: 1, problems: [] } })
    expect(await filesOf(id)).toEqual([['changed', true, 'taken', 1, [photo]]])
    expect(await getAsset(photo)).toMatchObject({
      hash: sha256(other),
      src: before.src,
      width: 96,
      version: 2,
    })
    expect(await app.unexplained(second)).toEqual([])
    expect(await app.getMove(await app.upload(second, app.origin))).toMatchObject({ state: 'accepted' })
    // The file is in the state of the import, so the next replacement is selected.
    replaceThere(photo, await quadrants(30, 30))
    const next = await app.update()
    expect(await filesOf(next)).toEqual([['changed', true, null, 1, [photo]]])
  })

  it('keeps a file that was also replaced in the app before its check, unless the user selects the file', async () => {
    const { client } = movers.admin
    const own = await quadrants(50, 50)
    await replaceHere(photo, own)
    await replaceHere(banner, own)
    replaceThere(photo, other)
    const second = await rescuedFrom(app.newt)
    const id = await app.upload(second, app.origin)
    // `banner` was replaced only in the app, so the update does not list it.
    expect(await filesOf(id)).toEqual([['both', false, null, 1, [photo]]])
    await app.apply(id)
    expect(await filesOf(id)).toEqual([['both', false, 'kept', 1, [photo]]])
    expect((await getAsset(photo)).hash).toBe(sha256(own))
    expect(await app.getMove(await app.upload(second, app.origin))).toMatchObject({ state: 'accepted' })

    const newest = await quadrants(20, 40)
    replaceThere(photo, newest)
    const next = await app.update()
    expect(await filesOf(next)).toEqual([['changed', true, null, 1, [photo]]])
    await replaceHere(photo, await quadrants(51, 51))
    // The file was replaced in the app between the plan and the start.
    await app.apply(next)
    expect(await filesOf(next)).toEqual([['changed', true, 'edited', 1, [photo]]])
    const last = await app.update()
    expect(await filesOf(last)).toEqual([['both', false, null, 1, [photo]]])
    ok(await client.put(app.moveUrl(last, '/changes'), { data: { files: { takes: true } } }))
    await app.apply(last)
    expect((await getAsset(photo)).hash).toBe(sha256(newest))
  })

  it('skips a replacement file of another type, and resumes after an interruption', async () => {
    replaceThere(photo, other)
    replaceThere(banner, other)
    // This file was a text and is now a picture.
    replaceThere(text, other)
    app.editThere('article', ids.republished, { title: '直した題' })
    const id = await app.update()
    expect(await filesOf(id)).toEqual([['changed', true, null, 3, [photo, banner, text]]])
    const { pool } = movers.installation.database
    await pool.query(`CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'cut off'; END $$`)
    await pool.query(
      `CREATE TRIGGER cut_off BEFORE UPDATE ON move_file FOR EACH ROW
        WHEN (NEW.asset_id = '${banner}') EXECUTE FUNCTION cut_off()`,
    )
    expect((await app.apply(id)).state).toBe('importing')
    await pool.query('DROP TRIGGER cut_off ON move_file')
    await pool.query('DROP FUNCTION cut_off()')
    expect(await getAsset(photo)).toMatchObject({ hash: sha256(other), version: 2 })
    expect((await getAsset(banner)).version).toBe(1)
    await runWaiting(movers.installation, importMoveJob)
    expect(await app.getMove(id)).toMatchObject({ state: 'accepted', report: { documents: 1, assets: 2 } })
    expect((await getAsset(photo)).version).toBe(2)
    expect(await filesOf(id)).toEqual([
      ['changed', true, 'refused', 1, [text]],
      ['changed', true, 'taken', 2, [photo, banner]],
    ])
    expect((await app.getUpdate(id)).files[0].problem).toBe('UnsupportedMediaType')
  })

  it('requires the right `asset.write.any` to start', async () => {
    const { client } = movers.admin
    replaceThere(photo, other)
    const id = await app.update()
    const rights = ['space.view', 'app.create', 'asset.read', 'asset.write.own', 'document.read']
    const writes = ['document.write.own', 'document.publish.own', 'document.write.any']
    const [may, mayNot] = await Promise.all(
      [['asset.write.any'], []].map(async (more, index) => {
        const data = { name: `移行係${index}`, rights: [...rights, ...writes, 'app.manage', ...more] }
        const { role } = ok(await client.post(`${app.space.url}/role`, { data }))
        return createMember(movers.installation, app.space, role.uid)
      }),
    )
    const start = (member: typeof may) => member?.client.post(app.moveUrl(id, '/start'))
    expect((await start(mayNot))?.status).toBe(403)
    expect((await start(may))?.status).toBe(200)
  })
})
