import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountActor } from '#server/access/actor.ts'
import { toEmbedCode } from '#server/content/text-work.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { createAccount } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { getEmbeddedCode } from './embed.service.ts'
import { findProvider } from './providers.ts'

/** A service with embeddable pages, on a loopback address. */
let site: Server
let origin: string
let installation: TestInstallation
let client: Client
const asked: string[] = []

const frame = '<iframe src="https://player.example/1" width="560" height="315"></iframe>'
const rich = { type: 'rich', html: frame, title: '動画', provider_name: '動画サイト' }
const link = (href: string) =>
  `<html><head><link rel="alternate" type="application/json+oembed" href="${href}"></head></html>`

/** The oEmbed responses of this service, by page name. */
const answers: Record<string, unknown> = {
  video: rich,
  header: rich,
  photo: { type: 'photo', url: 'https://photo.example/1.jpg', title: '海 & "山"' },
  evil: { ...rich, html: `<script>alert(1)</script>${frame.replace('<iframe', '<iframe onload="x"')}` },
  link: { type: 'link', title: 'x' },
  nothing: { type: 'rich', html: '<p>no frame</p>' },
  array: [],
  text: 'x',
  huge: { ...rich, html: `<iframe src="https://a.example">${'x'.repeat(100_000)}</iframe>` },
}

beforeAll(async () => {
  site = createServer(({ url = '' }, response) => {
    asked.push(url)
    const { pathname, searchParams } = new URL(url, 'http://x')
    const name = pathname.slice(1)
    if (name === 'oembed') {
      const page = searchParams.get('page') ?? ''
      if (page === 'private') return void response.writeHead(401).end()
      if (page === 'broken') return void response.end('{"type":')
      if (page === 'slow') return void response.destroy()
      if (page === 'large') return void response.end(JSON.stringify({ ...rich, title: 'x'.repeat(300_000) }))
      return void response.end(JSON.stringify(answers[page]))
    }
    if (name === 'header')
      return void response
        .setHeader(
          'link',
          '</>; rel="home", </oembed?page=header>; rel="alternate"; type="application/json+oembed"',
        )
        .end('%PDF')
    if (name === 'inside') return void response.end(link('http://10.0.0.1/oembed'))
    if (name === 'plain') return void response.end('<html><head></head></html>')
    if (name === 'gone') return void response.writeHead(404).end()
    if (name === 'moved') return void response.writeHead(302, { location: '/video' }).end()
    response.end(link(`/oembed?page=${name}&amp;x=1`))
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  installation = await startInstallation({ IMORI_URL: 'https://cms.example', IMORI_EMBED_ORIGINS: origin })
  client = (await createAccount(installation)).client
})
afterAll(async () => {
  await installation?.close()
  site.close()
})

const ask = (url: string, more = '') =>
  client.get(`/api/embed:getEmbeddedCode?url=${encodeURIComponent(url)}${more}`)
const refusal = async (url: string) => {
  const { status, body } = await ask(url)
  return [
    status,
    body.issues?.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`) ?? body.code,
  ]
}

describe('the embed code of a URL', () => {
  it('comes from the oEmbed endpoint in the headers or the head of the page, even after a redirect', async () => {
    const expected = { embeddedCode: frame, title: '動画', provider: '動画サイト' }
    for (const name of ['video', 'header', 'moved'])
      expect(ok(await ask(`${origin}/${name}`))).toEqual(expected)
    expect(asked).toContain('/oembed?page=video&x=1&format=json')
    expect(ok(await ask(`${origin}/photo`)).embeddedCode).toBe(
      '<img src="https://photo.example/1.jpg" alt="海 &amp; &quot;山&quot;" />',
    )
  })

  it('omits scripts and event handlers', async () => {
    expect(ok(await ask(`${origin}/evil`)).embeddedCode).toBe(frame)
  })

  it('is cached per URL and requested size', async () => {
    const options = `&options=${encodeURIComponent('{"maxWidth":300}')}`
    const before = asked.length
    expect(ok(await ask(`${origin}/video`, '&lazy=true')).embeddedCode).toBe(
      frame.replace('<iframe', '<iframe loading="lazy"'),
    )
    expect(asked).toHaveLength(before)
    ok(await ask(`${origin}/video`, options))
    expect(asked.at(-1)).toBe('/oembed?page=video&x=1&format=json&maxwidth=300')
  })

  it.each([
    'private',
    'plain',
    'gone',
    'link',
    'nothing',
    'array',
    'text',
    'broken',
    'huge',
    'large',
    'inside',
  ])('cannot be created for a page without a usable oEmbed response: %s', async (name) =>
    expect(await refusal(`${origin}/${name}`)).toEqual([400, ['url NotEmbeddable']]),
  )

  it('cannot be created for an internal address that is not allowed, or for port 22', async () => {
    for (const url of [
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://169.254.169.254/latest',
      'http://0x7f.1/',
      'http://example.com:22/',
    ])
      expect([url, await refusal(url)]).toEqual([url, [400, ['url NotEmbeddable']]])
  })

  it('is unavailable if the service closes the connection', async () => {
    const answer = await ask(`${origin}/slow`)
    expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([
      503,
      'OtherServiceUnreachable',
      '30',
    ])
  })

  it.each([
    [
      'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1m30s',
      'https://www.youtube.com/embed/dQw4w9WgXcQ?feature=oembed&amp;start=90',
    ],
    ['https://youtu.be/dQw4w9WgXcQ', 'https://www.youtube.com/embed/dQw4w9WgXcQ?feature=oembed'],
    ['https://m.youtube.com/shorts/dQw4w9WgXcQ', 'https://www.youtube.com/embed/dQw4w9WgXcQ?feature=oembed'],
    [
      'https://www.youtube.com/playlist?list=PL12345678',
      'https://www.youtube.com/embed/videoseries?list=PL12345678',
    ],
    ['https://vimeo.com/1084537/0123456789', 'https://player.vimeo.com/video/1084537?h=0123456789'],
  ])('is created without the service if the service is unreachable: %s', async (url, src) => {
    // Simulates an installation without access to the internet.
    const origins = ['https://www.youtube.com', 'https://vimeo.com']
    const unreachable = createOutgoingHttp({
      allowPrivate: origins,
      proxy: { uri: 'http://127.0.0.1:1', origins },
    })
    const actor = { accountId: '0'.repeat(24) } as AccountActor
    const { services: ordinary } = installation.deps
    const outgoing = { ...ordinary.outgoing, clientFor: () => unreachable }
    const services = { ...ordinary, outgoing }
    const context = { actor, services, signal: new AbortController().signal }
    const { embeddedCode } = await getEmbeddedCode(context, { url, lazy: false })
    await unreachable.close()
    expect(embeddedCode).toContain(`<iframe src="${src}" width="560" height="315" title="`)
    // The code is already sanitised.
    expect(await toEmbedCode(embeddedCode)).toBe(embeddedCode)
  })

  it.each(['', 'video', 'ftp://a.example', 'javascript:alert(1)', 'https://me:secret@a.example/'])(
    'cannot be created for an invalid URL: %j',
    async (url) => expect(await refusal(url)).toEqual([400, ['url InvalidFormat']]),
  )

  it('cannot be created with invalid options or for a URL that is too long', async () => {
    for (const options of ['x', '[]', '{"maxWidth":0}', '{"maxWidth":1.5}', '{"other":1}'])
      expect([
        options,
        (await ask(`${origin}/video`, `&options=${encodeURIComponent(options)}`)).status,
      ]).toEqual([options, 400])
    expect((await ask(`${origin}/video`, '&lazy=yes')).status).toBe(400)
    expect((await ask(`${origin}/${'x'.repeat(2000)}`)).status).toBe(400)
  })
})

