import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { renderMarkdown } from '#server/content/html.ts'
import { startWorker, type Worker } from '#server/jobs/runner.ts'
import { convertValue } from '#shared/fields/convert.ts'
import type { Field } from '#shared/fields/index.ts'
import { createAccount, createApp, createSpace, unique } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { multiply } from '#test/many-documents.ts'
import { root } from '#test/process.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { purgeKept } from './kept.repository.ts'
import { large } from './models.change.ts'
import { convertModelJob } from './models.jobs.ts'

let installation: TestInstallation
let owner: { id: string; client: Client }
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let worker: Worker | undefined
let child: ChildProcess | undefined

// The tests lower this limit to 600, so that the job converts models of 610 documents, in several pages and batches.
const usual = large.moreThan
beforeAll(async () => {
  large.moreThan = 600
  installation = await startInstallation()
  owner = await createAccount(installation)
  space = await createSpace(owner.client)
  app = await createApp(owner.client, space)
})
afterEach(async () => {
  await worker?.close(0)
  worker = undefined
  await kill()
})
afterAll(async () => {
  large.moreThan = usual
  await installation?.close()
})

type Loose = Record<string, unknown>
const text = (uid: string, more: Loose = {}) => ({ uid, name: uid, type: 'TEXT', ...more })

async function make(fields: Loose[], more: Loose = {}) {
  const uid = unique('model')
  const data = { uid, name: 'モデル', fields, ...more }
  const { model } = ok(await owner.client.post(`${app.url}/model`, { data }))
  const url = `${app.url}/model/${uid}`
  const create = async (document: Loose, type = 'PUBLISH') =>
    ok(await owner.client.post(`${url}/doc`, { document, type })).document._id as string
  const read = async () => ok(await owner.client.get(url)).model
  /** Changes fields. `changes`: new settings by uid; null removes the field. */
  const change = async (changes: Record<string, Loose | null>, more: Loose = {}) => {
    const { fields } = await read()
    const wanted = fields.flatMap((field: Field) => {
      const other = changes[field.uid]
      if (other === null) return []
      const { _id, uid, name } = field
      return [other?.type ? { _id, uid, name, ...other } : { ...field, ...other }]
    })
    return owner.client.put(url, { data: { fields: wanted }, ...more })
  }
  return { uid, url, docs: `${url}/doc`, id: model._id as string, create, read, change }
}

function work(): void {
  const { deps, database } = installation
  const { jobsPool } = database
  worker = startWorker({
    services: deps.services,
    jobsPool,
    jobs: [convertModelJob],
    cronJobs: [],
    eventConsumers: [],
  })
}

async function kill(): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

