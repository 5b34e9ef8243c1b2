import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createSpace, type TestAccount } from '#test/factories.ts'
import { hostileSources } from '#test/hostile-files/sources.ts'
import { shortestHold } from '#test/loop-delay.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { checkMoveJob } from './moves.jobs.ts'

/* Hostile uploads do not block the event loop while they are read and planned. */

let installation: TestInstallation
let admin: TestAccount
let space: { url: string }
let origin: string

beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  await installation.server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  origin = `http://127.0.0.1:${(installation.server.server.address() as AddressInfo).port}`
})
afterAll(() => installation?.close())

/**
 * Uploads and checks a file. Sends it as a Blob, which is read in pieces. Copying a body of megabytes would count as
 * time for which the server is blocked.
 */
async function check(fileName: string, file: Blob) {
  const { client } = admin
  const { move } = ok(await client.post(`${space.url}/move`, { data: { fileName, fileSize: file.size } }))
  const url = `${space.url}/move/${move._id}`
  const target = ok(await client.get(`${url}/signedUrl`))
  const sent = await fetch(origin + target.url, { method: 'PUT', body: file, headers: target.headers })
  expect(sent.status).toBe(204)
  ok(await client.post(`${url}/signedUrl`))
  await runWaiting(installation, checkMoveJob)
  return ok(await client.get(url)).move
}

it('a space may have ten archives that wait for their check, and the next one is refused', async () => {
  const { client } = await createAccount(installation)
  const app = await createApp(client, await createSpace(client))
  const ask = () => client.post(`${app.url}/import`, { importUrl: 'https://203.0.113.1/a.zip' })
  const moves = []
  for (let n = 0; n < 10; n++) moves.push(ok(await ask()).move)
  const { status, body } = await ask()
  expect([status, body.code]).toEqual([429, 'TooManyMoves'])
  ok(await client.post(`${app.url}/import/${moves[0]._id}/cancel`))
  ok(await ask())
})

describe('the check of a hostile file', { tags: ['full'] }, () => {
  it.each(hostileSources)('does not block the event loop: $name', async ({ fileName, bytes, refused }) => {
    const file = new Blob([new Uint8Array(await bytes())])
    const { result, held, milliseconds } = await shortestHold(() => check(fileName, file))
    if (process.env.IMORI_TEST_HOLDS) process.stdout.write(`${milliseconds.toFixed(0).padStart(6)} ms\n`)
    const [item] = result.refusal?.items ?? []
    expect([result.state, result.refusal?.code, item?.kind]).toEqual(
      refused === 'planned' ? ['planned', undefined, undefined] : ['refused', refused[0], refused[1]],
    )
    expect(held).toBeLessThan(1)
  })
})
