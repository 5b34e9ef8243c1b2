import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createMember, createModel, createSpace, unique } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let accountId: string
let space: { uid: string; url: string }
let app: { uid: string; url: string }

beforeAll(async () => {
  installation = await startInstallation()
  const account = await createAccount(installation)
  client = account.client
  accountId = account.id
  space = await createSpace(client)
  app = await createApp(client, space)
})
afterAll(() => installation?.close())

/** Creates a model, by default with a title and a body. `docs` is the URL of its documents. */
async function makeModel(fields: Parameters<typeof createModel>[3] = undefined) {
  const model = await createModel(client, app, unique('article'), fields)
  return { ...model, docs: `${model.url}/doc` }
}

it('saving a draft of a published document does not change the responses of the CDN API', async () => {
  const { docs, uid } = await makeModel()
  const { document } = ok(await client.post(docs, { document: { title: '公開' }, type: 'PUBLISH' }))
  const data = { name: 'site' }
  const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data }))
  const read = async (address: string) => {
    const headers = { authorization: `Bearer ${cdnToken.token}` }
    const answer = await installation.visitor().get(`/v1/${app.uid}/${uid}${address}`, headers)
    return { status: answer.status, etag: answer.headers.etag, text: answer.text }
  }
  const addresses = ['', `/${document._id}`, '?order=-_sys.raw.updatedAt&select=_sys']
  const before = await Promise.all(addresses.map(read))
  expect(before.map(({ status }) => status)).toEqual([200, 200, 200])
  const at = `${docs}/${document._id}`
  ok(await client.put(at, { doc: { title: '秘密の下書き' } }))
  expect(await Promise.all(addresses.map(read))).toEqual(before)
  const { updatedAt } = ok(await client.get(at)).document._sys
  ok(await client.put(at, { doc: {}, type: 'PUBLISH' }))
  const after = JSON.parse((await read(`/${document._id}`)).text)
  expect([after.title, after._sys.raw.updatedAt]).toEqual(['秘密の下書き', updatedAt])
})

