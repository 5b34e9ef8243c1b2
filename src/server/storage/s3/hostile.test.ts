import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOutgoingHttp, type OutgoingHttp } from '#server/lib/outgoing-http.ts'
import { freePort } from '#test/process.ts'
import { refuse, type S3Server, send, startS3Server } from '#test/s3-server/server.ts'
import { hashOf, inPieces, keysBelow, put, readAll } from '#test/storage-suite.ts'
import { StorageAway, type StorageDriver, StorageFull, StorageNotFound, StorageRefused } from '../driver.ts'
import { createS3Storage } from './driver.ts'
import type { S3Options } from './requests.ts'

let server: S3Server
let http: OutgoingHttp
beforeAll(async () => {
  server = await startS3Server()
})
beforeEach(() => {
  http = createOutgoingHttp({ allowPrivate: [server.location.endpoint] })
  server.intercept = null
  server.clockAhead = 0
  server.log.length = 0
})
afterEach(() => http?.close())
afterAll(() => server?.close())

const patience = { attempts: 3, waitMs: 5, answerMs: 60_000, idleMs: 60_000 }
const open = (changes: Partial<S3Options> = {}): StorageDriver =>
  createS3Storage({ ...server, http, patience, ...changes })

const x = Buffer.from('x')
const troubleOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error) => error.trouble ?? error,
  )

/** Sends `answer` for the first `count` requests with this method. Later requests reach the server. */
function trouble(method: string, count: number, answer: (response: ServerResponse) => void): void {
  let left = count
  server.intercept = async (request, response) => {
    if (request.method !== method || left <= 0) return false
    left--
    request.resume()
    answer(response)
    return true
  }
}

const errorXml = (code: string) => `<Error><Code>${code}</Code></Error>`
const refusing = (status: number, code: string) => (response: ServerResponse) =>
  void send(response, status, errorXml(code))

describe('the S3 driver with a failing storage', () => {
  it.each([
    [503, 'SlowDown'],
    [500, 'InternalError'],
    [429, 'TooManyRequests'],
    [400, 'RequestTimeout'],
  ])('repeats a request after %s %s', async (status, code) => {
    const bytes = randomBytes(10_000)
    trouble('PUT', 2, refusing(status, code))
    await open().write('1/again', () => inPieces(bytes), { type: 'x/y', size: bytes.length })
    expect(server.log.filter((line) => line.startsWith('PUT'))).toHaveLength(3)
    trouble('GET', 2, refusing(status, code))
    expect((await readAll(open(), '1/again')).equals(bytes)).toBe(true)
    trouble('DELETE', 2, refusing(status, code))
    await open().delete('1/again')
    expect(server.objects.has('1/again')).toBe(false)
  })

  it('gives up after the last attempt, or after one attempt if the bytes can be read only once', async () => {
    trouble('PUT', Number.POSITIVE_INFINITY, refusing(503, 'SlowDown'))
    const again = open().write('1/x', () => inPieces(x), { type: 'x/y', size: 1 })
    await expect(again).rejects.toBeInstanceOf(StorageAway)
    expect(server.log).toHaveLength(3)
    server.log.length = 0
    expect(await troubleOf(put(open(), '1/x', x))).toBe('busy')
    expect(server.log).toHaveLength(1)
  })

  it('continues a read where the connection was cut, unless the file has changed', async () => {
    const bytes = randomBytes(300_000)
    const sha256 = hashOf(bytes)
    await put(open(), '1/cut', bytes)
    const cut = (request: IncomingMessage, response: ServerResponse, content: Buffer) => {
      const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const rest = content.length - start
      const range = `bytes ${start}-${content.length - 1}/${content.length}`
      const partial = request.headers.range !== undefined
      response.writeHead(partial ? 206 : 200, {
        etag: '"one"',
        'content-length': rest,
        ...(partial ? { 'content-range': range } : {}),
      })
      response.write(content.subarray(start, start + 100_000), () => {
        if (rest > 100_000) response.destroy()
        else response.end()
      })
    }
    server.intercept = (request, response) => {
      if (request.method !== 'GET') return false
      cut(request, response, bytes)
      return true
    }
    expect(hashOf(await readAll(open(), '1/cut'))).toBe(sha256)
    expect(server.log.filter((line) => line.startsWith('GET'))).toHaveLength(3)
    const read = await readAll(open(), '1/cut', { start: 50_000, end: 299_999 })
    expect(read.equals(bytes.subarray(50_000))).toBe(true)

    server.intercept = (request, response) => {
      if (request.method !== 'GET') return false
      if (request.headers['if-match']) refuse(request, response, { status: 412, code: 'PreconditionFailed' })
      else cut(request, response, bytes)
      return true
    }
    expect(await troubleOf(readAll(open(), '1/cut'))).toBe('differentContent')
  })

  it('fails if a response has fewer or more than the requested bytes', async () => {
    await put(open(), '1/half', randomBytes(100_000))
    server.intercept = (request, response) => {
      if (request.method !== 'GET') return false
      response.writeHead(200, { 'content-length': 100_000 })
      response.write(randomBytes(1000), () => response.destroy())
      return true
    }
    expect(await troubleOf(readAll(open(), '1/half'))).toBe('unreachable')
    server.intercept = (request, response) => {
      if (request.method !== 'GET') return false
      response.writeHead(200, { 'content-length': 100_000 }).end(randomBytes(100_000))
      return true
    }
    expect(await troubleOf(readAll(open(), '1/half', { start: 5, end: 9 }))).toBe('differentContent')
  })

  it('repeats an interrupted write, or leaves no object if the bytes can be read only once', async () => {
    const bytes = randomBytes(500_000)
    let cuts = 2
    server.intercept = (request) => {
      if (request.method !== 'PUT' || cuts-- <= 0) return false
      request.once('data', () => request.destroy())
      return true
    }
    await open().write('1/w', () => inPieces(bytes), { type: 'x/y', size: bytes.length })
    expect(server.objects.get('1/w')?.bytes.equals(bytes)).toBe(true)
    cuts = 1
    expect(await troubleOf(put(open(), '1/once', bytes))).toBe('unreachable')
    expect(server.objects.has('1/once')).toBe(false)
  })

  it('fails if the storage stored content of another size', async () => {
    server.intercept = (request, response) => {
      if (request.method !== 'PUT') return false
      request.resume().on('end', () => {
        server.objects.set('1/less', { bytes: x, type: 'x/y', modifiedAt: new Date() })
        response.writeHead(200, { etag: '"whatever"' }).end()
      })
      return true
    }
    expect(await troubleOf(put(open(), '1/less', randomBytes(100)))).toBe('differentContent')
  })

  it('reports a storage that does not respond as slow', async () => {
    // The server never responds, so the driver's time limit applies and not the test's.
    server.intercept = () => true
    const impatient = open({ patience: { ...patience, attempts: 1, answerMs: 50, idleMs: 50 } })
    const works = [
      impatient.stat('1/x'),
      put(impatient, '1/x', x),
      impatient.read('1/x'),
      keysBelow(impatient, ''),
    ]
    expect(await Promise.all(works.map(troubleOf))).toEqual(['slow', 'slow', 'slow', 'slow'])
  })

  it('stops waiting if the caller aborts', async () => {
    const stop = new AbortController()
    server.intercept = () => {
      stop.abort(new Error('the caller has gone'))
      return true
    }
    await expect(open().read('1/x', undefined, stop.signal)).rejects.toThrow('the caller has gone')
  })
})

