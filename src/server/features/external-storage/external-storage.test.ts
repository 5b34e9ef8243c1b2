import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createKeyring } from '#server/lib/keyring.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { freePort } from '#test/process.ts'
import { refuse, type S3Server, startS3Server } from '#test/s3-server/server.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let bucket: S3Server
let installation: TestInstallation
let owner: TestAccount
let space: { uid: string; url: string }
let url: string
let nowhere: string
beforeAll(async () => {
  bucket = await startS3Server()
  nowhere = `http://127.0.0.1:${await freePort()}`
  const IMORI_PRIVATE_STORAGES = [bucket.location.endpoint, nowhere].join()
  installation = await startInstallation({ IMORI_PRIVATE_STORAGES })
  owner = await createAccount(installation)
})
beforeEach(async () => {
  bucket.intercept = null
  bucket.clockAhead = 0
  bucket.objects.clear()
  space = await createSpace(owner.client)
  url = `${space.url}/externalStorage`
})
afterAll(async () => {
  await installation?.close()
  await bucket?.close()
})

const input = (changes: object = {}) => ({
  data: { ...bucket.location, ...bucket.credentials, prefix: 'site', ...changes },
})
const rowsOfSpace = () =>
  installation.database.kysely
    .selectFrom('external_storage')
    .innerJoin('space', 'space.id', 'external_storage.space_id')
    .selectAll('external_storage')
    .where('space.uid', '=', space.uid)
    .orderBy('external_storage.prefix')
    .execute()

describe('a space without an external storage', () => {
  it('reports no external storage, and ignores a request to remove the storage', async () => {
    const state = { externalStorage: null, files: { total: 0, elsewhere: 0 }, jobId: null }
    expect(ok(await owner.client.get(url))).toEqual(state)
    expect(ok(await owner.client.delete(url))).toEqual(state)
  })
})

describe('a bucket', () => {
  it('is tested with an object that is deleted afterwards', async () => {
    expect(ok(await owner.client.post(`${url}/test`, input()))).toEqual({ problem: null })
    expect(bucket.log.some((line) => line.startsWith('PUT') && line.includes('/site/imori-probe-'))).toBe(
      true,
    )
    expect([...bucket.objects.keys()]).toEqual([])
    expect(ok(await owner.client.get(url)).externalStorage).toBeNull()
  })

  it('is saved, and its row, events, jobs and responses do not contain its keys in plain text', async () => {
    const { accessKeyId, secretAccessKey } = bucket.credentials
    const saved = await owner.client.put(url, input())
    expect(ok(saved).externalStorage).toEqual({
      ...bucket.location,
      prefix: 'site/',
      accessKeyLast4: accessKeyId.slice(-4),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const seen = await owner.client.get(url)
    expect(ok(seen)).toEqual(saved.body)
    const [row] = await rowsOfSpace()
    const events = await installation.database.kysely.selectFrom('event').selectAll().execute()
    const jobs = await installation.database.kysely.selectFrom('job').selectAll().execute()
    expect(events.map((event) => event.type)).toContain('externalStorage.saved')
    for (const text of [saved.text, seen.text, JSON.stringify([row, events, jobs])]) {
      expect(text).not.toContain(secretAccessKey)
      expect(text).not.toContain(accessKeyId)
    }
  })

  it('keeps its id and keys when it is saved again, but requires keys for another endpoint', async () => {
    ok(await owner.client.put(url, input()))
    const [before] = await rowsOfSpace()
    const { accessKeyId, secretAccessKey, ...rest } = input().data
    ok(await owner.client.put(url, { data: rest }))
    expect(ok(await owner.client.post(`${url}/test`, { data: rest }))).toEqual({ problem: null })
    ok(await owner.client.put(url, input()))
    const after = await rowsOfSpace()
    expect(after.map((row) => [row.id, row.left_at])).toEqual([[before?.id, null]])
    const elsewhere = await owner.client.put(url, { data: { ...rest, endpoint: nowhere } })
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'ValidationFailed'])
    expect(elsewhere.body.issues[0]).toMatchObject({ path: 'data.accessKeyId', code: 'Required' })
    const half = await owner.client.put(url, { data: { ...rest, accessKeyId } })
    expect(half.body.issues[0]).toMatchObject({ path: 'data.secretAccessKey', code: 'Required' })
  })

  it('requires its keys to be entered again if they can no longer be decrypted', async () => {
    ok(await owner.client.put(url, input()))
    const [row] = await rowsOfSpace()
    const other = createKeyring([randomBytes(32).toString('base64')])
    await installation.database.kysely
      .updateTable('external_storage')
      .set({ credentials: other.seal('{}', `external storage ${row?.id}`) })
      .where('id', '=', row?.id ?? '')
      .execute()
    const { accessKeyId, secretAccessKey, ...rest } = input().data
    expect((await owner.client.put(url, { data: rest })).body.issues[0]).toMatchObject({
      path: 'data.accessKeyId',
      code: 'Required',
    })
    ok(await owner.client.put(url, input()))
  })

  it('remains stored as a former bucket after another prefix is saved or the storage is removed', async () => {
    ok(await owner.client.put(url, input()))
    ok(await owner.client.put(url, input({ prefix: 'other' })))
    const left = (await rowsOfSpace()).map((row) => [row.prefix, row.left_at])
    expect(left).toEqual([
      ['other/', null],
      ['site/', expect.any(Date)],
    ])
    expect(ok(await owner.client.delete(url)).externalStorage).toBeNull()
    expect((await rowsOfSpace()).every((row) => row.left_at !== null)).toBe(true)
  })

  it('is saved once by two concurrent requests', async () => {
    const answers = await Promise.all([owner.client.put(url, input()), owner.client.put(url, input())])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
    expect(await rowsOfSpace()).toHaveLength(1)
  })
})