async function delivered(kind: 'cdn' | 'api', path: string) {
  const noun = `${kind}Token`
  const made = ok(await owner.client.post(`${space.url}/${noun}`, { data: { name: unique('token') } }))
  const answer = await installation.server.inject({
    url: `/v1/${app.uid}/${path}`,
    headers: { authorization: `Bearer ${made[noun].token}` },
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}

/** Returns both states of all documents of a model, by `_id`. */
async function allStored(uid: string): Promise<Map<string, Loose>> {
  const { rows } = await installation.database.pool.query(
    'SELECT d.id, d.draft, d.pub FROM document d JOIN model m ON m.id = d.model_id WHERE m.uid = $1',
    [uid],
  )
  return new Map(rows.map(({ id, ...states }) => [id, states]))
}

const idle = (model: { read(): Promise<{ conversion: { state: string } | null }> }) =>
  expect.poll(async () => (await model.read()).conversion?.state ?? null)

const stored = async (id: string) => {
  const { rows } = await installation.database.pool.query('SELECT draft, pub FROM document WHERE id = $1', [
    id,
  ])
  return rows[0] as { draft: Loose | null; pub: Loose | null }
}

it('a change of a large model takes effect before a job converts the documents, and can be undone', async () => {
  const model = await make([text('title'), text('body'), text('n'), text('old')])
  const first = await model.create({ title: '池', body: 'a < b', n: '12', old: 'x' })
  const drafted = await model.create({ title: '草稿', body: '公開', n: '1' })
  ok(await owner.client.put(`${model.docs}/${drafted}`, { doc: { body: '下書き', n: 'いくつ' } }))
  const trashed = await model.create({ title: 'ごみ', body: '<ごみ>' })
  ok(await owner.client.delete(`${model.docs}/${trashed}`))
  const referring = await make([
    text('name'),
    { uid: 'to', name: 'to', type: 'REFERENCE', modelUid: model.uid },
  ])
  const referrer = await referring.create({ name: '紹介', to: drafted })
  await multiply(installation, model.uid, 205)

  const wanted = { body: { type: 'RICH_TEXT' }, n: { type: 'NUMBER' }, old: null }
  // Losses are counted beforehand, without the trash, and nothing changes until they are accepted.
  const losses = [
    { field: 'n', documents: 205, reason: 'typeChanged' },
    { field: 'old', documents: 205, reason: 'removed' },
  ]
  const refused = await model.change(wanted)
  expect([refused.status, refused.body.losses]).toEqual([400, losses])
  expect(ok(await model.change(wanted, { dryRun: true })).losses).toEqual(losses)
  expect((await model.read()).conversion).toBeNull()
  expect(refused.body.documents).toBe(410)
  // Duplicate values are reported even if the same change converts the values.
  const both = await model.change({ old: { multiple: true, unique: true } })
  expect([both.status, both.body.issues, both.body.repeated]).toEqual([
    400,
    [{ path: 'data.fields.3.unique', code: 'DuplicatedValue' }],
    [expect.objectContaining({ field: 'old', value: 'x' })],
  ])
  const originals = await allStored(model.uid)

  const changed = ok(await model.change(wanted, { acceptLoss: true }))
  expect(changed.losses).toEqual(losses)
  expect(changed.model.conversion).toEqual({ state: 'waiting', done: 0, total: null, repeated: [] })
  // Stored values are not rewritten yet, but reads return the new shape.
  expect(Object.values((await stored(first)).pub ?? {})).toContain('a < b')
  const one = ok(await owner.client.get(`${model.docs}/${first}`)).document
  expect(one).toMatchObject({ title: '池', body: '<p>a &lt; b</p>', n: 12, _sys: { status: 'published' } })
  expect(one.old).toBeUndefined()
  const [listed] = ok(await owner.client.get(`${model.docs}?_id=${drafted}`)).documents
  expect([listed.body, listed.n]).toEqual(['<p>下書き</p>', undefined])
  const published = await delivered('cdn', `${model.uid}/${drafted}`)
  expect([published.body.body, published.body.n]).toEqual(['<p>公開</p>', 1])
  const items = (await delivered('api', `${model.uid}?_id[in]=${first},${drafted}&select=body,n`)).body.items
  expect(items.map(({ body, n }: Loose) => [body, n]).sort()).toEqual(
    [
      ['<p>a &lt; b</p>', 12],
      ['<p>下書き</p>', null],
    ].sort(),
  )
  expect(ok(await owner.client.get(`${model.docs}/${first}/api`)).document.body).toBe('<p>a &lt; b</p>')

  for (const path of [`${referring.uid}/${referrer}`, `${referring.uid}?limit=1&to._id=${drafted}`]) {
    const { body } = await delivered('cdn', path)
    expect([path, (body.items?.[0] ?? body).to.body]).toEqual([path, '<p>公開</p>'])
  }

  // Values in two shapes cannot be compared.
  for (const query of ['n=12', 'order=n', 'body[match]=a', '[or]=(title=x;n[gt]=1)']) {
    const answer = await owner.client.get(`${model.docs}?${query}`)
    expect([query, answer.status, answer.body.code]).toEqual([query, 409, 'FieldIsBeingConverted'])
    const refused = await delivered('cdn', `${model.uid}?${query}`)
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
      429,
      'TooManyRequests',
      '5',
    ])
  }
  expect(ok(await owner.client.get(`${model.docs}?title=池&limit=1`)).total).toBe(205)

  // Saving stores both the draft and the published state in the new shape.
  ok(await owner.client.put(`${model.docs}/${drafted}`, { doc: { title: '新しい草稿' } }))
  const [draft, pub] = await stored(drafted).then((row) =>
    [row.draft, row.pub].map((values) => Object.values(values ?? {})),
  )
  expect(draft).toEqual(expect.arrayContaining(['新しい草稿', '<p>下書き</p>']))
  expect(pub).toEqual(expect.arrayContaining(['<p>公開</p>', 1]))

  // A second change during the conversion turns the number into a text again.
  ok(await model.change({ n: { type: 'TEXT' } }))
  expect(ok(await owner.client.get(`${model.docs}/${first}`)).document.n).toBe('12')

  work()
  for (let n = 0; (await model.read()).conversion !== null; n++) {
    const saved = await owner.client.put(`${model.docs}/${first}`, {
      doc: { title: `池 ${n}` },
      type: 'PUBLISH',
    })
    expect([saved.status, saved.body.code]).toEqual([200, undefined])
  }
  const { rows } = await installation.database.pool.query(
    `SELECT count(*) FILTER (WHERE d.pub::text LIKE '%<p>a &lt; b</p>%') AS rich,
       count(*) FILTER (WHERE d.draft::text LIKE '%<p>&lt;ごみ&gt;</p>%' AND d.deleted_at IS NOT NULL) AS trashed,
       count(*) FILTER (WHERE d.pub::text LIKE '%"12"%') AS texts, count(*) FILTER (WHERE d.pub::text LIKE '%"x"%') AS old
     FROM document d JOIN model m ON m.id = d.model_id WHERE m.uid = $1`,
    [model.uid],
  )
  expect(rows[0]).toEqual({ rich: 205, trashed: 205, texts: 205, old: 0 })
  expect(ok(await owner.client.get(`${model.docs}?n=12&limit=1`)).total).toBe(205)
  const [job] = ok(await owner.client.get(`${space.url}/job?name=models.convert`)).jobs
  expect([job.state, job.requestedBy._id]).toEqual(['done', owner.id])

  // Both changes are undone, the newer one first: everything is restored except later edits.
  const { changes } = ok(await owner.client.get(`${model.url}/change`))
  expect(changes.map(({ fields }: Loose) => fields)).toEqual([
    [{ uid: 'n', name: 'n', from: 'NUMBER', to: 'TEXT' }],
    [
      { uid: 'body', name: 'body', from: 'TEXT', to: 'RICH_TEXT' },
      { uid: 'n', name: 'n', from: 'TEXT', to: 'NUMBER' },
      { uid: 'old', name: 'old', from: 'TEXT', to: null },
    ],
  ])
  const [newer, older] = changes
  const takeBack = (version: number, more: Loose = {}) =>
    owner.client.post(`${model.url}/change:takeBack`, { version, ...more })
  const tooOld = await takeBack(older.version)
  expect([tooOld.status, tooOld.body.code, tooOld.body.reason]).toEqual([
    409,
    'ChangeCannotBeTakenBack',
    'newer',
  ])
  ok(await takeBack(newer.version))
  const early = await takeBack(older.version)
  expect([early.status, early.body.reason]).toEqual([409, 'converting'])
  await idle(model).toBeNull()
  ok(await owner.client.put(`${model.docs}/${first}`, { doc: { body: '<p>新しい<b>本文</b></p>' } }))
  const would = ok(await takeBack(older.version, { dryRun: true }))
  expect(would.losses).toEqual([{ field: 'body', documents: 1, reason: 'typeChanged' }])
  expect((await takeBack(older.version)).status).toBe(400)
  ok(await takeBack(older.version, { acceptLoss: true }))
  expect(ok(await owner.client.get(`${model.docs}/${first}`)).document).toMatchObject({
    body: '新しい本文',
    n: '12',
    old: 'x',
  })
  // Saves a document while values are being restored.
  ok(await owner.client.put(`${model.docs}/${drafted}`, { doc: { title: '三つ目の草稿' } }))
  await idle(model).toBeNull()
  expect((await model.read()).fields.map(({ uid, type }: Field) => `${uid} ${type}`)).toEqual([
    'title TEXT',
    'body TEXT',
    'n TEXT',
    'old TEXT',
  ])
  expect(ok(await owner.client.get(`${model.docs}/${drafted}`)).document).toMatchObject({
    title: '三つ目の草稿',
    body: '下書き',
    n: 'いくつ',
  })
  const after = await allStored(model.uid)
  for (const id of [first, drafted]) for (const states of [originals, after]) states.delete(id)
  expect(after.size).toBe(613)
  expect(after).toEqual(originals)
  expect(ok(await owner.client.get(`${model.url}/change`)).changes).toEqual([])
})

