/** @module-tag full */
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openArchive } from '#archive/source.ts'
import { expectedFrom } from '#moving/expected.ts'
import { defaultCalls } from '#moving/queries.ts'
import { verifyMove } from '#moving/verify.ts'
import { rescue } from '#rescue/run/rescue.ts'
import { optionsFor, recorder, temporaryFolder } from '#rescue/testing/helpers.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { startStandIn } from '#test/newt-stand-in/server.ts'
import { starterCalls } from '#test/newt-starters/calls.ts'
import { fillStarter } from '#test/newt-starters/fill.ts'
import { type Starter, starters } from '#test/newt-starters/starters.ts'
import { quadrants } from '#test/pictures.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { checkMoveJob, importMoveJob } from './moves.jobs.ts'

let installation: TestInstallation
let admin: TestAccount
let server: string
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  await installation.server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  server = `http://127.0.0.1:${(installation.server.server.address() as AddressInfo).port}`
})
afterAll(() => installation?.close())

/** Returns the starter's space as an archive of the rescue command. */
async function rescued(starter: Starter): Promise<Buffer> {
  const space = fillStarter(starter)
  const picture = await quadrants(64, 48)
  for (const asset of space.assets.values()) {
    const isPicture = asset.fileType.startsWith('image/')
    asset.bytes = isPicture ? picture : Buffer.from('%PDF-1.4\n%%EOF\n')
    if (isPicture) Object.assign(asset, { fileType: 'image/png', width: 64, height: 48 })
  }
  const standIn = await startStandIn(space)
  const folder = await temporaryFolder()
  try {
    const { reporter, text } = recorder()
    const out = join(folder.path, 'archive')
    await rescue(
      { ...optionsFor(standIn, out, { zip: true }), models: Object.keys(starter.models) },
      reporter,
      text,
    )
    return await readFile(`${out}.zip`)
  } finally {
    await folder.remove()
    await standIn.close()
  }
}

/** Imports an archive by its plan, without corrections. */
async function imported(space: { uid: string; url: string }, zip: Buffer): Promise<void> {
  const { client } = admin
  const data = { fileName: 'a.zip', fileSize: zip.length }
  const { move } = ok(await client.post(`${space.url}/move`, { data }))
  const at = `${space.url}/move/${move._id}`
  const { url } = ok(await client.get(`${at}/signedUrl`))
  const sent = await fetch(`${server}${url}`, {
    method: 'PUT',
    body: new Uint8Array(zip),
    headers: { 'content-type': 'application/zip' },
  })
  expect(sent.status).toBe(204)
  ok(await client.post(`${at}/signedUrl`))
  await runWaiting(installation, checkMoveJob)
  const { plan } = ok(await client.get(`${at}/plan`))
  ok(await client.post(`${at}/start`))
  await runWaiting(installation, importMoveJob)
  const done = ok(await client.get(at)).move
  expect([done.state, done.report.problems]).toEqual(['imported', []])
  expect(done.report).toMatchObject({ documents: plan.counts.documents, assets: plan.counts.assets })
}

it.each(starters.map((starter) => [starter.app, starter] as const))(
  'the imported app %s returns the responses of Newt without unexplained differences',
  async (app, starter) => {
    const zip = await rescued(starter)
    const space = await createSpace(admin.client)
    await imported(space, zip)
    const folder = await temporaryFolder()
    await writeFile(join(folder.path, 'a.zip'), zip)
    const source = await openArchive(join(folder.path, 'a.zip'))
    const outgoing = createOutgoingHttp({ allowPrivate: [server] })
    try {
      const { client } = admin
      const tokens = {
        cdn: ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'cdn' } })).cdnToken.token,
        api: ok(await client.post(`${space.url}/apiToken`, { data: { name: 'api' } })).apiToken.token,
      }
      const expected = await expectedFrom(source)
      const own = [...starterCalls(starter, expected)]
      const calls = [...own, ...defaultCalls(expected, ['cdn', 'api'])]
      const result = await verifyMove(source, { server, space: space.uid, app, tokens, outgoing, calls })
      expect(own.length).toBeGreaterThan(8)
      expect(result.calls).toBe(calls.length)
      expect(result.unexplained).toEqual([])
    } finally {
      source.close()
      await outgoing.close()
      await folder.remove()
    }
  },
  120_000,
)
