import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '#shared/contract/endpoint.ts'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { implement, registerEndpoints } from './endpoints.ts'
import { sendError } from './errors.ts'
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
    origin: 'any',
    body: z.strictObject({ text: z.string() }),
    maximumBytes: 1_000,
    response: z.object({ text: z.string(), signedIn: z.boolean() }),
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
  stranger: (_ctx, { body }, { session }) => ({ text: body.text, signedIn: session !== null }),
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

describe('an endpoint for any origin', () => {
  it('requires no CSRF token, ignores the session and applies its own size limit', async () => {
    const headers = { origin: 'https://stranger.example', 'sec-fetch-site': 'cross-site' }
    const send = (text: string) =>
      client.post('/api/kinds/stranger', { text }, { ...headers, 'x-csrf-token': '' })
    expect(ok(await send('hello'))).toEqual({ text: 'hello', signedIn: false })
    expect((await send('x'.repeat(2_000))).body.code).toBe('RequestFileTooLarge')
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
    expect(paths['/api/kinds/nothing']?.delete?.responses).toHaveProperty('204')
  })
})

it.each([
  [{ permission: 'account', origin: 'any' }, /public/],
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
