import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { quadrants } from '#test/pictures.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { incomingFolder } from './incoming.ts'

let installation: TestInstallation
let admin: TestAccount
let member: TestAccount
let space: { uid: string; url: string }
let picture: Buffer
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  member = await createMember(installation, space)
  picture = await quadrants(40, 20)
})
afterAll(() => installation?.close())

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const url = () => `${space.url}/assets`
const text = (bytes: string, name = 'a.txt') => ({ name, type: 'text/plain', bytes })
const png = (name = '写真.png', bytes: Uint8Array = picture) => ({ name, type: 'image/png', bytes })

async function upload(file: Parameters<typeof formOf>[0], who = admin) {
  const { results } = ok(await who.client.post(url(), formOf(file)))
  expect(results).toEqual([expect.objectContaining({ success: true })])
  return results[0].asset
}

const blob = (id: string) => admin.client.get(`${url()}/${id}/getBlob`)
const incoming = () => readdir(incomingFolder(installation.deps.services.config.dataDir)).catch(() => [])

describe('an upload', () => {
  it('stores the file unchanged and returns its detected properties', async () => {
    const asset = await upload(png())
    expect(asset).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      fileName: '写真.png',
      fileType: 'image/png',
      fileSize: picture.length,
      src: `http://localhost:3000/${space.uid}.assets/v1/${asset._id}/%E5%86%99%E7%9C%9F.png`,
      thumbnail: expect.stringContaining(`/${space.uid}.assets/v1/${asset._id}/`),
      placeholder: expect.any(String),
      width: 40,
      height: 20,
      title: '',
      description: '',
      altText: '',
      metadata: { colors: expect.arrayContaining(['#ff0000']) },
      tags: [],
      focalPoint: null,
      private: false,
      hash: sha256(picture),
      duplicateOf: null,
      elsewhere: false,
      useCount: 0,
      restorable: false,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: asset.createdAt,
      createdBy: { _id: admin.id, name: admin.name },
      updatedBy: { _id: admin.id, name: admin.name },
    })
    expect(ok(await admin.client.get(`${url()}/${asset._id}`)).asset).toEqual(asset)
    const answer = await blob(asset._id)
    expect(sha256(answer.bytes)).toBe(sha256(picture))
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(picture.length),
      'content-disposition': "attachment; filename*=UTF-8''%E5%86%99%E7%9C%9F.png",
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
  })

  it('returns a separate result for each of several files', async () => {
    const large = Buffer.alloc(20 * 1024 * 1024 + 1)
    const { results } = ok(
      await admin.client.post(
        url(),
        formOf(
          text('first', 'first.txt'),
          { name: '大きい.bin', bytes: large },
          { name: 'lie.png', type: 'image/png', bytes: '<!doctype html><script>alert(1)</script>' },
          { name: 'empty.txt', type: 'text/plain', bytes: '' },
          { name: '../../\u202Egnp.exe', type: '', bytes: Buffer.from([1, 2, 3, 0xff]) },
          { name: 'page.html', type: 'text/html', bytes: '<html><script>alert(1)</script></html>' },
        ),
      ),
    )
    expect(results.map((one: Record<string, unknown>) => [one.fileName, one.code ?? one.success])).toEqual([
      ['first.txt', true],
      ['大きい.bin', 'RequestFileTooLarge'],
      ['lie.png', 'UnsupportedMediaType'],
      ['empty.txt', 'FileIsEmpty'],
      ['gnp.exe', true],
      ['page.html', true],
    ])
    const page = await blob(results[5].asset._id)
    expect(page.headers['content-type']).toBe('application/octet-stream')
    expect(await incoming()).toEqual([])
  })

  it('is rejected and stores nothing if it contains more than ten files or none', async () => {
    const before = ok(await admin.client.get(url())).total
    const many = await admin.client.post(
      url(),
      formOf(...Array.from({ length: 11 }, (_, i) => text(`${i}`, `${i}.txt`))),
    )
    expect([many.status, many.body.issues]).toEqual([
      400,
      [{ path: 'file', code: 'TooManyItems', params: { maximum: 10 } }],
    ])
    const none = await admin.client.post(url(), formOf())
    expect(none.status).toBe(400)
    expect(ok(await admin.client.get(url())).total).toBe(before)
    expect(await incoming()).toEqual([])
  })

  it('creates one asset if the same user repeats it with the same idempotency key', async () => {
    const total = async () => ok(await admin.client.get(`${url()}?search=again`)).total
    const send = (key: string, ...files: Parameters<typeof formOf>) =>
      admin.client.post(url(), formOf(...files), { 'idempotency-key': key })
    const both = [text('again', 'again-1.txt'), text('', 'again-2.txt')]
    const [first, ...others] = await Promise.all([send('upload-1', ...both), send('upload-1', ...both)])
    const answers = [first, ...others, await send('upload-1', ...both)].filter(({ status }) => status !== 409)
    const ids = answers.map((answer) => ok(answer).results.map((one: { code?: string }) => one.code))
    expect(new Set(ids.map((one) => JSON.stringify(one)))).toEqual(new Set(['[null,"FileIsEmpty"]']))
    expect(new Set(answers.map((answer) => ok(answer).results[0].asset._id)).size).toBe(1)
    expect(await total()).toBe(1)
    // The key also works if the asset was deleted in the meantime.
    const id = ok(answers[0] ?? first).results[0].asset._id
    ok(await admin.client.delete(`${space.url}/asset/${id}`))
    expect(ok(await send('upload-1', ...both)).results[0].asset._id).toBe(id)
    expect(await total()).toBe(0)

    const other = await send('upload-1', text('again', 'again-3.txt'))
    expect([other.status, other.body.code]).toEqual([422, 'IdempotencyKeyReused'])
    const bad = await send('no key', text('again', 'again-3.txt'))
    expect([bad.status, bad.body.issues?.[0].path]).toEqual([400, 'idempotency-key'])
    // A key belongs to one account. A rejected upload does not use its key up.
    const theirs = await member.client.post(url(), formOf(...both), { 'idempotency-key': 'upload-1' })
    expect(ok(theirs).results[0].asset._id).not.toBe(id)
    expect(ok(await send('upload-2', text('', 'again-4.txt'))).results[0].code).toBe('FileIsEmpty')
    expect(ok(await send('upload-2', text('4', 'again-4.txt'))).results[0].success).toBe(true)
    expect(await incoming()).toEqual([])
  })

  it('detects identical content and stores it once', async () => {
    const bytes = Buffer.from(`the same ${Math.random()}`)
    const first = await upload({ name: 'one.txt', type: 'text/plain', bytes })
    const second = await upload({ name: 'two.txt', type: 'text/plain', bytes }, member)
    expect(second.duplicateOf).toBe(first._id)
    const found = ok(await admin.client.get(`${url()}?duplicates=true&search=two`)).assets
    expect(found).toEqual([expect.objectContaining({ _id: second._id, duplicateOf: first._id })])
    const rows = await installation.database.kysely
      .selectFrom('asset')
      .select('storage_key')
      .where('id', 'in', [first._id, second._id])
      .execute()
    expect(new Set(rows.map((row) => row.storage_key)).size).toBe(1)
    ok(await admin.client.delete(`${space.url}/asset/${first._id}`))
    expect((await blob(second._id)).bytes).toEqual(bytes)
    expect(ok(await admin.client.get(`${url()}/${second._id}`)).asset.duplicateOf).toBeNull()
  })

  it('is in the list of duplicates while another asset has the same content', async () => {
    const word = `copy${Math.random().toString(36).slice(2)}`
    const bytes = Buffer.from(word)
    const repeated = async () =>
      ok(await admin.client.get(`${url()}?duplicates=true&search=${word}`))
        .assets.map(({ fileName }: { fileName: string }) => fileName)
        .sort()
    const names = [`${word}-1.txt`, `${word}-2.txt`, `${word}-3.txt`]
    const [first, second, third] = await Promise.all(
      names.map((name) => upload({ name, type: 'text/plain', bytes })),
    )
    expect(await repeated()).toEqual(names)
    ok(await admin.client.delete(`${space.url}/asset/${first._id}`))
    expect(await repeated()).toEqual(names.slice(1))
    ok(await admin.client.delete(`${space.url}/asset/${third._id}`))
    expect(await repeated()).toEqual([])
    ok(await admin.client.post(`${url()}/bulkRestore`, { assetIds: [first._id] }))
    expect(await repeated()).toEqual(names.slice(0, 2))
    ok(await admin.client.put(`${url()}/${second._id}:refresh`, formOf(text('other', `${word}-2.txt`))))
    expect(await repeated()).toEqual([])
  })

  it('records one event, and so does each update that changes its asset', async () => {
    const asset = await upload(text('for the outbox'))
    ok(await admin.client.patch(`${url()}/${asset._id}`, { data: { title: '題' } }))
    ok(await admin.client.patch(`${url()}/${asset._id}`, { data: { title: '題' } }))
    const events = await installation.database.kysely
      .selectFrom('event')
      .select(['type', 'payload', 'actor_id'])
      .where('type', 'like', 'asset.%')
      .orderBy('id')
      .execute()
    expect(events.filter(({ payload }) => payload.assetId === asset._id)).toEqual([
      { type: 'asset.created', payload: { assetId: asset._id, version: 1, size: 14 }, actor_id: admin.id },
      { type: 'asset.updated', payload: { assetId: asset._id, version: 2 }, actor_id: admin.id },
    ])
  })
})

