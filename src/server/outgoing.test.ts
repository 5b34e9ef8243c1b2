import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig, type OutgoingPurpose } from './config.ts'
import { createOutgoing, isListed, type Outgoing } from './outgoing.ts'

const limits = { maxBytes: 1000, timeoutMs: 60_000 }
const purposes: OutgoingPurpose[] = ['bucket', 'storage', 'sso', 'webhooks', 'imports', 'embeds']
const servers: Server[] = []
/** Origin of the server that is listed for a purpose. */
const origins = new Map<OutgoingPurpose, string>()
const originOf = (purpose: OutgoingPurpose) => origins.get(purpose) ?? ''
/** TCP connections that the servers accepted. */
let connections = 0
let outgoing: Outgoing

beforeAll(async () => {
  for (const purpose of purposes) {
    const server = createServer(({ url = '' }, response) => {
      if (url.startsWith('/to?')) response.writeHead(302, { location: url.slice(4) }).end()
      else response.end(purpose)
    })
    server.on('connection', () => {
      connections += 1
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origins.set(purpose, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }
  outgoing = createOutgoing(
    loadConfig({
      IMORI_S3_ENDPOINT: originOf('bucket'),
      IMORI_S3_BUCKET: 'media',
      IMORI_S3_ACCESS_KEY_ID: 'key',
      IMORI_S3_SECRET_ACCESS_KEY: 'secret',
      IMORI_PRIVATE_STORAGES: originOf('storage'),
      IMORI_SSO_ORIGINS: originOf('sso'),
      IMORI_WEBHOOK_ORIGINS: originOf('webhooks'),
      IMORI_IMPORT_ORIGINS: originOf('imports'),
      IMORI_EMBED_ORIGINS: originOf('embeds'),
      // Otherwise the check of the port would refuse the requests before the check of the address.
      IMORI_OUTGOING_PORTS: [...origins.values()].map((origin) => new URL(origin).port).join(),
    }).outgoing,
  )
})
afterAll(async () => {
  await outgoing?.close()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

async function expectBlocked(request: Promise<unknown>): Promise<void> {
  const before = connections
  await expect(request).rejects.toMatchObject({ code: 'blocked_address' })
  expect(connections).toBe(before)
}

describe.each(purposes)('the client for %s', (purpose) => {
  const others = purposes.filter((other) => other !== purpose)
  const client = () => outgoing.clientFor(purpose, originOf(purpose))

  it('reaches the private origin that is listed for its purpose', async () => {
    const answer = await client().request(`${originOf(purpose)}/`, limits)
    expect(await answer.text()).toBe(purpose)
  })

  it.each(others)('does not reach the private origin for %s, directly or by a redirect', async (other) => {
    const address = `${originOf(other)}/`
    expect(isListed(loadConfig({}), purpose, address)).toBe(false)
    await expectBlocked(outgoing.clientFor(purpose, address).request(address, limits))
    await expectBlocked(client().request(address, limits))
    // Opens the connection that the redirect reuses.
    await (await client().request(`${originOf(purpose)}/`, limits)).text()
    const redirect = `${originOf(purpose)}/to?${address}`
    await expectBlocked(client().request(redirect, { ...limits, maxRedirects: 3 }))
  })

  it('does not reach its private origin under another name that resolves to the same address', async () => {
    const address = originOf(purpose).replace('127.0.0.1', 'localhost')
    await expectBlocked(outgoing.clientFor(purpose, address).request(address, limits))
    await expectBlocked(client().request(address, limits))
  })

  it('reaches no private origin if its requests begin at a public host', async () => {
    const begun = outgoing.clientFor(purpose, 'https://public.example/')
    await expectBlocked(begun.request(originOf(purpose), limits))
  })
})

it('the client for storages reaches subdomains of a listed endpoint, unlike the client for SSO', async () => {
  const own = createOutgoing(
    loadConfig({
      IMORI_PRIVATE_STORAGES: 'http://minio.example:9000',
      IMORI_SSO_ORIGINS: 'http://idp.example:9000',
    }).outgoing,
  )
  const bucket = 'http://media.minio.example:9000/key'
  const storage = own.clientFor('storage', 'http://minio.example:9000')
  expect(storage.refuses(bucket)).toBe(false)
  for (const other of [
    'https://media.minio.example:9000/',
    'http://media.minio.example:9001/',
    'http://mediaminio.example:9000/',
    'http://example:9000/',
  ])
    expect([other, storage.refuses(other)]).toEqual([other, true])
  expect(own.clientFor('storage', bucket).refuses(bucket)).toBe(true)
  const sso = own.clientFor('sso', 'http://idp.example:9000')
  expect(sso.refuses('http://login.idp.example:9000/')).toBe(true)
  await own.close()
})
