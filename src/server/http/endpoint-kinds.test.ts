import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { fallbacks } from '#server/features/index.ts'
import { type Endpoint, endpoint } from '#shared/contract/endpoint.ts'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { implement, registerEndpoints } from './endpoints.ts'
import { sendError } from './errors.ts'
import type { HttpOperation } from './http-operation.ts'
import { openApiDocument } from './openapi.ts'

/** Endpoints that exist only in this test: kinds other than JSON in one transaction. */
const kinds = {
  upload: endpoint('PUT /api/project/{p}/kinds/upload', {
    audit: { none: 'a test' },
    summary: 'Bytes in.',
    permission: 'space.update',
    transaction: 'own',
    body: { kind: 'stream', types: ['application/zip'] },
    maximumBytes: 1_000_000,
    response: z.object({ bytes: z.number() }),
  }),
  files: endpoint('POST /api/project/{p}/kinds/files', {
    audit: { none: 'a test' },
    idempotent: { none: 'a test' },
    summary: 'Files in.',
    permission: 'space.update',
    transaction: 'own',
    body: { kind: 'multipart', files: 2, bytes: 1000 },
    response: z.object({ files: z.array(z.string()) }),
  }),
  download: endpoint('GET /api/project/{p}/kinds/download', {
    summary: 'Bytes out.',
    permission: 'space.view',
    transaction: 'own',
    response: { kind: 'stream', type: 'text/csv; charset=utf-8' },
  }),
  redirect: endpoint('GET /api/kinds/redirect', {
    summary: 'Elsewhere.',
    permission: 'public',
    response: { kind: 'redirect' },
  }),
  nothing: endpoint('DELETE /api/kinds/nothing', {
    audit: { none: 'a test' },
    summary: 'Nothing.',
    permission: 'account',
    response: { kind: 'none' },
  }),
  stranger: endpoint('POST /api/kinds/stranger', {
    audit: { none: 'a test' },
    idempotent: { none: 'a test' },
    summary: 'From any page.',
    permission: 'public',
    caller: 'signedAddress',
    cors: 'any',
    body: z.strictObject({ text: z.string() }),
    maximumBytes: 1_000,
    response: z.object({ text: z.string(), knows: z.array(z.string()) }),
  }),
  look: endpoint('HEAD /api/kinds/stranger', {
    summary: 'How much has arrived.',
    permission: 'public',
    caller: 'signedAddress',
    cors: 'any',
    headers: z.object({ 'content-type': z.string().optional(), 'x-of': z.string().max(3).optional() }),
    response: { kind: 'none', headers: z.object({ 'x-arrived': z.string() }) },
  }),
  text: endpoint('GET /api/kinds/text', {
    summary: 'A text.',
    permission: 'public',
    caller: 'identityProvider',
    rate: { address: 3 },
    response: { kind: 'text', type: 'application/samlmetadata+xml' },
  }),
  form: endpoint('POST /api/kinds/{p}/form/{id}', {
    audit: { none: 'a test' },
    idempotent: { none: 'a test' },
    summary: 'The fields of a form.',
    permission: 'public',
    caller: 'signedAddress',
    cors: 'listed',
    rate: { address: 100, space: 30, object: 12 },
    body: {
      kind: 'form',
      schema: z.strictObject({ name: z.string().max(5), kind: z.array(z.string()).optional() }),
    },
    maximumBytes: 20_000,
    response: z.object({ name: z.string(), kinds: z.number() }),
  }),
  letter: endpoint('POST /api/kinds/letter', {
    audit: { none: 'a test' },
    idempotent: { none: 'a test' },
    summary: 'Text fields and files.',
    permission: 'public',
    caller: 'signedAddress',
    body: {
      kind: 'multipart',
      files: 1,
      bytes: 1000,
      fields: {
        schema: z.strictObject({ name: z.string(), tag: z.array(z.string()).optional() }),
        count: 4,
        bytes: 100,
      },
    },
    response: z.object({ name: z.string(), tags: z.number(), files: z.array(z.string()) }),
  }),
  outside: endpoint('POST /api/project/{p}/kinds/outside', {
    audit: { none: 'a test' },
    idempotent: { none: 'a test' },
    summary: 'Waits for something outside.',
    permission: 'space.update',
    transaction: 'own',
    response: z.object({ name: z.string() }),
  }),
  late: endpoint('GET /api/project/{p}/kinds/late', {
    summary: 'Waits until it is cut off.',
    permission: 'space.view',
    transaction: 'own',
    maximumSeconds: 1,
    response: z.object({}),
  }),
  lateBody: endpoint('POST /api/project/{p}/kinds/late', {
    audit: { none: 'a test' },
    idempotent: { none: 'a test' },
    summary: 'Has read what was sent, and waits until it is cut off.',
    permission: 'space.view',
    transaction: 'own',
    maximumSeconds: 1,
    body: z.strictObject({ text: z.string() }),
    response: z.object({}),
  }),
}

