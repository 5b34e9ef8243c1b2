import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signatureOf } from '#server/images/addresses.ts'
import { putAsset } from '#test/asset-fixtures.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { colorAt, quadrants } from '#test/pictures.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let owner: TestAccount
let space: { uid: string; url: string }
/** 400 × 200 pixels in four colours. */
let picture: Buffer
let id: string

beforeAll(async () => {
  installation = await startInstallation({ IMORI_DOMAIN: 'cms.example' })
  owner = await createAccount(installation)
  space = await createSpace(owner.client, 'Pictures')
  picture = await quadrants(400, 200)
  id = await putAsset(installation, space, { bytes: picture, width: 400, height: 200 })
})
afterAll(() => installation.close())

const get = (
  path: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS' = 'GET',
) => installation.server.inject({ method, url: path, headers })
const read = (query = '', headers: Record<string, string> = {}, asset = id) =>
  get(`/${space.uid}.assets/v1/${asset}/a.png${query}`, headers)
const sizeOf = async (bytes: Buffer) => {
  const { width, height, format } = await sharp(bytes).metadata()
  return [width, height, format]
}
const settings = async (data: object) =>
  ok(await owner.client.put(`${space.url}/imageSettings`, { data })).imageSettings
/** Returns the paths of the files in the transform cache. */
const kept = async () => {
  const folder = join(installation.deps.services.config.dataDir, 'transforms')
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

describe('a picture', () => {
  it.each([
    ['?width=100', [100, 50, 'png']],
    ['?width=90&height=90&fit=contain&format=jpeg', [90, 90, 'jpeg']],
    ['?extract=200,0,100,100&format=webp', [100, 100, 'webp']],
    ['?height=50&format=avif&quality=40', [100, 50, 'heif']],
    ['?width=10&utm_source=x&unknown=1', [10, 5, 'png']],
  ])('is transformed by %s', async (query, expected) => {
    const answer = await read(query)
    expect(answer.statusCode).toBe(200)
    expect(await sizeOf(answer.rawPayload)).toEqual(expected)
    expect(answer.headers['content-disposition']).toBe('inline')
    const again = await read(query, { 'if-none-match': String(answer.headers.etag) })
    expect(again.statusCode).toBe(304)
    const part = await read(query, { range: 'bytes=0-9' })
    expect([part.statusCode, part.rawPayload.equals(answer.rawPayload.subarray(0, 10))]).toEqual([206, true])
  })

  it('is cropped around its focal point', async () => {
    const asset = await putAsset(installation, space, {
      bytes: picture,
      width: 400,
      height: 200,
      focalPoint: { x: 1, y: 0.5 },
    })
    const { rawPayload } = await read('?width=50&height=100', {}, asset)
    expect(await colorAt(rawPayload, 5, 10)).toBe('green')
  })

  it('is sent for format=auto as AVIF or WebP if the Accept header names it, otherwise as PNG', async () => {
    const format = async (accept: string) => {
      const answer = await read('?width=20&format=auto', { accept })
      expect(answer.headers.vary).toBe('Accept')
      return answer.headers['content-type']
    }
    expect(await format('image/avif,image/webp,*/*')).toBe('image/avif')
    expect(await format('image/webp,*/*')).toBe('image/webp')
    expect(await format('*/*')).toBe('image/png')
  })

  it.each([
    ['width=0', 'width'],
    ['width=5001', 'width'],
    ['width=', 'width'],
    ['width=1e3', 'width'],
    ['width=1&width=2', 'width'],
    ['height=-1', 'height'],
    ['fit=round', 'fit'],
    ['quality=0', 'quality'],
    ['quality=101', 'quality'],
    ['format=tiff', 'format'],
    ['format=constructor', 'format'],
    ['extract=1,2,3', 'extract'],
    ['extract=0,0,0,5', 'extract'],
    ['extract=390,0,20,20', 'extract'],
    ['extract=0,0,100,1&height=5000', 'height'],
    ['expires=soon', 'expires'],
  ])('is refused for %s with an error that names the parameter', async (query, name) => {
    const answer = await read(`?${query}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      status: 400,
      code: 'InvalidQueryParameter',
      message: expect.stringContaining(`"${name}"`),
    })
  })

  it('a transform needs an explicit format for an SVG, and is refused for a text file', async () => {
    const bytes = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"><rect width="8" height="4" fill="red"/></svg>',
    )
    const drawing = await putAsset(installation, space, {
      bytes,
      mediaType: 'image/svg+xml',
      width: 8,
      height: 4,
    })
    expect((await read('?width=80', {}, drawing)).json().message).toContain('"format"')
    const made = await read('?width=80&format=png', {}, drawing)
    expect(await sizeOf(made.rawPayload)).toEqual([80, 40, 'png'])
    const text = await putAsset(installation, space, { bytes: Buffer.from('x'), mediaType: 'text/plain' })
    expect((await read('?width=80', {}, text)).json()).toMatchObject({
      status: 400,
      code: 'InvalidQueryParameter',
    })
  })

  it('a transform of a damaged file returns 400 on repeated requests', async () => {
    const bytes = Buffer.concat([picture.subarray(0, 300), Buffer.alloc(300)])
    const asset = await putAsset(installation, space, { bytes, width: 400, height: 200 })
    for (let time = 0; time < 2; time++)
      expect((await read('?width=80', {}, asset)).json()).toMatchObject({ status: 400, code: 'BadRequest' })
  })

  it('is cached as one file for concurrent requests of a transform, some of which are aborted', async () => {
    const bytes = await sharp(await quadrants(1201, 601))
      .jpeg()
      .toBuffer()
    const asset = await putAsset(installation, space, {
      bytes,
      mediaType: 'image/jpeg',
      width: 1201,
      height: 601,
    })
    const before = await kept()
    const url = await installation.server.listen({ host: '127.0.0.1', port: 0 })
    const leaver = new AbortController()
    const ask = (signal?: AbortSignal) =>
      fetch(`${url}/pictures.assets/v1/${asset}/a?width=700`, signal ? { signal } : {}).then(
        async (answer) => Buffer.from(await answer.arrayBuffer()).length,
      )
    const leaving = Array.from({ length: 10 }, () => ask(leaver.signal).catch(() => 'left'))
    const staying = Array.from({ length: 100 }, () => ask())
    leaver.abort()
    expect(new Set(await Promise.all(leaving))).toEqual(new Set(['left']))
    const sizes = new Set(await Promise.all(staying))
    expect(sizes.size).toBe(1)
    expect((await kept()).length).toBe(before.length + 1)
  })
})

describe('the transform cache', () => {
  it('is shared by installations with the same data folder, and does not return damaged files', async () => {
    const first = await read('?width=33')
    const other = await startInstallation({ IMORI_DATA: installation.deps.services.config.dataDir })
    try {
      const sharing = await createSpace((await createAccount(other)).client, 'pictures')
      const asset = await putAsset(other, sharing, { bytes: picture, width: 400, height: 200 })
      const from = async (width: number) => {
        const answer = await other.server.inject(`/pictures.assets/v1/${asset}/a?width=${width}`)
        return answer.rawPayload
      }
      const count = (await kept()).length
      expect((await from(33)).equals(first.rawPayload)).toBe(true)
      expect((await kept()).length).toBe(count)

      const second = await read('?width=34')
      let damaged = 0
      for (const path of await kept()) {
        const bytes = await readFile(path)
        if (bytes.length !== second.rawPayload.length + 128) continue
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
        await writeFile(path, bytes)
        damaged++
      }
      expect(damaged).toBeGreaterThan(0)
      expect((await from(34)).equals(second.rawPayload)).toBe(true)
    } finally {
      await other.server.close()
      await other.database.close()
    }
  })
})

describe('the image settings of a space', () => {
  it('decide the automatic format and the transforms that need a signature', async () => {
    expect(ok(await owner.client.get(`${space.url}/imageSettings`)).imageSettings).toMatchObject({
      quality: 80,
      formats: ['avif', 'webp'],
      transforms: 'any',
      stripMetadata: true,
      watermark: null,
    })
    const { signingKey } = await settings({
      transforms: 'widths',
      widths: [100, 320],
      formats: ['webp'],
      quality: 5,
    })
    const status = async (query: string) => (await read(query)).statusCode
    await expect.poll(() => status('?width=101')).toBe(403)
    expect(await status('?width=100&format=auto')).toBe(200)
    expect((await read('?width=100&height=100')).json()).toMatchObject({
      status: 403,
      code: 'PermissionDenied',
      message: expect.stringContaining('"height"'),
    })
    expect(
      (await read('?width=100&format=auto', { accept: 'image/avif,image/webp' })).headers['content-type'],
    ).toBe('image/webp')
    const parameters = { width: '101', height: '10' }
    const signature = signatureOf(signingKey, id, parameters)
    expect(await status(`?width=101&height=10&signature=${signature}`)).toBe(200)
    expect(await status(`?width=101&height=11&signature=${signature}`)).toBe(403)
    await settings({ transforms: 'signed' })
    await expect.poll(() => status('?width=100')).toBe(403)
    expect(await status('')).toBe(200)
    await settings({})
  })

  it('add a watermark to transforms but not to originals, and reject an invalid watermark', async () => {
    const mark = await sharp({ create: { width: 10, height: 10, channels: 3, background: 'black' } })
      .png()
      .toBuffer()
    const assetId = await putAsset(installation, space, { bytes: mark, width: 10, height: 10 })
    await settings({ watermark: { assetId, position: 'southeast', opacity: 1 } })
    await expect.poll(async () => colorAt((await read('?width=200')).rawPayload, 195, 95)).toBe('black')
    expect((await read()).rawPayload.equals(picture)).toBe(true)
    const refused = await owner.client.put(`${space.url}/imageSettings`, {
      data: { watermark: { assetId: '0'.repeat(24), position: 'south', opacity: 2 } },
    })
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'data.watermark.opacity'])
    const missing = await owner.client.put(`${space.url}/imageSettings`, {
      data: { watermark: { assetId: '0'.repeat(24), position: 'south', opacity: 1 } },
    })
    expect([missing.status, missing.body.issues[0].path]).toEqual([400, 'data.watermark.assetId'])
    await settings({})
  })
})
