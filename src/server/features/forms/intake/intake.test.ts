import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUpAssetsJob } from '#server/features/assets/assets.jobs.ts'
import { type FormField, formLimits } from '#shared/forms/fields.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { type FormValues, insertForm } from '#test/forms.ts'
import { runNow } from '#test/run-now.ts'
import { type Answer, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { keysBelow } from '#test/storage-suite.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let spaceId: number
let port: number

beforeAll(async () => {
  installation = await startInstallation({ IMORI_DOMAIN: 'cms.example', IMORI_TRUST_PROXY: '1' })
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  const { kysely } = installation.database
  const row = await kysely
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  spaceId = row.id
  await installation.server.listen({ port: 0, host: '127.0.0.1' })
  port = (installation.server.server.address() as AddressInfo).port
})
afterAll(() => installation?.close())

interface Form {
  id: string
  formId: string
  /** Path of the form. */
  url: string
}

async function makeForm(values: FormValues = {}): Promise<Form> {
  const made = await insertForm(installation.database.kysely, spaceId, values)
  return { ...made, url: `/${space.uid}.form/v1/${made.formId}` }
}

/** Sends a form as a client with its own IP address. */
const send = (form: Form, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  installation.visitor().send('POST', form.url, body, headers)
const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' }
const multipart = { 'content-type': 'multipart/form-data; boundary=b' }
const html = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

const submissionsOf = (form: Form) =>
  installation.database.kysely
    .selectFrom('form_submission')
    .selectAll()
    .where('form_id', '=', form.id)
    .orderBy('received_at')
    .execute()
const filesOf = (form: Form) =>
  installation.database.kysely
    .selectFrom('form_file')
    .selectAll()
    .where('form_id', '=', form.id)
    .orderBy('field')
    .execute()
/** Returns the values of the only submission. */
async function valuesOf(form: Form) {
  const [submission, ...others] = await submissionsOf(form)
  expect(others).toEqual([])
  return submission?.values
}

/** Returns the bytes of a multipart body. Texts are encoded by `latin1`. */
const parts = (...all: [headers: string, content: string | Buffer][]) =>
  Buffer.concat([
    ...all.flatMap(([headers, content]) => [
      Buffer.from(`--b\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`, 'latin1'),
      Buffer.from(content as string, 'latin1'),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--b--\r\n'),
  ])

const text = { ja: '', en: '' }
const field = <T extends FormField['type']>(type: T, name: string, more: object = {}) =>
  ({
    type,
    name,
    label: { ja: name, en: '' },
    help: text,
    message: text,
    required: false,
    ...more,
  }) as FormField

describe('the address of a form', () => {
  it.each([
    ['a prefix', (form: Form) => [`/${space.uid}.form/v1/${form.formId}`, {}]],
    [
      'the prefix of Newt',
      (form: Form) => [`/${space.uid.toUpperCase()}.form.newt.so/v1/${form.formId}?a=1`, {}],
    ],
    ['a host', (form: Form) => [`/v1/${form.formId}`, { host: `${space.uid}.form.cms.example` }]],
    [
      'the host of a proxy',
      (form: Form) => [`/v1/${form.formId}`, { 'x-forwarded-host': `${space.uid}.form.cms.example` }],
    ],
    ['the contract', (form: Form) => [`/api/forms/${space.uid}/${form.formId}`, {}]],
  ] as const)('accepts a form at %s', async (_, at) => {
    const form = await makeForm()
    const [url, headers] = at(form) as [string, Record<string, string>]
    const answer = await installation.visitor().post(url, { 名前: '山田' }, headers)
    expect([answer.status, answer.body]).toEqual([200, { success: true }])
    expect(await valuesOf(form)).toEqual([{ name: '名前', value: '山田' }])
  })

  it('returns 404 for a form that does not exist, is in the trash, or belongs to another space', async () => {
    const trashed = await makeForm({ deletedAt: new Date() })
    const form = await makeForm()
    const other = await createSpace(admin.client)
    for (const url of [
      trashed.url,
      `/${space.uid}.form/v1/unknown_1`,
      `/api/forms/${space.uid}/a%00`,
      `/api/forms/%00/abcdefghi`,
      `/${other.uid}.form/v1/${form.formId}`,
    ]) {
      const answer = await installation.visitor().post(url, { a: 'b' })
      expect([answer.status, answer.body.code]).toEqual([404, 'NotFound'])
    }
    expect([...(await submissionsOf(trashed)), ...(await submissionsOf(form))]).toEqual([])
  })

  it('returns 403 for a form that is switched off', async () => {
    const form = await makeForm({ enabled: false })
    const answer = await send(form, { a: 'b' })
    expect([answer.status, answer.body.code]).toEqual([403, 'FormIsDisabled'])
    expect(await submissionsOf(form)).toEqual([])
  })
})

describe('a form without fields', () => {
  it('stores all values in their order, with repeated names as lists', async () => {
    const form = await makeForm()
    const body =
      '__proto__=a&Full+name=b%2Bc&%E5%BA%AD=%E5%BA%AD%0D%0A&2=x&1=y&tag=1&constructor=&tag=2&q=%zz&_charset_=UTF-8'
    ok(await send(form, body, urlEncoded))
    expect(await valuesOf(form)).toEqual([
      { name: '__proto__', value: 'a' },
      { name: 'Full name', value: 'b+c' },
      { name: '庭', value: '庭\r\n' },
      { name: '2', value: 'x' },
      { name: '1', value: 'y' },
      { name: 'tag', value: ['1', '2'] },
      { name: 'constructor', value: '' },
      { name: 'q', value: '%zz' },
    ])
  })

  it('stores the values of a JSON object in their order', async () => {
    const form = await makeForm()
    const body = '{"b":1.5,"2":true,"1":null,"__proto__":["x",3,null],"toString":"\\ud800\\u0000z"}'
    ok(await send(form, body, { 'content-type': 'application/json' }))
    expect(await valuesOf(form)).toEqual([
      { name: 'b', value: '1.5' },
      { name: '2', value: 'true' },
      { name: '1', value: '' },
      { name: '__proto__', value: ['x', '3', ''] },
      { name: 'toString', value: '\ufffdz' },
    ])
  })

  it('stores the facts of the visit: e-mail, page and language', async () => {
    const form = await makeForm()
    ok(
      await send(
        form,
        { メールアドレス: ' Hanako@Example.JP ', 'g-recaptcha-response': 'token', _imori_x: '1' },
        { referer: 'https://user:pass@site.example/contact?secret=1#x', 'accept-language': 'en-US,ja;q=0.5' },
      ),
    )
    const [submission] = await submissionsOf(form)
    expect(submission).toMatchObject({
      state: 'new',
      email: 'hanako@example.jp',
      page: 'https://site.example/contact',
      language: 'en',
      file_count: 0,
      values: [{ name: 'メールアドレス', value: ' Hanako@Example.JP ' }],
    })
  })

  // 表 ends with the byte of a backslash in Shift_JIS.
  const encoded = {
    Shift_JIS: { name: '\x95\x5c', value: '\x87\x40\x83\x5c' },
    'EUC-JP': { name: '\xc9\xbd', value: '\xad\xa1\xa5\xbd' },
    'ISO-2022-JP': { name: '\x1b$BI=\x1b(B', value: '\x1b$B-!%=\x1b(B' },
  }
  it.each(Object.entries(encoded))(
    'decodes names, values and file names in %s',
    async (charset, { name, value }) => {
      const escaped = (raw: string) => Buffer.from(raw, 'latin1').toString('hex').replace(/../g, '%$&')
      const bodies: [string | Buffer, Record<string, string>][] = [
        [
          `${escaped(name)}=${escaped(value)}`,
          { 'content-type': `application/x-www-form-urlencoded; charset=${charset}` },
        ],
        [`${escaped(name)}=${escaped(value)}&_charset_=${charset}`, urlEncoded],
        [parts([`name="${name}"`, value], ['name="_charset_"', charset]), multipart],
        [
          parts([`name="${name}"\r\nContent-Type: text/plain`, value]),
          { 'content-type': `multipart/form-data; charset=${charset}; boundary="b"` },
        ],
      ]
      for (const [body, headers] of bodies) {
        const form = await makeForm()
        ok(await send(form, body, headers))
        expect(await valuesOf(form)).toEqual([{ name: '表', value: '①ソ' }])
      }
      const form = await makeForm()
      ok(
        await send(
          form,
          parts(
            [`name="${name}"; filename="${name}"\r\nContent-Type: text/plain`, 'x'],
            ['name="_charset_"', charset],
          ),
          multipart,
        ),
      )
      expect(await filesOf(form)).toMatchObject([{ field: '表', file_name: '表', media_type: 'text/plain' }])
    },
  )

  it.each([
    ['UTF-8', Buffer.from('お名前'), Buffer.from('こんにちは')],
    ['Shift_JIS', Buffer.from('82a896bc914f', 'hex'), Buffer.from('82b182f182c982bf82cd', 'hex')],
    ['EUC-JP', Buffer.from('a4aaccbec1b0', 'hex'), Buffer.from('a4b3a4f3a4cba4c1a4cf', 'hex')],
  ])('recognises %s if the page states no charset', async (_charset, name, value) => {
    const form = await makeForm()
    const escaped = (bytes: Buffer) => bytes.toString('hex').replace(/../g, '%$&')
    ok(await send(form, `${escaped(name)}=${escaped(value)}&plain=a`, urlEncoded))
    const [named, content] = [name, value].map((bytes) => bytes.toString('latin1'))
    ok(await send(form, parts([`name="${named}"`, content ?? ''], ['name="plain"', 'a']), multipart))
    const values = [
      { name: 'お名前', value: 'こんにちは' },
      { name: 'plain', value: 'a' },
    ]
    expect((await submissionsOf(form)).map((one) => one.values)).toEqual([values, values])
  })

  it.each<[string, () => [body: unknown, headers?: Record<string, string>], number, unknown?]>([
    ['no value', () => ['', urlEncoded], 422, ''],
    ['only empty values', () => [{ a: ' ', b: null }], 422, ''],
    ['only reserved names', () => ['_imori_t=1&_charset_=utf-8', urlEncoded], 422, ''],
    [
      'an unknown charset',
      () => ['a=b', { 'content-type': 'application/x-www-form-urlencoded; charset=klingon' }],
      415,
    ],
    ['an unknown charset in a field', () => ['a=b&_charset_=klingon', urlEncoded], 400, '_charset_'],
    ['another media type', () => ['a=b', { 'content-type': 'text/plain' }], 415],
    ['no media type', () => [undefined], 415],
    ['a compressed body', () => ['a=b', { ...urlEncoded, 'content-encoding': 'gzip' }], 415],
    ['a list', () => [[1]], 400, ''],
    ['a nested object', () => [{ 住所: { 県: '東京' } }], 400, '住所'],
    ['a nested list', () => [{ tags: [['a']] }], 400, 'tags'],
    ['malformed JSON', () => ['{"a":', { 'content-type': 'application/json' }], 400, ''],
    [
      'a number that would be rounded',
      () => ['{"a":12345678901234567890}', { 'content-type': 'application/json' }],
      400,
      'a',
    ],
    ['a value without a name', () => ['=a', urlEncoded], 400, ''],
    ['a name of 101 characters', () => [`${'n'.repeat(101)}=a`, urlEncoded], 400, 'n'.repeat(101)],
    [
      '10,000 fields',
      () => [Array.from({ length: 10_000 }, (_, n) => `f${n}=1`).join('&'), urlEncoded],
      400,
      'f500',
    ],
    ['a list of 10,000 values', () => [{ tags: Array.from({ length: 10_000 }, () => 'x') }], 400, 'tags'],
    ['600 KB of text', () => [{ a: 'b', body: 'あ'.repeat(200_000) }], 413, 'body'],
    ['2 MB', () => [`a=${'b'.repeat(2_000_000)}`, urlEncoded], 413],
    [
      '600 parts',
      () => [
        parts(...Array.from({ length: 600 }, (_, n) => [`name="f${n}"`, 'x'] as [string, string])),
        multipart,
      ],
      400,
      'f500',
    ],
    [
      'a part of 600 KB',
      () => [parts(['name="本文"', 'x'.repeat(600_000)]), multipart],
      413,
      expect.anything(),
    ],
    [
      'nested multipart',
      () => [parts(['name="a"\r\nContent-Type: multipart/mixed; boundary=c', 'x']), multipart],
      400,
      'a',
    ],
    ['a part without a name', () => [parts(['filename="a.txt"', 'x']), multipart], 400, ''],
    [
      'a part without an end',
      () => ['--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx', multipart],
      400,
    ],
    ['a quotation without an end', () => [parts(['name="a', 'x']), multipart], 400],
    ['long headers', () => [parts([`name="a"\r\nX: ${'x'.repeat(10_000)}`, 'x']), multipart], 400],
    ['multipart without a boundary', () => ['x', { 'content-type': 'multipart/form-data' }], 415],
    [
      '11 files',
      () => [
        parts(
          ...Array.from(
            { length: 11 },
            (_, n) => [`name="f${n}"; filename="a.txt"`, 'x'] as [string, string],
          ),
        ),
        multipart,
      ],
      400,
      'f10',
    ],
  ])('rejects %s', async (_, request, status, path) => {
    const form = await makeForm()
    const [body, headers = {}] = request()
    const answer = await send(form, body, headers)
    expect([answer.status, answer.body?.issues?.[0]?.path], answer.text.slice(0, 300)).toEqual([status, path])
    expect([await submissionsOf(form), await filesOf(form)]).toEqual([[], []])
  })
})

describe('the files of a form', () => {
  it('are stored with the type of their content, under any name', async () => {
    const form = await makeForm()
    const body = new FormData()
    body.append('写真', new Blob([gif], { type: 'text/plain' }), '庭.gif')
    body.append('note', 'see files')
    body.append('other', new Blob([]), '')
    body.append('添付', new Blob(['hello'], { type: 'text/plain' }), '../../etc/passwd')
    ok(await send(form, body))
    expect(await submissionsOf(form)).toMatchObject([
      { file_count: 2, values: [{ name: 'note', value: 'see files' }] },
    ])
    expect(await filesOf(form)).toMatchObject([
      { field: '写真', file_name: '庭.gif', media_type: 'image/gif', size: gif.length },
      { field: '添付', file_name: 'passwd', media_type: 'text/plain', size: 5 },
    ])
  })

  it('are kept by the clean-up as long as their submission exists', async () => {
    const { kysely } = installation.database
    const form = await makeForm()
    const body = new FormData()
    body.append('file', new Blob(['kept by its submission'], { type: 'text/plain' }), 'a.txt')
    ok(await send(form, body))
    const [file] = await filesOf(form)
    const keys = () => keysBelow(installation.deps.services.storages.local, '')
    const age = () => sql`UPDATE asset_blob SET touched_at = touched_at - interval '2 days'`.execute(kysely)
    await age()
    expect(await runNow(installation, cleanUpAssetsJob)).toBe('done')
    expect(await keys()).toContain(file?.storage_key)

    await kysely.deleteFrom('form_submission').where('form_id', '=', form.id).execute()
    expect(await runNow(installation, cleanUpAssetsJob)).toBe('done')
    expect(await keys()).not.toContain(file?.storage_key)
  })

  it('are refused with the name of the field if their content contradicts their type, or if they are too large', async () => {
    const form = await makeForm()
    const fake = new FormData()
    fake.append('写真', new Blob(['<script>'], { type: 'image/png' }), 'a.png')
    const answer = await send(form, fake)
    expect([answer.status, answer.body.issues[0].path]).toEqual([415, '写真'])
    const large = new FormData()
    large.append('動画', new Blob([Buffer.alloc(formLimits.fileBytes + 1)], { type: 'text/plain' }), 'a.txt')
    const refused = await send(form, large)
    expect([refused.status, refused.body.issues]).toEqual([
      413,
      [{ path: '動画', code: 'TooLargeValue', params: { maximum: formLimits.fileBytes } }],
    ])
    expect([await submissionsOf(form), await filesOf(form)]).toEqual([[], []])
  })

  it('are not stored if the form refuses their contents', async () => {
    const form = await makeForm({ fields: [field('file', 'f', { accept: 'image/*', maxFiles: 1 })] })
    const body = new FormData()
    body.append('f', new Blob(['no picture, and not stored'], { type: 'image/gif' }), 'a.gif')
    const before = await keysBelow(installation.deps.services.storages.local, '')
    expect((await send(form, body)).status).toBeGreaterThanOrEqual(400)
    expect(await keysBelow(installation.deps.services.storages.local, '')).toEqual(before)
  })

  it('are refused with 429 if the form has received 2 GB within 24 hours', async () => {
    const form = await makeForm()
    const body = () => {
      const form = new FormData()
      form.append('a', new Blob(['x'], { type: 'text/plain' }), 'a.txt')
      return form
    }
    ok(await send(form, body()))
    const { kysely } = installation.database
    await kysely
      .updateTable('form_file')
      .set({ size: 1_999_999_999 })
      .where('form_id', '=', form.id)
      .execute()
    expect((await send(form, body())).status).toBe(429)
    ok(await send(form, { a: 'texts are accepted' }))
    await sql`UPDATE form_file SET created_at = created_at - interval '25 hours' WHERE form_id = ${form.id}`.execute(
      kysely,
    )
    ok(await send(form, body()))
  })
})

describe('a form with fields', () => {
  const fields = [
    field('text', 'name', { required: true, maxLength: 5, label: { ja: 'お名前', en: 'Name' } }),
    field('text', '郵便番号', {
      pattern: '^\\d{3}-\\d{4}$',
      message: { ja: '123-4567の形で', en: 'Like 123-4567' },
    }),
    field('email', 'e'),
    field('checkboxes', 'kinds', { options: [{ value: 'a', label: text }], minItems: null, maxItems: null }),
    field('file', '写真', { accept: 'image/*', maxFiles: 1 }),
    field('consent', 'agree', { required: true, link: null }),
  ]

  it('stores valid values, and values that it does not define', async () => {
    const form = await makeForm({ fields })
    ok(await send(form, { name: '山田花子', 郵便番号: '123-4567', e: 'A@b.jp', agree: 'on', more: 'x' }))
    expect(await submissionsOf(form)).toMatchObject([{ email: 'a@b.jp', values: { length: 5 } }])
  })

  it('lists all broken rules with the names and messages of the fields', async () => {
    const form = await makeForm({ fields })
    const answer = await send(
      form,
      { name: '長すぎる名前です', 郵便番号: '1', e: 'x', kinds: ['a', 'z'] },
      { 'accept-language': 'en' },
    )
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      code: 'SubmissionIsInvalid',
      message: 'Check these fields and send the form again.',
      issues: [
        { path: 'name', code: 'TooManyCharacters', params: { maximum: 5 } },
        { path: '郵便番号', code: 'InvalidValue' },
        { path: 'e', code: 'InvalidFormat' },
        { path: 'kinds', code: 'InvalidValue' },
        { path: 'agree', code: 'Required' },
      ],
      messages: expect.arrayContaining([
        { name: '郵便番号', label: '郵便番号', message: 'Like 123-4567' },
        { name: 'agree', label: 'agree', message: 'Please agree to continue' },
      ]),
    })
    expect(await submissionsOf(form)).toEqual([])
  })

  it('applies a change of its fields to the next submission', async () => {
    const form = await makeForm({ fields: [field('text', 'a')] })
    const change = (fields: FormField[]) =>
      installation.database.kysely
        .updateTable('form')
        .set({ fields: JSON.stringify(fields), version: sql<number>`version + 1` })
        .where('id', '=', form.id)
        .execute()
    ok(await send(form, { b: 'x' }))
    await change([field('text', 'a', { required: true })])
    expect((await send(form, { b: 'x' })).status).toBe(422)
    await change([])
    ok(await send(form, { b: 'x' }))
  })

  it('accepts only files of its file fields, by their names and contents', async () => {
    const form = await makeForm({ fields })
    const sent = async (name: string, bytes: string | Buffer, type: string, fileName: string) => {
      const body = new FormData()
      body.append('name', '山田')
      body.append('agree', 'yes')
      body.append(name, new Blob([bytes as string], { type }), fileName)
      const { status, body: answer } = await send(form, body)
      return [status, answer.issues?.[0]]
    }
    expect(await sent('写真', gif, 'image/gif', 'a.gif')).toEqual([200, undefined])
    expect(await sent('写真', 'text', 'text/plain', 'a.gif')).toEqual([
      422,
      { path: '写真', code: 'InvalidType' },
    ])
    expect(await sent('other', gif, 'image/gif', 'a.gif')).toEqual([
      422,
      { path: 'other', code: 'UnknownField' },
    ])
    expect(await filesOf(form)).toHaveLength(1)
  })
})

describe('a form that a browser sends without a script', () => {
  it('leads to the page of thanks at every address of the form', async () => {
    const form = await makeForm({ thanksMessage: { ja: '<b>ありがとう</b>', en: '' } })
    for (const url of [form.url, `/${space.uid}.form.newt.so/v1/${form.formId}`]) {
      const answer = await installation.visitor().post(url, 'a=b', { ...urlEncoded, ...html })
      expect([answer.status, answer.text]).toEqual([303, ''])
      const page = await installation
        .visitor()
        .get(new URL(String(answer.headers.location), `http://x${url}`).pathname)
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(page.text).toContain('<html lang="ja">')
      expect(page.text).toContain('&lt;b&gt;ありがとう&lt;/b&gt;')
      expect(page.headers['content-security-policy']).toMatch(
        /^default-src 'none';style-src 'sha256-[\w+/=]+';/,
      )
    }
    expect(await submissionsOf(form)).toHaveLength(2)
  })

  it('leads to the own page of the form', async () => {
    const form = await makeForm({ thanksUrl: 'https://site.example/thanks' })
    const answer = await send(form, 'a=b', { ...urlEncoded, ...html })
    expect([answer.status, answer.headers.location]).toEqual([303, 'https://site.example/thanks'])
  })

  it('receives JSON if it prefers JSON', async () => {
    const form = await makeForm({ thanksUrl: 'https://site.example/thanks' })
    for (const accept of ['application/json, text/html;q=0.9', '*/*', 'text/html;q=0, */*'])
      expect(ok(await send(form, { a: 'b' }, { accept }))).toEqual({ success: true })
  })

  it('shows a page with the labels of invalid fields, in the language of the visitor', async () => {
    const form = await makeForm({
      fields: [field('text', 'n', { required: true, label: { ja: '<お名前>', en: '' } })],
    })
    const answer = await send(form, 'x="><script>', {
      ...urlEncoded,
      ...html,
      referer: 'https://site.example/?"',
    })
    expect([answer.status, answer.headers['content-type']]).toEqual([422, 'text/html; charset=utf-8'])
    expect(answer.text).toContain('<strong>&lt;お名前&gt;</strong>: ')
    expect(answer.text).toContain('href="https://site.example/?&quot;"')
    expect(answer.text).not.toContain('<script')
    const english = await send(form, 'x=1', {
      ...urlEncoded,
      ...html,
      'accept-language': 'en',
      referer: 'javascript:x',
    })
    expect([english.text.includes('Not sent'), english.text.includes('href')]).toEqual([true, false])
    const gone = await installation
      .visitor()
      .post(`/${space.uid}.form/v1/unknown_1`, 'a=b', { ...urlEncoded, ...html })
    expect([gone.status, gone.text.includes('このフォームはありません')]).toEqual([404, true])
  })
})

describe('the origins of a form', () => {
  it('are all origins if it lists none', async () => {
    const form = await makeForm()
    for (const origin of ['https://a.example', 'null']) {
      const preflight = await installation.visitor().send('OPTIONS', form.url, undefined, { origin })
      expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*'])
      expect(preflight.headers['access-control-allow-methods']).toBe('POST')
      const answer = await send(form, { a: 'b' }, { origin })
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*'])
    }
  })

  it('are only the listed ones', async () => {
    const form = await makeForm({ origins: ['https://a.example'] })
    const answer = await send(form, { a: 'b' }, { origin: 'https://a.example' })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, 'https://a.example'])
    for (const origin of ['https://b.example', 'null']) {
      const refused = await send(form, { a: 'b' }, { origin })
      expect([refused.status, refused.body.code]).toEqual([403, 'Forbidden'])
      expect((await installation.visitor().send('OPTIONS', form.url, undefined, { origin })).status).toBe(403)
    }
    expect(await submissionsOf(form)).toHaveLength(1)
  })
})

