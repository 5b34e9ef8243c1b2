import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { type Answer, type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
})
afterAll(() => installation?.close())

const outcome = (answer: Answer) => [answer.status, answer.body?.code]
const countSpaces = async () =>
  (await installation.database.kysely.selectFrom('space').select('id').execute()).length

describe('a request that changes data', () => {
  const create = (client: Client, headers: Record<string, string> = {}) =>
    client.post('/api/project', { project: { uid: unique('csrf'), name: 'x' } }, headers)

  it('with a session is rejected without the CSRF token of this session', async () => {
    const before = await countSpaces()
    const { client } = await createAccount(installation)
    const token = client.csrfToken ?? ''
    for (const wrong of [
      '',
      'x',
      `${token}x`,
      token.slice(1),
      token.toUpperCase(),
      admin.client.csrfToken ?? '',
    ])
      expect(outcome(await create(client, { 'x-csrf-token': wrong }))).toEqual([403, 'InvalidCsrfToken'])
    expect(await countSpaces()).toBe(before)
    ok(await create(client))
  })

  it('POST /api/project without a session returns 401 before the body is checked', async () => {
    const answer = await installation.visitor().post('/api/project', { nonsense: true })
    expect(outcome(answer)).toEqual([401, 'Unauthorized'])
  })

  it('is rejected from another site at POST /api/project, login and signup', async () => {
    const { client } = await createAccount(installation)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:3000.evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect(outcome(await create(client, headers))).toEqual([403, 'InvalidCsrfToken'])
      for (const path of ['login', 'signup']) {
        const body = { email: 'a@example.com', password: 'a long enough password' }
        const answer = await installation.visitor().post(`/api/auth/${path}`, body, headers)
        expect(outcome(answer)).toEqual([403, 'InvalidCsrfToken'])
      }
    }
    ok(await create(client, { origin: 'http://localhost:3000' }))
    ok(await create(client, { origin: 'http://127.0.0.1:4000', host: '127.0.0.1:4000' }))
  })

  it('is accepted from configured origins, not from an origin that matches the Host header', async () => {
    const configured = await startInstallation({
      IMORI_URL: 'http://cms.example.com',
      IMORI_ADMIN_ORIGINS: 'https://cms.example.jp, http://10.0.0.5:3000',
    })
    try {
      const { client } = await createAccount(configured)
      const from = async (origin: string, host: string) => outcome(await create(client, { origin, host }))
      for (const [origin, host] of [
        ['https://cms.example.com', 'cms.example.com'],
        ['http://cms.example.jp', 'cms.example.jp'],
        ['http://127.0.0.1:3000', '127.0.0.1:3000'],
        ['https://rebound.example', 'rebound.example'],
      ] as const)
        expect([origin, await from(origin, host)]).toEqual([origin, [403, 'InvalidCsrfToken']])
      for (const origin of ['http://cms.example.com', 'https://cms.example.jp', 'http://10.0.0.5:3000'])
        expect([origin, (await create(client, { origin, host: '127.0.0.1:3000' })).status]).toEqual([
          origin,
          200,
        ])
    } finally {
      await configured.close()
    }
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ])('is rejected with the media type %s at endpoints that accept JSON', async (type) => {
    const body = JSON.stringify({ project: { uid: unique('type'), name: 'x' } })
    const answer = await admin.client.post('/api/project', body, { 'content-type': type })
    expect(outcome(answer)).toEqual([415, 'UnsupportedMediaType'])
    expect(outcome(await admin.client.post('/api/auth/login', '{}', { 'content-type': type }))).toEqual([
      415,
      'UnsupportedMediaType',
    ])
  })

  it('a GET that names another method in a header or parameter deletes nothing', async () => {
    for (const headers of [{ 'x-http-method-override': 'DELETE' }, { 'x-method-override': 'DELETE' }])
      ok(await admin.client.get(`${space.url}?_method=DELETE`, headers))
    ok(await admin.client.get(space.url))
  })
})

