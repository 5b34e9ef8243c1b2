import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { spaceScope } from '#server/db/scope.ts'
import { recordEvents } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { mailsOf } from '#test/kept-mails.ts'
import { ok } from '#test/server.ts'
import { type Hooks, newSpace, type Received, type Receiver, startHooks } from '#test/webhooks.ts'
import { deleteOldMessages, giveUpWaiting, isDue } from './delivery/retention.repository.ts'
import { webhookConsumer } from './webhooks.consumer.ts'

let hooks: Hooks
let receiver: Receiver
const post: Hooks['admin']['client']['post'] = (...given) => hooks.admin.client.post(...given)

beforeAll(async () => {
  hooks = await startHooks()
  receiver = hooks.receiver
})
afterAll(() => hooks?.close())
beforeEach(() => hooks.clear())

const signatureOf = (signingSecret: string, { headers, body }: Received) => {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const key = Buffer.from(signingSecret.replace('whsec_', ''), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

describe('a webhook', () => {
  it('sends signed requests for its event types, with the document as it was at the event', async () => {
    const { space, app, write, hook } = await newSpace(hooks)
    const { signingSecret } = await hook({ includesAfter: true, includesBefore: true })
    const author = await write({ title: '一' }, { model: 'author', type: 'PUBLISH' })
    const id = await write({ title: '最初', by: author }, { type: 'PUBLISH' })
    await write({ title: '次', by: author }, { id, type: 'PUBLISH' })
    await write({ title: '下書き', by: author }, { id })
    await expect.poll(() => receiver.received.length).toBe(3)
    const of = (_id: string) => receiver.bodies().filter((body) => body._id === _id)
    const [first, second] = of(id)
    expect(first).toMatchObject({
      event: 'document.published',
      space: { uid: space.uid },
      app: { uid: app.uid },
      model: { uid: 'article' },
      actor: { kind: 'account', name: hooks.admin.name },
      _sys: { raw: { createdAt: expect.any(String) } },
      before: null,
      document: { _id: id, title: '最初', by: { _id: author, title: '一' } },
    })
    expect(second).toMatchObject({ before: { title: '最初' }, document: { title: '次' } })
    expect(JSON.stringify(receiver.bodies())).not.toContain('下書き')
    const [request] = receiver.received as [Received]
    expect(request.headers).toMatchObject({
      'webhook-signature': signatureOf(signingSecret, request),
      'content-type': 'application/json; charset=utf-8',
      'imori-event': 'document.published',
    })
    expect(Math.abs(Number(request.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(600)
  })

  it('sends the published version, not the newer draft, if a chosen version is published', async () => {
    const { app, write, hook } = await newSpace(hooks)
    await hook({ includesAfter: true, includesBefore: true })
    const id = await write({ title: '承認済み' })
    await write({ title: '編集中' }, { id })
    const url = `${app.url}/model/article/doc/bulkPublish`
    ok(await post(url, { documentIds: [id], versions: { [id]: 1 } }))
    await write({ title: '次' }, { id, type: 'PUBLISH' })
    await expect.poll(() => receiver.received.length).toBe(2)
    expect(receiver.bodies()).toMatchObject([
      { event: 'document.published', document: { title: '承認済み' }, before: null },
      { event: 'document.published', document: { title: '次' }, before: { title: '承認済み' } },
    ])
  })

  it('sends the events of a document in order, even if responses arrive out of order', async () => {
    const { app, write, hook } = await newSpace(hooks)
    const { client } = hooks.admin
    const events = ['saved', 'published', 'unpublished', 'deletedDraft', 'deletedPublished', 'orderChanged']
    await hook({
      events: events.map((event) => `document.${event}`),
      targets: [{ app: app.uid, models: ['article'] }],
    })
    // The responses arrive in another order than their requests.
    let answered = 0
    receiver.answers.set(
      '/hook',
      (_, response) => void setTimeout(() => response.end(), (answered++ % 3) * 20),
    )
    await write({ title: '他' }, { model: 'author' })
    const url = `${app.url}/model/article/doc`
    const ids = await Promise.all(
      ['一', '二', '三', '四'].map(async (title) => {
        const id = await write({ title })
        await write({ title: `${title}'` }, { id, type: 'PUBLISH' })
        ok(await post(`${url}/bulkUnpublish`, { documentIds: [id] }))
        ok(await client.delete(`${url}/${id}`))
        return id
      }),
    )
    const last = await write({ title: '五' }, { type: 'PUBLISH' })
    ok(await client.delete(`${url}/${last}`))
    await expect.poll(() => receiver.received.length).toBe(18)
    const told = (id: string) => receiver.bodies().flatMap(({ _id, event }) => (_id === id ? [event] : []))
    for (const id of ids)
      expect(told(id)).toEqual([
        'document.saved',
        'document.published',
        'document.unpublished',
        'document.deletedDraft',
      ])
    expect(told(last)).toEqual(['document.published', 'document.deletedPublished'])
    // The bodies contain neither the former nor the current state.
    expect(receiver.bodies().filter((body) => 'document' in body || 'before' in body)).toEqual([])
  })

  it('sends the events of a batching window in one request', async () => {
    const { write, hook, log, hurry } = await newSpace(hooks)
    const { _id } = await hook({ batchSeconds: 300, includesAfter: true })
    for (const title of ['一', '二', '三']) await write({ title }, { type: 'PUBLISH' })
    await expect.poll(async () => (await log(_id))[0]?.events).toBe(3)
    await hurry(_id)
    await expect.poll(() => receiver.received.length).toBe(1)
    const [{ events, ...rest }] = receiver.bodies()
    expect(rest).toEqual({ event: 'events', count: 3 })
    expect(
      events.map(({ event, document }: { event: string; document: object }) => [event, document]),
    ).toEqual(['一', '二', '三'].map((title) => ['document.published', expect.objectContaining({ title })]))
    // An event after the request was sent starts another message.
    await expect.poll(async () => (await log(_id)).map(({ state }) => state)).toEqual(['sent'])
    await write({ title: '四' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await log(_id)).map(({ state }) => state)).toEqual(['sent', 'waiting'])
    expect(await log(_id, '?event=document.published')).toHaveLength(2)
    expect(await log(_id, '?event=document.saved')).toHaveLength(0)
  })

  it('splits the events of a batching window into requests with at most 500 events', async () => {
    const { write, hook, log } = await newSpace(hooks)
    const { _id } = await hook({ events: ['document.saved'], batchSeconds: 300 })
    const documentId = await write({ title: '一' })
    const { kysely } = hooks.installation.database
    const model = await kysely
      .selectFrom('document')
      .innerJoin('model', 'model.id', 'document.model_id')
      .select(['model.id as modelId', 'model.app_id as appId', 'document.space_id as spaceId'])
      .where('document.id', '=', documentId)
      .executeTakeFirstOrThrow()
    const event = { type: 'document.saved' as const, payload: { version: 1, publishedVersion: null } }
    const actor = { kind: 'token' as const, tokenId: newId(), name: '連携' }
    for (const count of [300, 900])
      await kysely.transaction().execute((tx) =>
        recordEvents(
          tx,
          spaceScope(model.spaceId),
          Array.from({ length: count }, () => event),
          { ...model, documentId, actor },
        ),
      )
    await expect
      .poll(async () => (await log(_id)).reduce((sum, { events }) => sum + events, 0), { timeout: 30_000 })
      .toBe(1201)
    expect(Math.max(...(await log(_id)).map(({ events }) => events))).toBeLessThanOrEqual(500)
  })

  it('names who caused an event: an account, or a program with its token', async () => {
    const { space, app, hook } = await newSpace(hooks)
    await hook({ events: ['document.saved'], body: '{"by":{{actor}},"kind":"{{actor.kind}}"}' })
    const { apiToken } = ok(await post(`${space.url}/apiToken`, { data: { name: '連携', writes: true } }))
    const authorization = `Bearer ${apiToken.token}`
    const document = { title: '機械から' }
    const url = `${app.url}/model/article/doc`
    ok(await hooks.installation.visitor().post(url, { document }, { authorization }))
    await expect
      .poll(() => receiver.bodies())
      .toEqual([{ by: { kind: 'token', name: '連携' }, kind: 'token' }])
  })

  it('describes each event in one sentence, in Japanese and English', async () => {
    const { app, write, hook } = await newSpace(hooks)
    const body = '{"ja":"{{summary.ja}}","en":"{{summary.en}}","id":"{{_id}}"}'
    const events = ['document.published', 'document.deletedPublished']
    const { url } = await hook({ events, body })
    ok(await post(`${url}/send`))
    const id = await write({ title: '記事' }, { type: 'PUBLISH' })
    ok(await hooks.admin.client.delete(`${app.url}/model/article/doc/${id}`))
    await expect
      .poll(() => receiver.bodies())
      .toEqual([
        { ja: 'Imoriからのテストです', en: 'This is a test from Imori', id: 'test' },
        {
          ja: `「記事」が公開されました（アプリ ${app.uid}）`,
          en: `“記事” was published (アプリ ${app.uid})`,
          id,
        },
        {
          ja: `公開中の「記事」が削除されました（アプリ ${app.uid}）`,
          en: `The published content “記事” was deleted (アプリ ${app.uid})`,
          id,
        },
      ])
  })

  it('sends a custom body with quotes, backslashes, line breaks and braces in a value', async () => {
    const { write, hook } = await newSpace(hooks)
    const body =
      '{"text": "公開：{{document.title}} （{{ app.name }}）", "all": {{document}}, "none": {{before.title}}}'
    await hook({ body })
    const title = '"引用"\\ 改行\n{{event}}'
    const id = await write({ title }, { type: 'PUBLISH' })
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(receiver.bodies()[0]).toMatchObject({ all: { _id: id, title }, none: null })
    expect(receiver.bodies()[0].text).toContain(title)
  })

  it('sends a waiting message after its model and app were deleted, and no longer has them as targets', async () => {
    const { app, write, hook, one, log } = await newSpace(hooks)
    const { client } = hooks.admin
    const { _id, url } = await hook({ targets: [{ app: app.uid, models: ['article'] }], batchSeconds: 300 })
    await write({ title: '一' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await log(_id)).length).toBe(1)
    ok(await client.delete(`${app.url}/model/article`))
    expect((await one(_id)).targets).toEqual([{ app: app.uid, models: [] }])
    ok(await client.delete(app.url))
    expect((await one(_id)).targets).toEqual([])
    // Without a batching window, the batch is sent now, with null for the deleted app and model.
    ok(await client.patch(url, { data: { name: '残ったもの', batchSeconds: 0 } }))
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(receiver.bodies()[0]).toMatchObject({
      events: [{ event: 'document.published', app: null, model: null, _sys: null }],
    })
  })

  it('sends all events of a batch whose window is removed before it is sent', async () => {
    const { write, hook, log } = await newSpace(hooks)
    const { _id, url } = await hook({ events: ['document.saved'], batchSeconds: 300 })
    const ids = [await write({ title: '一' }), await write({ title: '二' })]
    await expect.poll(async () => (await log(_id))[0]?.events).toBe(2)
    ok(await hooks.admin.client.patch(url, { data: { batchSeconds: 0 } }))
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(receiver.bodies()[0].events.map((event: { _id: string }) => event._id)).toEqual(ids)
    await write({ title: '三' })
    await expect.poll(() => receiver.received.length).toBe(2)
    expect(receiver.bodies()[1]).toMatchObject({ event: 'document.saved' })
  })

  it('records one message for an event that the outbox delivers twice', async () => {
    const { write, hook, log } = await newSpace(hooks)
    const { _id } = await hook()
    await write({ title: '一' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await log(_id)).map(({ state }) => state)).toEqual(['sent'])
    const { kysely } = hooks.installation.database
    const rows = await kysely
      .selectFrom('event')
      .selectAll()
      .where('type', '=', 'document.published')
      .orderBy('position')
      .execute()
    const events = rows.map((row) => ({
      position: Number(row.position),
      type: 'document.published' as const,
      spaceId: row.space_id,
      appId: row.app_id,
      modelId: row.model_id,
      documentId: row.document_id,
      actorKind: row.actor_kind,
      actorId: row.actor_id,
      actorName: row.actor_name,
      payload: row.payload,
      createdAt: row.created_at,
    }))
    const { services } = hooks.installation.deps
    const executeAs = () => () => Promise.reject(new Error('the consumer executes no operation'))
    const enqueueOnce = () => Promise.reject(new Error('the consumer adds no job by event'))
    const ctx = { db: kysely, services, executeAs, enqueueOnce, signal: new AbortController().signal }
    await webhookConsumer.handle(events, ctx)
    expect(await log(_id)).toHaveLength(1)
  })

  it('inserts the value of the title field as the title of published and deleted documents', async () => {
    const { app, hook } = await newSpace(hooks)
    const fields = [{ uid: 'heading', name: '見出し', type: 'TEXT' }]
    ok(await post(`${app.url}/model`, { data: { uid: 'news', name: 'news', fields } }))
    const events = ['document.published', 'document.deletedPublished']
    await hook({ body: '{"event": {{event}}, "title": "{{title}}"}', events })
    const news = `${app.url}/model/news/doc`
    const { _id } = ok(await post(news, { document: { heading: '春' }, type: 'PUBLISH' })).document
    ok(await hooks.admin.client.delete(`${news}/${_id}`))
    await expect.poll(() => receiver.received.length).toBe(2)
    expect(receiver.bodies()).toEqual(events.map((event) => ({ event, title: '春' })))
  })

  it('sends a form if the Content-Type is a form, with "test" as the title in a test request', async () => {
    const { write, hook } = await newSpace(hooks)
    const type = 'application/x-www-form-urlencoded'
    const { url } = await hook({
      body: '{"body": "「{{title}}」を公開", "self_unread": 1, "tags": ["a"]}',
      headers: [{ name: 'Content-Type', value: type, isSecret: false }],
    })
    await write({ title: '春 & 夏=1' }, { type: 'PUBLISH' })
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(receiver.received[0]?.headers['content-type']).toBe(type)
    const formOf = (body = '') => Object.fromEntries(new URLSearchParams(body))
    expect(formOf(receiver.received[0]?.body)).toEqual({
      body: '「春 & 夏=1」を公開',
      self_unread: '1',
      tags: '["a"]',
    })
    const { delivery } = ok(await post(`${url}/send`))
    expect(formOf(receiver.received[1]?.body).body).toBe('「test」を公開')
    expect(
      delivery.log[0].requestHeaders.filter(({ name }: { name: string }) => /^content-type$/i.test(name)),
    ).toHaveLength(1)
  })
})

describe('a receiver', () => {
  it('receives a failed message again byte for byte, while later messages of that document wait', async () => {
    const { write, hook, log, hurry } = await newSpace(hooks)
    const { _id, url } = await hook({ events: ['document.saved'] })
    let failures = 2
    receiver.answers.set('/hook', (_, response) => response.writeHead(failures-- > 0 ? 500 : 204).end())
    const id = await write({ title: '一' })
    await expect.poll(async () => (await log(_id))[0]?.attempts).toBe(1)
    const { kysely } = hooks.installation.database
    await write({ title: '二' }, { id })
    const other = await write({ title: '三' })
    // Other documents do not wait, and nothing is retried without a delay in the meantime.
    await expect
      .poll(async () => (await log(_id)).map(({ state, documentId }) => [documentId, state]))
      .toContainEqual([other, 'waiting'])
    await expect.poll(() => receiver.received.length).toBe(2)
    await expect.poll(async () => (await log(_id)).filter(({ attempts }) => attempts === 1)).toHaveLength(2)
    const jobs = () =>
      kysely
        .selectFrom('job')
        .select(['state', 'run_at'])
        .where('name', '=', 'webhooks.deliver')
        .where('space_id', '=', (select) =>
          select.selectFrom('webhook').select('space_id').where('id', '=', _id),
        )
        .execute()
    // A change of the webhook enqueues a delivery although no message is due.
    ok(await hooks.admin.client.patch(url, { data: { name: '起こす' } }))
    await expect
      .poll(async () =>
        (await jobs()).every(({ state, run_at }) => state === 'waiting' && +run_at > Date.now()),
      )
      .toBe(true)
    expect(receiver.received).toHaveLength(2)
    expect((await log(_id))[1]).toMatchObject({ state: 'waiting', attempts: 0 })
    failures = 0
    await hurry(_id)
    await expect.poll(() => receiver.received.length).toBe(5)
    const of = (documentId: string) =>
      receiver.received.filter(({ body }) => JSON.parse(body)._id === documentId)
    const [first, again, next] = of(id) as [Received, Received, Received]
    expect(again.body).toBe(first.body)
    expect(again.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(next.headers['webhook-id']).not.toBe(first.headers['webhook-id'])
    await expect
      .poll(async () => (await log(_id)).map(({ state }) => state))
      .toEqual(['sent', 'sent', 'sent'])
  })

  it('does not delay other receivers if it hangs, resets connections or responds with binary data', async () => {
    const { write, hook, log } = await newSpace(hooks)
    const at = (path: string) => hook({ url: `${receiver.origin}${path}` })
    const hanging = await at('/hanging')
    const resetting = await at('/resetting')
    const strange = await at('/strange')
    const good = await at('/good')
    receiver.answers.set('/hanging', () => {})
    receiver.answers.set('/resetting', (_, response) => void response.destroy())
    receiver.answers.set('/strange', (_, response) =>
      response
        .writeHead(200, { 'content-length': '99999999999' })
        .write(Buffer.alloc(9000, '\0\xff', 'latin1')),
    )
    const sent = async (id: string) => (await log(id)).filter(({ state }) => state === 'sent').length
    for (let n = 1; n <= 3; n++) {
      await write({ title: `${n}` }, { type: 'PUBLISH' })
      await expect.poll(() => sent(good._id)).toBe(n)
    }
    // The hanging receiver was requested first. None of its messages is sent twice while it hangs.
    const asked = receiver.at('/hanging').map(({ headers }) => headers['webhook-id'])
    expect(asked.length).toBeGreaterThan(0)
    expect(new Set(asked).size).toBe(asked.length)
    expect((await log(hanging._id)).map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting'])
    await expect.poll(async () => (await log(resetting._id))[0]).toMatchObject({ reason: 'network' })
    await expect.poll(() => sent(strange._id)).toBe(3)
    receiver.answers.clear()
    receiver.cut()
  })

  it('receives messages that wait for a retry after its URL is corrected or after a manual redelivery', async () => {
    const { write, hook, one, log } = await newSpace(hooks)
    const { _id, url } = await hook({ url: `${receiver.origin}/gone` })
    receiver.answers.set('/gone', (_, response) => response.writeHead(404).end())
    const id = await write({ title: '一' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await one(_id)).failures).toBeGreaterThan(0)
    ok(await hooks.admin.client.patch(url, { data: { url: `${receiver.origin}/hook` } }))
    await expect.poll(async () => (await log(_id))[0]).toMatchObject({ state: 'sent' })
    await expect.poll(() => one(_id)).toMatchObject({ failures: 0, waiting: 0 })
    // A message that waits for a retry can be redelivered manually, together with all failed messages.
    ok(await hooks.admin.client.patch(url, { data: { url: `${receiver.origin}/gone` } }))
    await write({ title: '二' }, { id, type: 'PUBLISH' })
    await expect.poll(async () => (await one(_id)).failures).toBeGreaterThan(0)
    receiver.answers.clear()
    expect(ok(await post(`${url}/delivery:redeliver`, { data: { state: 'failed' } })).count).toBe(1)
    await expect.poll(async () => (await log(_id))[1]).toMatchObject({ state: 'sent' })
  })

  it('receives the values of secret headers, and logs and responses do not contain them', async () => {
    const { space, hook } = await newSpace(hooks)
    const { client } = hooks.admin
    const headers = [
      { name: 'Authorization', value: 'Bearer very-secret', isSecret: true },
      { name: '__proto__', value: 'also-secret', isSecret: true },
      { name: 'X-Site', value: 'imori', isSecret: false },
    ]
    const { url } = await hook({ headers, url: `${receiver.origin}/echo` })
    receiver.answers.set('/echo', ({ headers }, response) =>
      response.end(`you sent ${headers.authorization}, not "very-secret" ${'x'.repeat(9000)}`),
    )
    const { delivery } = ok(await post(`${url}/send`))
    expect(receiver.bodies('/echo')[0]).toMatchObject({ event: 'test' })
    expect(receiver.received[0]?.headers).toMatchObject({
      authorization: 'Bearer very-secret',
      'x-site': 'imori',
      'imori-event': 'test',
    })
    expect(delivery).toMatchObject({ state: 'sent', status: 200, event: 'test' })
    expect(Buffer.from(delivery.log[0].answer).length).toBeLessThanOrEqual(4096)
    await hooks.installation.database.pool.query(
      `UPDATE webhook_message SET created_at = now() + interval '1 minute' WHERE event = 'test'`,
    )
    expect((await post(`${url}/send`)).status).toBe(429)
    const shown = await client.get(`${url}/delivery/${delivery._id}`)
    const list = await client.get(`${space.url}/webhook`)
    for (const text of [JSON.stringify(delivery), shown.text, list.text])
      expect(text).not.toMatch(/very-secret|also-secret/)
    for (const table of ['webhook', 'webhook_message', 'webhook_attempt', 'audit_entry']) {
      const { rows } = await hooks.installation.database.pool.query(`SELECT * FROM ${table}`)
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(rows)).not.toMatch(/very-secret|also-secret/)
    }
    // The secrets are not sent to another URL: a new URL requires their values again.
    for (const elsewhere of ['https://other.example.com/', `${receiver.origin}/echo2`]) {
      const moved = await client.patch(url, { data: { url: elsewhere } })
      expect([moved.status, moved.body.issues[0].path]).toEqual([400, 'data.headers.0.value'])
    }
    // A secret cannot become visible, and its name cannot change unless its value is entered again.
    for (const header of [
      { name: 'Authorization', isSecret: false },
      { name: 'X-Authorization', isSecret: true },
    ])
      expect((await client.patch(url, { data: { headers: [header] } })).status).toBe(400)
    ok(await client.patch(url, { data: { headers: [{ name: 'Authorization', isSecret: true }] } }))
    // URLs of deploy hooks are secrets too. The audit log contains their origin, and the fact that they were changed.
    ok(await client.patch(url, { data: { url: `${receiver.origin}/echo2`, headers: [] } }))
    const { auditLogs } = ok(await client.get(`${space.url}/auditLog`))
    expect(auditLogs[0].details).toEqual({
      addressChanged: true,
      changes: [{ key: 'headerNames', before: ['Authorization'], after: [] }],
    })
    expect(JSON.stringify(auditLogs)).toContain(receiver.origin)
    expect(JSON.stringify(auditLogs)).not.toContain('/echo')
  })

  it('receives a custom body with "test" inside strings and null elsewhere during a test', async () => {
    const { hook } = await newSpace(hooks)
    const { url } = await hook({ body: '{"text":"{{event}}: {{document.title}}","all":{{document}}}' })
    ok(await post(`${url}/send`))
    expect(receiver.bodies()).toEqual([{ text: 'test: test', all: null }])
  })

  it('is not requested at a forbidden or private address, and redirects are not followed', async () => {
    const { space, hook } = await newSpace(hooks)
    const addresses = [
      'http://127.0.0.1:1/',
      'http://example.com/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://169.254.169.254/',
      'https://example.com:8443/',
    ]
    for (const url of addresses) {
      const data = { name: 'x', url, events: ['document.saved'] }
      const { status, body } = await post(`${space.url}/webhook`, { data })
      expect([url, status, body.issues]).toEqual([
        url,
        400,
        [{ path: 'data.url', code: 'AddressNotAllowed' }],
      ])
    }
    const inside = await hook({ url: 'https://localhost/' })
    expect(ok(await post(`${inside.url}/send`)).delivery).toMatchObject({
      state: 'failed',
      status: null,
      reason: 'blockedAddress',
    })
    const redirecting = await hook({ url: `${receiver.origin}/redirect` })
    receiver.answers.set('/redirect', (_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    )
    expect(ok(await post(`${redirecting.url}/send`)).delivery).toMatchObject({
      state: 'failed',
      status: 302,
      reason: 'status',
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('is paused with one mail to the webhook’s creator if it keeps failing, and resumed when it responds', async () => {
    const { space, write, hook, one, log, endPause } = await newSpace(hooks)
    const { _id } = await hook({ events: ['document.saved'], name: '壊れた先' })
    receiver.answers.set('/hook', (_, response) => response.writeHead(503).end())
    for (let n = 0; n < 12; n++) await write({ title: `${n}` })
    await expect.poll(async () => (await one(_id)).paused).not.toBeNull()
    const before = receiver.received.length
    expect(before).toBeLessThanOrEqual(24)
    const { until } = (await one(_id)).paused
    const { kysely } = hooks.installation.database
    const triesOf = () =>
      kysely.selectFrom('webhook_message').select(['id', 'tries']).where('webhook_id', '=', _id).execute()
    const tries = await triesOf()
    // After a pause, one message is sent early. Its failure prolongs the pause, and is not one of the eleven attempts.
    await endPause(_id)
    await expect.poll(async () => (await one(_id)).paused.until > until).toBe(true)
    expect(receiver.received).toHaveLength(before + 1)
    expect(await triesOf()).toEqual(expect.arrayContaining(tries))
    const mails = await mailsOf(hooks.installation, hooks.admin.email)
    expect(mails.filter(({ subject }) => subject.includes('壊れた先'))).toHaveLength(1)
    expect(mails[0]?.text).toContain(`/${space.uid}/-/webhooks/${_id}`)
    // As soon as the receiver accepts a message, the others are sent too, before their own next attempts.
    receiver.answers.clear()
    await endPause(_id)
    await expect.poll(async () => (await one(_id)).waiting).toBe(0)
    expect((await one(_id)).paused).toBeNull()
    expect((await log(_id)).every(({ state }) => state === 'sent')).toBe(true)
  })

  it('gets the waiting messages after it has accepted a test', async () => {
    const { write, hook, one, log } = await newSpace(hooks)
    const { _id, url } = await hook({ events: ['document.saved'] })
    receiver.answers.set('/hook', (_, response) => response.writeHead(503).end())
    for (let n = 0; n < 12; n++) await write({ title: `${n}` })
    await expect.poll(async () => (await one(_id)).paused).not.toBeNull()
    receiver.answers.clear()
    expect(ok(await post(`${url}/send`)).webhook).toMatchObject({ paused: null, failures: 0 })
    await expect.poll(async () => (await one(_id)).waiting).toBe(0)
    expect((await log(_id)).every(({ state }) => state === 'sent')).toBe(true)
  })

  it('causes one mail to the webhook’s creator if it has failed for half an hour', async () => {
    const { write, hook, one, hurry } = await newSpace(hooks)
    const { _id } = await hook({ events: ['document.saved'] })
    receiver.answers.set('/hook', (_, response) => response.writeHead(500).end())
    const mails = async () =>
      (await mailsOf(hooks.installation, hooks.admin.email)).filter(({ text }) =>
        text.includes(`/-/webhooks/${_id}`),
      ).length
    await write({ title: '一' })
    await expect.poll(async () => (await one(_id)).failures).toBe(1)
    expect(await mails()).toBe(0)
    await hooks.installation.database.kysely
      .updateTable('webhook')
      .set({ failing_since: new Date(Date.now() - 31 * 60_000) })
      .where('id', '=', _id)
      .execute()
    for (const failures of [2, 3]) {
      await hurry(_id)
      await expect.poll(async () => (await one(_id)).failures).toBe(failures)
    }
    await expect.poll(mails).toBe(1)
  })

  it('gets no request before the time that it asks for with Retry-After', async () => {
    const { write, hook, one, log } = await newSpace(hooks)
    const { _id, url } = await hook()
    receiver.answers.set('/hook', (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end())
    await write({ title: '一' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await one(_id)).retryAfter).not.toBeNull()
    expect(Date.parse((await one(_id)).retryAfter)).toBeGreaterThan(Date.now() + 3_000_000)
    // A rate limit is no failure of the receiver.
    expect(await one(_id)).toMatchObject({ failures: 0, paused: null })
    receiver.answers.clear()
    await write({ title: '二' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await log(_id)).map(({ state }) => state)).toEqual(['waiting', 'waiting'])
    expect(receiver.received).toHaveLength(1)
    ok(await post(`${url}/delivery:redeliver`, { data: { state: 'failed' } }))
    await expect.poll(async () => (await log(_id)).map(({ state }) => state)).toEqual(['sent', 'sent'])
    expect((await one(_id)).retryAfter).toBeNull()
  })

  it('stays paused if it answers the probe with 429 and a Retry-After of 0', async () => {
    const { write, hook, one, endPause } = await newSpace(hooks)
    const { _id } = await hook({ events: ['document.saved'] })
    receiver.answers.set('/hook', (_, response) => response.writeHead(503).end())
    for (let n = 0; n < 12; n++) await write({ title: `${n}` })
    await expect.poll(async () => (await one(_id)).paused).not.toBeNull()
    const { until } = (await one(_id)).paused
    const before = receiver.received.length
    receiver.answers.set('/hook', (_, response) => response.writeHead(429, { 'retry-after': '0' }).end())
    await endPause(_id)
    await expect.poll(async () => (await one(_id)).paused.until > until).toBe(true)
    expect(receiver.received).toHaveLength(before + 1)
  })

  it('disables its webhook with status 410, with one mail to the creator, and works again when enabled', async () => {
    const { write, hook, one, log } = await newSpace(hooks)
    const { _id, url } = await hook({ name: '無くなった先' })
    receiver.answers.set('/hook', (_, response) => response.writeHead(410).end())
    expect(ok(await post(`${url}/send`)).webhook).toMatchObject({ enabled: true })
    await write({ title: '一' }, { type: 'PUBLISH' })
    await expect.poll(() => one(_id)).toMatchObject({ enabled: false, disabledAt: expect.any(String) })
    expect((await log(_id)).at(-1)).toMatchObject({ state: 'failed', status: 410, attempts: 1 })
    const mails = await mailsOf(hooks.installation, hooks.admin.email)
    expect(mails.filter(({ subject }) => subject.includes('無くなった先'))).toHaveLength(1)
    receiver.answers.clear()
    expect(ok(await hooks.admin.client.patch(url, { data: { enabled: true } })).webhook).toMatchObject({
      enabled: true,
      disabledAt: null,
    })
    await write({ title: '二' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await log(_id)).at(-1)?.state).toBe('sent')
  })

  it('receives no further attempt after the eleventh, until a member redelivers the message', async () => {
    const { write, hook, log } = await newSpace(hooks)
    const { _id, url } = await hook()
    receiver.answers.set('/hook', (_, response) => response.writeHead(422).end('{"error":"bad"}'))
    await write({ title: '一' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await log(_id))[0]?.attempts).toBe(1)
    await hooks.installation.database.kysely
      .updateTable('webhook_message')
      .set({ next_at: new Date(0), tries: 10 })
      .where('webhook_id', '=', _id)
      .execute()
    ok(await hooks.admin.client.patch(url, { data: { name: '最後' } }))
    await expect
      .poll(async () => (await log(_id))[0])
      .toMatchObject({ state: 'failed', nextAt: null, status: 422 })
    receiver.answers.clear()
    expect(ok(await post(`${url}/delivery:redeliver`, { data: { state: 'failed' } })).count).toBe(1)
    await expect.poll(async () => (await log(_id))[0].state).toBe('sent')
    const [{ _id: id }] = await log(_id)
    const { delivery } = ok(await hooks.admin.client.get(`${url}/delivery/${id}`))
    expect(
      delivery.log.map(({ status, answer }: { status: number; answer: string }) => [status, answer]),
    ).toEqual([
      [200, 'ok'],
      [422, '{"error":"bad"}'],
      [422, '{"error":"bad"}'],
    ])
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  })
})

describe('signing keys', () => {
  it('both sign requests until the previous key is deleted', async () => {
    const { write, hook, log } = await newSpace(hooks)
    const { _id, signingSecret, url } = await hook()
    const { webhook } = ok(await post(`${url}/secret`))
    expect(webhook.signingSecret).not.toBe(signingSecret)
    expect(webhook.hasPreviousSecret).toBe(true)
    await write({ title: '一' }, { type: 'PUBLISH' })
    await expect.poll(() => receiver.received.length).toBe(1)
    const [both] = receiver.received as [Received]
    expect(both.headers['webhook-signature']).toBe(
      `${signatureOf(webhook.signingSecret, both)} ${signatureOf(signingSecret, both)}`,
    )
    expect(ok(await hooks.admin.client.delete(`${url}/secret/previous`)).webhook.hasPreviousSecret).toBe(
      false,
    )
    await expect.poll(async () => (await log(_id))[0].state).toBe('sent')
    await write({ title: '二' }, { type: 'PUBLISH' })
    await expect.poll(() => receiver.received.length).toBe(2)
    const after = receiver.received[1] as Received
    expect(after.headers['webhook-signature']).toBe(signatureOf(webhook.signingSecret, after))
  })
})

describe('the log', () => {
  it('names app, model and title of each request, and the types of its events', async () => {
    const { app, write, hook, log } = await newSpace(hooks)
    const { _id } = await hook()
    const id = await write({ title: '前の題' }, { type: 'PUBLISH' })
    await write({ title: '今の題' }, { id })
    await expect.poll(async () => (await log(_id))[0]?.state).toBe('sent')
    expect((await log(_id))[0]).toMatchObject({
      app: { uid: app.uid, name: `アプリ ${app.uid}` },
      model: { uid: 'article', name: '記事' },
      documentId: id,
      title: '今の題',
      eventTypes: ['document.published'],
    })
  })

  it('resends nothing while the webhook is disabled', async () => {
    const { write, hook, log } = await newSpace(hooks)
    const { _id, url } = await hook()
    await write({ title: '一' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await log(_id))[0]?.state).toBe('sent')
    ok(await hooks.admin.client.patch(url, { data: { enabled: false } }))
    const [{ _id: id }] = await log(_id)
    const one = await post(`${url}/delivery/${id}/redeliver`)
    expect([one.status, one.body.code]).toEqual([409, 'WebhookIsDisabled'])
    const time = `2020-01-01T00:00:00.${'1'.repeat(200)}Z`
    const period = { from: time, to: new Date().toISOString() }
    const many = await post(`${url}/delivery:redeliver`, { data: period })
    expect([many.status, many.body.code]).toEqual([400, 'ValidationFailed'])
  })

  it('resends a message selected by its id or by a period, with the same message id and body', async () => {
    const { write, hook, log } = await newSpace(hooks)
    const { _id, url } = await hook()
    await write({ title: '一' }, { type: 'PUBLISH' })
    const ended = () => expect.poll(async () => (await log(_id))[0]?.state).toBe('sent')
    await ended()
    const [{ _id: id }] = await log(_id)
    expect(ok(await post(`${url}/delivery/${id}/redeliver`)).delivery.state).toBe('waiting')
    await expect.poll(() => receiver.received.length).toBe(2)
    await ended()
    expect(ok(await post(`${url}/delivery:redeliver`, { data: { state: 'failed' } })).count).toBe(0)
    const period = { from: new Date(0).toISOString(), to: new Date(Date.now() + 60_000).toISOString() }
    expect(ok(await post(`${url}/delivery:redeliver`, { data: period })).count).toBe(1)
    await expect.poll(() => receiver.received.length).toBe(3)
    await ended()
    const { delivery } = ok(await hooks.admin.client.get(`${url}/delivery/${id}`))
    expect(delivery.log).toHaveLength(3)
    expect(receiver.received.map(({ body }) => body)).toEqual(Array(3).fill(delivery.body))
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  it('keeps the newest 100 messages, and deletes others that have ended and are 31 days old', async () => {
    const { hook, one, log } = await newSpace(hooks)
    const { _id } = await hook({ enabled: false })
    const { kysely, pool } = hooks.installation.database
    const { space_id } = await kysely
      .selectFrom('webhook')
      .select('space_id')
      .where('id', '=', _id)
      .executeTakeFirstOrThrow()
    await pool.query(
      `INSERT INTO webhook_message (space_id, id, webhook_id, event, events, ordering_key, state, next_at, ended_at, created_at, waiting_since)
       SELECT $1, lpad(n::text, 24, '0'), $2, 'document.saved', '[{"event":"document.saved"}]', n::text,
         CASE WHEN n = 1 THEN 'waiting' ELSE 'sent' END, CASE WHEN n = 1 THEN now() END, CASE WHEN n > 1 THEN now() END, t, t
       FROM generate_series(1, 150) n, LATERAL (SELECT now() - make_interval(days => CASE WHEN n <= 120 THEN 31 ELSE 1 END) AS t) at`,
      [space_id, _id],
    )
    expect(await deleteOldMessages(kysely, 1000)).toBe(49)
    expect((await one(_id)).waiting).toBe(1)
    expect(await giveUpWaiting(kysely, 1000)).toBe(1)
    expect(await deleteOldMessages(kysely, 1000)).toBe(1)
    const kept = await log(_id, '?limit=100')
    expect([kept.length, kept[0]._id]).toEqual([100, '51'.padStart(24, '0')])
    expect(await isDue(kysely, spaceScope(space_id))).toBe(false)
    await kysely
      .updateTable('webhook_message')
      .set({ state: 'waiting', next_at: new Date(0), ended_at: null })
      .where('webhook_id', '=', _id)
      .where('id', '=', '150'.padStart(24, '0'))
      .execute()
    expect(await isDue(kysely, spaceScope(space_id))).toBe(false)
    await kysely.updateTable('webhook').set({ enabled: true }).where('id', '=', _id).execute()
    expect(await isDue(kysely, spaceScope(space_id))).toBe(true)
  })
})

it('a restored document is sent in its published state, without its draft', async () => {
  const { app, write, hook } = await newSpace(hooks)
  await hook({ includesAfter: true, body: '{"event": {{event}}, "title": {{document.title}}}' })
  const id = await write({ title: '公開' }, { type: 'PUBLISH' })
  await write({ title: '下書き' }, { id })
  const url = `${app.url}/model/article/doc`
  ok(await hooks.admin.client.delete(`${url}/${id}`))
  ok(await post(`${url}/bulkRestore`, { documentIds: [id] }))
  await expect.poll(() => receiver.received.length).toBe(2)
  expect(receiver.bodies()).toEqual(Array(2).fill({ event: 'document.published', title: '公開' }))
})

it('the preview of a webhook body that would be too large is rejected', async () => {
  const { space, write } = await newSpace(hooks)
  await write({ title: 'x'.repeat(2000) })
  const body = `[${Array(4500).fill('{{document}}').join()}]`
  const shown = { body, targets: null, includesBefore: false, includesAfter: false, batchSeconds: 0 }
  const answer = await post(`${space.url}/webhook:preview`, { data: { ...shown, event: 'document.saved' } })
  expect([answer.status, answer.body.issues]).toEqual([
    400,
    [{ path: 'data.body', code: 'TooManyCharacters' }],
  ])
})

it('the preview of an event without a document or an asset shows an example without a document', async () => {
  const { space, write } = await newSpace(hooks)
  await write({ title: '公開' }, { type: 'PUBLISH' })
  const shown = { body: null, targets: null, includesBefore: false, includesAfter: true, batchSeconds: 0 }
  const preview = async (event: string) => {
    const { body, isReal } = ok(await post(`${space.url}/webhook:preview`, { data: { ...shown, event } }))
    return [isReal, JSON.parse(body).document ?? null]
  }
  expect(await preview('document.saved')).toEqual([true, expect.objectContaining({ title: '公開' })])
  expect(await preview('import.finished')).toEqual([false, null])
})

it('a webhook sends a document with 2,001 references', async () => {
  const { app, write, hook } = await newSpace(hooks)
  const authors = { uid: 'authors', name: '著者', type: 'REFERENCE', modelUid: 'author', multiple: true }
  const fields = [{ uid: 'title', name: 'title', type: 'TEXT' }, authors]
  ok(await post(`${app.url}/model`, { data: { uid: 'book', name: '本', fields } }))
  await hook({ includesAfter: true })
  const author = await write({ title: '著者' }, { model: 'author' })
  const { rows } = await hooks.installation.database.pool.query(
    `INSERT INTO document SELECT (jsonb_populate_record(d, jsonb_build_object('id', lpad(to_hex(n), 24, '0')))).*
     FROM document d, generate_series(1, 2001) n WHERE d.id = $1 RETURNING id`,
    [author],
  )
  const ids = rows.map(({ id }: { id: string }) => id)
  ok(await post(`${app.url}/model/book/doc`, { document: { title: '本', authors: ids }, type: 'PUBLISH' }))
  await expect.poll(() => receiver.received.length).toBe(1)
  expect(receiver.bodies()[0].document).toMatchObject({ title: '本' })
})
