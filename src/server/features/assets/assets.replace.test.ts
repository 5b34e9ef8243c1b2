import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { colorAt, quadrants } from '#test/pictures.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { incomingFolder } from './incoming.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let picture: Buffer
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
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

describe('the file of an asset', () => {
  it('keeps its URL when it is replaced, and can be restored', async () => {
    const asset = await upload(png('a.png'))
    const at = `${url()}/${asset._id}`
    const other = await quadrants(60, 60)
    const replaced = ok(await admin.client.put(`${at}:refresh`, formOf(png('b.png', other)))).asset
    expect(replaced).toMatchObject({
      src: asset.src,
      fileName: 'a.png',
      width: 60,
      version: 2,
      hash: sha256(other),
    })
    expect(replaced.thumbnail).not.toBe(asset.thumbnail)
    expect(sha256((await blob(asset._id)).bytes)).toBe(sha256(other))
    const back = ok(await admin.client.patch(`${at}:refresh`, { data: { restore: true } })).asset
    expect(back).toMatchObject({ width: 40, version: 3, hash: asset.hash, placeholder: asset.placeholder })
    expect(sha256((await blob(asset._id)).bytes)).toBe(asset.hash)
    // A restore can be undone as well.
    expect(ok(await admin.client.patch(`${at}:refresh`, { data: { restore: true } })).asset.width).toBe(60)
  })

  it('cannot be replaced by another file type or by several files, or restored if it was never replaced', async () => {
    const asset = await upload(png())
    const at = `${url()}/${asset._id}:refresh`
    const answers = [
      await admin.client.put(at, formOf(text('x'))),
      await admin.client.put(at, formOf()),
      await admin.client.put(at, formOf(png(), png())),
      await admin.client.patch(at, { data: { restore: true } }),
      await admin.client.patch(at, { data: {} }),
      await admin.client.patch(at, { data: { rotate: 90, restore: true } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([415, 400, 400, 404, 400, 400])
    expect(ok(await admin.client.get(`${url()}/${asset._id}`)).asset.version).toBe(1)
    expect(await incoming()).toEqual([])
  })

  it('is the later of two concurrent replacements, and each creates a version', async () => {
    const asset = await upload(text('0'))
    const put = (bytes: string) => admin.client.put(`${url()}/${asset._id}:refresh`, formOf(text(bytes)))
    const answers = await Promise.all([put('one'), put('two')])
    const last = answers.map((answer) => ok(answer).asset).find(({ version }) => version === 3)
    expect(answers.map((answer) => ok(answer).asset.version).sort()).toEqual([2, 3])
    expect(ok(await admin.client.get(`${url()}/${asset._id}`)).asset.hash).toBe(last.hash)
    expect(sha256((await blob(asset._id)).bytes)).toBe(last.hash)
  })
})

describe('editing a picture', () => {
  it('rotates and crops it, and rejects a region outside the picture and an outdated version', async () => {
    const asset = await upload(png())
    const at = `${url()}/${asset._id}:refresh`
    const turned = ok(await admin.client.patch(at, { data: { rotate: 90 } })).asset
    expect(turned).toMatchObject({ width: 20, height: 40, version: 2 })
    // Clockwise: the bottom left corner becomes the top left one.
    expect(await colorAt((await blob(asset._id)).bytes, 2, 2)).toBe('blue')
    const region = { left: 10, top: 0, width: 10, height: 20 }
    const cut = ok(await admin.client.patch(at, { data: { region, version: 2 } })).asset
    expect(cut).toMatchObject({ width: 10, height: 20 })
    expect(await colorAt((await blob(asset._id)).bytes, 5, 5)).toBe('red')
    const outside = await admin.client.patch(at, { data: { region: { ...region, left: 5 } } })
    expect(outside.status).toBe(400)
    const stale = await admin.client.patch(at, { data: { rotate: 90, version: 2 } })
    expect(stale.body.code).toBe('VersionConflict')
  })

  it('rejects a file that is not a picture', async () => {
    const asset = await upload(text('no picture'))
    const answer = await admin.client.patch(`${url()}/${asset._id}:refresh`, { data: { rotate: 90 } })
    expect([answer.status, answer.body.code]).toEqual([415, 'UnsupportedMediaType'])
  })
})