describe('a document', () => {
  it('changes its status and gets a revision when it is saved, published and unpublished', async () => {
    const { docs, url } = await makeModel()
    const created = ok(await client.post(docs, { document: { title: '初めての記事', body: '<p>本文</p>' } }))
    expect(created.document).toMatchObject({
      title: '初めての記事',
      body: '<p>本文</p>',
      _sys: { version: 1, status: 'draft', firstPublishedAt: null, publishedAt: null, customOrder: null },
    })
    const { _id: id } = created.document
    const at = `${docs}/${id}`

    const published = ok(await client.put(at, { doc: {}, type: 'PUBLISH' })).document
    expect(published._sys).toMatchObject({ version: 2, status: 'published' })
    expect(published._sys.publishedAt).toBe(published._sys.firstPublishedAt)
    expect(published._sys.updatedAt).toBe(created.document._sys.updatedAt)

    const changed = ok(await client.put(at, { doc: { title: '改訂' } })).document
    expect(changed._sys).toMatchObject({
      version: 3,
      status: 'changed',
      publishedAt: published._sys.publishedAt,
    })
    expect(changed.body).toBe('<p>本文</p>')

    const back = ok(await client.put(at, { doc: { title: '初めての記事' } })).document
    expect(back._sys).toMatchObject({ version: 4, status: 'published' })

    const again = ok(await client.put(at, { doc: { title: '再改訂' }, type: 'PUBLISH' })).document
    expect(again._sys).toMatchObject({ version: 5, status: 'published' })
    expect(again._sys.firstPublishedAt).toBe(published._sys.firstPublishedAt)
    expect(again._sys.publishedAt > published._sys.publishedAt).toBe(true)

    const withdrawn = ok(await client.post(`${docs}/bulkUnpublish`, { documentIds: [id] }))
    expect(withdrawn.results).toEqual([{ _id: id, success: true }])
    const draft = ok(await client.get(at)).document
    expect(draft._sys).toMatchObject({ version: 6, status: 'draft', publishedAt: null })
    expect(draft._sys.firstPublishedAt).toBe(published._sys.firstPublishedAt)

    const { revisions } = ok(await client.get(`${at}/revisions`))
    expect(revisions.map((revision: { kind: string }) => revision.kind)).toEqual([
      'unpublish',
      'publish',
      'save',
      'save',
      'publish',
      'create',
    ])
    expect(ok(await client.get(`${at}/revision/3`)).revision.values.title).toBe('改訂')
    expect(ok(await client.get(`${at}/revision/3`)).revision.left).toEqual([])
    expect(ok(await client.get(`${at}/revision/latest`)).revision.version).toBe(6)

    ok(await client.delete(at))
    expect((await client.get(at)).status).toBe(404)
    expect(ok(await client.get(docs)).total).toBe(0)
    expect(ok(await client.get(url)).model).toMatchObject({ documentCount: 0, publishedCount: 0 })
  })

  it('keeps its version and times if an update changes nothing', async () => {
    const { docs } = await makeModel()
    const { document } = ok(await client.post(docs, { document: { title: 'a' }, type: 'PUBLISH' }))
    for (const body of [{ doc: document }, { doc: { title: 'a', body: '' } }, { doc: {}, type: 'PUBLISH' }])
      expect(ok(await client.put(`${docs}/${document._id}`, body)).document).toEqual(document)
  })

  it('names the accounts that created it and that last changed it', async () => {
    const { docs } = await makeModel()
    const other = await createMember(installation, space, 'pjt-Admin')
    const { document } = ok(await client.post(docs, { document: { title: 'a' } }))
    const changed = ok(await other.client.put(`${docs}/${document._id}`, { doc: { title: 'b' } })).document
    expect(changed._sys.createdBy).toEqual({ _id: accountId, name: '山田花子' })
    expect(changed._sys.updatedBy).toEqual({ _id: other.id, name: other.name })
    const published = ok(await client.put(`${docs}/${document._id}`, { doc: {}, type: 'PUBLISH' })).document
    expect(published._sys.updatedBy._id).toBe(other.id)
    const { revisions } = ok(await client.get(`${docs}/${document._id}/revisions?limit=2`))
    expect(revisions).toMatchObject([
      { version: 3, kind: 'publish', source: 'admin', createdBy: { _id: accountId } },
      { version: 2, kind: 'save', createdBy: { _id: other.id } },
    ])
  })

  it('has a paged list of revisions that marks the published revision', async () => {
    const { docs } = await makeModel()
    const { document } = ok(await client.post(docs, { document: { title: '1' } }))
    const at = `${docs}/${document._id}`
    const versions = async (query: string) =>
      ok(await client.get(`${at}/revisions?${query}`)).revisions.map(
        ({ version, published }: { version: number; published: boolean }) => [version, published],
      )
    expect(await versions('')).toEqual([[1, false]])
    ok(await client.put(at, { doc: { title: '2' }, type: 'PUBLISH' }))
    ok(await client.put(at, { doc: { title: '3' } }))
    expect(await versions('limit=2')).toEqual([
      [3, false],
      [2, true],
    ])
    expect(await versions('limit=2&before=2')).toEqual([[1, false]])
    expect(await versions('before=1')).toEqual([])
    expect(ok(await client.get(`${at}/revision/2`)).revision.published).toBe(true)
    for (const before of ['0', 'x', '99999999999', '1.5'])
      expect((await client.get(`${at}/revisions?before=${before}`)).status).toBe(400)
  })

  it('causes one notification and one outbox event when it is created, published, reordered or deleted', async () => {
    const { docs } = await makeModel()
    const { pool } = installation.database
    const listener = await pool.connect()
    const heard: string[] = []
    listener.on('notification', ({ payload }) => heard.push(JSON.parse(payload ?? '{}').kind))
    await listener.query('LISTEN imori')
    const { _id } = ok(await client.post(docs, { document: { title: 'a' } })).document
    ok(await client.put(`${docs}/${_id}`, { doc: { title: 'a' } }))
    ok(await client.put(`${docs}/${_id}`, { doc: { title: 'b' }, type: 'PUBLISH' }))
    ok(await client.post(`${docs}/updateCustomOrder`, { documentIds: [_id] }))
    ok(await client.delete(`${docs}/${_id}`))
    await client.put(`${docs}/${_id}`, { doc: { title: 'c' } })
    await listener.query('UNLISTEN imori')
    listener.release()
    expect(heard).toEqual(['model', 'model', 'model', 'model'])
    const { rows } = await pool.query(
      `SELECT type, payload, actor_id FROM event WHERE document_id = $1 OR (type = 'document.customOrderChanged'
         AND model_id = (SELECT model_id FROM document WHERE id = $1)) ORDER BY id`,
      [_id],
    )
    expect(rows.map((row) => [row.type, row.payload])).toEqual([
      ['document.created', { version: 1, publishedVersion: null }],
      ['document.published', { version: 2, publishedVersion: 2 }],
      ['document.customOrderChanged', {}],
      ['document.deleted', { version: 3, publishedVersion: null, wasPublished: true }],
    ])
    expect(new Set(rows.map((row) => row.actor_id))).toEqual(new Set([accountId]))
  })
})