/** Number of calls waiting in `outside`, and the function that releases them. */
let waiting = 0
let open: () => void
let gate: Promise<void>
const cutOff: string[] = []
/** The stored origins of each form, by the form's id. */
const origins = new Map<string, string[]>()

const routes = implement(kinds, {
  upload: async (_ctx, { body }) => {
    let bytes = 0
    for await (const chunk of body) bytes += chunk.byteLength
    return { bytes }
  },
  files: async (_ctx, { body }) => {
    const files: string[] = []
    for await (const { fileName, type, bytes } of body) {
      let size = 0
      const read = async () => {
        for await (const chunk of bytes) size += chunk.byteLength
        return `${size}`
      }
      if (fileName === 'unread') files.push(fileName)
      else files.push(`${fileName} ${type} ${await read().catch((error) => error.code)}`)
    }
    return { files }
  },
  download: (ctx) => lines(ctx.inSpace(async ({ space }) => space.name)),
  redirect: () => ({ location: '/login' }),
  nothing: () => undefined,
  stranger: (_ctx, { body }, request) => ({ text: body.text, knows: Object.keys(request) }),
  look: (_ctx, { headers }) => ({ headers: { 'x-arrived': headers['x-of'] ?? '0' } }),
  text: () => '<a/>',
  form: {
    origins: async (_server, { id = '' }) => origins.get(id) ?? [],
    handle: (_ctx, { body }) => ({ name: body.name, kinds: body.kind?.length ?? 0 }),
  },
  letter: async (_ctx, { body }) => {
    const files: string[] = []
    for await (const { fileName, bytes } of body.files) {
      if (fileName === 'unread') continue
      let size = 0
      for await (const chunk of bytes) size += chunk.byteLength
      files.push(`${fileName} ${size}`)
    }
    const { name, tag = [] } = await body.fields()
    return { name, tags: tag.length, files }
  },
  outside: async ({ inSpace }) => {
    waiting++
    await gate
    const name = await inSpace(async ({ space }) => space.name)
    return { name }
  },
  late: async (_ctx, _input, { signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    cutOff.push('late')
    return {}
  },
  lateBody: async (_ctx, { body }, { signal }) => {
    await new Promise((resolve) => setImmediate(resolve))
    if (signal.aborted) cutOff.push('too early')
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    cutOff.push(body.text)
    return {}
  },
})

async function* lines(name: Promise<string>) {
  yield 'name\n'
  yield `${await name}\n`
}

let installation: TestInstallation
let server: FastifyInstance
let admin: TestAccount
let space: { uid: string; url: string }
/** A client of the server in this file, with the session of `admin`. */
let client: Client
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  server = Fastify()
  server.setErrorHandler(sendError)
  await server.register(cookie)
  registerEndpoints(server, installation.deps, routes)
  await server.ready()
  client = at(admin)
})
afterAll(async () => {
  await server?.close()
  await installation?.close()
})

