import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAddressCheck } from './blocked-addresses.ts'
import { createOutgoingHttp } from './outgoing-http.ts'

const limits = { maxBytes: 1_000_000, timeoutMs: 60_000 }
let server: Server
let other: Server
let origin = ''
let otherOrigin = ''
let hits = 0

async function listen(target: Server): Promise<string> {
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(target.address() as AddressInfo).port}`
}

beforeAll(async () => {
  other = createServer((request, response) => {
    response.end(JSON.stringify({ authorization: request.headers.authorization ?? null }))
  })
  otherOrigin = await listen(other)
  server = createServer((request, response) => {
    hits += 1
    const path = request.url ?? ''
    if (path === '/big') response.end(Buffer.alloc(2_000_000))
    else if (path === '/big-chunked') {
      response.write(Buffer.alloc(900_000))
      response.end(Buffer.alloc(900_000))
    } else if (path === '/bomb') {
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync(Buffer.alloc(20_000_000)))
    } else if (path === '/gzip') {
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync('こんにちは'))
    } else if (path === '/zstd') {
      response.setHeader('content-encoding', 'zstd')
      response.end('whatever')
    } else if (path === '/cut') {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    } else if (path === '/silent') return
    else if (path.startsWith('/to?')) response.writeHead(302, { location: path.slice(4) }).end()
    else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end()
    else response.end('ok')
  })
  origin = await listen(server)
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
  other.closeAllConnections()
  other.close()
})

describe('createAddressCheck', () => {
  const isBlocked = createAddressCheck(['8.8.4.4'])
  it.each([
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.19.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    '8.8.4.4',
    'not-an-address',
  ])('blocks %s', (address) => expect(isBlocked(address)).toBe(true))
  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'allows %s',
    (address) => expect(isBlocked(address)).toBe(false),
  )
})

describe('requests without a trusted origin', () => {
  it.each([
    ['http://127.0.0.1/', 'blocked_address'],
    ['http://2130706433/', 'blocked_address'],
    ['http://0x7f.1/', 'blocked_address'],
    ['http://0177.0.0.1/', 'blocked_address'],
    ['http://①②⑦.⓪.⓪.①/', 'blocked_address'],
    ['http://[::1]/', 'blocked_address'],
    ['http://[::ffff:7f00:1]/', 'blocked_address'],
    ['http://localhost/', 'blocked_address'],
    ['http://169.254.169.254/latest/', 'blocked_address'],
    ['http://example.com:8080/', 'blocked_address'],
    ['http://user:pw@example.com/', 'bad_url'],
    ['file:///etc/passwd', 'bad_url'],
    ['data:text/plain,x', 'bad_url'],
    ['nonsense', 'bad_url'],
  ])('are refused for %s', async (url, code) => {
    const http = createOutgoingHttp()
    await expect(http.request(url, limits)).rejects.toMatchObject({ code })
    await http.close()
  })

  it('do not reach a loopback server', async () => {
    const http = createOutgoingHttp()
    const before = hits
    await expect(http.request(`${origin}/x`, limits)).rejects.toMatchObject({ code: 'blocked_address' })
    expect(hits).toBe(before)
    await http.close()
  })
})

describe('requests to further ports', () => {
  const port = () => Number(new URL(origin).port)

  it('are refused for private addresses, literal or looked up', async () => {
    const http = createOutgoingHttp({ ports: [port()] })
    const before = hits
    for (const [host, detail] of [
      ['127.0.0.1', '127.0.0.1'],
      ['[::ffff:7f00:1]', '::ffff:7f00:1'],
      ['localhost', 'localhost'],
    ])
      await expect(http.request(`http://${host}:${port()}/`, limits)).rejects.toMatchObject({
        code: 'blocked_address',
        detail,
      })
    expect(hits).toBe(before)
    await http.close()
  })

  it('are refused unless the port is allowed or the origin is trusted', async () => {
    const http = createOutgoingHttp({ ports: [8443], allowPrivate: ['http://public.example:8080'] })
    const refused = (url: string) => [url, http.refuses(url)]
    for (const url of [
      'http://public.example/',
      'https://public.example:80/',
      'https://public.example:8443/',
      'http://public.example:8080/',
    ])
      expect(refused(url)).toEqual([url, false])
    for (const url of [
      'https://public.example:8080/',
      'http://other.example:8080/',
      'https://public.example:8444/',
      'https://10.0.0.1:8443/',
    ])
      expect(refused(url)).toEqual([url, true])
    await http.close()
  })
})