describe('saving a bucket', () => {
  async function expectProblem(changes: object, reason: string, path: string | null, more: object = {}) {
    const tried = ok(await owner.client.post(`${url}/test`, input(changes)))
    expect(tried.problem).toEqual({ step: expect.any(String), reason, ...more })
    const saved = await owner.client.put(url, input(changes))
    expect([saved.status, saved.body.code, saved.body.problem]).toEqual([
      400,
      'ExternalStorageTestFailed',
      tried.problem,
    ])
    expect(saved.body.issues?.[0]?.path ?? null).toBe(path)
    expect(await rowsOfSpace()).toEqual([])
  }

  it.each([
    ['an unknown key', { accessKeyId: 'AKIANOBODY' }, 'unknownKey', 'data.accessKeyId'],
    ['a wrong secret', { secretAccessKey: 'wrong' }, 'wrongSecret', 'data.secretAccessKey'],
    ['an unknown bucket', { bucket: 'no-such-bucket' }, 'noSuchBucket', 'data.bucket'],
  ])('reports %s like the test of the bucket, and saves nothing', (_, changes, reason, path) =>
    expectProblem(changes, reason, path),
  )

  it('reports a wrong region and names the correct region', () =>
    expectProblem({ region: 'us-east-1' }, 'wrongRegion', 'data.region', { region: 'ap-northeast-1' }))

  it('reports a clock that differs from the clock of the storage', async () => {
    bucket.clockAhead = 20
    await expectProblem({}, 'clock', null)
  })

  it('reports an unreachable endpoint, and unencrypted or internal endpoints that are not allowed', async () => {
    await expectProblem({ endpoint: nowhere }, 'unreachable', 'data.endpoint')
    await expectProblem({ endpoint: 'http://s3.example.com' }, 'insecure', 'data.endpoint')
    for (const endpoint of [
      'https://10.0.0.1',
      'https://169.254.169.254',
      'https://localhost',
      'https://127.0.0.1:9000',
    ])
      await expectProblem({ endpoint }, 'notAllowedAddress', 'data.endpoint')
  })

  it('reports host-style addressing of an endpoint with an IP address', async () => {
    await expectProblem({ style: 'host' }, 'notS3', 'data.endpoint')
    await expectProblem({ style: 'host', endpoint: 'https://192.0.2.1' }, 'notS3', 'data.endpoint')
  })

  it('reports a bucket that is publicly writable', async () => {
    bucket.intercept = (request, response) => {
      if (
        request.method !== 'PUT' ||
        request.headers.authorization ||
        request.url?.includes('X-Amz-Signature')
      )
        return false
      request.resume().on('end', () => response.writeHead(200).end())
      return true
    }
    await expectProblem({}, 'publicWrite', 'data.bucket')
  })

  it('reports keys without the right to delete or to read objects', async () => {
    for (const method of ['DELETE', 'GET']) {
      bucket.intercept = (request, response) => {
        if (request.method !== method) return false
        refuse(request, response, { status: 403, code: 'AccessDenied' })
        return true
      }
      await expectProblem({}, 'accessDenied', 'data.bucket')
    }
  })

  it('rejects invalid input with its path', async () => {
    for (const [changes, path] of [
      [{ endpoint: 'ftp://x' }, 'data.endpoint'],
      [{ endpoint: 'https://user:pass@example.com' }, 'data.endpoint'],
      [{ endpoint: 'https://example.com/path' }, 'data.endpoint'],
      [{ bucket: '../x' }, 'data.bucket'],
      [{ bucket: 'a' }, 'data.bucket'],
      [{ region: 'ap northeast' }, 'data.region'],
      [{ prefix: '../x' }, 'data.prefix'],
      [{ style: 'x' }, 'data.style'],
      [{ secretAccessKey: '日本' }, 'data.secretAccessKey'],
      [{ accessKeyId: 'a\nb' }, 'data.accessKeyId'],
      [{ more: 1 }, 'data.more'],
    ] as const) {
      const answer = await owner.client.put(url, input(changes))
      expect([answer.status, answer.body.issues?.[0]?.path], JSON.stringify(changes)).toEqual([400, path])
    }
  })
})

it('the settings can be read while fifteen tests wait for a storage that does not respond', async () => {
  const held: ServerResponse[] = []
  bucket.intercept = (_request, response) => {
    held.push(response)
    return true
  }
  // More than the number of database connections.
  const waiting = Array.from({ length: 15 }, () => owner.client.post(`${url}/test`, input()))
  await expect.poll(() => held.length).toBeGreaterThanOrEqual(15)
  ok(await owner.client.get(url))
  bucket.intercept = (_request, response) => {
    response.writeHead(403).end()
    return true
  }
  for (const response of held) response.writeHead(403).end()
  for (const answer of await Promise.all(waiting))
    expect(ok(answer).problem).toEqual({ step: 'write', reason: 'accessDenied' })
})