function at(account: TestAccount): Client {
  const here = new Client(server)
  for (const [name, value] of account.client.cookies) here.cookies.set(name, value)
  here.csrfToken = account.client.csrfToken
  return here
}

describe('a multipart body', () => {
  const post = (body: Buffer | string, headers: Record<string, string>) =>
    client.post(`${space.url}/kinds/files`, body, headers)
  /** Sends a form as a browser encodes it. */
  const send = async (...files: [name: string, bytes: number, part?: string][]) => {
    const form = new FormData()
    for (const [name, bytes, part = 'file'] of files)
      form.append(part, new Blob(['x'.repeat(bytes)], { type: 'image/png' }), name)
    const { headers, body } = new Request('http://x', { method: 'POST', body: form })
    return post(Buffer.from(await new Response(body).arrayBuffer()), {
      'content-type': headers.get('content-type') ?? '',
    })
  }

  it('yields its files in order, and continues after a file that is too large or unread', async () => {
    expect(ok(await send(['写真 1.png', 1000], ['b', 0])).files).toEqual([
      '写真 1.png image/png 1000',
      'b image/png 0',
    ])
    expect(ok(await send(['a', 1001], ['b', 3])).files).toEqual([
      'a image/png RequestFileTooLarge',
      'b image/png 3',
    ])
    expect(ok(await send(['unread', 900], ['b', 3])).files).toEqual(['unread', 'b image/png 3'])
  })

  it.each([
    ['a third file', () => send(['a', 1], ['b', 1], ['c', 1]), 'file', 'TooManyItems'],
    ['a part with another name', () => send(['a', 1, 'picture']), 'picture', 'UnknownField'],
  ] as const)('is rejected with %s', async (_what, answer, path, code) => {
    const { status, body } = await answer()
    expect([status, body.code, body.issues]).toEqual([
      400,
      'ValidationFailed',
      [expect.objectContaining({ path, code })],
    ])
  })

  it('is rejected if it is malformed, incomplete, too large or of another media type', async () => {
    const type = { 'content-type': 'multipart/form-data; boundary=b' }
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n'
    const answers = [
      await post('nothing', type),
      await post('', type),
      await post(`${head}\r\nxxx`, type),
      await post('--b--', { 'content-type': `multipart/form-data; boundary=${'b'.repeat(71)}` }),
      await post('--b--', { 'content-type': 'multipart/form-data' }),
      await post('{}', { 'content-type': 'application/json' }),
      await send(['a', 300_000]),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 415, 415, 415, 413])
  })
})

describe('a streamed body', () => {
  const upload = (bytes: number, headers = {}) =>
    client.put(`${space.url}/kinds/upload`, 'x'.repeat(bytes), {
      'content-type': 'application/zip',
      ...headers,
    })

  it('reaches the handler as bytes, if its size and media type are allowed', async () => {
    expect(ok(await upload(1_000_000))).toEqual({ bytes: 1_000_000 })
    expect((await upload(1_000_001)).body.code).toBe('RequestFileTooLarge')
    expect((await upload(10, { 'content-type': 'application/json' })).body.code).toBe('UnsupportedMediaType')
  })

  it('is rejected from a caller without the right or the CSRF token', async () => {
    const member = await createMember(installation, space)
    const answer = await at(member).put(`${space.url}/kinds/upload`, 'x', {
      'content-type': 'application/zip',
    })
    expect(answer.body.code).toBe('Forbidden')
    expect((await upload(1, { 'x-csrf-token': 'wrong' })).body.code).toBe('InvalidCsrfToken')
  })
})

describe('a response', () => {
  it('can be a stream', async () => {
    const answer = await client.get(`${space.url}/kinds/download`)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(answer.text).toMatch(/^name\n.+\n$/)
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('can be a redirect', async () => {
    const answer = await new Client(server).get('/api/kinds/redirect')
    expect([answer.status, answer.headers.location, answer.text]).toEqual([303, '/login', ''])
  })

  it('can be empty', async () => {
    const answer = await client.delete('/api/kinds/nothing')
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await new Client(server).delete('/api/kinds/nothing')).status).toBe(401)
  })
})

