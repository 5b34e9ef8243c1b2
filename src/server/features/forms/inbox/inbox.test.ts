import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countedSubmissions, maxBulkSubmissions } from '#shared/contract/form-submissions.ts'
import {
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { insertForm, insertFormFile, insertSubmission, type SubmissionValues } from '#test/forms.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let spaceId: number
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  spaceId = await idOf(space)
})
afterAll(() => installation?.close())

const db = () => installation.database.kysely
const idOf = async ({ uid }: { uid: string }) =>
  (await db().selectFrom('space').select('id').where('uid', '=', uid).executeTakeFirstOrThrow()).id
const unknown = '0'.repeat(24)

/** A form with its path in the management API. */
interface Inbox {
  id: string
  url: string
}
async function makeInbox(values = {}): Promise<Inbox> {
  const { id } = await insertForm(db(), spaceId, values)
  return { id, url: `${space.url}/form/${id}/message` }
}
const add = ({ id }: Inbox, values?: SubmissionValues) => insertSubmission(db(), spaceId, id, values)
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
const list = async ({ url }: Inbox, query = '') => ok(await admin.client.get(url + query))
const idsIn = async (inbox: Inbox, query = ''): Promise<string[]> =>
  (await list(inbox, query)).submissions.map(({ _id }: { _id: string }) => _id)
const memberWith = async (...rights: string[]) => {
  const data = { name: unique('係'), rights: ['space.view', ...rights] }
  return createMember(
    installation,
    space,
    ok(await admin.client.post(`${space.url}/role`, { data })).role.uid,
  )
}
const newestEntry = async () => ok(await admin.client.get(`${space.url}/auditLog?limit=1`)).auditLogs[0]

describe('listSubmissions', () => {
  it('returns pages of all states except spam, newest first, and the number of each state', async () => {
    const inbox = await makeInbox()
    const states = ['new', 'inProgress', 'done', 'spam'] as const
    const ids: string[] = []
    // Two submissions share each time, so that the order also depends on the id.
    for (let n = 0; n < 12; n++)
      ids.push(await add(inbox, { state: states[n % 4] ?? 'new', receivedAt: at(Math.floor(n / 2)) }))
    await add(inbox, { deletedAt: new Date() })
    const rows = await db()
      .selectFrom('form_submission')
      .select('id')
      .where('form_id', '=', inbox.id)
      .where('deleted_at', 'is', null)
      .where('state', '<>', 'spam')
      .orderBy('received_at', 'desc')
      .orderBy('id', 'desc')
      .execute()
    const seen: string[] = []
    for (let before = ''; ; ) {
      const page = await list(inbox, `?limit=2${before}`)
      expect(page.counts).toEqual({ new: 3, inProgress: 3, done: 3, spam: 3 })
      seen.push(...page.submissions.map(({ _id }: { _id: string }) => _id))
      expect(page.isMore).toBe(seen.length < 9)
      if (!page.isMore) break
      before = `&before=${seen.at(-1)}`
    }
    expect(seen).toEqual(rows.map(({ id }) => id))
    expect(await idsIn(inbox, '?state=spam')).toEqual([ids[11], ids[7], ids[3]])
    expect(await idsIn(inbox, `?state=spam&before=${ids[7]}`)).toEqual([ids[3]])
  })

  it('returns the submissions in the trash in every state', async () => {
    const inbox = await makeInbox()
    const deletedAt = new Date('2026-02-01T00:00:00Z')
    const ids = [
      await add(inbox, { receivedAt: at(1), deletedAt, state: 'spam' }),
      await add(inbox, { receivedAt: at(2), deletedAt }),
      await add(inbox, { receivedAt: at(3), deletedAt, state: 'done' }),
    ]
    await add(inbox)
    expect(await idsIn(inbox, '?trash=true')).toEqual(ids.toReversed())
    expect(await idsIn(inbox, `?trash=true&before=${ids[1]}`)).toEqual([ids[0]])
    expect((await list(inbox, '?trash=true')).submissions[0].deletedAt).toBe(deletedAt.toISOString())
  })

  it('returns the first four values that are not blank, shortened, as the preview', async () => {
    const inbox = await makeInbox()
    const email = 'user@example.com'
    const values = [
      { name: '空', value: '' },
      { name: '空白', value: ' \n　' },
      { name: '__proto__', value: '<b>"\\u0000\\' },
      { name: '長い', value: '🦎'.repeat(200) },
      { name: '複数', value: ['', '甲', '乙', 'x'.repeat(300)] },
      { name: '無し', value: [] },
      { name: '=1+1', value: '=cmd()' },
      { name: '五番目', value: '見えない' },
    ]
    await add(inbox, { values, email, receivedAt: at(1) })
    expect((await list(inbox)).submissions).toEqual([
      {
        _id: expect.any(String),
        state: 'new',
        email,
        preview: [
          { name: '__proto__', value: '<b>"\\u0000\\' },
          { name: '長い', value: '🦎'.repeat(120) },
          { name: '複数', value: `甲, 乙, ${'x'.repeat(114)}` },
          { name: '=1+1', value: '=cmd()' },
        ],
        fileCount: 0,
        receivedAt: at(1).toISOString(),
        deletedAt: null,
      },
    ])
  })

  it('counts at most 1,000 submissions of a state', async () => {
    const inbox = await makeInbox()
    await installation.database.pool.query(
      `INSERT INTO form_submission (space_id, id, form_id, "values", language)
       SELECT $1, lpad(to_hex(n), 24, '0'), $2, '[]', 'ja' FROM generate_series(1, $3) n`,
      [spaceId, inbox.id, countedSubmissions + 5],
    )
    expect((await list(inbox)).counts).toEqual({ new: countedSubmissions, inProgress: 0, done: 0, spam: 0 })
  })

  it('rejects invalid parameters with their path, and a cursor of another form', async () => {
    const [inbox, other] = [await makeInbox(), await makeInbox()]
    const elsewhere = await add(other)
    for (const [query, path] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=x', 'limit'],
      ['state=deleted', 'state'],
      ['trash=perhaps', 'trash'],
      ['before=x', 'before'],
      [`before=${unknown}`, 'before'],
      [`before=${elsewhere}`, 'before'],
    ]) {
      const { status, body } = await admin.client.get(`${inbox.url}?${query}`)
      expect([query, status, body.issues[0].path]).toEqual([query, 400, path])
    }
  })
})