describe('the S3 driver with a refusing storage', () => {
  const whenPut = (changes: Partial<S3Options>) => troubleOf(put(open(changes), '1/x', x))

  it('sends one request, and reports the key, bucket, region or clock as the cause', async () => {
    const { credentials, location } = server
    expect(await whenPut({ credentials: { ...credentials, secretAccessKey: 'wrong' } })).toBe('wrongSecret')
    expect(await whenPut({ credentials: { ...credentials, accessKeyId: 'AKIAOTHER' } })).toBe('unknownKey')
    expect(await whenPut({ location: { ...location, bucket: 'no-such-bucket' } })).toBe('noSuchBucket')
    expect(await whenPut({ location: { ...location, region: 'us-east-1' } })).toBe('wrongRegion')
    server.clockAhead = 20
    expect(await whenPut({})).toBe('clock')
    server.clockAhead = -20
    expect(await whenPut({})).toBe('clock')
    expect(server.log).toHaveLength(6)
  })

  it('reports the correct region', async () => {
    const asked = put(open({ location: { ...server.location, region: 'us-east-1' } }), '1/x', x)
    await expect(asked).rejects.toMatchObject({ trouble: 'wrongRegion', region: 'ap-northeast-1' })
    trouble('HEAD', 1, (response) => response.writeHead(301, { 'x-amz-bucket-region': 'eu-west-1' }).end())
    await expect(open().stat('1/x')).rejects.toMatchObject({ trouble: 'wrongRegion', region: 'eu-west-1' })
  })

  it.each([
    [403, 'AccessDenied', StorageRefused],
    [403, 'SomethingNew', StorageRefused],
    [404, 'NoSuchBucket', StorageRefused],
    [404, 'NoSuchKey', StorageNotFound],
    [403, 'QuotaExceeded', StorageFull],
    [507, 'InsufficientStorage', StorageFull],
    [418, 'Teapot', StorageRefused],
  ])(
    'throws StorageNotFound for a missing key, StorageFull for a full storage, and otherwise StorageRefused: %s %s',
    async (status, code, expected) => {
      trouble('GET', 1, refusing(status, code))
      await expect(open().read('1/x')).rejects.toBeInstanceOf(expected)
    },
  )

  it('does not follow a redirect, and reports a wrong region', async () => {
    for (const status of [301, 302, 307, 308]) {
      trouble('GET', 1, (response) =>
        response.writeHead(status, { location: `${server.location.endpoint}/elsewhere` }).end(),
      )
      expect(await troubleOf(open().read('1/x'))).toBe('wrongRegion')
    }
    expect(server.log.some((line) => line.includes('elsewhere'))).toBe(false)
  })

  it('recognises a failed copy with status 200 by the error in the response body', async () => {
    await put(open(), '1/from', x)
    trouble('PUT', 1, refusing(200, 'AccessDenied'))
    expect(await troubleOf(open().copy('1/from', '1/to'))).toBe('accessDenied')
    trouble('PUT', 2, refusing(200, 'InternalError'))
    await open().copy('1/from', '1/to')
    expect(server.objects.has('1/to')).toBe(true)
  })
})