it('a unique rule of a large model is applied by the job, which reports duplicate values', async () => {
  const model = await make([text('title'), { uid: 'n', name: 'n', type: 'NUMBER' }])
  const first = await model.create({ title: '一', n: -1 })
  await multiply(installation, model.uid, 610)
  const { pool } = installation.database
  const { fields } = await model.read()
  const [{ id }] = (await pool.query('SELECT id FROM model WHERE uid = $1', [model.uid])).rows
  await pool.query(
    `UPDATE document SET pub = jsonb_set(pub, ARRAY[$2], to_jsonb(numbered.n))
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM document WHERE model_id = $1 AND id <> $3) AS numbered
     WHERE document.model_id = $1 AND document.id = numbered.id`,
    [id, fields[1]._id, first],
  )
  const reserved = async () => {
    const { rows } = await pool.query('SELECT count(*) AS n FROM document_unique WHERE model_id = $1', [id])
    return Number(rows[0].n)
  }
  ok(await model.change({ n: { unique: true } }))
  expect([(await model.read()).conversion.state, await reserved()]).toEqual(['waiting', 0])
  // Saves are already checked against the reserved values of documents in the new shape.
  const second = await model.create({ title: '二', n: 10_000 })
  const refused = await owner.client.post(model.docs, {
    document: { title: '三', n: 10_000 },
    type: 'PUBLISH',
  })
  expect([refused.status, refused.body.issues]).toEqual([400, [{ path: 'n', code: 'DuplicatedValue' }]])
  // Filters work, because the values are unchanged.
  expect(ok(await owner.client.get(`${model.docs}?n=10000&limit=1`)).total).toBe(1)
  ok(await owner.client.put(`${model.docs}/${second}`, { doc: { n: 7 }, type: 'PUBLISH' }))
  work()
  await idle(model).toBe('stopped')
  const { conversion } = await model.read()
  expect(conversion.repeated).toEqual([
    { field: 'n', value: '7', documents: [expect.stringMatching(/^[0-9a-f]{24}$/)] },
  ])
  const [job] = ok(await owner.client.get(`${space.url}/job?name=models.convert`)).jobs
  expect([job.state, job.error.code]).toEqual(['failed', 'ValuesRepeat'])
  expect(await reserved()).toBe(610)
  ok(await owner.client.put(`${model.docs}/${second}`, { doc: { n: 10_000 }, type: 'PUBLISH' }))
  ok(await owner.client.post(`${model.url}/conversion`, {}))
  await idle(model).toBeNull()
  expect(await reserved()).toBe(611)
  // Fields that are no longer unique reserve nothing.
  ok(await model.change({ n: { unique: false } }))
  await idle(model).toBeNull()
  expect(await reserved()).toBe(0)
})

