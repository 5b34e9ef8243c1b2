import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rescue } from '#rescue/run/rescue.ts'
import { optionsFor, recorder, temporaryFolder } from '#rescue/testing/helpers.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { startStandIn } from '#test/newt-stand-in/server.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { checkMoveJob, importMoveJob } from './moves.jobs.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let port: number
let zip: Buffer
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  await installation.server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  port = (installation.server.server.address() as AddressInfo).port
  zip = await rescued()
})
afterAll(() => installation?.close())

/** The sample space of the stand-in, as `npm run rescue -- --zip` saves it. */
async function rescued(): Promise<Buffer> {
  const standIn = await startStandIn(sampleSpace())
  const folder = await temporaryFolder()
  try {
    const { reporter, text } = recorder()
    const out = join(folder.path, 'archive')
    await rescue(optionsFor(standIn, out, { zip: true }), reporter, text)
    return await readFile(`${out}.zip`)
  } finally {
    await folder.remove()
    await standIn.close()
  }
}

const put = (url: string, bytes: Buffer, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${url}`, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers: { 'content-type': 'application/zip', ...headers },
  })

const moveUrl = (id: string, rest = '') => `${space.url}/move/${id}${rest}`

async function upload(bytes: Buffer): Promise<string> {
  const { client } = admin
  const data = { fileName: 'blog.zip', fileSize: bytes.length }
  const { move } = ok(await client.post(`${space.url}/move`, { data }))
  expect(move).toMatchObject({ state: 'uploading', received: 0, app: null, stopped: null })
  const first = ok(await client.get(moveUrl(move._id, '/signedUrl')))
  // The connection breaks in the middle; the rest comes to another address.
  const half = bytes.length >> 1
  const range = `bytes 0-${half - 1}/${bytes.length}`
  expect((await put(first.url, bytes.subarray(0, half), { 'content-range': range })).status).toBe(204)
  expect((await client.post(moveUrl(move._id, '/signedUrl'))).body).toMatchObject({
    code: 'UploadIsIncomplete',
  })
  const second = ok(await client.get(moveUrl(move._id, '/signedUrl')))
  expect(second.received).toBe(half)
  const rest = `bytes ${half}-${bytes.length - 1}/${bytes.length}`
  expect((await put(second.url, bytes.subarray(half), { 'content-range': rest })).status).toBe(204)
  expect(ok(await client.post(moveUrl(move._id, '/signedUrl'))).move.state).toBe('checking')
  await runWaiting(installation, checkMoveJob)
  return move._id
}

const get = async (id: string) => ok(await admin.client.get(moveUrl(id))).move

describe('a move', () => {
  it('is uploaded in parts, planned, imported, undone', async () => {
    const { client } = admin
    const id = await upload(zip)
    expect(await get(id)).toMatchObject({ state: 'planned', app: { uid: 'blog' }, stopped: null })
    const { plan } = ok(await client.get(moveUrl(id, '/plan')))
    expect(plan.models.map((model: { uid: string }) => model.uid)).toContain('article')

    ok(await client.post(moveUrl(id, '/start')))
    await runWaiting(installation, importMoveJob)
    expect(await get(id)).toMatchObject({ state: 'imported' })
  })
})
