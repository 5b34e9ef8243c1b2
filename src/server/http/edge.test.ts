import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signValue } from '#server/lib/signed-value.ts'
import { passFor } from '#server/storage/upload-pass.ts'
import { startInstallation, type TestInstallation, testSecrets } from '#test/server.ts'
import { pageHeaders, securityHeaders } from './browsers/security-headers.ts'
import { sendError } from './errors.ts'
import { serveAdmin } from './pages/admin-files.ts'

let installation: TestInstallation
let port: number
beforeAll(async () => {
  installation = await startInstallation({ IMORI_URL: 'https://cms.example.com' })
  await installation.server.listen({ port: 0, host: '127.0.0.1' })
  port = (installation.server.server.address() as AddressInfo).port
})
afterAll(() => installation?.close())

/** Sends these bytes and returns the response, read until the server closes the connection. */
async function exchange(request: string): Promise<{ head: string; body: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(request)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { head: head.toLowerCase(), body }
}

it('the address of a caller stays available after the caller resets the connection', async () => {
  const caller = connect(port, '127.0.0.1')
  caller.on('error', () => {})
  await once(caller, 'connect')
  const seen: Promise<unknown> = new Promise((resolve) =>
    installation.server.server.once('request', ({ socket }: { socket: Socket }) => {
      // The address is read only now, as in calls that load the session first.
      socket.once('close', () => resolve(socket.remoteAddress))
      caller.resetAndDestroy()
    }),
  )
  caller.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n')
  expect(await seen).toBe('127.0.0.1')
})