describe('many submissions at a time', () => {
  it('are all stored once, also when PostgreSQL refuses one of them', async () => {
    const form = await makeForm()
    const { pool } = installation.database
    await pool.query(`ALTER TABLE form_submission ADD CONSTRAINT test_refusal
      CHECK ("values"::text NOT LIKE '%refused%')`)
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => send(form, { n: n === 30 ? 'refused' : String(n) })),
    )
    await pool.query('ALTER TABLE form_submission DROP CONSTRAINT test_refusal')
    expect(answers.filter(({ status }) => status !== 200).map(({ status }) => status)).toEqual([400])
    const stored = (await submissionsOf(form)).map(({ values }) => values[0]?.value)
    expect(stored.sort()).toEqual(
      Array.from({ length: 60 }, (_, n) => String(n))
        .filter((n) => n !== '30')
        .sort(),
    )
  })

  it('of one address do not keep others from sending', async () => {
    const form = await makeForm()
    const post = (address: string) =>
      fetch(`http://127.0.0.1:${port}${form.url}`, {
        method: 'POST',
        headers: { ...urlEncoded, 'x-forwarded-for': address },
        body: 'a=b',
      })
    const flood = Promise.all(Array.from({ length: 90 }, () => post('198.51.100.7')))
    const others = await Promise.all(Array.from({ length: 10 }, (_, n) => post(`198.51.100.${20 + n}`)))
    expect(others.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const refused = (await flood).filter(({ status }) => status === 429)
    // The limit allows one more request for each second of the run.
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThanOrEqual(30)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('access-control-allow-origin')).toBe('*')
    expect(await submissionsOf(form)).toHaveLength(100 - refused.length)
  })
})

