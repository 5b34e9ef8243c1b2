import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createCheckedFetch } from './checked-fetch.ts'
import { createOutgoingHttp, type OutgoingHttp } from './outgoing-http.ts'

const limits = { maxBytes: 10_000, timeoutMs: 60_000 }
let server: Server
let origin = ''
let http: OutgoingHttp
/** Called when a request to `/silent` arrives, which gets no response. */
let onSilent: () => void = () => {}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { url = '', method, headers } = request
    if (url === '/echo') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ method, headers, body: await textOf(request) }))
    } else if (url === '/headers') {
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.setHeader('x-name', Buffer.from('井森').toString('latin1'))
      response.writeHead(402).end('{"error":"card_declined"}')
    } else if (url === '/big') response.setHeader('content-length', 20_000).end(Buffer.alloc(20_000))
    else if (url === '/big-chunked') {
      response.write(Buffer.alloc(8000))
      response.end(Buffer.alloc(8000))
    } else if (url === '/empty') response.writeHead(204).end()
    else if (url === '/999') response.writeHead(999).end()
    else if (url === '/silent') onSilent()
    else if (url === '/moved') response.writeHead(302, { location: '/echo' }).end()
    else response.writeHead(302, { location: 'http://127.0.0.1:80/' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  http = createOutgoingHttp({ allowPrivate: [origin] })
})
afterEach(() => http.close())

describe('createCheckedFetch', () => {
  it('returns status, URL, headers and body, also of a response that reports an error', async () => {
    const response = await createCheckedFetch(http, limits)(`${origin}/headers`)
    expect([response.status, response.ok, response.url]).toEqual([402, false, `${origin}/headers`])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    const name = response.headers.get('x-name') ?? ''
    expect(Buffer.from(name, 'latin1').toString()).toBe('井森')
    expect(await response.json()).toEqual({ error: 'card_declined' })
  })

  it.each([
    ['text', 'a=井', 'text/plain;charset=UTF-8', 'a=井'],
    ['a form', new URLSearchParams({ a: '井' }), /^application\/x-www-form-urlencoded/, 'a=%E4%BA%95'],
    ['bytes', new TextEncoder().encode('bytes'), undefined, 'bytes'],
  ])('sends method, headers and %s as its body', async (_, body, type, text) => {
    const send = createCheckedFetch(http, limits)
    // Some SDKs set headers that belong to the connection.
    const headers = { 'X-Key': 'k', 'Content-Length': '3', Connection: 'close', Host: 'other.example' }
    const received = await (await send(new URL(`${origin}/echo`), { method: 'PATCH', headers, body })).json()
    expect(received).toMatchObject({ method: 'PATCH', body: text })
    expect(received.headers).toMatchObject({ 'x-key': 'k', host: new URL(origin).host })
    if (type === undefined) expect(received.headers).not.toHaveProperty('content-type')
    else expect(received.headers['content-type']).toMatch(type)
  })

  it('accepts a `Request`, a stream as body, and `undefined` for options', async () => {
    const send = createCheckedFetch(http, limits)
    const body = new Blob(['from a stream']).stream()
    const options = { method: 'POST', body, duplex: 'half' }
    const request = new Request(`${origin}/echo`, options)
    expect(await (await send(request)).json()).toMatchObject({ method: 'POST', body: 'from a stream' })
    const unset = { method: undefined, headers: undefined, body: undefined, signal: undefined }
    expect(await (await send(`${origin}/echo`, unset)).json()).toMatchObject({ method: 'GET', body: '' })
  })

  it('returns a response without a body for HEAD and for status 204', async () => {
    const send = createCheckedFetch(http, limits)
    const head = await send(`${origin}/big`, { method: 'HEAD' })
    expect([head.status, head.body, head.headers.get('content-length')]).toEqual([200, null, '20000'])
    const empty = await send(`${origin}/empty`)
    expect([empty.status, empty.body]).toEqual([204, null])
  })

  it.each(['/big', '/big-chunked'])(
    'rejects the response of %s, which is larger than `maxBytes`',
    async (path) => {
      const response = createCheckedFetch(http, limits)(origin + path)
      await expect(response).rejects.toMatchObject({ code: 'too_large' })
    },
  )

  it('rejects when the time limit is reached', async () => {
    const response = createCheckedFetch(http, { ...limits, timeoutMs: 100 })(`${origin}/silent`)
    await expect(response).rejects.toMatchObject({ code: 'timeout' })
  })

  it('rejects with the reason of the signal when it is aborted before or during the request', async () => {
    const send = createCheckedFetch(http, limits)
    const aborting = new AbortController()
    const reason = new Error('no longer needed')
    onSilent = () => aborting.abort(reason)
    const { signal } = aborting
    await expect(send(`${origin}/silent`, { signal })).rejects.toBe(reason)
    await expect(send(new Request(`${origin}/echo`, { signal }))).rejects.toBe(reason)
    await expect(send(`${origin}/echo`, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })

  it.each([
    ['http://127.0.0.1/', { code: 'blocked_address' }],
    ['http://localhost/', { code: 'blocked_address' }],
    ['http://[::ffff:7f00:1]/', { code: 'blocked_address' }],
    ['https://example.com:8443/', { code: 'blocked_address' }],
    ['file:///etc/passwd', { code: 'bad_url' }],
    ['https://user:secret@example.com/', { name: 'TypeError' }],
    ['/relative', { name: 'TypeError' }],
  ])('refuses the URL %s', async (url, error) => {
    await expect(createCheckedFetch(http, limits)(url)).rejects.toMatchObject(error)
  })

  it('rejects methods and statuses that the client does not support', async () => {
    const send = createCheckedFetch(http, limits)
    await expect(send(`${origin}/echo`, { method: 'OPTIONS' })).rejects.toThrow(TypeError)
    await expect(send(`${origin}/999`)).rejects.toMatchObject({ code: 'network', status: 999 })
  })

  it('follows redirects only if `maxRedirects` and `redirect` allow it, and checks their targets', async () => {
    const first = await createCheckedFetch(http, limits)(`${origin}/moved`)
    expect([first.status, first.headers.get('location')]).toEqual([302, '/echo'])
    const following = createCheckedFetch(http, { ...limits, maxRedirects: 1 })
    const followed = await following(`${origin}/moved`)
    expect([followed.status, followed.url]).toEqual([200, `${origin}/echo`])
    expect((await following(`${origin}/moved`, { redirect: 'manual' })).status).toBe(302)
    await expect(following(`${origin}/moved`, { redirect: 'error' })).rejects.toMatchObject({
      code: 'too_many_redirects',
    })
    await expect(following(`${origin}/inside`)).rejects.toMatchObject({ code: 'blocked_address' })
  })
})