const stranger = { origin: 'https://stranger.example', 'sec-fetch-site': 'cross-site' }

describe('an endpoint for callers without cookies', () => {
  const send = (text: string, from = client) =>
    from.post('/api/kinds/stranger', { text }, { ...stranger, 'x-csrf-token': '', 'x-view-as': 'x' })

  it('requires no CSRF token, passes no session to its handler and applies its own size limit', async () => {
    const { text, knows } = ok(await send('hello'))
    expect([text, knows.sort()]).toEqual([
      'hello',
      ['fieldIndexes', 'ifMatch', 'language', 'queryString', 'signal'],
    ])
    expect((await send('x'.repeat(2_000))).body.code).toBe('RequestFileTooLarge')
  })

  it('reads no session and does not remove an invalid session cookie', async () => {
    const { pool } = installation.database
    const query = vi.spyOn(pool, 'connect')
    const visitor = new Client(server)
    visitor.csrfToken = 'none'
    visitor.cookies.set('sid', 'forged')
    try {
      expect((await send('hello', visitor)).headers['set-cookie']).toBeUndefined()
      expect(query).not.toHaveBeenCalled()
    } finally {
      query.mockRestore()
    }
  })

  it('passes only the headers of its schema, in both directions', async () => {
    const look = (of: string) =>
      new Client(server).send('HEAD', '/api/kinds/stranger', undefined, { 'x-of': of })
    const answer = await look('12')
    expect([answer.status, answer.headers['x-arrived'], answer.text]).toEqual([204, '12', ''])
    expect((await look('1234')).status).toBe(400)
  })

  it('may respond with a text, and does not respond to HEAD for its GET', async () => {
    const answer = await new Client(server).get('/api/kinds/text')
    expect([
      answer.status,
      answer.headers['content-type'],
      answer.headers['content-length'],
      answer.text,
    ]).toEqual([200, 'application/samlmetadata+xml', '4', '<a/>'])
    expect((await new Client(server).send('HEAD', '/api/kinds/text')).status).toBe(404)
  })

  it('responds with 429 after the limit of requests from one address', async () => {
    const one = new Client(server)
    const statuses = []
    for (let count = 0; count < 4; count++) statuses.push((await one.get('/api/kinds/text')).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    const answer = await one.get('/api/kinds/text')
    expect([answer.body.code, answer.headers['retry-after']]).toEqual(['TooManyRequests', '20'])
    expect((await new Client(server).get('/api/kinds/text')).status).toBe(200)
  })
})

describe('an endpoint that pages of any origin may call', () => {
  it('allows them to read its responses, also refusals, without credentials', async () => {
    const answers = [
      await client.post('/api/kinds/stranger', { text: 'a' }, stranger),
      await client.post('/api/kinds/stranger', { other: 'a' }, stranger),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).toBe('*')
      expect(headers['cross-origin-resource-policy']).toBe('cross-origin')
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
  })

  it('answers preflight requests with its methods and headers', async () => {
    const answer = await client.send('OPTIONS', '/api/kinds/stranger', undefined, stranger)
    expect([answer.status, answer.headers]).toEqual([
      204,
      expect.objectContaining({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST, HEAD',
        'access-control-allow-headers': 'content-type, x-of',
        'access-control-expose-headers': 'retry-after',
        'access-control-max-age': '7200',
        'cache-control': 'no-store',
      }),
    ])
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    expect((await client.send('OPTIONS', '/api/kinds/text', undefined, stranger)).status).toBe(404)
    expect((await client.send('OPTIONS', '/api/kinds/nothing', undefined, stranger)).status).toBe(404)
  })
})

describe('an endpoint that pages of listed origins may call', () => {
  const listed = (id: string) => {
    origins.set(id, ['https://site.example'])
    return `/api/kinds/${space.uid}/form/${id}`
  }
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (url: string, body: string, headers: Record<string, string> = {}, from = new Client(server)) =>
    from.post(url, body, { ...type, ...headers })

  it('allows a listed origin, and refuses all others before the body is read', async () => {
    const url = listed('a'.repeat(24))
    const answer = await post(url, 'name=a', { origin: 'https://site.example' })
    expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers.vary]).toEqual([
      200,
      'https://site.example',
      'Origin',
    ])
    for (const origin of [
      'https://stranger.example',
      'null',
      'https://site.example.evil',
      'http://site.example',
    ])
      for (const at of [url, `/api/kinds/${space.uid}/form/${'b'.repeat(24)}`]) {
        const refused = await post(at, 'x'.repeat(30_000), { origin })
        expect([origin, refused.status, refused.body.code]).toEqual([origin, 403, 'Forbidden'])
        expect(refused.headers['access-control-allow-origin']).toBeUndefined()
        expect(refused.headers.vary).toBe('Origin')
      }
    const program = await post(url, 'name=a')
    expect([program.status, program.headers['access-control-allow-origin'], program.headers.vary]).toEqual([
      200,
      undefined,
      'Origin',
    ])
  })

  it('answers the preflight request of a listed origin only', async () => {
    const url = listed('c'.repeat(24))
    const ask = (origin: string) => new Client(server).send('OPTIONS', url, undefined, { origin })
    const answer = await ask('https://site.example')
    expect([answer.status, answer.headers]).toEqual([
      204,
      expect.objectContaining({
        'access-control-allow-origin': 'https://site.example',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type',
        vary: 'Origin',
      }),
    ])
    const refused = await ask('https://stranger.example')
    expect([refused.status, refused.headers['access-control-allow-origin'], refused.headers.vary]).toEqual([
      403,
      undefined,
      'Origin',
    ])
  })

  it('limits the preflight requests of an address', async () => {
    const url = listed('d'.repeat(24))
    const one = new Client(server)
    const statuses = new Set<number>()
    for (let count = 0; count < 101; count++)
      statuses.add((await one.send('OPTIONS', url, undefined, { origin: 'https://site.example' })).status)
    expect([...statuses]).toEqual([204, 429])
  })

  it('responds with 429 after the limit about one object and about one space, from any address', async () => {
    const own = (await createSpace(admin.client)).uid
    const send = (id: string) => post(`/api/kinds/${own}/form/${id.repeat(24)}`, 'name=a')
    const statuses = []
    for (const id of [...'111111111111', '1', ...'222222222222', '2', ...'333333'])
      statuses.push((await send(id)).status)
    expect(statuses.flatMap((status, at) => (status === 429 ? [at] : []))).toEqual([12, 25])
    const ofSpace = await send('4')
    expect([ofSpace.status, ofSpace.body.code]).toEqual([429, 'TooManyRequests'])
    expect(Number(ofSpace.headers['retry-after'])).toBeGreaterThan(30)
    // Malformed names leave no counter.
    expect((await post(`/api/kinds/${'x'.repeat(65)}/form/x`, 'name=a')).status).toBe(200)
    const { rows } = await installation.database.pool.query(
      `SELECT key FROM attempt WHERE key LIKE 'rate:form:x%'`,
    )
    expect(rows).toEqual([])
  })

  it('passes the fields of a form, and a repeated field as a list', async () => {
    const url = listed('e'.repeat(24))
    expect(ok(await post(url, 'name=%E5%BA%AD+x&kind=a&kind=b'))).toEqual({ name: '庭 x', kinds: 2 })
    const typed = { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' }
    expect(ok(await post(url, 'name=%zz', typed))).toEqual({ name: '%zz', kinds: 0 })
  })

  it('rejects a form that its schema refuses, has too many fields, is too large or of another media type', async () => {
    const url = listed('f'.repeat(24))
    const answers = [
      await post(url, 'name=abcdef'),
      await post(url, 'name=a&name=b'),
      await post(url, 'name=a&__proto__=b'),
      await post(url, `name=a${'&'.repeat(1000)}`),
      await post(url, ''),
      await post(url, `name=${'a'.repeat(20_000)}`),
      await post(url, '{"name":"a"}', { 'content-type': 'application/json' }),
      await post(url, 'name=a', { 'content-encoding': 'gzip' }),
      await new Client(server).send('POST', url),
    ]
    expect(answers.map(({ status, body }) => [status, body.issues?.[0]?.path])).toEqual([
      [400, 'name'],
      [400, 'name'],
      [400, '__proto__'],
      [400, ''],
      [400, 'name'],
      [413, undefined],
      [415, undefined],
      [415, undefined],
      [415, undefined],
    ])
  })
})