describe('a submission', () => {
  it('is refused with 507 while the disk is full', async () => {
    const form = await makeForm()
    const { storage } = installation.deps.services.config
    const before = storage.diskReserve
    const statusOf = async () => (await send(form, { a: 'b' })).status
    storage.diskReserve = Number.MAX_SAFE_INTEGER
    await expect.poll(statusOf).toBe(507)
    storage.diskReserve = before
    await expect.poll(statusOf).toBe(200)
  })
})

describe('a slow or endless body', () => {
  /** Sends the beginning of a request on a socket. Returns the socket and the status line of the response. */
  function begin(form: Form, headers: string, body: string, address: string) {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST ${form.url} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\n${headers}\r\n\r\n${body}`,
    )
    const status = new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(String(data).split('\r\n')[0] ?? ''))
    })
    return { socket, status }
  }
  const large = 'content-type: multipart/form-data; boundary=b\r\ncontent-length: 10000000'
  const start = '--b\r\ncontent-disposition: form-data; name="f"; filename="a.txt"\r\n\r\n'

  it('is refused at its declared length', async () => {
    const form = await makeForm()
    for (const type of ['multipart/form-data; boundary=b', 'application/json']) {
      const { socket, status } = begin(
        form,
        `content-type: ${type}\r\ncontent-length: 1000000000`,
        '',
        '192.0.2.1',
      )
      expect(await status).toBe('HTTP/1.1 413 Payload Too Large')
      socket.destroy()
    }
  })

  it('of files occupies only a few places for each address', async () => {
    const form = await makeForm()
    const requests = Array.from({ length: 5 }, () => begin(form, large, start, '192.0.2.2'))
    expect(await Promise.race(requests.map(({ status }) => status))).toBe('HTTP/1.1 429 Too Many Requests')
    const files = new FormData()
    files.append('f', new Blob([Buffer.alloc(3_000_000)], { type: 'text/plain' }), 'a.txt')
    ok(await send(form, files))
    for (const { socket } of requests) socket.destroy()
    expect(await filesOf(form)).toHaveLength(1)
  })

  it('occupies no memory after its response, also if it never ends', async () => {
    const form = await makeForm()
    const part = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n'
    const whole = `${part}${'x'.repeat(500_000)}\r\n--b--\r\n`
    const chunked = 'content-type: multipart/form-data; boundary=b\r\ntransfer-encoding: chunked'
    for (let n = 0; n < 26; n++) {
      const chunk = `${whole.length.toString(16)}\r\n${whole}\r\n`
      const { socket, status } = begin(form, chunked, chunk, '192.0.2.4')
      expect(await status).toBe('HTTP/1.1 200 OK')
      socket.destroy()
    }
    expect(await submissionsOf(form)).toHaveLength(26)
  })

  it('is dropped without a trace if the visitor disconnects', async () => {
    const form = await makeForm()
    const { socket } = begin(form, large, `${start}abc`, '192.0.2.3')
    await once(socket, 'connect')
    socket.destroy()
    ok(await send(form, { a: 'b' }))
    expect([(await submissionsOf(form)).length, await filesOf(form)]).toEqual([1, []])
  })
})

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