describe('a JSON body', () => {
  const send = (body: string) => admin.client.post('/api/project', body)

  it.each([
    ['an empty body', ''],
    ['invalid JSON', '{'],
    ['trailing text', '{} x'],
    ['null', 'null'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['5,000 brackets', '['.repeat(5_000) + ']'.repeat(5_000)],
    ['200,000 brackets', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['5,000 nested objects', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
    ['200,000 keys', `{${Array.from({ length: 200_000 }, (_, n) => `"k${n}":1`).join()}}`],
    ['__proto__', '{"__proto__":{"isAdmin":true},"project":{"uid":"abc","name":"x"}}'],
    ['__proto__ inside', '{"project":{"uid":"abc","name":"x","__proto__":{"a":1}}}'],
    ['__proto__ escaped', '{"project":{"uid":"abc","name":"x","\\u005f_proto__":{"a":1}}}'],
    ['constructor', '{"project":{"uid":"abc","name":"x"},"constructor":{"prototype":{"a":1}}}'],
    ['an operator instead of a text', '{"project":{"uid":{"$ne":null},"name":"x"}}'],
    ['an array instead of a text', '{"project":{"uid":["abc"],"name":"x"}}'],
    ['a number instead of a text', '{"project":{"uid":7,"name":"x"}}'],
    ['a text instead of an object', '{"project":"abc"}'],
    ['NUL in a name', '{"project":{"uid":"abc","name":"a\\u0000b"}}'],
    ['a lone surrogate in a name', '{"project":{"uid":"abc","name":"a\\ud800b"}}'],
    ['an empty name', '{"project":{"uid":"abc","name":" "}}'],
    ['a long name', `{"project":{"uid":"abc","name":"${'あ'.repeat(101)}"}}`],
    ['an unknown key', '{"project":{"uid":"abc","name":"x"},"admin":true}'],
    ['an unknown template', '{"project":{"uid":"abc","name":"x"},"template":"../../etc"}'],
  ])('is rejected without effect: %s', async (_name, body) => {
    const before = await countSpaces()
    const answer = await send(body)
    expect(outcome(answer)).toEqual([400, 'ValidationFailed'])
    expect(answer.text.length).toBeLessThan(2_000)
    expect(await countSpaces()).toBe(before)
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
  })

  it('is rejected if it has 5 MB', async () => {
    expect(outcome(await send(`{"a":"${'x'.repeat(5_000_000)}"}`))).toEqual([413, 'RequestFileTooLarge'])
  })

  it('may contain unbalanced brackets and quotes inside texts', async () => {
    for (const name of [
      '['.repeat(90),
      '{'.repeat(90),
      ','.repeat(90),
      '"[\\"\\\\"{{',
      '\\',
      '\\"'.repeat(40),
    ]) {
      const uid = unique('texts')
      const { project } = ok(await send(JSON.stringify({ project: { uid, name } })))
      expect(project.name).toBe(name)
    }
  })

  it('is rejected without effect if it is not valid UTF-8', async () => {
    const before = await countSpaces()
    for (const broken of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xe3, 0x81]]) {
      const [head, tail] = [`{"project":{"uid":"${unique('utf8')}","name":"`, '"}}']
      const payload = Buffer.concat([Buffer.from(head), Buffer.from(broken), Buffer.from(tail)])
      expect(await sendBytes(payload, {})).toEqual([400, 'ValidationFailed'])
    }
    expect(await countSpaces()).toBe(before)
  })

  it('is rejected if it declares the content encoding gzip, compressed or not', async () => {
    const text = `{"project":{"uid":"${unique('packed')}","name":"x"}}`
    for (const payload of [gzipSync(text), Buffer.from(text)])
      expect(await sendBytes(payload, { 'content-encoding': 'gzip' })).toEqual([415, 'UnsupportedMediaType'])
  })

  const sendBytes = async (payload: Buffer, headers: Record<string, string>) => {
    const { cookies, csrfToken, ip } = admin.client
    const response = await installation.server.inject({
      method: 'POST',
      url: '/api/project',
      remoteAddress: ip,
      headers: {
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        'x-csrf-token': csrfToken ?? '',
        'content-type': 'application/json',
        ...headers,
      },
      payload,
    })
    return [response.statusCode, response.json().code]
  }

  it('is rejected with the paths of the invalid values', async () => {
    const answer = await admin.client.post('/api/project', { project: { uid: 'login', extra: 1 } })
    expect(answer.body.issues).toEqual(
      expect.arrayContaining([
        { path: 'project.uid', code: 'ReservedWord' },
        { path: 'project.name', code: 'Required' },
        { path: 'project.extra', code: 'UnknownField' },
      ]),
    )
  })

  it.each<{ value: unknown }>([
    { value: { $ne: null } },
    { value: ['a@example.com'] },
    { value: 7 },
    { value: true },
    { value: null },
    { value: { toString: 'a@example.com' } },
  ])('is rejected at sign-in and sign-up if the email or the password is $value', async ({ value }) => {
    for (const body of [
      { email: value, password: 'a long enough password' },
      { email: 'a@example.com', password: value },
    ])
      for (const path of ['login', 'signup'])
        expect(outcome(await installation.visitor().post(`/api/auth/${path}`, body))).toEqual([
          400,
          'ValidationFailed',
        ])
  })
})

describe('a hostile address', () => {
  it.each([
    '/api/project/%00',
    '/api/project/a%00b',
    '/api/project/%ED%A0%80',
    '/api/project/..%2f..%2fetc',
    `/api/project/${'a'.repeat(600)}`,
    '/api/project/__proto__',
    '/api/project/%27%20OR%201=1--',
    '/api/nothing',
    '/api/',
  ])('results in a JSON error with status 400 or 404: %s', async (url) => {
    const answer = await admin.client.get(url)
    expect([400, 404]).toContain(answer.status)
    expect(['NotFound', 'ValidationFailed']).toContain(answer.body.code)
    expect(answer.text).not.toMatch(/FST_|at \w+ \(|node_modules|SELECT/)
  })

  it('results in a JSON error with status 400 if a percent escape is invalid', async () => {
    const answer = await admin.client.get('/api/project/%E0%A4%A')
    expect(outcome(answer)).toEqual([400, 'ValidationFailed'])
  })
})

describe('a response of the management API', () => {
  it('has Cache-Control: no-store, and no X-Powered-By or CORS header', async () => {
    for (const answer of [
      await admin.client.get(space.url),
      await installation.visitor().get(space.url),
      await admin.client.get('/api/project/unknown'),
      await installation.visitor().get('/api/auth/getCurrentAccount'),
    ]) {
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.headers['x-powered-by']).toBeUndefined()
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('contains exactly the expected properties for an app, a space and an account', async () => {
    const app = await createApp(admin.client, space)
    expect(Object.keys(ok(await admin.client.get(app.url)).app).sort()).toEqual(
      [
        'accessSettings',
        'cover',
        'createdAt',
        'description',
        'icon',
        'joined',
        'name',
        'uid',
        'updatedAt',
      ].sort(),
    )
    expect(Object.keys(ok(await admin.client.get(space.url)).project).sort()).toEqual(
      ['createdAt', 'name', 'plan', 'timeZone', 'uid', 'updatedAt'].sort(),
    )
    expect(
      Object.keys(ok(await admin.client.get('/api/auth/getCurrentAccount')).currentAccount).sort(),
    ).toEqual(['_id', 'colorScheme', 'email', 'emailVerified', 'icon', 'isAdmin', 'language', 'name'].sort())
  })

  it('is sent after its transaction has committed', async () => {
    for (let n = 0; n < 20; n++) {
      const app = await createApp(admin.client, space)
      const row = await installation.database.kysely
        .selectFrom('app')
        .select('uid')
        .where('uid', '=', app.uid)
        .executeTakeFirst()
      expect(row?.uid).toBe(app.uid)
    }
  })

  it('is 503 with Retry-After, not 500, if the database is unreachable', async () => {
    const broken = await startInstallation()
    const { client } = await createAccount(broken)
    const { rows } = await broken.database.pool.query('SELECT current_database() AS name')
    try {
      await broken.database.pool.query(`ALTER DATABASE "${rows[0].name}" CONNECTION LIMIT 0`).catch(() => {})
      await broken.database.pool
        .query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
        .catch(() => {})
      await broken.database.pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {})
      const answer = await client.get('/api/project')
      expect(outcome(answer)).toEqual([503, 'ServiceUnavailable'])
      expect(answer.headers['retry-after']).toBe('1')
    } finally {
      await broken.close()
    }
  })
})

describe('a session', () => {
  it('is rejected after its account was deleted', async () => {
    const member = await createMember(installation, space)
    ok(await member.client.get(space.url))
    await installation.database.kysely.deleteFrom('account').where('id', '=', member.id).execute()
    expect(outcome(await member.client.get(space.url))).toEqual([401, 'Unauthorized'])
  })
})
