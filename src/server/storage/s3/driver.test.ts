import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { request } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOutgoingHttp, type OutgoingHttp } from '#server/lib/outgoing-http.ts'
import { realS3 } from '#test/real-s3.ts'
import { type S3Server, startS3Server } from '#test/s3-server/server.ts'
import { describeDriver, hashOf, inPieces, keysBelow, put, readAll } from '#test/storage-suite.ts'
import { type StorageDriver, StorageMismatch } from '../driver.ts'
import { createS3Storage } from './driver.ts'
import { originOf, type S3Options } from './requests.ts'

const opened: OutgoingHttp[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((http) => http.close()))
})

/** A short wait before retries, and long timeouts for a busy machine. */
const patience = { waitMs: 5, answerMs: 60_000, idleMs: 60_000 }

function openS3(options: Omit<S3Options, 'http'>): StorageDriver {
  const http = createOutgoingHttp({ allowPrivate: [originOf(options.location)] })
  opened.push(http)
  return createS3Storage({ patience, ...options, http })
}

let server: S3Server
beforeAll(async () => {
  server = await startS3Server()
})
beforeEach(() => {
  server.intercept = null
  server.clockAhead = 0
  server.pageSize = 3
  server.log.length = 0
})
afterAll(() => server?.close())

const open = (changes: Partial<Omit<S3Options, 'http'>> = {}) => openS3({ ...server, ...changes })

describe('the S3 driver', () => {
  describeDriver(() => open())

  it('stores objects below its prefix, and lists only objects with valid keys there', async () => {
    const driver = open({ location: { ...server.location, prefix: 'imori/' } })
    const bytes = Buffer.from('x')
    for (const name of [
      'other/1/x',
      'imori/日本 語+&<>"%20.png',
      'imori/../x',
      'imori/.hidden',
      'imori/1//x',
      'imori/',
    ])
      server.objects.set(name, { bytes, type: 'x/y', modifiedAt: new Date() })
    await put(driver, '1/aa/bb', bytes)
    expect(server.objects.has('imori/1/aa/bb')).toBe(true)
    expect(await keysBelow(driver, '')).toEqual(['1/aa/bb'])
    expect(await keysBelow(open({ location: { ...server.location, prefix: 'other/' } }), '')).toEqual(['1/x'])
  })

  it('sends the media type, and signs the content if its hash is known', async () => {
    const bytes = randomBytes(1000)
    const signed: unknown[] = []
    server.intercept = (asked) => {
      if (asked.method === 'PUT') signed.push(asked.headers['x-amz-content-sha256'])
      return false
    }
    const sha256 = hashOf(bytes)
    await open().write('1/signed', inPieces(bytes), { type: 'image/png', size: 1000, sha256 })
    await put(open(), '1/unsigned', bytes)
    expect(signed).toEqual([sha256, 'UNSIGNED-PAYLOAD'])
    expect(server.objects.get('1/signed')?.type).toBe('image/png')
  })
})

const real = realS3()
describe.skipIf(!real)('the S3 of IMORI_TEST_S3', () => {
  const tooLong = 30_000
  const openReal = () => {
    if (!real) throw new Error('IMORI_TEST_S3 is not set')
    return openS3({ ...real, patience: { answerMs: tooLong, idleMs: tooLong } })
  }
  describeDriver(openReal)

  it('accepts only the key, media type and size for which an address was signed', async () => {
    await checkSignedPut(openReal())
  })

  it('reports a wrong access key, secret or bucket', async () => {
    if (!real) return
    const trouble = (options: Partial<Omit<S3Options, 'http'>>) =>
      put(openS3({ ...real, ...options }), 'x', Buffer.from('x')).then(
        () => 'nothing',
        (error) => error.trouble,
      )
    const { credentials, location } = real
    expect(await trouble({ credentials: { ...credentials, secretAccessKey: 'wrong' } })).toBe('wrongSecret')
    expect(['unknownKey', 'wrongSecret', 'accessDenied']).toContain(
      await trouble({ credentials: { ...credentials, accessKeyId: 'nobody' } }),
    )
    expect(['noSuchBucket', 'accessDenied']).toContain(
      await trouble({ location: { ...location, bucket: `no-${randomBytes(8).toString('hex')}` } }),
    )
  })
})

/** Sends a PUT like a browser and returns the status. */
function sendPut(url: string, type: string, body: Buffer): Promise<number> {
  const { hostname, port, pathname, search, host } = new URL(url)
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': type, 'content-length': body.length }
    const address = hostname.endsWith('localhost') ? '127.0.0.1' : hostname
    const sent = request(
      { host: address, port, path: pathname + search, method: 'PUT', headers },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sent.on('error', reject).end(body)
  })
}