describe('getSubmission', () => {
  it('returns all values as they were sent, and the files', async () => {
    const inbox = await makeInbox()
    const values = [
      { name: 'お名前', value: '山田\r\n花子' },
      { name: 'topics', value: ['', '甲'] },
      { name: '__proto__', value: '' },
      { name: 'x', value: 'あ'.repeat(100_000) },
    ]
    const page = 'https://example.com/contact'
    const id = await add(inbox, { values, page, email: 'user@example.com', receivedAt: at(1) })
    const file = await insertFormFile(installation, spaceId, { formId: inbox.id, id }, { fileName: '図.png' })
    const { submission } = ok(await admin.client.get(`${inbox.url}/${id}`))
    expect(submission).toMatchObject({
      _id: id,
      values,
      page,
      language: 'ja',
      email: 'user@example.com',
      fileCount: 1,
      receivedAt: at(1).toISOString(),
      files: [{ _id: file, name: '添付', fileName: '図.png', fileType: 'text/plain', fileSize: 5 }],
    })
  })
})

describe('updateSubmission', () => {
  it('changes the state, and records it without data of the visitor', async () => {
    const inbox = await makeInbox({ name: '採用' })
    const id = await add(inbox, { email: 'visitor@example.com' })
    const answer = await admin.client.patch(`${inbox.url}/${id}`, { data: { state: 'done' } })
    expect(ok(answer).submission).toMatchObject({ _id: id, state: 'done' })
    const entry = await newestEntry()
    expect(entry).toMatchObject({
      act: 'submission.update',
      object: { kind: 'submission', _id: id, name: '採用' },
      details: { changes: [{ key: 'state', before: 'new', after: 'done' }] },
    })
    expect(JSON.stringify(entry)).not.toContain('visitor@')
    expect(await idsIn(inbox, '?state=done')).toEqual([id])
    expect((await admin.client.patch(`${inbox.url}/${id}`, { data: { state: 'lost' } })).status).toBe(400)
    expect((await admin.client.patch(`${inbox.url}/${id}`, { data: {} })).status).toBe(400)
  })

  it('returns 404 for a submission in the trash', async () => {
    const inbox = await makeInbox()
    const id = await add(inbox, { deletedAt: new Date() })
    expect((await admin.client.patch(`${inbox.url}/${id}`, { data: { state: 'done' } })).status).toBe(404)
  })
})