describe('the S3 driver with a server that is not S3', () => {
  it('reports notS3 if the response is not the expected XML', async () => {
    for (const body of [
      '<html><body>hello</body></html>',
      '',
      '{}',
      '<ListBucketResult><Contents></Contents></ListBucketResult>',
    ]) {
      trouble('GET', 3, (response) => response.writeHead(200).end(body))
      expect(await troubleOf(keysBelow(open(), ''))).toBe('notS3')
    }
    trouble('PUT', 1, (response) => response.writeHead(405).end('<html>No</html>'))
    expect(await troubleOf(put(open(), '1/x', x))).toBe('notS3')
  })

  it('reports notS3 for six endless, oversized or malformed lists, and skips invalid keys', async () => {
    const listing = (inner: string) => `<ListBucketResult>${inner}</ListBucketResult>`
    const entry = (key: string) =>
      `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`
    const answers = (body: string) => trouble('GET', 3, (response) => response.writeHead(200).end(body))
    answers(
      `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]>${listing(entry('&b;'))}`,
    )
    expect(await troubleOf(keysBelow(open(), ''))).toBe('notS3')
    answers(listing('<IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken>'))
    expect(await troubleOf(keysBelow(open(), ''))).toBe('notS3')
    answers(listing('<IsTruncated>true</IsTruncated>'))
    expect(await troubleOf(keysBelow(open(), ''))).toBe('notS3')
    answers(listing(' '.repeat(5_000_000)))
    expect(await troubleOf(keysBelow(open(), ''))).toBe('notS3')
    answers(listing('<Contents>'.repeat(400_000)))
    expect(await troubleOf(keysBelow(open(), ''))).toBe('notS3')
    answers(listing(`${entry('1/a').replace('</Contents>', '')}${'<Contents>'.repeat(400_000)}</Contents>`))
    expect(await keysBelow(open(), '1/')).toEqual(['1/a'])
    answers(listing(entry('elsewhere/1')))
    expect(await troubleOf(keysBelow(open(), '1/'))).toBe('notS3')
    answers(
      listing(
        entry('1/&unknown;') +
          entry('1/a&amp;b') +
          entry('1/&#x41;') +
          entry('1/../2') +
          entry('1/&#x7fffff;'),
      ),
    )
    expect(await keysBelow(open(), '1/')).toEqual(['1/A'])
  })
})

describe('the S3 driver', () => {
  it('reports an unreachable host, and a host without TLS', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`
    const gate = createOutgoingHttp({
      allowPrivate: [nowhere, server.location.endpoint.replace('http:', 'https:')],
    })
    const at = (endpoint: string) =>
      troubleOf(open({ http: gate, location: { ...server.location, endpoint } }).stat('1/x'))
    try {
      expect(await at(nowhere)).toBe('unreachable')
      expect(await at(server.location.endpoint.replace('http:', 'https:'))).toBe('insecure')
    } finally {
      await gate.close()
    }
  })

  it('reaches no private network by default', async () => {
    const gate = createOutgoingHttp()
    try {
      for (const endpoint of [
        server.location.endpoint,
        'http://127.0.0.1',
        'http://169.254.169.254',
        'https://[::1]',
        'https://10.0.0.1',
        'https://localhost',
      ])
        expect(
          await troubleOf(open({ http: gate, location: { ...server.location, endpoint } }).stat('1/x')),
          endpoint,
        ).toBe('notAllowedAddress')
      expect(server.log).toEqual([])
    } finally {
      await gate.close()
    }
  })
})