describe('an HTTP response', () => {
  const expected = securityHeaders({ url: 'https://cms.example.com' })

  it.each([
    ['GET', '/'],
    ['GET', '/login'],
    ['GET', '/%E0%A4%A'],
    ['GET', '/assets/%E0%A4%A'],
    ['GET', '/api/%E0%A4%A'],
    ['GET', '/api/project/%E0%A4%A/app'],
    ['GET', `/api/project/${'x'.repeat(501)}`],
    ['GET', '/api/nothing'],
    ['GET', '/assets/nothing.js'],
    ['GET', '/apiManagement'],
    ['POST', '/login'],
    ['POST', '/api/auth/login'],
    ['PROPFIND', '/'],
    ['OPTIONS', '*'],
  ])('has the security headers for %s %s', async (method, path) => {
    const { head } = await exchange(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    for (const [name, value] of Object.entries(expected))
      expect(head).toContain(`${name}: ${value}`.toLowerCase())
  })

  it.each([
    ['GET', '/v1/blog/article'],
    ['GET', '/acme.cdn/v1/blog/article'],
    ['OPTIONS', '/acme.cdn/v1/blog/article'],
    ['POST', '/acme.api/v1/blog/article'],
    ['GET', '/acme.assets/v1/0123456789abcdef01234567/a.png'],
    ['PUT', '/api/uploads/nothing'],
    ['GET', '/scim/v2/acme/Users'],
  ] as const)('requires https and forbids sniffing and framing for %s %s', async (method, url) => {
    const { headers } = await installation.server.inject({ method, url })
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';.*frame-ancestors 'none'/)
  })

  it('has a wider Content-Security-Policy or opener policy only at or below paths with an exception', () => {
    const config = { url: 'https://cms.example.com' }
    const card = {
      prefix: '/billing/card',
      csp: { 'script-src': ['https://js.example.com'], 'frame-src': ['https://js.example.com'] },
    }
    const popup = {
      prefix: '/sso',
      csp: { 'frame-ancestors': ["'self'"] },
      openerPolicy: 'unsafe-none',
    } as const
    const headersOf = pageHeaders(config, testSecrets.sessionKey, [card, popup])
    const page = headersOf('/billing/card/new?x=1')
    expect(page['content-security-policy']).toContain(";script-src 'self' https://js.example.com;")
    expect(page['content-security-policy']).toMatch(/;frame-src blob: 'self' https:\/\/js\.example\.com$/)
    expect(page['content-security-policy']).toContain("default-src 'none';")
    expect(page['cross-origin-opener-policy']).toBe('same-origin-allow-popups')
    expect(headersOf('/sso')['content-security-policy']).toContain(";frame-ancestors 'self';")
    expect(headersOf('/sso')['cross-origin-opener-policy']).toBe('unsafe-none')
    for (const url of ['/', '/billing', '/billing/cards', '/x/sso', '/?/sso/', '/login?to=/billing/card'])
      expect([url, headersOf(url)]).toEqual([url, securityHeaders(config)])
  })

  it('allows connections to a bucket only from a script with a valid upload pass for that bucket', () => {
    const config = { url: 'https://cms.example.com' }
    const headersOf = pageHeaders(config, testSecrets.sessionKey)
    const policyOf = (url: string) => headersOf(url)['content-security-policy']
    const pass = passFor(testSecrets.sessionKey, 'https://bucket.example.com')
    const others = securityHeaders(config)['content-security-policy'] ?? ''
    expect(policyOf(`/assets/a-1.js?to=${pass}`)).toBe(
      others.replace("connect-src 'self'", "connect-src 'self' https://bucket.example.com"),
    )
    const sign = (purpose: string, seconds: number) =>
      signValue(
        testSecrets.sessionKey,
        purpose,
        { origin: 'https://evil.example' },
        new Date(Date.now() + seconds * 1000),
      )
    for (const url of [
      `/?to=${pass}`,
      `/acme/-/assets?to=${pass}`,
      `/assets/../?to=${pass}`,
      `/assets/a-1.js?to=${pass}x`,
      `/assets/a-1.js?to=${passFor('another key', 'https://evil.example')}`,
      `/assets/a-1.js?to=${sign('upload.put', 60)}`,
      `/assets/a-1.js?to=${sign('upload.origin', -1)}`,
      '/assets/a-1.js?to=https://evil.example',
    ])
      expect([url, policyOf(url)]).toEqual([url, others])
  })

  it('has status 417 and X-Content-Type-Options for an unknown Expect header', async () => {
    const { head } = await exchange(
      'GET / HTTP/1.1\r\nhost: x\r\nexpect: wonders\r\nconnection: close\r\n\r\n',
    )
    expect(head).toMatch(/^http\/1\.1 417 /)
    expect(head).toContain('x-content-type-options: nosniff')
  })

  it.each(['/', '/v1/blog/article', '/api/project', '/assets/nothing.js'])(
    'has status 400, JSON and the security headers for a request for %s without a host',
    async (path) => {
      const { head, body } = await exchange(`GET ${path} HTTP/1.1\r\n\r\n`)
      expect(head).toMatch(/^http\/1\.1 400 /)
      expect(head).toContain('\r\nconnection: close')
      expect(JSON.parse(body)).toEqual({ status: 400, code: 'BadRequest', message: expect.any(String) })
      for (const [name, value] of Object.entries(expected))
        expect(head).toContain(`${name}: ${value}`.toLowerCase())
    },
  )

  it('has status 200 and X-Frame-Options for an HTTP/1.0 request without a host', async () => {
    const { head } = await exchange('GET /healthz HTTP/1.0\r\n\r\n')
    expect(head).toMatch(/^http\/1\.1 200 /)
    expect(head).toContain('x-frame-options: deny')
  })

  it.each(['/%E0%A4%A', '/api/%E0%A4%A', '/api/project/%ff'])(
    'has status 400 and JSON for %s',
    async (path) => {
      const answer = await installation.visitor().get(path)
      expect([answer.status, answer.body.code]).toEqual([400, 'ValidationFailed'])
    },
  )

  it.each([
    [431, 'RequestHeaderFieldsTooLarge', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(90_000)}\r\n\r\n`],
    [431, 'RequestHeaderFieldsTooLarge', `GET /${'x'.repeat(90_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
    [400, 'BadRequest', 'GET / HTTP/1.1\r\nhost: x\r\nno header\r\n\r\n'],
    [400, 'BadRequest', 'nonsense\r\n\r\n'],
    [400, 'BadRequest', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
  ])(
    'has status %i, code %s and the security headers if the parser refuses the request',
    async (status, code, request) => {
      const { head, body } = await exchange(request)
      expect(head).toMatch(new RegExp(`^http/1\\.1 ${status} `))
      expect(JSON.parse(body)).toEqual({ status, code, message: expect.any(String) })
      for (const [name, value] of Object.entries(expected))
        expect(head).toContain(`${name}: ${value}`.toLowerCase())
    },
  )
})

it('the server announces that idle connections stay open for at least 75 seconds', async () => {
  const { head } = await exchange(
    'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  )
  const seconds = Number(/keep-alive: timeout=(\d+)/.exec(head)?.[1])
  expect(seconds).toBeGreaterThanOrEqual(75)
})

it('GET of a static file returns 416 for a range beyond the end and 412 for a failed precondition', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'imori-admin-'))
  const server = Fastify().setErrorHandler(sendError)
  const get = (headers: Record<string, string>) => server.inject({ url: '/assets/a.txt', headers })
  try {
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'assets/a.txt'), '0123456789')
    await serveAdmin(server, folder)
    expect((await get({ range: 'bytes=2-4' })).body).toBe('234')
    const missing = await get({ range: 'bytes=20-30' })
    expect([missing.statusCode, missing.json().code]).toEqual([416, 'RangeNotSatisfiable'])
    expect(missing.headers['content-range']).toBe('bytes */10')
    const changed = await get({ 'if-match': '"x"' })
    expect([changed.statusCode, changed.json().code]).toEqual([412, 'PreconditionFailed'])
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
})

it('the admin is served without a restart after a build, and not below /api and /scim', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'imori-admin-'))
  const server = Fastify()
  server.setNotFoundHandler((_request, reply) => reply.code(404).send('nothing'))
  const get = async (url: string, headers = {}) => {
    const answer = await server.inject({ url, headers })
    return [answer.statusCode, answer.body, answer.headers['cache-control'], answer.headers['content-type']]
  }
  const page = (body: string) => [200, body, 'no-cache', 'text/html; charset=utf-8']
  const asset = (body: string) => [
    200,
    body,
    'public, max-age=31536000, immutable',
    'application/javascript; charset=utf-8',
  ]
  try {
    await serveAdmin(server, folder)
    expect((await get('/login'))[0]).toBe(404)

    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'assets', 'a-1.js'), 'one')
    await writeFile(join(folder, 'index.html'), 'first')
    await writeFile(join(folder, 'favicon.svg'), '<svg/>')
    for (const path of ['/', '/login', '/acme/blog/article']) expect(await get(path)).toEqual(page('first'))
    for (const path of ['/api/x', '/scim/v2']) expect((await get(path))[0]).toBe(404)
    expect(await get('/assets/a-1.js')).toEqual(asset('one'))
    expect((await get('/favicon.svg')).slice(0, 3)).toEqual([200, '<svg/>', 'public, max-age=3600'])

    await rm(folder, { recursive: true })
    expect(await get('/login')).toEqual(page('first'))
    expect((await get('/assets/a-1.js'))[0]).toBe(404)

    await mkdir(join(folder, 'assets'), { recursive: true })
    await writeFile(join(folder, 'assets', 'b-2.js'), 'two')
    await writeFile(join(folder, 'assets', 'b-2.js.br'), 'two, compressed')
    await writeFile(join(folder, 'index.html'), 'second')
    expect(await get('/login')).toEqual(page('second'))
    expect(await get('/assets/b-2.js')).toEqual(asset('two'))
    expect((await get('/assets/b-2.js', { 'accept-encoding': 'br' }))[1]).toBe('two, compressed')
    for (const path of [
      '/assets/',
      '/assets/a-1.js',
      '/api/x',
      '/missing.png',
      '/assets/../index.html.br',
      '/..%2findex.html',
    ])
      expect([path, (await get(path))[0] === 200 && (await get(path))[1] !== 'second']).toEqual([path, false])
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
})
