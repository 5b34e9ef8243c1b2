import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCertificate } from '#test/certificates.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { idpMetadata } from '#test/idp-metadata.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

const metadata = idpMetadata({ certificates: [makeCertificate().certificate] })
/** Redirect targets of `idp` by path; empty: a redirect without a target. Other paths return the metadata. */
const redirects: Record<string, string> = {}
let idp: Server
let stranger: Server
/** Number of requests to `stranger`, whose origin the operator has not listed. */
let asked = 0
let urls: { idp: string; stranger: string }
let installation: TestInstallation
let admin: TestAccount
let space: { url: string }

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  idp = createServer(({ url = '' }, response) => {
    const location = redirects[url]
    if (location === undefined) response.end(metadata)
    else response.writeHead(302, location === '' ? {} : { location }).end()
  })
  stranger = createServer((_, response) => {
    asked++
    response.end(metadata)
  })
  urls = { idp: await listen(idp), stranger: await listen(stranger) }
  installation = await startInstallation({ IMORI_SSO_ORIGINS: urls.idp })
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
})
afterAll(async () => {
  await installation?.close()
  for (const server of [idp, stranger]) server?.close()
})

const read = (path: string) => admin.client.post(`${space.url}/sso/metadata`, { url: `${urls.idp}${path}` })

it('readSsoMetadata follows up to three redirects', async () => {
  Object.assign(redirects, { '/1': '/2?x=y', '/2?x=y': `${urls.idp}/3`, '/3': 'there' })
  expect(ok(await read('/1')).metadata.entityId).toBe('https://idp.example.com/saml')
  redirects['/there'] = '/further'
  const { status, body } = await read('/1')
  expect([status, body.code, body.location]).toEqual([400, 'SsoMetadataIsElsewhere', `${urls.idp}/further`])
})

it('readSsoMetadata refuses redirects to forbidden or invalid URLs', async () => {
  const refusals = {
    '/stranger': `${urls.stranger}/metadata?secret=1`,
    '/plain': 'http://idp.example.com/metadata',
    '/file': 'file:///etc/passwd',
    '/password': 'https://a:b@idp.example.com/metadata',
  }
  Object.assign(redirects, refusals, {
    '/private': 'https://127.0.0.1/metadata',
    '/nowhere': '',
    '/no-url': 'https://',
  })
  for (const [path, location] of Object.entries(refusals)) {
    const { status, body } = await read(path)
    expect([path, status, body.code]).toEqual([path, 400, 'SsoMetadataIsElsewhere'])
    expect(body.location).not.toContain('secret')
    expect(new URL(location).pathname).toBe(new URL(body.location).pathname)
  }
  expect(asked).toBe(0)
  for (const path of ['/private', '/nowhere', '/no-url'])
    expect([path, (await read(path)).body.code]).toEqual([path, 'SsoUnavailable'])
})
