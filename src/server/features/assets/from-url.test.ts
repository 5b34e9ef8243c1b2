import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { quadrants } from '#test/pictures.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let site: Server
let origin: string
let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let picture: Buffer
beforeAll(async () => {
  picture = await quadrants(12, 8)
  site = createServer((request, response) => {
    const path = decodeURIComponent(request.url?.split('?')[0] ?? '')
    if (path === '/moved') response.writeHead(302, { location: encodeURI('/dir/庭 1.png') }).end()
    else if (path === '/dir/庭 1.png') response.setHeader('content-type', 'image/png').end(picture)
    else if (path === '/inward') response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
    else if (path === '/lie.png') response.setHeader('content-type', 'image/png').end('<script>1</script>')
    else if (path === '/large') response.end(Buffer.alloc(20 * 1024 * 1024 + 1))
    else response.writeHead(404).end()
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  installation = await startInstallation({ IMORI_IMPORT_ORIGINS: origin })
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
})
afterAll(async () => {
  site?.close()
  site?.closeAllConnections()
  await installation?.close()
})

const fetchFile = (url: string, headers?: Record<string, string>) =>
  admin.client.post(`${space.url}/assets:fromUrl`, { url }, headers)

it('a file is downloaded from a URL, directly or through a redirect', async () => {
  const key = { 'idempotency-key': 'moved' }
  const { asset } = ok(await fetchFile(`${origin}/moved`, key))
  expect(ok(await fetchFile(`${origin}/moved`, key)).asset).toEqual(asset)
  expect(asset).toMatchObject({
    fileName: 'moved',
    fileType: 'image/png',
    width: 12,
    fileSize: picture.length,
  })
  const named = ok(await fetchFile(`${origin}/dir/${encodeURIComponent('庭 1.png')}?size=large`)).asset
  expect(named).toMatchObject({ fileName: '庭 1.png', duplicateOf: asset._id })
})

it.each([
  ['a URL that returns 404', (): string => `${origin}/gone`, 400, 'FileCannotBeFetched'],
  ["a URL in the server's own network", (): string => 'http://127.0.0.1:1/', 400, 'FileCannotBeFetched'],
  ["a redirect into the server's own network", (): string => `${origin}/inward`, 400, 'FileCannotBeFetched'],
  ['the URL of cloud metadata', (): string => 'http://169.254.169.254/latest/', 400, 'FileCannotBeFetched'],
  ['the URL of a local file', (): string => 'file:///etc/passwd', 400, 'FileCannotBeFetched'],
  ['a file with a false type', (): string => `${origin}/lie.png`, 415, 'UnsupportedMediaType'],
  ['a file that is too large', (): string => `${origin}/large`, 413, 'RequestFileTooLarge'],
  ['a text that is not a URL', (): string => 'photo.png', 400, 'ValidationFailed'],
] as const)('%s is rejected', async (_what, url, status, code) => {
  const answer = await fetchFile(url())
  expect([answer.status, answer.body.code]).toEqual([status, code])
  expect(ok(await admin.client.get(`${space.url}/assets`)).total).toBeLessThanOrEqual(2)
})