describe('findProvider', () => {
  it.each([
    ['https://www.youtube.com/watch?v=abc', 'https://www.youtube.com/oembed'],
    ['https://youtu.be/abc', 'https://www.youtube.com/oembed'],
    ['https://vimeo.com/1084537', 'https://vimeo.com/api/oembed.json'],
    ['https://twitter.com/a/status/1', 'https://publish.twitter.com/oembed'],
    ['https://speakerdeck.com/a/b', 'https://speakerdeck.com/oembed.json'],
    ['https://open.spotify.com/track/1', 'https://open.spotify.com/oembed'],
  ])('maps %s to %s', (url, endpoint) => expect(findProvider(new URL(url))?.endpoint).toBe(endpoint))

  it.each([
    'https://example.com/watch?v=abc',
    'https://youtube.com.evil.example/watch?v=abc',
    'https://evil.example/.youtube.com/watch?v=abc',
    'https://www.youtube.com/',
  ])('finds no provider for %s', (url) => expect(findProvider(new URL(url))).toBeUndefined())
})

describe('the preview page', () => {
  const preview = (src: string) => client.get(`/api/embed:preview?src=${encodeURIComponent(src)}`)

  it('contains the frame and no script, and can be embedded only by pages of this server', async () => {
    const { status, text, headers } = await preview('https://player.example/1?a="><script>&b=1')
    expect(status).toBe(200)
    expect(text).toContain('<iframe src="https://player.example/1?a=%22%3E%3Cscript%3E&amp;b=1" sandbox="')
    expect(text).not.toContain('<script')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain(";frame-ancestors 'self';")
    expect(policy).toContain("default-src 'none';script-src 'self';")
    expect(policy).toMatch(/;frame-src blob: 'self' https:$/)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
  })

  it.each(['http://player.example/1', 'https://cms.example/acme', 'javascript:alert(1)', 'x'])(
    'rejects the source %s',
    async (src) => expect((await preview(src)).status).toBe(400),
  )
})