describe('a multipart body with text fields', () => {
  const url = '/api/kinds/letter'
  const send = async (...parts: [name: string, value: string | number, file?: string][]) => {
    const form = new FormData()
    for (const [name, value, file] of parts)
      if (file === undefined) form.append(name, String(value))
      else form.append(name, new Blob(['x'.repeat(Number(value))]), file)
    return new Client(server).post(url, form)
  }

  it('passes text fields before, between and after the files', async () => {
    expect(ok(await send(['tag', 'a'], ['file', 900, 'a.txt'], ['name', '庭'], ['tag', 'b']))).toEqual({
      name: '庭',
      tags: 2,
      files: ['a.txt 900'],
    })
    expect(ok(await send(['file', 900, 'unread'], ['name', 'a']))).toEqual({ name: 'a', tags: 0, files: [] })
    expect(ok(await send(['name', 'a'], ['photo', 0, '']))).toEqual({ name: 'a', tags: 0, files: [] })
  })

  it.each([
    ['a missing field', () => send(['tag', 'a'], ['tag', 'b']), 400, 'name', 'Required'],
    ['an unknown field', () => send(['name', 'a'], ['other', 'b']), 400, 'other', 'UnknownField'],
    ['a repeated field', () => send(['name', 'a'], ['name', 'b']), 400, 'name', 'InvalidType'],
    [
      'five fields',
      () => send(...Array.from({ length: 5 }, () => ['name', 'a'] as [string, string])),
      400,
      '',
      'TooManyItems',
    ],
    ['a field of 101 bytes', () => send(['name', 'a'.repeat(101)]), 400, 'name', 'TooManyCharacters'],
    [
      'a name of 101 characters',
      () => send(['a'.repeat(101), 'a']),
      400,
      'a'.repeat(101),
      'TooManyCharacters',
    ],
    ['a field without a name', () => send(['', 'a']), 400, '', 'Required'],
    ['two files', () => send(['name', 'a'], ['file', 1, 'a'], ['file', 1, 'b']), 400, 'file', 'TooManyItems'],
    ['a file of another name', () => send(['name', 'a'], ['photo', 1, 'a']), 400, 'photo', 'UnknownField'],
    ['a file that is too large', () => send(['name', 'a'], ['file', 1001, 'a']), 413, undefined, undefined],
    ['a body that is too large', () => send(['name', 'a'.repeat(300_000)]), 413, undefined, undefined],
  ] as const)('is rejected with %s', async (_what, answered, status, path, code) => {
    const answer = await answered()
    expect([answer.status, answer.body.issues?.[0]?.path, answer.body.issues?.[0]?.code]).toEqual([
      status,
      path,
      code,
    ])
  })

  it('is rejected if it is incomplete, malformed or of another media type', async () => {
    const type = { 'content-type': 'multipart/form-data; boundary=b' }
    const field = '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nabc'
    const answers = [
      await client.post(url, field, type),
      await client.post(url, `${field}\r\n`, type),
      await client.post(url, `${field}\r\n--b`, type),
      await client.post(url, '', type),
      await client.post(url, 'nothing', type),
      await client.post(url, 'name=a', { 'content-type': 'application/x-www-form-urlencoded' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 415])
    expect(ok(await client.post(url, `${field}\r\n--b--`, type))).toEqual({ name: 'abc', tags: 0, files: [] })
  })
})

describe('a use-case with its own transactions', () => {
  it('occupies no connection while it waits for external work', async () => {
    const { pool } = installation.database
    const callers = (pool.options.max ?? 10) + 5
    waiting = 0
    gate = new Promise((resolve) => {
      open = resolve
    })
    const answers = Array.from({ length: callers }, () => client.post(`${space.url}/kinds/outside`))
    await expect.poll(() => waiting).toBe(callers)
    expect(pool.totalCount - pool.idleCount).toBe(0)
    ok(await admin.client.get(space.url))
    open()
    for (const answer of await Promise.all(answers)) expect(ok(answer).name).toMatch(/./)
  })

  it("checks the caller's right again in a later transaction", async () => {
    const second = await createMember(installation, space, 'pjt-Admin')
    waiting = 0
    gate = new Promise((resolve) => {
      open = resolve
    })
    const answer = at(second).post(`${space.url}/kinds/outside`)
    await expect.poll(() => waiting).toBe(1)
    ok(await admin.client.put(`${space.url}/member/${second.memberId}`, { roleId: 'pjt-Member' }))
    open()
    expect((await answer).body.code).toBe('Forbidden')
  })

  it('ends with 503 at its time limit', async () => {
    const answer = await client.get(`${space.url}/kinds/late`)
    expect([answer.status, answer.body.code]).toEqual([503, 'ServiceUnavailable'])
    await expect.poll(() => cutOff).toEqual(['late'])
  })

  it('is aborted at its time limit, not when the request body has been read', async () => {
    cutOff.length = 0
    // Uses a real socket, because otherwise the server cannot notice that a request has been read.
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(`${origin}${space.url}/kinds/late`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: [...client.cookies].map((pair) => pair.join('=')).join('; '),
        'x-csrf-token': client.csrfToken ?? '',
      },
      body: JSON.stringify({ text: 'read' }),
    })
    expect(answer.status).toBe(503)
    await expect.poll(() => cutOff).toEqual(['read'])
  })
})

