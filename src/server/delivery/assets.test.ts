import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signatureOf } from '#server/images/addresses.ts'
import { putAsset } from '#test/asset-fixtures.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { colorAt, quadrants } from '#test/pictures.ts'
import { root } from '#test/process.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let owner: TestAccount
let space: { uid: string; url: string }
/** 400 × 200 in four colours. */
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
/** Files of the cache. */
const kept = async () => {
  const folder = join(installation.deps.config.dataDir, 'transforms')
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

describe('an address', () => {
  it.each([
    ['/pictures.assets.newt.so', {}],
    ['/Pictures.assets', {}],
    ['/**/%7C/pictures.assets.newt.so', {}],
    ['', { host: 'pictures.assets.cms.example' }],
    ['', { host: 'PICTURES.assets.cms.example:3000' }],
  ])('%s %o leads to the file, whatever name it gives', async (prefix, headers) => {
    const names = [
      '%E5%86%99%E7%9C%9F.png',
      encodeURIComponent('ガ.png'.normalize('NFD')),
      'x',
      'a%2F..%2Fb.png',
      '100%25.png',
    ]
    for (const name of names) {
      const answer = await get(`${prefix}/v1/${id}/${name}`, headers)
      expect(answer.statusCode).toBe(200)
      expect(answer.rawPayload.equals(picture)).toBe(true)
    }
  })

  it.each([
    ['another space', () => `/others.assets/v1/${id}/a.png`],
    ['no such asset', () => `/pictures.assets/v1/${'0'.repeat(24)}/a.png`],
    ['no uid', () => '/pictures.assets/v1/../a.png'],
    ['no name', () => `/pictures.assets/v1/${id}`],
    ['more than a name', () => `/pictures.assets/v1/${id}/a/b.png`],
    ['no space', () => `/v1/${id}/a.png`],
  ])('of %s leads nowhere', async (_what, path) => {
    const answer = await get(path())
    expect([answer.statusCode, Object.keys(answer.json())]).toEqual([
      path().startsWith('/v1/') ? 401 : 404,
      ['status', 'code', 'message'],
    ])
  })

  it('that is no UTF-8 is refused, as is what is no reading', async () => {
    expect((await get(`/pictures.assets/v1/${id}/%E5%86.png`)).statusCode).toBe(400)
    expect((await get(`/pictures.assets/v1/${id}/a.png`, {}, 'POST')).statusCode).toBe(405)
    expect((await get(`/pictures.assets/v1/${id}/a.png`, {}, 'OPTIONS')).statusCode).toBe(204)
  })
})

describe('a file', () => {
  it.each([
    ['image/jpeg', true],
    ['image/webp', true],
    ['image/gif', true],
    ['video/mp4', true],
    ['audio/mpeg', true],
    ['application/pdf', true],
    ['text/plain', true],
    ['image/svg+xml', false],
    ['text/html', false],
    ['application/xml', false],
    ['application/zip', false],
    ['application/octet-stream', false],
  ])('of %s is served byte for byte, to be shown: %s', async (mediaType, isShown) => {
    const bytes = randomBytes(5000)
    const asset = await putAsset(installation, space, { bytes, mediaType, fileName: '見積 "最終".bin' })
    const { statusCode, headers, rawPayload } = await read('', {}, asset)
    expect(statusCode).toBe(200)
    expect(createHash('sha256').update(rawPayload).digest('hex')).toBe(
      createHash('sha256').update(bytes).digest('hex'),
    )
    expect(headers).toMatchObject({
      'content-type': mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
      'content-length': '5000',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    })
    expect(headers['content-disposition']).toBe(
      `${isShown ? 'inline' : 'attachment'}; filename="__ ____.bin"; filename*=UTF-8''%E8%A6%8B%E7%A9%8D%20%22%E6%9C%80%E7%B5%82%22.bin`,
    )
    expect(headers['content-security-policy']).toContain(
      mediaType === 'application/pdf' ? "default-src 'none'" : 'sandbox',
    )
  })

  it('is given in parts', async () => {
    for (const bytes of [randomBytes(1000), randomBytes(3_000_000)]) {
      const asset = await putAsset(installation, space, { bytes, mediaType: 'video/mp4' })
      const size = bytes.length
      const part = async (range: string, more: Record<string, string> = {}) => {
        const { statusCode, headers, rawPayload } = await read('', { range, ...more }, asset)
        return [statusCode, headers['content-range'], createHash('sha256').update(rawPayload).digest('hex')]
      }
      const sum = (start: number, end?: number) =>
        createHash('sha256').update(bytes.subarray(start, end)).digest('hex')
      expect(await part('bytes=0-0')).toEqual([206, `bytes 0-0/${size}`, sum(0, 1)])
      expect(await part('bytes=100-299')).toEqual([206, `bytes 100-299/${size}`, sum(100, 300)])
      expect(await part('bytes=900-')).toEqual([206, `bytes 900-${size - 1}/${size}`, sum(900)])
      expect(await part('bytes=-10')).toEqual([206, `bytes ${size - 10}-${size - 1}/${size}`, sum(size - 10)])
      expect(await part('bytes=5-999999999')).toEqual([206, `bytes 5-${size - 1}/${size}`, sum(5)])
      expect((await part(`bytes=${size}-`)).slice(0, 2)).toEqual([416, `bytes */${size}`])
      // Not understood, or of other bytes: the whole.
      for (const range of ['bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=-'])
        expect(await part(range)).toEqual([200, undefined, sum(0)])
      expect(await part('bytes=0-0', { 'if-range': '"other"' })).toEqual([200, undefined, sum(0)])
    }
  })

  it('is not sent again to who has it', async () => {
    const { headers } = await read()
    const etag = String(headers.etag)
    const again = await read('', { 'if-none-match': `"other", ${etag}` })
    expect([again.statusCode, again.rawPayload.length, again.headers.etag]).toEqual([304, 0, etag])
    const head = await get(`/${space.uid}.assets/v1/${id}/a.png`, {}, 'HEAD')
    expect([head.statusCode, head.headers['content-length'], head.rawPayload.length]).toEqual([
      200,
      String(picture.length),
      0,
    ])
  })

  it('stays for ever under the address of its version', async () => {
    expect((await read('?v=1')).headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const named = createHash('sha256').update(picture).digest('hex').slice(0, 16)
    expect((await read(`?v=${named}`)).headers['cache-control']).toContain('immutable')
    expect((await read('?v=2')).headers['cache-control']).toBe(
      'public, max-age=300, stale-while-revalidate=86400',
    )
  })

  it('that is replaced or deleted is so at once', async () => {
    const asset = await putAsset(installation, space, {
      bytes: Buffer.from('before'),
      mediaType: 'text/plain',
    })
    const other = await putAsset(installation, space, {
      bytes: Buffer.from('after'),
      mediaType: 'text/plain',
    })
    expect((await read('', {}, asset)).body).toBe('before')
    const { pool } = installation.database
    await pool.query(
      `UPDATE asset SET (hash, storage_key, size, version) = (SELECT hash, storage_key, size, 2 FROM asset WHERE id = $2)
       WHERE id = $1`,
      [asset, other],
    )
    await expect.poll(async () => (await read('', {}, asset)).body).toBe('after')
    await pool.query('UPDATE asset SET deleted_at = now() WHERE id = $1', [asset])
    await expect.poll(async () => (await read('', {}, asset)).statusCode).toBe(404)
  })

  it('whose bytes are gone is not found', async () => {
    const asset = await putAsset(installation, space, {
      bytes: Buffer.from('lost soon'),
      mediaType: 'text/plain',
    })
    const { rows } = await installation.database.pool.query('SELECT storage_key FROM asset WHERE id = $1', [
      asset,
    ])
    await installation.deps.storages.default.delete(rows[0].storage_key)
    expect((await read('', {}, asset)).statusCode).toBe(404)
    await installation.database.pool.query(
      'UPDATE asset SET media_type = $2, width = 9, height = 9 WHERE id = $1',
      [asset, 'image/png'],
    )
    await expect.poll(async () => (await read('?width=5', {}, asset)).statusCode).toBe(404)
  })
})

describe('a picture', () => {
  it.each([
    ['?width=100', [100, 50, 'png']],
    ['?width=90&height=90&fit=contain&format=jpeg', [90, 90, 'jpeg']],
    ['?extract=200,0,100,100&format=webp', [100, 100, 'webp']],
    ['?height=50&format=avif&quality=40', [100, 50, 'heif']],
    ['?width=10&utm_source=x&unknown=1', [10, 5, 'png']],
  ])('is made by %s', async (query, expected) => {
    const answer = await read(query)
    expect(answer.statusCode).toBe(200)
    expect(await sizeOf(answer.rawPayload)).toEqual(expected)
    expect(answer.headers['content-disposition']).toBe('inline')
    const again = await read(query, { 'if-none-match': String(answer.headers.etag) })
    expect(again.statusCode).toBe(304)
    const part = await read(query, { range: 'bytes=0-9' })
    expect([part.statusCode, part.rawPayload.equals(answer.rawPayload.subarray(0, 10))]).toEqual([206, true])
  })

  it('keeps its focal point in sight', async () => {
    const asset = await putAsset(installation, space, {
      bytes: picture,
      width: 400,
      height: 200,
      focalPoint: { x: 1, y: 0.5 },
    })
    const { rawPayload } = await read('?width=50&height=100', {}, asset)
    expect(await colorAt(rawPayload, 5, 10)).toBe('green')
  })

  it('is what the browser shows best', async () => {
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
  ])('is refused by %s, which is named', async (query, name) => {
    const answer = await read(`?${query}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      status: 400,
      code: 'InvalidQueryParameter',
      message: expect.stringContaining(`"${name}"`),
    })
  })

  it('is made of an SVG only in another format, and of no other file', async () => {
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

  it('that is damaged is refused, and tried once', async () => {
    const bytes = Buffer.concat([picture.subarray(0, 300), Buffer.alloc(300)])
    const asset = await putAsset(installation, space, { bytes, width: 400, height: 200 })
    for (let time = 0; time < 2; time++)
      expect((await read('?width=80', {}, asset)).json()).toMatchObject({ status: 400, code: 'BadRequest' })
  })

  it('is made once for a hundred who ask at once, some of whom leave', async () => {
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

describe('the cache', () => {
  it('makes what is damaged again, and outlives the process', async () => {
    const first = await read('?width=33')
    const other = await startInstallation({ IMORI_DATA: installation.deps.config.dataDir })
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
      for (const path of await kept()) {
        const bytes = await readFile(path)
        if (bytes.length !== second.rawPayload.length + 128) continue
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
        await writeFile(path, bytes)
      }
      expect((await from(34)).equals(second.rawPayload)).toBe(true)
    } finally {
      await other.server.close()
      await other.database.close()
    }
  })
})

describe('a private file', () => {
  it('is read with an address that is signed and has not expired', async () => {
    const asset = await putAsset(installation, space, {
      bytes: picture,
      width: 400,
      height: 200,
      isPrivate: true,
    })
    const { signingKey } = ok(await owner.client.get(`${space.url}/imageSettings`)).imageSettings
    const signed = (parameters: Record<string, string>) =>
      `?${new URLSearchParams({ ...parameters, signature: signatureOf(signingKey, asset, parameters) })}`
    const soon = String(Math.floor(Date.now() / 1000) + 60)
    const past = String(Math.floor(Date.now() / 1000) - 1)
    const statuses = async (...queries: string[]) => {
      const answers = await Promise.all(queries.map((query) => read(query, {}, asset)))
      return answers.map(({ statusCode }) => statusCode)
    }
    expect(await statuses(signed({ expires: soon }), signed({ expires: soon, width: '20' }))).toEqual([
      200, 200,
    ])
    expect(
      await statuses(
        '',
        '?width=20',
        signed({}),
        signed({ expires: past }),
        signed({ expires: soon }).replace(soon, String(Number(soon) + 1)),
        `${signed({ expires: soon })}&width=20`,
        `?expires=${soon}&signature=x`,
      ),
    ).toEqual([403, 403, 403, 403, 403, 403, 403])
    const { headers } = await read(signed({ expires: soon }), {}, asset)
    expect(headers['cache-control']).toMatch(/^private, max-age=(?:[1-5]?\d|60)$/)
    const { hash, thumbnail: address } = ok(await owner.client.get(`${space.url}/assets/${asset}`)).asset
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    const thumbnail = await get(address)
    expect([thumbnail.statusCode, thumbnail.headers['content-type']]).toEqual([200, 'image/webp'])

    await settings({ newSigningKey: true })
    await expect.poll(() => statuses(signed({ expires: soon }))).toEqual([403])
  })
})

describe('the settings', () => {
  it('decide on quality, formats and who may ask for what', async () => {
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

  it('lay a watermark over results, not over originals', async () => {
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

describe('the code for sites', () => {
  /** A block of docs/images-for-sites.md as a module. */
  async function block(name: string) {
    const page = await readFile(join(root, 'docs/images-for-sites.md'), 'utf8')
    const code = page.split(`// ${name}\n`)[1]?.split('```')[0]
    const whole = String(code).replace("'thumbhash'", `'${import.meta.resolve('thumbhash')}'`)
    return import(`data:text/javascript,${encodeURIComponent(whole)}`)
  }

  it('makes a picture of a placeholder', async () => {
    const { placeholderUrl } = await block('imori-placeholder.js')
    const placeholder = Buffer.from(rgbaToThumbHash(8, 8, Array(64).fill([255, 0, 0, 255]).flat())).toString(
      'base64',
    )
    const png = Buffer.from(placeholderUrl({ placeholder }).split('base64,')[1], 'base64')
    expect(await colorAt(png, 3, 3)).toBe('red')
    expect([placeholderUrl({ placeholder: null }), placeholderUrl(null)]).toEqual([undefined, undefined])
  })

  it('gets pictures', async () => {
    const { default: loader } = await block('imori-loader.js')
    const { signAddress } = await block('imori-sign.js')
    const { asset } = ok(await owner.client.get(`${space.url}/assets/${id}`))
    const status = async (address: string) => {
      const { pathname, search, host } = new URL(address)
      const answer = await get(pathname + search, { host, accept: 'image/webp' })
      return [
        answer.statusCode,
        answer.headers['content-type'],
        (await sizeOf(answer.rawPayload).catch(() => []))[0],
      ]
    }
    expect(await status(loader({ src: asset.src, width: 64, quality: 70 }))).toEqual([200, 'image/webp', 64])
    const { signingKey } = await settings({ transforms: 'signed' })
    await expect.poll(async () => (await status(loader({ src: asset.src, width: 65 })))[0]).toBe(403)
    const parameters = { width: '65', format: 'auto' }
    expect(await status(signAddress(asset.src, signingKey, parameters))).toEqual([200, 'image/webp', 65])
    expect(await status(signAddress(asset.src, signingKey, parameters, 60))).toEqual([200, 'image/webp', 65])
    await settings({})
  })
})