it('a change of a custom type reports lost values, and is applied to a large model by the job', {
  tags: ['full'],
}, async () => {
  const types = `${app.url}/customFieldType`
  const data = { uid: 'part', name: '部品', fields: [text('a'), text('n')] }
  const type = ok(await owner.client.post(types, { data })).customFieldType
  const model = await make([
    text('title'),
    { uid: 'parts', name: 'parts', type: 'CUSTOM', customType: 'part', multiple: true },
    {
      uid: 'any',
      name: 'any',
      type: 'MULTI_TYPE',
      multiple: true,
      types: [{ type: 'CUSTOM', customType: 'part' }, { type: 'TEXT' }],
    },
  ])
  const any = [
    { type: 'part', data: { n: 'いくつ' } },
    { type: 'TEXT', data: 't' },
  ]
  const id = await model.create({
    title: '池',
    parts: [
      { a: 'x', n: '1' },
      { a: 'y', n: '二' },
    ],
    any,
  })
  await multiply(installation, model.uid, 610)
  const fields = [
    { ...type.fields[0], type: 'RICH_TEXT' },
    { ...type.fields[1], type: 'NUMBER' },
  ].map(({ _id, uid, name, type }) => ({ _id, uid, name, type }))
  const change = (more: Loose) => owner.client.put(`${types}/${type._id}`, { data: { fields }, ...more })
  const told = {
    losses: [
      { model: model.uid, field: 'parts.n', documents: 610, reason: 'typeChanged' },
      { model: model.uid, field: 'any[part].data.n', documents: 610, reason: 'typeChanged' },
    ],
    models: [{ uid: model.uid, documents: 610 }],
  }
  expect(ok(await change({ dryRun: true }))).toMatchObject(told)
  expect((await change({})).body).toMatchObject({ code: 'ValidationFailed', ...told })
  ok(await change({ acceptLoss: true }))
  expect((await model.read()).conversion.state).toBe('waiting')
  const shown = async () => {
    const { document } = ok(await owner.client.get(`${model.docs}/${id}`))
    expect(document.parts).toMatchObject([{ a: '<p>x</p>', n: 1 }, { a: '<p>y</p>' }])
    const item = (await delivered('cdn', `${model.uid}/${id}`)).body
    expect([item.parts[0].a, item.parts[0].n, item.any[1].data]).toEqual(['<p>x</p>', 1, 't'])
  }
  await shown()
  work()
  await idle(model).toBeNull()
  await shown()
  const { rows } = await installation.database.pool.query(
    `SELECT count(*) AS n FROM document d JOIN model m ON m.id = d.model_id
     WHERE m.uid = $1 AND d.pub::text LIKE '%<p>x</p>%'`,
    [model.uid],
  )
  expect(Number(rows[0].n)).toBe(610)
})

