import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
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

describe('an asset address', () => {
  it.each([
    ['/pictures.assets.newt.so', {}],
    ['/Pictures.assets', {}],
    ['/**/%7C/pictures.assets.newt.so', {}],
    ['', { host: 'pictures.assets.cms.example' }],
    ['', { host: 'PICTURES.assets.cms.example:3000' }],
  ])(
    'with the prefix %j and the headers %o leads to the file under five different file names',
    async (prefix, headers) => {
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
    },
  )

  it.each([
    ['another space', () => `/others.assets/v1/${id}/a.png`],
    ['an unknown asset', () => `/pictures.assets/v1/${'0'.repeat(24)}/a.png`],
    ['`..` instead of an id', () => '/pictures.assets/v1/../a.png'],
    ['no file name', () => `/pictures.assets/v1/${id}`],
    ['a path instead of a file name', () => `/pictures.assets/v1/${id}/a/b.png`],
    ['no space', () => `/v1/${id}/a.png`],
  ])('with %s returns an error', async (_what, path) => {
    const answer = await get(path())
    expect([answer.statusCode, Object.keys(answer.json())]).toEqual([
      path().startsWith('/v1/') ? 401 : 404,
      ['status', 'code', 'message'],
    ])
  })

  it('returns 400 if it is not UTF-8, 405 for POST and 204 for OPTIONS', async () => {
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
  ])('of %s is served byte for byte, inline: %s', async (mediaType, isShown) => {
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

  it('is sent in a single requested range, and completely for several or malformed ranges', async () => {
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
      // The whole file is sent for invalid ranges, several ranges, other units, and an `If-Range` with another ETag.
      for (const range of ['bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=-'])
        expect(await part(range)).toEqual([200, undefined, sum(0)])
      expect(await part('bytes=0-0', { 'if-range': '"other"' })).toEqual([200, undefined, sum(0)])
    }
  })

  it('is not sent for HEAD, or if If-None-Match contains its ETag', async () => {
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

  it('is served as immutable at an address with its version or the first 16 digits of its hash', async () => {
    expect((await read('?v=1')).headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const named = createHash('sha256').update(picture).digest('hex').slice(0, 16)
    expect((await read(`?v=${named}`)).headers['cache-control']).toContain('immutable')
    expect((await read('?v=2')).headers['cache-control']).toBe(
      'public, max-age=300, stale-while-revalidate=86400',
    )
  })

  it('is served with its new bytes after a replacement, and returns 404 after a move to the trash', async () => {
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

  it('returns 404 if its bytes are missing in the storage', async () => {
    const asset = await putAsset(installation, space, {
      bytes: Buffer.from('lost soon'),
      mediaType: 'text/plain',
    })
    const { rows } = await installation.database.pool.query('SELECT storage_key FROM asset WHERE id = $1', [
      asset,
    ])
    await installation.deps.services.storages.default.delete(rows[0].storage_key)
    expect((await read('', {}, asset)).statusCode).toBe(404)
    await installation.database.pool.query(
      'UPDATE asset SET media_type = $2, width = 9, height = 9 WHERE id = $1',
      [asset, 'image/png'],
    )
    await expect.poll(async () => (await read('?width=5', {}, asset)).statusCode).toBe(404)
  })
})

describe('a private file', () => {
  it('is served only at signed addresses that have not expired', async () => {
    const asset = await putAsset(installation, space, {
      bytes: picture,
      width: 400,
      height: 200,
      isPrivate: true,
    })
    const { signingKey } = ok(await owner.client.get(`${space.url}/imageSettings`)).imageSettings
    const signed = (parameters: Record<string, string>) =>
      `?${new URLSearchParams({ ...parameters, signature: signatureOf(signingKey, asset, parameters) })}`
    const secondsFromNow = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds)
    // Expires after the end of the test, so that the last 403 comes from the new key.
    const soon = secondsFromNow(3600)
    const past = secondsFromNow(-1)
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
    const { headers } = await read(signed({ expires: secondsFromNow(60) }), {}, asset)
    expect(headers['cache-control']).toMatch(/^private, max-age=(?:[1-5]?\d|60)$/)
    const { hash, thumbnail: address } = ok(await owner.client.get(`${space.url}/assets/${asset}`)).asset
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    const thumbnail = await get(address)
    expect([thumbnail.statusCode, thumbnail.headers['content-type']]).toEqual([200, 'image/webp'])

    await settings({ newSigningKey: true })
    await expect.poll(() => statuses(signed({ expires: soon }))).toEqual([403])
  })
})

describe('the code for sites in docs/images-for-sites.md', () => {
  /** Loads a code block of docs/images-for-sites.md as a module. */
  async function block(name: string) {
    const page = await readFile(join(root, 'docs/images-for-sites.md'), 'utf8')
    const code = page.split(`// ${name}\n`)[1]?.split('```')[0]
    const whole = String(code).replace("'thumbhash'", `'${import.meta.resolve('thumbhash')}'`)
    return import(`data:text/javascript,${encodeURIComponent(whole)}`)
  }

  it('converts a placeholder to a picture', async () => {
    const { placeholderUrl } = await block('imori-placeholder.js')
    const placeholder = Buffer.from(rgbaToThumbHash(8, 8, Array(64).fill([255, 0, 0, 255]).flat())).toString(
      'base64',
    )
    const png = Buffer.from(placeholderUrl({ placeholder }).split('base64,')[1], 'base64')
    expect(await colorAt(png, 3, 3)).toBe('red')
    expect([placeholderUrl({ placeholder: null }), placeholderUrl(null)]).toEqual([undefined, undefined])
  })

  it('requests pictures through the loader and through signed addresses', async () => {
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
