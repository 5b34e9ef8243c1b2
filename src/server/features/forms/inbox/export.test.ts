import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asSystem } from '#server/access/callers/job.ts'
import { execute } from '#server/access/operations/execute.ts'
import { operations } from '#server/features/index.ts'
import type { FileAnswer } from '#shared/contract/endpoint.ts'
import { endpoints } from '#shared/contract/index.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import {
  type FormValues,
  insertForm,
  insertFormFile,
  insertSubmission,
  type SubmissionValues,
} from '#test/forms.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let spaceId: number
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  ok(await admin.client.put(space.url, { project: { timeZone: 'Asia/Tokyo' } }))
  const { id } = await db()
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  spaceId = id
})
afterAll(() => installation?.close())

const db = () => installation.database.kysely
const at = (minute: number) => new Date(Date.UTC(2026, 0, 31, 15, minute))
const label = (text: string) => ({ ja: text, en: `${text} (en)` })
const common = { help: { ja: '', en: '' }, message: { ja: '', en: '' }, required: false }
const makeForm = async (values: FormValues = {}) => (await insertForm(db(), spaceId, values)).id
const add = (formId: string, values: SubmissionValues) => insertSubmission(db(), spaceId, formId, values)
const fetchFile = (formId: string, query: string) =>
  admin.client.get(`${space.url}/form/${formId}/message:export?${query}`)

/** Adds submissions that are older than all others. */
const addMany = (formId: string, count: number) =>
  installation.database.pool.query(
    `INSERT INTO form_submission (space_id, id, form_id, "values", language, received_at)
     SELECT $1, left(md5($2 || n), 24), $2, '[{"name": "b", "value": "1"}]', 'ja', timestamptz '2025-01-01'
     FROM generate_series(1, $3) n`,
    [spaceId, formId, count],
  )

/** Returns the rows of a CSV file without quotation marks, line breaks and commas in its cells. */
const simpleRows = (text: string) =>
  text
    .slice(1)
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(','))

describe('the CSV export', () => {
  it('has a column for each field and each other name, in the language of the reader', async () => {
    const fields = [
      { ...common, type: 'text' as const, name: 'name', label: label('お名前') },
      { ...common, type: 'file' as const, name: 'files', label: label('添付'), accept: '', maxFiles: 2 },
    ]
    const form = await makeForm({ name: '採用/応募', fields })
    const first = await add(form, {
      receivedAt: at(1),
      state: 'done',
      page: 'https://example.com/',
      values: [
        { name: 'b', value: '古い' },
        { name: 'name', value: '山田' },
      ],
    })
    const second = await add(form, {
      receivedAt: at(2),
      values: [
        { name: 'name', value: '鈴木, "花子"\n様' },
        { name: 'a', value: ['甲', '乙'] },
      ],
    })
    for (const fileName of ['2.pdf', '1.pdf'])
      await insertFormFile(installation, spaceId, { formId: form, id: second }, { field: 'files', fileName })
    await add(form, { receivedAt: at(3), state: 'spam' })
    await add(form, { receivedAt: at(3), deletedAt: new Date() })
    const answer = await fetchFile(form, 'format=csv')
    expect(answer.text).toBe(
      '\ufeff_id,受信日時,状態,お名前,添付,a,b,送信元のページ\r\n' +
        `${second},2026-02-01T00:02:00+09:00,未対応,"鈴木, ""花子""\n様","1.pdf\n2.pdf","甲\n乙",,\r\n` +
        `${first},2026-02-01T00:01:00+09:00,対応済み,山田,,,古い,https://example.com/\r\n`,
    )
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(
        new RegExp(
          `^attachment; filename\\*=UTF-8''${encodeURIComponent('採用-応募_')}\\d{4}-\\d\\d-\\d\\d\\.csv$`,
        ),
      ),
    })
    const [entry] = ok(await admin.client.get(`${space.url}/auditLog?limit=1`)).auditLogs
    expect(entry).toMatchObject({
      act: 'submission.export',
      object: { kind: 'submission', _id: form, name: '採用/応募' },
      details: { format: 'csv', exported: 2 },
    })
    const other = await fetchFile(form, 'format=csv&state=done')
    expect(simpleRows(other.text).map(([id]) => id)).toEqual(['_id', first])
    await db().updateTable('account').set({ language: 'en' }).where('id', '=', admin.id).execute()
    const english = await fetchFile(form, 'format=csv&state=done')
    await db().updateTable('account').set({ language: 'ja' }).where('id', '=', admin.id).execute()
    expect(simpleRows(english.text)).toEqual([
      ['_id', 'Received at', 'State', 'お名前 (en)', '添付 (en)', 'b', 'Page'],
      [first, '2026-02-01T00:01:00+09:00', 'Done', '山田', '', '古い', 'https://example.com/'],
    ])
  })

  it('contains no cell that a spreadsheet program runs as a formula', async () => {
    const form = await makeForm()
    const texts = ['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '+81 90-1234-5678', "-5'"]
    const kept = ['-5', '-1.5', '007', '1-2', "'=1", '']
    for (const [index, value] of [...texts, ...kept].entries())
      await add(form, { receivedAt: at(60 - index), page: '=page', values: [{ name: '=name', value }] })
    const { text } = await fetchFile(form, 'format=csv')
    const rows = text.replaceAll('"', '').split('\r\n')
    expect(rows[0]).toBe("\ufeff_id,受信日時,状態,'=name,送信元のページ")
    const cells = simpleRows(text.replaceAll('"\'\r=1"', "'CR=1")).slice(1)
    expect(cells.map((row) => row[3])).toEqual([
      ...texts.map((value) => `'${value.replace('\r', 'CR')}`),
      ...kept,
    ])
    expect(cells.every((row) => row[4] === "'=page")).toBe(true)
  })

  it('has the values without a column in the last but one column if there are more than 500 names', async () => {
    const form = await makeForm()
    const values = Array.from({ length: 500 }, (_, index) => ({ name: `n${index}`, value: `${index}` }))
    await add(form, { receivedAt: at(2), values })
    await add(form, { receivedAt: at(1), values: [{ name: '__proto__', value: '=1' }] })
    const { text } = await fetchFile(form, 'format=csv')
    const [header, first, second] = simpleRows(text)
    expect(header).toHaveLength(3 + 500 + 2)
    expect(header?.slice(500)).toEqual(['n497', 'n498', 'n499', 'その他の値', '送信元のページ'])
    expect(first?.slice(500)).toEqual(['497', '498', '499', '', ''])
    expect(second?.at(-2)).toBe('"{""__proto__"":[""=1""]}"')
  })

  it('contains every submission once when they are read in several batches', async () => {
    const form = await makeForm()
    const large = [{ name: 'a', value: 'あ'.repeat(160_000) }]
    const ids: string[] = []
    for (let n = 0; n < 12; n++) ids.push(await add(form, { receivedAt: at(n), values: large }))
    await addMany(form, 450)
    const found = simpleRows((await fetchFile(form, 'format=csv')).text).map(([id]) => id)
    expect(new Set(found).size).toBe(1 + 12 + 450)
    expect(found.slice(1, 13)).toEqual(ids.toReversed())
  })
})