describe('bulk calls', () => {
  const bulk = (inbox: Inbox, act: string, ids: string[], more = {}) =>
    admin.client.post(`${inbox.url}:bulk${act}`, { ids, ...more })
  const done = (...ids: string[]) => ids.map((_id) => ({ _id, success: true }))
  const missing = (_id: string) => ({ _id, success: false, code: 'NotFound' })

  it('return a result for each id in their order', async () => {
    const [inbox, other] = [await makeInbox(), await makeInbox()]
    const [a, b, trashed] = [await add(inbox), await add(inbox), await add(inbox, { deletedAt: new Date() })]
    const foreign = await add(other)
    const data = { state: 'inProgress' }
    const updated = await bulk(inbox, 'Update', [b, unknown, foreign, trashed, a, b], { data })
    const expected = [done(b), missing(unknown), missing(foreign), missing(trashed), done(a, b)].flat()
    expect(ok(updated).results).toEqual(expected)
    expect(await newestEntry()).toMatchObject({
      act: 'submission.update',
      details: { items: { count: 6, failed: 3 }, state: 'inProgress' },
    })
    expect((await idsIn(inbox, '?state=inProgress')).toSorted()).toEqual([a, b].toSorted())
    expect((await list(other)).counts.new).toBe(1)

    expect(ok(await bulk(inbox, 'Delete', [a, foreign, trashed])).results).toEqual([
      ...done(a),
      missing(foreign),
      ...done(trashed),
    ])
    expect((await idsIn(inbox, '?trash=true')).toSorted()).toEqual([a, trashed].toSorted())
    expect(ok(await bulk(inbox, 'Restore', [a, b, unknown])).results).toEqual([
      ...done(a, b),
      missing(unknown),
    ])
    expect(await idsIn(inbox, '?trash=true')).toEqual([trashed])
    expect(await newestEntry()).toMatchObject({ act: 'submission.restore', object: { _id: inbox.id } })
  })

  it('keep the time at which a submission was moved to the trash when it is deleted again', async () => {
    const inbox = await makeInbox()
    const deletedAt = new Date('2026-01-01T00:00:00Z')
    const id = await add(inbox, { deletedAt })
    ok(await bulk(inbox, 'Delete', [id]))
    expect((await list(inbox, '?trash=true')).submissions[0].deletedAt).toBe(deletedAt.toISOString())
  })

  it('all succeed when they run concurrently about the same submissions', async () => {
    const inbox = await makeInbox()
    const ids: string[] = []
    for (let n = 0; n < 20; n++) ids.push(await add(inbox))
    const answers = await Promise.all(
      ['done', 'new', 'spam', 'inProgress'].flatMap((state, index) => {
        const order = index % 2 ? ids.toReversed() : ids
        return [bulk(inbox, 'Update', order, { data: { state } }), bulk(inbox, 'Restore', order)]
      }),
    )
    for (const answer of answers) expect(ok(answer).results).toHaveLength(20)
    const { counts } = await list(inbox)
    expect(Object.values(counts).filter((count) => count === 20)).toHaveLength(1)
  })

  it('reject no ids, malformed ids and too many ids', async () => {
    const inbox = await makeInbox()
    for (const ids of [[], ['x'], [null], 'x', Array(maxBulkSubmissions + 1).fill(unknown)])
      for (const act of ['Update', 'Delete', 'Restore'])
        expect(
          (await bulk(inbox, act, ids as string[], act === 'Update' ? { data: { state: 'done' } } : {}))
            .status,
        ).toBe(400)
  })
})

