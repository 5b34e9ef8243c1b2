import { readdir } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { refuse, type S3Server, startS3Server } from '#test/s3-server/server.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { incomingFolder } from './incoming.ts'

let bucket: S3Server
let installation: TestInstallation
let full: TestInstallation
beforeAll(async () => {
  bucket = await startS3Server()
  installation = await startInstallation({ IMORI_PRIVATE_STORAGES: bucket.location.endpoint })
  // In MiB: about 10 TB, more than a test machine has free.
  full = await startInstallation({ IMORI_DISK_RESERVE: '10000000' })
})
afterAll(async () => {
  await installation?.close()
  await full?.close()
  await bucket?.close()
})

const text = (bytes: string) => formOf({ name: 'a.txt', type: 'text/plain', bytes })
async function enter(where: TestInstallation): Promise<{ admin: TestAccount; url: string }> {
  const admin = await createAccount(where)
  return { admin, url: (await createSpace(admin.client)).url }
}

it('uploads to a full disk return 507, while tags can be created and assets listed', async () => {
  const { admin, url } = await enter(full)
  const refused = await admin.client.post(`${url}/assets`, text('x'))
  expect([refused.status, refused.body.code]).toEqual([507, 'StorageFull'])
  const put = ok(
    await admin.client.get(`${url}/assets/signedUrl?fileName=a&fileType=text/plain&fileSize=1`),
  ).url
  const answer = await full.visitor().put(put, 'x', { 'content-type': 'text/plain' })
  expect([answer.status, answer.body.code]).toEqual([507, 'StorageFull'])
  ok(await admin.client.post(`${url}/tags`, { data: { name: '続ける' } }))
  expect(ok(await admin.client.get(`${url}/assets`)).total).toBe(0)
})

it('a lost file results in 404 for its asset but not for another one, and can be uploaded again', async () => {
  const { admin, url } = await enter(installation)
  const upload = async (bytes: string) =>
    ok(await admin.client.post(`${url}/assets`, text(bytes))).results[0].asset
  const [lost, kept] = [await upload('lost'), await upload('kept')]
  const row = await installation.database.kysely
    .selectFrom('asset')
    .select('storage_key')
    .where('id', '=', lost._id)
    .executeTakeFirstOrThrow()
  await installation.deps.services.storages.local.delete(row.storage_key)
  expect((await admin.client.get(`${url}/assets/${lost._id}/getBlob`)).status).toBe(404)
  expect((await admin.client.get(`${url}/assets/${kept._id}/getBlob`)).text).toBe('kept')
  await upload('lost')
  expect((await admin.client.get(`${url}/assets/${lost._id}/getBlob`)).text).toBe('lost')
})

describe('a bucket', () => {
  let admin: TestAccount
  let url: string
  beforeAll(async () => {
    ;({ admin, url } = await enter(installation))
    ok(
      await admin.client.put(`${url}/externalStorage`, {
        data: { ...bucket.location, ...bucket.credentials },
      }),
    )
  })
  const total = async () => ok(await admin.client.get(`${url}/assets`)).total
  const left = () => readdir(incomingFolder(installation.deps.services.config.dataDir))
  const busyConnections = () => {
    const { totalCount, idleCount } = installation.database.pool
    return totalCount - idleCount
  }
  /**
   * Delays requests with this method until `open` is called. Then these requests and all later ones get a 503 response.
   */
  function away(method: string) {
    const held: ServerResponse[] = []
    let isOpen = false
    bucket.intercept = (request, response) => {
      if (request.method !== method) return false
      const give = () => refuse(request.resume(), response, { status: 503, code: 'SlowDown' })
      if (isOpen) give()
      else held.push(Object.assign(response, { give }))
      return true
    }
    return {
      held,
      open() {
        isOpen = true
        for (const response of held) (response as ServerResponse & { give(): void }).give()
      },
    }
  }

  it('causes 503 if it is unavailable, and occupies no database connection while a request waits', async () => {
    const [before, objects] = [await total(), bucket.objects.size]
    const { held, open } = away('PUT')
    const uploading = admin.client.post(`${url}/assets`, text('away'))
    await expect.poll(() => held.length).toBe(1)
    expect(busyConnections()).toBe(0)
    open()
    const answer = await uploading
    expect([answer.status, answer.body.code]).toEqual([503, 'StorageUnavailable'])
    expect([await total(), bucket.objects.size, await left()]).toEqual([before, objects, []])

    bucket.intercept = null
    expect(ok(await admin.client.post(`${url}/assets`, text('away'))).results[0].success).toBe(true)
  })

  it('causes 503 if it refuses access', async () => {
    bucket.intercept = (request, response) => {
      if (request.method === 'PUT') refuse(request.resume(), response, { status: 403, code: 'AccessDenied' })
      return request.method === 'PUT'
    }
    const before = await total()
    const answer = await admin.client.post(`${url}/assets`, text('refused'))
    expect([answer.status, answer.body.code]).toEqual([503, 'StorageRefused'])
    bucket.intercept = null
    expect(await total()).toBe(before)
  })

  it('checks the type and size of a file that it receives at a signed URL', async () => {
    const query = '?fileName=庭.txt&fileType=text/plain&fileSize=5'
    const upload = ok(await admin.client.get(`${url}/assets/signedUrl${encodeURI(query)}`))
    expect([new URL(upload.url).origin, upload.resumable]).toEqual([bucket.location.endpoint, false])
    const put = (body: string, type = upload.headers['content-type']) =>
      fetch(upload.url, { method: 'PUT', body, headers: { ...upload.headers, 'content-type': type } })
    const confirm = () =>
      admin.client.post(`${url}/assets/${upload._id}/signedUrl`, { data: { token: upload.token } })
    const before = await total()
    expect((await put('hello', 'text/html')).status).toBe(403)
    expect((await put('hello, world')).status).toBe(403)
    expect(
      (await fetch(upload.url.replace('uploads', 'others'), { method: 'PUT', body: 'hello' })).status,
    ).toBe(403)
    const nothing = await confirm()
    expect([nothing.status, nothing.body.code, nothing.body.offset]).toEqual([409, 'UploadIsIncomplete', 0])
    expect((await put('hello')).status).toBe(200)

    const { held, open } = away('GET')
    const confirming = confirm()
    await expect.poll(() => held.length).toBe(1)
    expect(busyConnections()).toBe(0)
    open()
    const answer = await confirming
    expect([answer.status, answer.body.code]).toEqual([503, 'StorageUnavailable'])
    expect(await total()).toBe(before)
    bucket.intercept = null
    const { asset } = ok(await confirm())
    expect(asset).toMatchObject({ _id: upload._id, fileName: '庭.txt', fileSize: 5 })
    expect(ok(await confirm()).asset).toEqual(asset)
    expect((await admin.client.get(`${url}/assets/${asset._id}/getBlob`)).text).toBe('hello')
    expect([...bucket.objects.keys()].filter((key) => key.includes('uploads'))).toEqual([])
    expect(await total()).toBe(before + 1)
  })
})
