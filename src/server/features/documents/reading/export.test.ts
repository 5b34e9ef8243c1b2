/** @module-tag full */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { shortestHold } from '#test/loop-delay.ts'
import { type OutsideClient, openOutsideClient } from '#test/outside-client.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let outside: OutsideClient
let app: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  app = await createApp(client, await createSpace(client))
  outside = await openOutsideClient(installation, client)
})
afterAll(async () => {
  await outside?.close()
  await installation?.close()
})

it('an export of large cells does not block the event loop', async () => {
  const model = await createModel(client, app, 'notes', [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
  ])
  // Quotation marks are escaped in both formats.
  const memo = '"'.repeat(360_000)
  for (let index = 0; index < 20; index++)
    ok(await client.post(`${model.url}/doc`, { document: { title: `${index}`, memo } }))
  for (const format of ['csv', 'json']) {
    const { result, held, milliseconds } = await shortestHold(
      () => outside.send('GET', `${model.url}/doc/export.${format}`),
      process.env.IMORI_TEST_HOLDS ? 1 : undefined,
    )
    if (process.env.IMORI_TEST_HOLDS)
      process.stdout.write(`${milliseconds.toFixed(0).padStart(6)} ms ${held.toFixed(2)} ${format}\n`)
    else expect([format, held < 1]).toEqual([format, true])
    expect([result.status, result.text.slice(0, 200)]).toEqual([200, expect.any(String)])
    expect(result.bytes).toBeGreaterThan(20 * 2 * memo.length)
  }
})