async function checkSignedPut(driver: StorageDriver): Promise<void> {
  const key = `signed-${randomBytes(4).toString('hex')}`
  const body = randomBytes(100)
  const expiresAt = new Date(Date.now() + 60_000)
  const signed = await driver.signPut(key, { type: 'image/png', size: 100, expiresAt })
  if (!signed) throw new Error('S3 signs')
  expect(signed.headers).toEqual({ 'content-type': 'image/png' })
  const changed = signed.url.replace(/Signature=(.)/, (_, digit) => `Signature=${digit === '0' ? '1' : '0'}`)
  expect(await sendPut(changed, 'image/png', body)).toBe(403)
  expect(await sendPut(signed.url.replace(key, `${key}-other`), 'image/png', body)).toBe(403)
  expect(await sendPut(signed.url, 'text/html', body)).toBe(403)
  expect(await sendPut(signed.url, 'image/png', randomBytes(101))).toBe(403)
  expect(await driver.stat(key)).toBeUndefined()
  expect(await sendPut(signed.url, 'image/png', body)).toBe(200)
  expect((await readAll(driver, key)).equals(body)).toBe(true)
  await driver.delete(key)
}

describe('a signed address', () => {
  it('accepts only the signed key, media type and size', () => checkSignedPut(open()))

  it('has the bucket as a subdomain if the style is `host`', async () => {
    const endpoint = server.location.endpoint.replace('127.0.0.1', 'localhost')
    const location = { ...server.location, endpoint, style: 'host' } as const
    const driver = open({ location })
    const signed = await driver.signPut('1/by-host', {
      type: 'image/png',
      size: 3,
      expiresAt: new Date(Date.now() + 60_000),
    })
    expect(signed?.url).toContain(`http://${location.bucket}.localhost:`)
    expect(await sendPut(signed?.url ?? '', 'image/png', Buffer.from('abc'))).toBe(200)
    expect(server.objects.get('1/by-host')?.bytes.toString()).toBe('abc')
  })

  it('expires', async () => {
    const signed = await open().signPut('1/late', {
      type: 'image/png',
      size: 3,
      expiresAt: new Date(Date.now() + 60_000),
    })
    server.clockAhead = 2
    expect(await sendPut(signed?.url ?? '', 'image/png', Buffer.from('abc'))).toBe(403)
  })
})

it('with the style `host`, the driver writes, copies, lists and reads objects', async ({ skip }) => {
  const { bucket, endpoint } = server.location
  const resolves = await lookup(`${bucket}.localhost`).catch(() => null)
  if (resolves?.address !== '127.0.0.1') skip('names below localhost are not known here')
  const location = {
    ...server.location,
    endpoint: endpoint.replace('127.0.0.1', 'localhost'),
    style: 'host',
  } as const
  const driver = open({ location })
  await put(driver, '1/host', Buffer.from('abc'))
  await driver.copy('1/host', '1/host-copy')
  expect(await keysBelow(driver, '1/host')).toEqual(['1/host', '1/host-copy'])
  expect((await readAll(driver, '1/host-copy')).toString()).toBe('abc')
})

it('a write sends less than 16 MiB of a large file that the storage has not read yet', async () => {
  const size = 48 * 1024 * 1024
  const piece = Buffer.alloc(65_536, 7)
  let sent = 0
  let received = 0
  let farthest = 0
  server.intercept = async (asked, response) => {
    if (asked.method === 'HEAD') {
      response.writeHead(200, { 'content-length': size, 'last-modified': new Date().toUTCString() }).end()
      return true
    }
    for await (const chunk of asked) {
      received += (chunk as Buffer).length
      await setImmediate()
    }
    response.writeHead(received === size ? 200 : 400).end()
    return true
  }
  const pieces = (async function* () {
    for (; sent < size; sent += piece.length) {
      farthest = Math.max(farthest, sent - received)
      yield piece
    }
  })()
  await open().write('1/large', pieces, { type: 'video/mp4', size })
  // Only data that fits in the buffers at both ends of the connection is sent ahead.
  expect(farthest).toBeLessThan(16 * 1024 * 1024)
})

it('an empty file that does not match its hash is refused, and no request is sent', async () => {
  const options = { type: 'x/y', size: 0, sha256: hashOf(Buffer.from('x')) }
  await expect(open().write('1/empty', inPieces(Buffer.alloc(0)), options)).rejects.toBeInstanceOf(
    StorageMismatch,
  )
  expect(server.log).toEqual([])
})
