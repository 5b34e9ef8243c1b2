import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasEffects } from '#server/http/call.ts'
import { callEmpty, everyEndpoint, methodOf } from './matrix-calls.ts'
import { type Fixture, invitePeople, makeFixture } from './matrix-fixture.ts'
import { startInstallation, type TestInstallation } from './server.ts'

/*
 * An act that can be reached in more than one way requires the same right in each: through its feature, through the job
 * behind it, by a signed link, in a space or in one of its apps.
 */

let installation: TestInstallation
let fixture: Fixture
beforeAll(async () => {
  installation = await startInstallation()
  fixture = await makeFixture(installation, await invitePeople(installation), { reading: true })
})
afterAll(() => installation?.close())

describe('an endpoint with effects', () => {
  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://stranger.example' },
  ])('refuses requests from pages of other origins: %o', async (headers) => {
    for (const call of everyEndpoint) {
      const [name, endpoint] = call
      if (!hasEffects(endpoint) || endpoint.origin === 'any') continue
      const answer = await callEmpty(fixture.people.owner.client, call, fixture, headers)
      expect([name, answer.status, answer.body?.code]).toEqual([name, 403, 'InvalidCsrfToken'])
    }
  })

  it('says so if it is a GET whose statements write', async () => {
    const files = await readdir('src/server', { recursive: true })
    const recorded = files.filter((file) => file.endsWith('.statements.sql'))
    const texts = await Promise.all(recorded.map((file) => readFile(`src/server/${file}`, 'utf8')))
    const writing = texts
      .flatMap((text) => text.split(/^(?=-- \w+: [A-Z]+ \/api)/m))
      .filter((text) => /^(insert|update|delete) |^-- audit: /im.test(text))
      .flatMap((text) => /^-- (\w+): GET /.exec(text)?.[1] ?? [])
    expect(writing).toContain('signUpload')
    const byName = new Map(everyEndpoint)
    for (const name of writing) {
      const endpoint = byName.get(name)
      expect([name, endpoint && hasEffects(endpoint)]).toEqual([name, true])
    }
  })

  it('is among the GETs in this list', () => {
    const gets = everyEndpoint.filter(([, endpoint]) => methodOf(endpoint) === 'GET' && hasEffects(endpoint))
    expect(gets.map(([name]) => name).toSorted()).toEqual([
      'exportAuditLog',
      'exportCsv',
      'exportJson',
      'getAppExport',
      'getAppExportFile',
      'getSpaceExportFile',
      'signAppImportUpload',
      'signMoveUpload',
      'signUpload',
    ])
  })
})