it('previous values can be restored before the change is confirmed, and are deleted afterwards', async () => {
  const model = await make([text('title'), text('body')])
  const [a, b] = [
    await model.create({ title: '一', body: 'a < b' }),
    await model.create({ title: '二', body: 'b' }),
  ]
  const before = await allStored(model.uid)
  const { titleField } = await model.read()
  const both = { title: { type: 'NUMBER' }, body: { type: 'NUMBER' } }
  const { model: changed } = ok(await model.change(both, { acceptLoss: true }))
  expect(changed.titleField).toBeNull()
  expect(ok(await owner.client.get(`${model.docs}/${a}`)).document.body).toBeUndefined()
  ok(await owner.client.post(`${model.url}/change:takeBack`, { version: changed.version }))
  expect(await allStored(model.uid)).toEqual(before)
  expect((await model.read()).titleField).toBe(titleField)

  ok(await model.change({ title: null, body: { type: 'NUMBER' } }, { acceptLoss: true }))
  const [change] = ok(await owner.client.get(`${model.url}/change`)).changes
  const confirm = (version: number) => owner.client.post(`${model.url}/change:confirm`, { version })
  expect((await confirm(change.version + 1)).status).toBe(404)
  expect(ok(await confirm(change.version)).changes).toEqual([])
  const late = await owner.client.post(`${model.url}/change:takeBack`, { version: change.version })
  expect(late.status).toBe(404)
  expect(ok(await owner.client.get(`${model.docs}/${b}`)).document.body).toBeUndefined()
  await purgeKept(installation.database.kysely, async () => undefined)
  const { rows } = await installation.database.pool.query(
    `SELECT (SELECT count(*) FROM document_before) AS kept, (SELECT count(*) FROM model_change WHERE ended_at IS NOT NULL) AS changes`,
  )
  expect([Number(rows[0].kept), Number(rows[0].changes)]).toEqual([expect.any(Number), 0])
  const { rows: own } = await installation.database.pool.query(
    'SELECT 1 FROM document_before WHERE document_id = ANY($1)',
    [[a, b]],
  )
  expect(own).toEqual([])
})

/** Sample values of each type, and the settings that the type needs. */
const samples: Record<string, unknown[]> = {
  TEXT: ['', '7', '1.5', 'a < b', '**太字**', '赤', '2026-11-24'],
  MARKDOWN: ['', '# 題\n\n本文', '**太字** & <b>x</b>', '7'],
  RICH_TEXT: ['', '<p>本文</p>', '<p><strong>太字</strong></p>', '<p>7</p>'],
  NUMBER: [null, 0, 7, -1.5],
  SELECT: [null, '赤', '青'],
}
const settings: Record<string, Loose> = {
  SELECT: { valueType: 'text', options: [{ value: '赤' }, { value: '青' }] },
}

const seed = Number(process.env.IMORI_TEST_SEED ?? Math.floor(Math.random() * 1e9))