describe('openApiDocument', () => {
  it('lists media types and statuses', () => {
    const { paths } = openApiDocument(kinds, 'http://localhost:3000') as {
      paths: Record<string, Record<string, { requestBody?: object; responses: Record<string, object> }>>
    }
    const bytes = { schema: { type: 'string', format: 'binary' } }
    expect(paths['/api/project/{p}/kinds/upload']?.put?.requestBody).toEqual({
      required: true,
      content: { 'application/zip': bytes },
    })
    expect(paths['/api/project/{p}/kinds/files']?.post?.requestBody).toMatchObject({
      content: { 'multipart/form-data': { schema: { properties: { file: { maxItems: 2 } } } } },
    })
    expect(paths['/api/project/{p}/kinds/download']?.get?.responses['200']).toMatchObject({
      content: { 'text/csv; charset=utf-8': bytes },
    })
    expect(paths['/api/kinds/redirect']?.get?.responses).toHaveProperty('303')
    expect(paths['/api/kinds/text']?.get?.responses['200']).toMatchObject({
      content: { 'application/samlmetadata+xml': { schema: { type: 'string' } } },
    })
    expect(paths['/api/kinds/letter']?.post?.requestBody).toMatchObject({
      content: {
        'multipart/form-data': {
          schema: { required: ['name'], properties: { name: { type: 'string' }, file: { maxItems: 1 } } },
        },
      },
    })
    expect(paths['/api/kinds/{p}/form/{id}']?.post).toMatchObject({
      security: [],
      description: expect.stringContaining('at most 100 per address, 30 per space, 12 per object'),
      requestBody: {
        content: { 'application/x-www-form-urlencoded': { schema: { required: ['name'] } } },
      },
    })
    expect(paths['/api/kinds/stranger']?.head).toMatchObject({
      security: [],
      parameters: [{ name: 'x-of', in: 'header', required: false }],
      responses: { 204: { headers: { 'x-arrived': { required: true } } } },
    })
    expect(paths['/api/kinds/nothing']?.delete?.responses).toHaveProperty('204')
  })
})

