import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let full: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
  // More than any disk has.
  full = await startInstallation({ IMORI_DISK_RESERVE: '10000000' })
})
afterAll(async () => {
  await installation?.close()
  await full?.close()
})

const text = (bytes: string) => formOf({ name: 'a.txt', type: 'text/plain', bytes })
async function enter(where: TestInstallation): Promise<{ admin: TestAccount; url: string }> {
  const admin = await createAccount(where)
  return { admin, url: (await createSpace(admin.client)).url }
}

it('a full disk is said so, and everything else goes on', async () => {
  const { admin, url } = await enter(full)
  const { results } = ok(await admin.client.post(`${url}/assets`, text('x')))
  expect(results).toEqual([expect.objectContaining({ success: false, code: 'StorageFull' })])
  const put = ok(
    await admin.client.get(`${url}/assets/signedUrl?fileName=a&fileType=text/plain&fileSize=1`),
  ).url
  const answer = await full.visitor().put(put, 'x', { 'content-type': 'text/plain' })
  expect([answer.status, answer.body.code]).toEqual([507, 'StorageFull'])
  ok(await admin.client.post(`${url}/tags`, { data: { name: '続ける' } }))
  expect(ok(await admin.client.get(`${url}/assets`)).total).toBe(0)
})

it('a storage that has lost a file says so of that file, and the file can be uploaded again', async () => {
  const { admin, url } = await enter(installation)
  const upload = async (bytes: string) =>
    ok(await admin.client.post(`${url}/assets`, text(bytes))).results[0].asset
  const [lost, kept] = [await upload('lost'), await upload('kept')]
  const row = await installation.database.kysely
    .selectFrom('asset')
    .select('storage_key')
    .where('id', '=', lost._id)
    .executeTakeFirstOrThrow()
  await installation.deps.storages.local.delete(row.storage_key)
  expect((await admin.client.get(`${url}/assets/${lost._id}/getBlob`)).status).toBe(404)
  expect((await admin.client.get(`${url}/assets/${kept._id}/getBlob`)).text).toBe('kept')
  await upload('lost')
  expect((await admin.client.get(`${url}/assets/${lost._id}/getBlob`)).text).toBe('lost')
})
