import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spaceScope } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { type AssetFilter, listAssets } from './asset-list.repository.ts'
import { findAsset, insertAsset, updateAsset } from './assets.repository.ts'

let installation: TestInstallation
let admin: TestAccount
let member: TestAccount
let space: { uid: string; url: string }
let tags: string[]
/** `_id`s of assets by file name. */
const ids: Record<string, string> = {}

const rows = [
  { fileName: 'cat.png', mediaType: 'image/png', size: 10, alt: '寝ている猫' },
  { fileName: 'dog.jpg', mediaType: 'image/jpeg', size: 30, alt: '' },
  { fileName: 'ガイド.pdf', mediaType: 'application/pdf', size: 20, alt: '' },
  { fileName: 'film.mp4', mediaType: 'video/mp4', size: 50, alt: '' },
  { fileName: 'ＷＩＤＥ name.txt', mediaType: 'text/plain', size: 40, alt: '' },
]

beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  member = await createMember(installation, space)
  const db = installation.database.kysely
  const { id } = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  const scope = spaceScope(id)
  for (const [index, { fileName, mediaType, size, alt }] of rows.entries()) {
    const id = newId()
    ids[fileName] = id
    const file = { storage: 'local', storageKey: `k/${id}`, mediaType, size, hash: Buffer.from(id) }
    const nothing = { width: null, height: null, placeholder: null, metadata: {} }
    const createdBy = index === 0 ? member.id : admin.id
    await insertAsset(db, scope, { id, fileName, createdBy, file: { ...file, ...nothing } })
    const asset = await findAsset(db, scope, id)
    if (alt && asset) await updateAsset(db, scope, asset, { altText: alt }, admin.id)
    await sql`UPDATE asset SET created_at = ${new Date(Date.UTC(2026, 0, index + 1))} WHERE id = ${id}`.execute(
      db,
    )
  }
  tags = []
  for (const name of ['a', 'b'])
    tags.push(ok(await admin.client.post(`${space.url}/tags`, { data: { name } })).tag._id)
  const give = (assetIds: (string | undefined)[], add: (string | undefined)[]) =>
    admin.client.post(`${space.url}/assets/bulkTagsUpdate`, { assetIds, add })
  ok(await give([ids['cat.png'], ids['dog.jpg']], [tags[0]]))
  ok(await give([ids['cat.png']], [tags[1]]))
})
afterAll(() => installation?.close())

async function names(query: Record<string, string>): Promise<string[]> {
  const answer = ok(await admin.client.get(`${space.url}/assets?${new URLSearchParams(query)}`))
  expect(answer.total).toBe(answer.assets.length)
  return answer.assets.map((asset: { fileName: string }) => asset.fileName)
}

describe('the asset list', () => {
  it.each([
    ['猫', ['cat.png']],
    ['ねこ', []],
    ['がいど', ['ガイド.pdf']],
    ['ｶﾞｲ', ['ガイド.pdf']],
    ['ガ', ['ガイド.pdf']],
    ['wide', ['ＷＩＤＥ name.txt']],
    ['ＮＡＭＥ wide', ['ＷＩＤＥ name.txt']],
    ['g', ['dog.jpg', 'cat.png']],
    ['.jp', ['dog.jpg']],
    ['%', []],
    ['cat dog', []],
    ['  ', rows.map(({ fileName }) => fileName).reverse()],
  ] as const)('searched for %j returns %j', async (search, expected) => {
    expect(await names({ search })).toEqual(expected)
  })

  it.each([
    [{ accept: 'image/*' }, ['dog.jpg', 'cat.png']],
    [{ accept: 'image/png, .PDF,video/mp4' }, ['film.mp4', 'ガイド.pdf', 'cat.png']],
    [{ accept: '.me.txt' }, []],
    [{ accept: '*/*', search: 'cat' }, ['cat.png']],
    [{ missingAlt: 'true' }, ['dog.jpg']],
    [{ tags: 'a' }, ['dog.jpg', 'cat.png']],
    [{ tags: 'a,b' }, ['cat.png']],
    [{ tags: 'none', accept: 'video/*' }, ['film.mp4']],
    [{ createdBy: 'member' }, ['cat.png']],
    [{ updatedBy: 'admin', accept: 'image/png' }, ['cat.png']],
    [{ duplicates: 'true' }, []],
    [{ trash: 'true' }, []],
    [{ order: 'fileSize' }, ['cat.png', 'ガイド.pdf', 'dog.jpg', 'ＷＩＤＥ name.txt', 'film.mp4']],
    [{ order: 'fileName', accept: 'image/*' }, ['cat.png', 'dog.jpg']],
    [{ order: '-updatedAt', tags: 'a' }, ['cat.png', 'dog.jpg']],
  ] as const)('returns the expected assets in order for the query %j', async (query, expected) => {
    const known: Record<string, string | undefined> = {
      a: tags[0],
      b: tags[1],
      member: member.id,
      admin: admin.id,
    }
    const resolve = (text: string) =>
      text
        .split(',')
        .map((part) => known[part] ?? part)
        .join(',')
    const given = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, /tags|By/.test(name) ? resolve(value) : value]),
    )
    expect(await names(given)).toEqual(expected)
  })

  it('returns pages with the total number of assets', async () => {
    const page = async (page: number) =>
      ok(await admin.client.get(`${space.url}/assets?limit=2&page=${page}`))
    const [first, third, beyond] = [await page(1), await page(3), await page(9)]
    expect(first).toMatchObject({ total: 5, page: 1, limit: 2 })
    expect(first.assets.map((asset: { fileName: string }) => asset.fileName)).toEqual([
      'ＷＩＤＥ name.txt',
      'film.mp4',
    ])
    expect(third.assets).toHaveLength(1)
    expect([beyond.total, beyond.assets]).toEqual([5, []])
  })

  it('counts filtered assets up to a limit, and returns the same page if there are more', async () => {
    const db = installation.database.kysely
    const { id } = await db
      .selectFrom('space')
      .select('id')
      .where('uid', '=', space.uid)
      .executeTakeFirstOrThrow()
    const find = async (filter: AssetFilter, countTo: number) => {
      const page = { order: 'fileSize', limit: 2, offset: 1, countTo } as const
      const { assets, total, isMore } = await listAssets(db, spaceScope(id), filter, page)
      return { names: assets.map(({ fileName }) => fileName), total, isMore }
    }
    const filters: AssetFilter[] = [
      { accept: ['image/*', '.pdf', 'video/mp4'] },
      { tags: 'none' },
      { createdBy: admin.id },
    ]
    for (const filter of filters) {
      const all = await find(filter, 10)
      expect(all).toMatchObject({ isMore: false, names: { length: 2 } })
      expect(await find(filter, 2)).toEqual({ ...all, total: 2, isMore: true })
    }
    expect(await find({}, 2)).toMatchObject({ total: 5, isMore: false })
  })

  it.each([
    'page=0',
    'limit=201',
    'accept=image',
    'tags=x',
    'createdBy=x',
    'order=up',
    'color=red',
    'trash=1',
  ])('rejects %s', async (query) => {
    expect((await admin.client.get(`${space.url}/assets?${query}`)).status).toBe(400)
  })

  it('does not contain assets of other spaces', async () => {
    const other = await createSpace(admin.client)
    expect(ok(await admin.client.get(`${other.url}/assets?search=cat`))).toMatchObject({
      total: 0,
      assets: [],
    })
    expect((await admin.client.get(`${other.url}/assets/${ids['cat.png']}`)).status).toBe(404)
  })
})