describe('an exported list', () => {
  it('contains the documents that match the filters, with the chosen columns', async () => {
    const { docs, uid } = await makeModel([
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'price', name: '=値段', type: 'NUMBER' },
      { uid: 'words', name: '語', type: 'TEXT', multiple: true },
    ])
    const titles = ['=HYPERLINK("x")', '"引用", 改行', '＠full', 'ふつう', '除外']
    const ids = new Map<string, string>()
    for (const [index, title] of titles.entries()) {
      const document = { title, price: index - 2, words: ['一', '二'] }
      ids.set(title, ok(await client.post(docs, { document })).document._id)
    }
    // More documents than fit into one batch.
    for (let index = 0; index < 30; index++) ok(await client.post(docs, { document: { title: `x${index}` } }))
    const filters = `title[ne]=${encodeURIComponent('除外')}&price[exists]=true&order=-price`
    const select = 'select=price,_sys.status,title,words,_sys.createdBy'
    const csv = await client.get(`${docs}/export.csv?${filters}&${select}`)
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(`アプリ ${app.uid}_モデル ${uid}.csv`)}`,
    })
    const { auditLogs } = ok(await client.get(`${space.url}/auditLog?search=model.export`))
    expect(auditLogs[0]).toMatchObject({
      actor: { kind: 'account' },
      ip: client.ip,
      object: { kind: 'model', _id: uid },
      details: { app: app.uid, format: 'csv', exported: 4 },
    })
    const line = (title: string, price: number, cell = title) =>
      `${ids.get(title)},${price},下書き,${cell},"一\n二",山田花子`
    expect(csv.bytes.toString()).toBe(
      [
        "\ufeff_id,'=値段,ステータス,題,語,作成者",
        line('ふつう', 1),
        line('＠full', 0, "'＠full"),
        line('"引用", 改行', -1, '"""引用"", 改行"'),
        line('=HYPERLINK("x")', -2, `"'=HYPERLINK(""x"")"`),
        '',
      ].join('\r\n'),
    )
    const one = `title=${encodeURIComponent('ふつう')}`
    expect(ok(await client.get(`${docs}/export.json?${one}&select=title,_sys.status`))).toEqual([
      { _id: ids.get('ふつう'), title: 'ふつう', _sys: { status: 'draft' } },
    ])
    const all = ok(await client.get(`${docs}/export.json?order=_sys.createdAt`))
    expect(all).toHaveLength(35)
    expect(all.slice(0, 5).map(({ _id }: { _id: string }) => _id)).toEqual([...ids.values()])
    expect(new Set(all.map(({ _id }: { _id: string }) => _id)).size).toBe(35)
    expect(all).toContainEqual({
      _id: ids.get('=HYPERLINK("x")'),
      title: '=HYPERLINK("x")',
      price: -2,
      words: ['一', '二'],
    })
    expect(ok(await client.get(`${docs}/export.json?title=nothing`))).toEqual([])
    const heading = async (query: string) =>
      (await client.get(`${docs}/export.csv?title=nothing&${query}`)).bytes.toString()
    expect(await heading('select=title')).toBe('\ufeff_id,題\r\n')
    expect(await heading('select=price,title,_sys.status&_headings=uids')).toBe(
      '\ufeff_id,price,title,_sys.status\r\n',
    )
    expect(await heading('select=title&_headings=names')).toBe('\ufeff_id,題\r\n')
  })

  it("has a file name that keeps joiner characters from the model's name", async () => {
    const name = 'کتاب\u200cها 👩\u200d🌾: /2'
    const data = { uid: unique('joined'), name, fields: [{ uid: 'title', name: '題', type: 'TEXT' }] }
    ok(await client.post(`${app.url}/model`, { data }))
    const { headers } = await client.get(`${app.url}/model/${data.uid}/doc/export.csv`)
    const fileName = String(headers['content-disposition']).split("''")[1] ?? ''
    expect(decodeURIComponent(fileName)).toBe(`アプリ ${app.uid}_کتاب\u200cها 👩\u200d🌾- -2.csv`)
  })

  it('as CSV has times in the default time zone Asia/Tokyo, and statuses in the language of the user', async () => {
    const { docs } = await makeModel([
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'startsAt', name: '開始', type: 'DATE', inputType: 'datetime' },
      { uid: 'day', name: '日', type: 'DATE', inputType: 'date' },
    ])
    const values = { title: 'a', startsAt: '2026-04-01T15:30:00.250Z', day: '2026-04-01T00:00:00.000Z' }
    const { document } = ok(await client.post(docs, { document: values, type: 'PUBLISH' }))
    ok(await client.put(`${docs}/${document._id}`, { doc: { title: 'b' } }))
    const select = 'select=startsAt,day,_sys.status,_sys.createdAt'
    const table = async (language: string, headings = 'names') => {
      ok(await client.put(`/api/account/${accountId}`, { data: { language } }))
      const { bytes } = await client.get(`${docs}/export.csv?${select}&_headings=${headings}`)
      return bytes.toString().slice(1).trim().split('\r\n')
    }
    const created = new Date(Date.parse(document._sys.createdAt) + 9 * 3_600_000).toISOString().slice(0, 23)
    const times = `${document._id},2026-04-02 00:30:00,2026-04-01`
    const at = created.slice(0, 19).replace('T', ' ')
    expect(await table('en')).toEqual(['_id,開始,日,Status,Created at', `${times},Published (changed),${at}`])
    expect(await table('ja')).toEqual([
      '_id,開始,日,ステータス,作成日時',
      `${times},公開中（変更あり）,${at}`,
    ])
    // Tables with uids are for programs and have complete times with the offset.
    expect(await table('ja', 'uids')).toEqual([
      '_id,startsAt,day,_sys.status,_sys.createdAt',
      `${document._id},2026-04-02T00:30:00.250+09:00,2026-04-01,公開中（変更あり）,${created.replace(/\.000$/, '')}+09:00`,
    ])
  })

  it('is rejected with the name of the invalid parameter', async () => {
    const { docs } = await makeModel()
    for (const [query, culprit] of [
      ['select=gone', 'select=gone'],
      ['select=title,_sys.secret', 'select=_sys.secret'],
      ['limit=5', 'limit'],
      ['gone=1', 'gone'],
      ['select=title&select=title', 'select'],
      ['_headings=ids', '_headings'],
      ['_headings=uids&_headings=uids', '_headings'],
    ])
      expect((await client.get(`${docs}/export.csv?${query}`)).body).toMatchObject({
        code: 'InvalidQueryParameter',
        issues: [{ path: culprit, code: 'InvalidValue' }],
      })
  })
})