it(`successive random changes lose only the reported values (seed ${seed})`, {
  tags: ['full'],
}, async () => {
  let state = seed
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const pick = <T>(items: T[]) => items[random(items.length)] as T
  const types = Object.keys(samples)
  const model = await make(
    ['a', 'b', 'c'].map((uid, index) => {
      const type = types[(index + random(types.length)) % types.length] as string
      return { uid, name: uid, type, ...settings[type] }
    }),
    { titleField: null },
  )
  const originals = new Map<string, Loose>()
  const before: Field[] = (await model.read()).fields
  for (let n = 0; n < 12; n++) {
    const document = Object.fromEntries(before.map(({ uid, type }) => [uid, pick(samples[type] ?? [])]))
    const id = await model.create(document, pick(['SAVE', 'PUBLISH']))
    const { draft, pub } = await stored(id)
    originals.set(id, { ...(draft ?? pub) })
  }
  await multiply(installation, model.uid, 200)

  const environment = { renderMarkdown: (source: string) => renderMarkdown(source) }
  for (let step = 0; step < 3; step++) {
    const { uid } = pick(before)
    const type = pick(types)
    const from = (await model.read()).fields as Field[]
    const told = await model.change(
      { [uid]: { ...settings[type], type, name: `${uid} ${step}` } },
      { acceptLoss: true },
    )
    const { losses, model: after } = ok(told)
    const expected: Record<string, number> = {}
    for (const values of originals.values())
      for (const field of from) {
        const to = (after.fields as Field[]).find(({ _id }) => _id === field._id)
        const { value, lost } = convertValue(field, to ?? null, values[field._id], environment)
        if (to && field.type !== to.type) {
          if (lost) expected[field.uid] = (expected[field.uid] ?? 0) + 200
          values[field._id] = value
        }
      }
    expect(Object.fromEntries(losses.map((loss: Loose) => [loss.field, loss.documents]))).toEqual(expected)
  }

  const shown = async () => {
    const { fields } = await model.read()
    for (const [id, values] of originals) {
      const { document } = ok(await owner.client.get(`${model.docs}/${id}`))
      for (const field of fields)
        expect([id, field.uid, document[field.uid]]).toEqual([id, field.uid, values[field._id]])
    }
  }
  await shown()
  work()
  await expect.poll(async () => (await model.read()).conversion).toBeNull()
  await shown()
  for (const [id, values] of originals) {
    const { draft, pub } = await stored(id)
    expect(draft ?? pub).toEqual(JSON.parse(JSON.stringify(values)))
  }
})

it('a conversion resumes after kill -9, and converts no document twice', { tags: ['full'] }, async () => {
  const model = await make([text('title'), text('body')])
  await model.create({ title: '池', body: 'a < b' })
  await multiply(installation, model.uid, 610)
  ok(await model.change({ body: { type: 'RICH_TEXT' } }))
  const { pool } = installation.database
  const converted = async () => {
    const { rows } = await pool.query(
      'SELECT count(*) AS n FROM document d JOIN model m ON m.id = d.model_id WHERE m.uid = $1 AND d.shape > 1',
      [model.uid],
    )
    return Number(rows[0].n)
  }
  const { user, host, port, database } = pool.options as unknown as Loose
  const connection = JSON.stringify(
    pool.options.connectionString ?? { user, host, port, database, password: pool.options.password },
  )
  // The job stops at the last document, which is locked.
  const holder = await pool.connect()
  await holder.query('BEGIN')
  await holder.query(
    `SELECT FROM document WHERE (model_id, id) =
      (SELECT model_id, max(d.id) FROM document d JOIN model m ON m.id = d.model_id WHERE m.uid = $1 GROUP BY model_id)
     FOR UPDATE`,
    [model.uid],
  )
  const args = ['--import', 'tsx', 'test/jobs-worker.ts', connection, 'features']
  child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  await expect.poll(converted, { interval: 5 }).toBeGreaterThan(0)
  await kill()
  await holder.query('ROLLBACK')
  holder.release()
  const before = await converted()
  expect(before).toBeLessThan(610)
  expect((await model.read()).conversion).not.toBeNull()

  work()
  await expect.poll(async () => (await model.read()).conversion).toBeNull()
  const { rows } = await pool.query(
    `SELECT DISTINCT e.value FROM document d JOIN model m ON m.id = d.model_id, jsonb_each_text(d.pub) e
     WHERE m.uid = $1 ORDER BY 1`,
    [model.uid],
  )
  expect(rows.map(({ value }) => value).sort()).toEqual(['<p>a &lt; b</p>', '池'])
  expect(await converted()).toBe(610)
})

it('derived rows match the documents after the conversions of the other tests', {
  tags: ['full'],
}, async () => {
  expect(await findViolations(installation.database, { typesChanged: true })).toEqual([])
})