it.each([
  [{ permission: 'account', caller: 'signedAddress' }, /only a browser has a session/],
  [{ permission: 'space.view', caller: 'identityProvider' }, /only a browser has a session/],
  [{ permission: 'space.view', caller: 'directory' }, /enters a space by its protocol/],
  [{ permission: 'public', caller: 'signedAddress', csrf: 'origin' }, /nothing about a session/],
  [{ permission: 'public', caller: 'signedAddress', programs: 'memberKey' }, /nothing about a session/],
  [{ permission: 'public', cors: 'any' }, /must not use a session/],
  [{ permission: 'public', caller: 'signedAddress', cors: 'listed', rate: { address: 1 } }, /need a list/],
  [{ permission: 'public', caller: 'signedAddress', rate: { object: 1 } }, /needs an object/],
  [{ permission: 'account', transaction: 'own' }, /need a space/],
  [{ permission: 'space.view', response: { kind: 'stream', type: 'text/csv' } }, /hold the transaction/],
  [{ permission: 'account', idempotent: true }, /remembered/],
  [{ permission: 'space.view', maximumSeconds: 1 }, /commit later/],
] as const)('an endpoint with a contradictory definition is not registered: %j', (definition, message) => {
  const bad = endpoint('GET /api/project/{p}/kinds/bad', {
    summary: '',
    response: z.object({}),
    ...definition,
  })
  const implementation = { name: 'bad', endpoint: bad, handle: () => ({}) }
  expect(() => registerEndpoints(Fastify(), installation.deps, [implementation])).toThrow(message)
})

