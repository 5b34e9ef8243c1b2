import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { quadrants } from '#test/pictures.ts'
import { type S3Server, startS3Server } from '#test/s3-server/server.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let bucket: S3Server
let installation: TestInstallation
let owner: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  bucket = await startS3Server()
  installation = await startInstallation({ IMORI_PRIVATE_STORAGES: bucket.location.endpoint })
  owner = await createAccount(installation)
  space = await createSpace(owner.client)
})
afterAll(async () => {
  await installation?.close()
  await bucket?.close()
})

/** Creates files of nine formats. The bytes depend on `width`. */
async function filesOf(width: number): Promise<Record<string, Buffer>> {
  const picture = await quadrants(width, 200)
  const as = (format: 'jpeg' | 'webp' | 'avif' | 'gif' | 'tiff') => sharp(picture)[format]().toBuffer()
  return {
    'a.jpg': await as('jpeg'),
    'b.png': picture,
    'c.webp': await as('webp'),
    'd.avif': await as('avif'),
    'e.gif': await as('gif'),
    'f.tiff': await as('tiff'),
    'g.svg': Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="4"><rect width="8" height="4" fill="red"/></svg>`,
    ),
    'h.pdf': Buffer.from(`%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n%${width}`),
    '議事録.txt': Buffer.from(`本日の議題：${width}`),
  }
}

/** Uploads all files and reads each back. Returns their URLs. */
async function roundTrip(files: Record<string, Buffer>): Promise<string[]> {
  const form = formOf(...Object.entries(files).map(([name, bytes]) => ({ name, bytes })))
  const { results } = ok(await owner.client.post(`${space.url}/assets`, form))
  expect(results).toHaveLength(Object.keys(files).length)
  for (const { fileName, asset } of results) {
    const { rawPayload, headers } = await installation.server.inject(new URL(asset.src).pathname)
    expect([fileName, rawPayload.equals(files[fileName] as Buffer)]).toEqual([fileName, true])
    expect(String(headers['content-type']).split(';')[0]).toBe(asset.fileType)
    if (!asset.thumbnail) continue
    const thumbnail = await installation.server.inject(asset.thumbnail)
    expect([thumbnail.headers['content-type'], thumbnail.headers['cache-control']]).toEqual([
      'image/webp',
      'public, max-age=31536000, immutable',
    ])
  }
  return results.map(({ asset }: { asset: { src: string } }) => new URL(asset.src).pathname)
}

describe('an uploaded file', () => {
  it('is served byte for byte in nine formats', { tags: ['full'] }, async () => {
    await roundTrip(await filesOf(400))
  })

  it('is served from a bucket, and new transforms return 429 while the bucket fails', {
    tags: ['full'],
  }, async () => {
    const access = { ...bucket.location, ...bucket.credentials }
    ok(await owner.client.put(`${space.url}/externalStorage`, { data: access }))
    const before = bucket.objects.size
    const [first] = await roundTrip(await filesOf(402))
    expect(bucket.objects.size - before).toBe(9)
    bucket.intercept = (_request, response) => {
      response.writeHead(503).end()
      return true
    }
    expect((await installation.server.inject(`${first}`)).statusCode).toBe(200) // from the cache
    const away = await installation.server.inject(`${first}?width=3`)
    expect([away.statusCode, away.headers['retry-after']]).toEqual([429, '1'])
    expect((await installation.server.inject('/healthz')).statusCode).toBe(200)
  })
})