describe('the NDJSON export', () => {
  it('has one submission per line with its values as they were sent', async () => {
    const form = await makeForm()
    const values = [
      { name: '=a', value: '=1\u2028\n' },
      { name: '__proto__', value: ['甲', ''] },
    ]
    const email = 'user@example.com'
    const id = await add(form, { values, email, receivedAt: at(1), page: 'https://example.com/' })
    const file = await insertFormFile(installation, spaceId, { formId: form, id })
    await add(form, { receivedAt: at(0), values: [] })
    const answer = await fetchFile(form, 'format=ndjson')
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    const lines = answer.text.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      _id: id,
      receivedAt: at(1).toISOString(),
      state: 'new',
      email,
      page: 'https://example.com/',
      language: 'ja',
      values,
      files: [{ _id: file, name: '添付', fileName: 'a.txt', fileType: 'text/plain', fileSize: 5 }],
    })
  })

  it('is an empty file without submissions', async () => {
    const answer = await fetchFile(await makeForm(), 'format=ndjson')
    expect([answer.status, answer.text]).toEqual([200, ''])
  })
})

describe('exportSubmissions', () => {
  it('holds no connection between batches, and stops when the caller no longer waits', async () => {
    const form = await makeForm()
    await addMany(form, 450)
    const operation = operations.find(({ endpoint }) => endpoint === endpoints.exportSubmissions)
    if (!operation) throw new Error('the operation is missing')
    const stop = new AbortController()
    const server = { db: db(), services: installation.deps.services }
    const answer = await execute(server, operation, {
      recognise: () => asSystem({ name: 'test.job' }, 'pendingRangesExpired'),
      origin: null,
      params: { p: space.uid, id: form },
      query: { format: 'ndjson' },
      body: () => undefined,
      request: {
        language: 'ja',
        queryString: '',
        ifMatch: undefined,
        fieldIndexes: undefined,
        signal: stop.signal,
      },
    })
    const bytes = (answer as FileAnswer).bytes[Symbol.asyncIterator]()
    expect((await bytes.next()).done).toBe(false)
    const { pool } = installation.database
    expect(pool.totalCount - pool.idleCount).toBe(0)
    stop.abort()
    await expect(bytes.next()).rejects.toThrow('aborted')
  })

  it('rejects an unknown format, an unknown state, and requests of other origins', async () => {
    const form = await makeForm()
    expect((await fetchFile(form, 'format=xlsx')).status).toBe(400)
    expect((await fetchFile(form, '')).status).toBe(400)
    expect((await fetchFile(form, 'format=csv&state=all')).status).toBe(400)
    const url = `${space.url}/form/${form}/message:export?format=csv`
    expect((await admin.client.get(url, { origin: 'https://other.example' })).status).toBe(403)
  })
})