describe('updating an asset', () => {
  it('changes the properties in the request, and rejects an outdated version', async () => {
    const asset = await upload(png())
    const at = `${url()}/${asset._id}`
    const tag = ok(await admin.client.post(`${space.url}/tags`, { data: { name: '花' } })).tag
    const changed = ok(
      await admin.client.patch(at, {
        data: {
          title: '庭',
          altText: '赤い花',
          description: '春の庭',
          fileName: '../庭\u202e.png',
          focalPoint: { x: 0.25, y: 1 },
          tags: [tag._id, tag._id],
          private: true,
          version: 1,
        },
      }),
    ).asset
    expect(changed).toMatchObject({
      title: '庭',
      altText: '赤い花',
      description: '春の庭',
      fileName: '庭.png',
      focalPoint: { x: 0.25, y: 1 },
      tags: [tag._id],
      private: true,
      version: 2,
      hash: asset.hash,
    })
    const stale = await admin.client.patch(at, { data: { title: '畑', version: 1 } })
    expect([stale.status, stale.body.code, stale.body.current]).toEqual([409, 'VersionConflict', 2])
    const kept = ok(await admin.client.patch(at, { data: { focalPoint: null, tags: [] } })).asset
    expect(kept).toMatchObject({ title: '庭', focalPoint: null, tags: [], version: 3 })
  })

  it.each([
    [{ tags: ['0'.repeat(24)] }, 'data.tags.0', 'InvalidValue'],
    [{ focalPoint: { x: 1.1, y: 0 } }, 'data.focalPoint.x', 'TooLargeValue'],
    [{ fileName: ' ' }, 'data.fileName', 'Required'],
    [{ title: 'x'.repeat(256) }, 'data.title', 'TooManyCharacters'],
    [{ altText: '\u0000' }, 'data.altText', 'InvalidValue'],
    [{ size: 3 }, 'data.size', 'UnknownField'],
  ])('rejects %j', async (data, path, code) => {
    const asset = await upload(png())
    const answer = await admin.client.patch(`${url()}/${asset._id}`, { data })
    expect([answer.status, answer.body.issues]).toEqual([400, [expect.objectContaining({ path, code })]])
  })

  it('by a pjt-Member is allowed for own uploads, and forbidden (403) for uploads of others', async () => {
    const [own, other] = [await upload(text('mine'), member), await upload(text('theirs'))]
    ok(await member.client.patch(`${url()}/${own._id}`, { data: { title: 'x' } }))
    ok(await admin.client.patch(`${url()}/${own._id}`, { data: { title: 'y' } }))
    const refused = [
      await member.client.patch(`${url()}/${other._id}`, { data: { title: 'x' } }),
      await member.client.put(`${url()}/${other._id}:refresh`, formOf(text('x'))),
      await member.client.patch(`${url()}/${other._id}:refresh`, { data: { rotate: 90 } }),
      await member.client.delete(`${space.url}/asset/${other._id}`),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    const bulk = await member.client.post(`${url()}/bulkDelete`, {
      assetIds: [own._id, other._id, '0'.repeat(24)],
    })
    expect(ok(bulk).results).toEqual([
      { _id: own._id, success: true },
      { _id: other._id, success: false, code: 'Forbidden' },
      { _id: '0'.repeat(24), success: false, code: 'NotFound' },
    ])
  })
})

describe('the trash', () => {
  it('contains deleted assets, which can be restored', async () => {
    const assets = [await upload(text('t1', 'trash1.txt')), await upload(text('t2', 'trash2.txt'))]
    const assetIds = assets.map(({ _id }) => _id)
    const all = () => admin.client.get(`${url()}?search=trash`)
    ok(await admin.client.delete(`${space.url}/asset/${assetIds[0]}`))
    expect(ok(await all()).total).toBe(1)
    expect((await admin.client.get(`${url()}/${assetIds[0]}`)).status).toBe(404)
    expect((await blob(assetIds[0])).status).toBe(404)
    expect((await admin.client.delete(`${space.url}/asset/${assetIds[0]}`)).status).toBe(404)
    ok(await admin.client.post(`${url()}/bulkDelete`, { assetIds: [assetIds[1]] }))
    expect(ok(await all()).total).toBe(0)
    const trash = ok(await admin.client.get(`${url()}?trash=true&search=ＴＲＡＳＨ`))
    expect(trash.assets.map((asset: { _id: string }) => asset._id)).toEqual([assetIds[1], assetIds[0]])
    const restored = ok(await admin.client.post(`${url()}/bulkRestore`, { assetIds }))
    expect(restored.results).toEqual(assetIds.map((_id) => ({ _id, success: true })))
    // Restoring again changes nothing.
    ok(await admin.client.post(`${url()}/bulkRestore`, { assetIds }))
    expect(ok(await all()).total).toBe(2)
  })
})