it('a list of origins without a limit per address, and different origins at one path, are not registered', () => {
  const rest = { summary: '', permission: 'public', caller: 'signedAddress', response: z.object({}) } as const
  const open: Endpoint = endpoint('GET /api/kinds/bad', { ...rest, cors: 'listed' })
  const other: Endpoint = endpoint('PUT /api/kinds/bad', { ...rest, cors: 'any', audit: { none: 'a test' } })
  const register = (...endpoints: Endpoint[]) =>
    registerEndpoints(
      Fastify(),
      installation.deps,
      endpoints.map((one) => ({
        name: 'bad',
        endpoint: one,
        handle: () => ({}),
        ...(one.cors === 'listed' ? { origins: async () => [] } : {}),
      })),
    )
  expect(() => register(open)).toThrow(/limit per address/)
  expect(() => register({ ...open, rate: { address: 1 } }, other)).toThrow(/the same origins/)
})

it('a protocol for callers other than directories, or outside of spaces, is not registered', () => {
  const { protocol } = fallbacks[0] as HttpOperation
  const of = (definition: { permission: 'public' | 'space.view'; caller?: 'directory' }) => ({
    name: 'bad',
    endpoint: endpoint('GET /api/project/{p}/kinds/bad', {
      summary: '',
      response: z.object({}),
      ...definition,
    }),
    handle: () => ({}),
    ...(protocol ? { protocol } : {}),
  })
  const register = (operation: HttpOperation) => registerEndpoints(Fastify(), installation.deps, [operation])
  expect(() => register(of({ permission: 'space.view' }))).toThrow(/by its protocol/)
  expect(() => register(of({ permission: 'public', caller: 'directory' }))).toThrow(/by its protocol/)
  expect(() => register(of({ permission: 'space.view', caller: 'directory' }))).not.toThrow()
})
