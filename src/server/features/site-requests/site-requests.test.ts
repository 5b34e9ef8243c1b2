import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace, type TestAccount } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let token: string
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  await createModel(admin.client, app, 'article')
  const made = ok(await admin.client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
  token = made.cdnToken.token
})
afterAll(() => installation?.close())

/** Reads the model like a site; returns the status. */
async function read(headers: Record<string, string>, bearer = token, model = 'article') {
  const authorization = `Bearer ${bearer}`
  const url = `/${space.uid}.cdn/v1/${app.uid}/${model}`
  return (await installation.visitor().get(url, { authorization, ...headers })).status
}

const list = async () => ok(await admin.client.get(`${app.url}/siteRequest`)).siteRequests
const callers = async () =>
  (await list()).map(({ site, agent }: { site: string; agent: string }) => site || agent).sort()

it('the list of site requests contains the sites and programs that have read a model', async () => {
  expect(await list()).toEqual([])
  expect(await read({ origin: 'https://www.Example.jp' })).toBe(200)
  expect(
    await read({ referer: 'https://preview.example.jp:3001/blog/1?x=1', 'user-agent': 'Mozilla/5.0' }),
  ).toBe(200)
  expect(await read({ 'user-agent': 'axios/1.7.9 (linux)' })).toBe(200)
  expect(await read({ 'user-agent': 'axios/1.7.9' })).toBe(200)
  // Unauthorised requests and requests for missing models are not recorded.
  expect(await read({ origin: 'https://thief.example' }, 'cdn_x')).toBe(401)
  expect(await read({ origin: 'https://lost.example' }, token, 'nothing')).toBe(404)
  await expect
    .poll(callers)
    .toEqual(['axios/1.7.9', 'https://preview.example.jp:3001', 'https://www.example.jp'])
  expect(await list()).toContainEqual({
    model: 'article',
    api: 'cdn',
    site: 'https://www.example.jp',
    agent: '',
    firstAt: expect.any(String),
    lastAt: expect.any(String),
  })
})

it('the list of site requests has a limited length, and contains only valid origins and program names', async () => {
  const odd = [
    'https://a.example\u0000',
    'javascript:alert(1)',
    `https://${'x'.repeat(300)}.example`,
    '<script>',
  ]
  for (const origin of odd) await read({ origin: encodeURI(origin), 'user-agent': '<b>' })
  for (let at = 0; at < 130; at++) await read({ origin: `https://s${at}.example` })
  await expect.poll(async () => (await list()).length).toBeGreaterThanOrEqual(100)
  // Concurrent writes do not see each other, so the limit can be exceeded slightly.
  expect((await list()).length).toBeLessThan(120)
  for (const { site, agent } of await list())
    expect(site || agent).toMatch(/^(https?:\/\/[\w.:-]+|[\w./ +-]*)$/)
})

it('a user outside the space cannot read the list of site requests', async () => {
  const other = await createAccount(installation)
  expect((await other.client.get(`${app.url}/siteRequest`)).status).toBe(404)
})