describe('requests to a trusted origin', () => {
  const http = () => createOutgoingHttp({ allowPrivate: [origin] })

  it('return the decoded body, and do not follow a redirect by default', async () => {
    const gate = http()
    expect(await (await gate.request(`${origin}/`, limits)).text()).toBe('ok')
    expect(await (await gate.request(`${origin}/gzip`, limits)).text()).toBe('こんにちは')
    const redirect = await gate.request(`${origin}/to?/x`, limits)
    expect(redirect.status).toBe(302)
    redirect.discard()
    await gate.close()
  })

  it('fail if the content encoding of the response is unknown', async () => {
    const gate = http()
    await expect(gate.request(`${origin}/zstd`, limits)).rejects.toMatchObject({
      code: 'network',
      detail: 'UNKNOWN_ENCODING',
    })
    await gate.close()
  })

  it('use the proxy only for its configured origins', async () => {
    const seen: string[] = []
    const proxy = createServer((request, response) => {
      seen.push(String(request.url))
      response.end('through the proxy')
    })
    proxy.on('connect', (request, socket, head) => {
      seen.push(String(request.url))
      const [host = '', port = ''] = String(request.url).split(':')
      const there = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        there.write(head)
        there.pipe(socket).pipe(there)
      })
      there.on('error', () => socket.destroy())
      socket.on('error', () => there.destroy())
    })
    const uri = await listen(proxy)
    const gate = createOutgoingHttp({
      allowPrivate: [origin, otherOrigin],
      proxy: { uri, origins: [origin] },
    })
    expect((await gate.request(`${origin}/`, limits)).status).toBe(200)
    expect(seen.join()).toContain(new URL(origin).host)
    const asked = seen.length
    expect((await gate.request(`${otherOrigin}/`, limits)).status).toBe(200)
    await expect(gate.request('http://localhost/', limits)).rejects.toMatchObject({ code: 'blocked_address' })
    expect(seen.length).toBe(asked)
    await gate.close()
    proxy.closeAllConnections()
    proxy.close()
  })

  it.each(['/big', '/big-chunked', '/bomb'])(
    'fail with `too_large` if the response of %s exceeds the limit',
    async (path) => {
      const gate = http()
      const read = async () => (await gate.request(origin + path, limits)).bytes()
      await expect(read()).rejects.toMatchObject({ code: 'too_large' })
      await gate.close()
    },
  )

  it('fail with different codes for a cut body, a slow response and an abort', async () => {
    const gate = http()
    const cut = async () => (await gate.request(`${origin}/cut`, limits)).bytes()
    await expect(cut()).rejects.toMatchObject({ code: 'network' })
    const slow = { ...limits, timeoutMs: 150 }
    await expect(gate.request(`${origin}/silent`, slow)).rejects.toMatchObject({ code: 'timeout' })
    const signal = AbortSignal.timeout(50)
    await expect(gate.request(`${origin}/silent`, { ...limits, signal })).rejects.toMatchObject({
      code: 'aborted',
    })
    await gate.close()
  })

  it('check the target of each redirect, and end redirect loops', async () => {
    const gate = http()
    const follow = { ...limits, maxRedirects: 3 }
    const away = `${origin}/to?${otherOrigin}/`
    await expect(gate.request(away, follow)).rejects.toMatchObject({ code: 'blocked_address' })
    const file = gate.request(`${origin}/to?file:///etc/passwd`, follow)
    await expect(file).rejects.toMatchObject({ code: 'bad_url' })
    await expect(gate.request(`${origin}/loop`, follow)).rejects.toMatchObject({ code: 'too_many_redirects' })
    expect(await (await gate.request(`${origin}/to?/there`, follow)).text()).toBe('ok')
    await gate.close()
  })

  it('drop the authorization header if a redirect leads to another origin', async () => {
    const gate = createOutgoingHttp({ allowPrivate: [origin, otherOrigin] })
    const headers = { Authorization: 'Bearer secret' }
    const answer = await gate.request(`${origin}/to?${otherOrigin}/`, { ...limits, headers, maxRedirects: 1 })
    expect(JSON.parse(await answer.text())).toEqual({ authorization: null })
    await gate.close()
  })

  it('report the system error if the connection fails', async () => {
    const gate = createOutgoingHttp({ allowPrivate: ['http://127.0.0.1:1'] })
    await expect(gate.request('http://127.0.0.1:1/', limits)).rejects.toMatchObject({
      code: 'network',
      detail: 'ECONNREFUSED',
    })
    await gate.close()
  })
})