describe('getSubmissionFile', () => {
  it('returns the bytes as a download of no media type that browsers execute, and records it', async () => {
    const inbox = await makeInbox({ name: '応募' })
    const id = await add(inbox)
    const file = await insertFormFile(
      installation,
      spaceId,
      { formId: inbox.id, id },
      { fileName: '履歴書 "1".html', mediaType: 'text/html', bytes: '<script>alert(1)</script>' },
    )
    const answer = await admin.client.get(`${inbox.url}/${id}/file/${file}`)
    expect([answer.status, answer.text]).toEqual([200, '<script>alert(1)</script>'])
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '25',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent('履歴書 "1".html')}`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    const entry = await newestEntry()
    expect(entry).toMatchObject({
      act: 'submission.downloadFile',
      object: { _id: id, name: '応募' },
      details: { file },
    })
    expect(JSON.stringify(entry)).not.toContain('履歴書')
  })

  it('returns 404 for a file of another submission, and for a file that its storage lost', async () => {
    const inbox = await makeInbox()
    const [id, other] = [await add(inbox), await add(inbox)]
    const file = await insertFormFile(installation, spaceId, { formId: inbox.id, id }, { bytes: 'lost' })
    const statusOf = async (path: string) => (await admin.client.get(`${inbox.url}/${path}`)).status
    expect(await statusOf(`${other}/file/${file}`)).toBe(404)
    expect(await statusOf(`${id}/file/${unknown}`)).toBe(404)
    expect(await statusOf(`${id}/file/none`)).toBe(404)
    const row = await db()
      .selectFrom('form_file')
      .select('storage_key')
      .where('id', '=', file)
      .executeTakeFirstOrThrow()
    await installation.deps.services.storages.local.delete(row.storage_key)
    expect(await statusOf(`${id}/file/${file}`)).toBe(404)
  })
})

describe('the submissions of a form', () => {
  /** Returns the status of every call, or the code of the first result of a bulk call. */
  async function answersTo({ client }: TestAccount, url: string, id: string, file: string, as = {}) {
    const data = { state: 'done' }
    const calls = {
      list: () => client.get(url, as),
      get: () => client.get(`${url}/${id}`, as),
      export: () => client.get(`${url}:export?format=ndjson`, as),
      file: () => client.get(`${url}/${id}/file/${file}`, as),
      update: () => client.patch(`${url}/${id}`, { data }, as),
      bulkUpdate: () => client.post(`${url}:bulkUpdate`, { ids: [id], data }, as),
      bulkDelete: () => client.post(`${url}:bulkDelete`, { ids: [id] }, as),
      bulkRestore: () => client.post(`${url}:bulkRestore`, { ids: [id] }, as),
    }
    const answers: Record<string, unknown> = {}
    for (const [name, call] of Object.entries(calls)) {
      const { status, body } = await call()
      answers[name] = status === 200 ? (body?.results?.[0].code ?? 200) : status
    }
    return answers
  }
  const reading = (status: unknown) => ({ list: status, get: status, export: status, file: status })
  const changing = (status: unknown) => ({
    update: status,
    bulkUpdate: status,
    bulkDelete: status,
    bulkRestore: status,
  })
  const every = (status: unknown) => ({ ...reading(status), ...changing(status) })
  async function fill(inbox: Inbox): Promise<[url: string, id: string, file: string]> {
    const id = await add(inbox)
    return [inbox.url, id, await insertFormFile(installation, spaceId, { formId: inbox.id, id })]
  }

  it('are open to members with the right for each call only, and not to roles of apps', async () => {
    const one = await fill(await makeInbox())
    const app = await createApp(admin.client, space)
    const inApp = { admin: admin.client, url: app.url, role: 'app-Admin' }
    const appAdmin = await createMember(installation, space, 'pjt-Member', inApp)
    expect(await answersTo(appAdmin, ...one)).toEqual(every(403))
    expect(await answersTo(await memberWith('form.read'), ...one)).toEqual(every(403))
    expect(await answersTo(await memberWith('form.read', 'form.manage'), ...one)).toEqual(every(403))
    const reader = await memberWith('form.read', 'submission.read')
    expect(await answersTo(reader, ...one)).toEqual({ ...reading(200), ...changing(403) })
    const manager = await memberWith('form.read', 'submission.read', 'submission.manage')
    expect(await answersTo(manager, ...one)).toEqual(every(200))
    expect(await answersTo(await createAccount(installation), ...one)).toEqual(every(404))
  })

  it('are visible in a preview of a member with the right only, and cannot be changed there', async () => {
    const one = await fill(await makeInbox())
    const viewAs = (memberId: string) => answersTo(admin, ...one, { 'x-imori-view-as': memberId })
    const manager = await memberWith('form.read', 'submission.read', 'submission.manage')
    const shown = await viewAs(manager.memberId)
    expect(shown).toMatchObject({ list: 200, get: 200, ...changing(403) })
    expect(await viewAs((await memberWith('form.read')).memberId)).toEqual(every(403))
  })

  it('cannot be reached through another form or another space', async () => {
    const [url, id, file] = await fill(await makeInbox())
    const other = await makeInbox()
    const notFound = { bulkUpdate: 'NotFound', bulkDelete: 'NotFound', bulkRestore: 'NotFound' }
    const missing = { get: 404, file: 404, update: 404, ...notFound }
    expect(await answersTo(admin, other.url, id, file)).toEqual({ list: 200, export: 200, ...missing })
    expect(await answersTo(admin, `${space.url}/form/${unknown}/message`, id, file)).toEqual(every(404))
    expect(await answersTo(admin, `${space.url}/form/none/message`, id, file)).toEqual(every(404))
    const foreign = await createSpace(admin.client)
    const moved = url.replace(space.url, foreign.url)
    expect(await answersTo(admin, moved, id, file)).toEqual(every(404))
    expect(await answersTo(admin, url, id, file)).toEqual(every(200))
  })

  it('cannot be reached while the form is in the trash', async () => {
    const inbox = await makeInbox()
    const one = await fill(inbox)
    ok(await admin.client.delete(`${space.url}/form/${inbox.id}`))
    expect(await answersTo(admin, ...one)).toEqual(every(404))
    ok(await admin.client.post(`${space.url}/form/${inbox.id}:restore`))
    expect(await answersTo(admin, ...one)).toEqual(every(200))
  })
})
