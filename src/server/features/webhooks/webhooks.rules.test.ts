import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp, createMember, type TestAccount } from '#test/factories.ts'
import { formOf, ok } from '#test/server.ts'
import { type Hooks, newSpace, startHooks } from '#test/webhooks.ts'

/* Validation of webhooks, and the rights that their settings and logs require. */

let hooks: Hooks
beforeAll(async () => {
  hooks = await startHooks()
})
afterAll(() => hooks?.close())
beforeEach(() => hooks.clear())

const given = { name: 'x', url: 'https://example.com/', events: ['document.saved'] }

describe('createWebhook', () => {
  it('rejects invalid input with the path of the invalid value', async () => {
    const { space, app } = await newSpace(hooks)
    const header = (name: string, value = 'x') => ({ headers: [{ name, value, isSecret: false }] })
    for (const [data, path] of [
      [{ url: 'ftp://example.com/' }, 'data.url'],
      [{ url: 'https://user:pass@example.com/' }, 'data.url'],
      [{ url: 'nothing' }, 'data.url'],
      [{ events: [] }, 'data.events'],
      [{ events: ['nothing'] }, 'data.events.0'],
      [{ batchSeconds: 301 }, 'data.batchSeconds'],
      [{ url: 'https://example.com\\@evil.example/' }, 'data.url'],
      [{ url: 'https://exa\nmple.com/' }, 'data.url'],
      [{ url: 'https:///example.com/' }, 'data.url'],
      [{ url: 'https://[::ffff:0:127.0.0.1]/' }, 'data.url'],
      [{ targets: [{ app: 'x', models: null, y: 1 }] }, 'data.targets.0.y'],
      [
        { headers: [{ name: 'Content-Type', value: 'application/json', isSecret: true }] },
        'data.headers.0.isSecret',
      ],
      [
        {
          headers: [{ name: 'Content-Type', value: 'application/x-www-form-urlencoded', isSecret: false }],
          body: '[1]',
        },
        'data.body',
      ],
      [header('Host'), 'data.headers.0.name'],
      [header('Content-Length'), 'data.headers.0.name'],
      [header('webhook-signature'), 'data.headers.0.name'],
      [header('Imori-Event'), 'data.headers.0.name'],
      [header('a b'), 'data.headers.0.name'],
      [header('x', 'a\r\nb: c'), 'data.headers.0.value'],
      [{ headers: [...header('x').headers, ...header('X').headers] }, 'data.headers.1.name'],
      [{ headers: [{ name: 'x', isSecret: true }] }, 'data.headers.0.value'],
      [{ headers: [{ name: 'constructor', isSecret: true }] }, 'data.headers.0.value'],
      [{ targets: [{ app: 'nothing', models: null }] }, 'data.targets.0.app'],
      [{ targets: [{ app: app.uid, models: ['nothing'] }] }, 'data.targets.0.models.0'],
      [{ body: '{"a": }' }, 'data.body'],
      [{ body: '{"a": "b" /* c */}' }, 'data.body'],
      [{ body: '['.repeat(60_000) }, 'data.body'],
      [{ body: '{"a":'.repeat(12_000) }, 'data.body'],
      [{ body: '{"a": {{nothing}}}' }, 'data.body'],
      [{ body: '{"a": "{{__proto__.x}}"}' }, 'data.body'],
      [{ body: '{"a": "{{document.title"}' }, 'data.body'],
    ] as const) {
      const { status, body } = await hooks.admin.client.post(`${space.url}/webhook`, {
        data: { ...given, ...data },
      })
      expect([data, status, body.issues?.map((issue: { path: string }) => issue.path)]).toEqual([
        data,
        400,
        [path],
      ])
    }
    const { body } = await hooks.admin.client.post(`${space.url}/webhook`, {
      data: { ...given, body: '{\n  "a": "{{documnt}}"\n}' },
    })
    expect(body.issues).toEqual([
      { path: 'data.body', code: 'UnknownPlaceholder', params: { line: 2, column: 9, detail: 'documnt' } },
    ])
  })

  it('rejects a webhook above the limit of the space', async () => {
    const { space, hook } = await newSpace(hooks)
    const { _id } = await hook()
    await hooks.installation.database.pool.query(
      `INSERT INTO webhook (space_id, id, name, url, method, enabled, events, headers, sealed, includes_before, includes_after, batch_seconds)
       SELECT space_id, lpad(to_hex(n), 24, 'a'), name, url, method, enabled, events, headers, sealed, false, false, 0
       FROM webhook, generate_series(2, 50) n WHERE id = $1`,
      [_id],
    )
    const { status, body } = await hooks.admin.client.post(`${space.url}/webhook`, { data: given })
    expect([status, body.code]).toEqual([409, 'TooManyWebhooks'])
  })
})

it('updateWebhook refuses a version that is no longer current', async () => {
  const { hook } = await newSpace(hooks)
  const { url, ...webhook } = await hook()
  const { version } = webhook as unknown as { version: number }
  const { client } = hooks.admin
  expect(ok(await client.patch(url, { data: { enabled: false, version } })).webhook.version).toBe(version + 1)
  const { status, body } = await client.patch(url, { data: { name: '別名', version } })
  expect([status, body.code, body.current]).toEqual([409, 'VersionConflict', version + 1])
})

describe('a member who may manage webhooks but not read an app', () => {
  const own = ['space.view', 'webhook.manage']
  const preview = { body: null, batchSeconds: 0, includesBefore: false, includesAfter: true }
  let at: Awaited<ReturnType<typeof newSpace>>
  let helper: TestAccount

  beforeAll(async () => {
    at = await newSpace(hooks)
    const { client } = hooks.admin
    const data = { name: 'Webhook担当', target: 'project', rights: own }
    const { role } = ok(await client.post(`${at.space.url}/role`, { data }))
    helper = await createMember(hooks.installation, at.space, role.uid)
  })

  const refused = async (answer: ReturnType<TestAccount['client']['post']>) => {
    const { status, body } = await answer
    return [status, body.issues?.map(({ path }: { path: string }) => path)]
  }

  it('cannot create or preview a webhook for documents or assets that they may not read', async () => {
    const { space, app } = at
    const { client } = helper
    const chosen = { targets: [{ app: app.uid, models: null }] }
    const create = (data: object) =>
      refused(client.post(`${space.url}/webhook`, { data: { ...given, ...data } }))
    expect(await create({})).toEqual([403, ['data.targets']])
    expect(await create({ events: ['asset.created'] })).toEqual([403, ['data.events', 'data.targets']])
    // The member sees the app because it is open to all members.
    expect(await create(chosen)).toEqual([403, ['data.targets.0.app']])
    const see = (data: object) =>
      refused(
        client.post(`${space.url}/webhook:preview`, {
          data: { ...preview, event: 'document.saved', targets: null, ...data },
        }),
      )
    expect(await see({})).toEqual([403, ['data.targets']])
    expect(await see({ event: 'asset.created' })).toEqual([403, ['data.events', 'data.targets']])
  })

  it('cannot change the content or the destination of a webhook that another member created', async () => {
    const { hook } = at
    const { client } = helper
    const { url } = await hook({ headers: [{ name: 'X-Key', value: 'abc', isSecret: false }] })
    for (const data of [
      { url: 'https://example.com/' },
      { events: ['document.saved'] },
      { body: '{"a":{{document}}}' },
      { includesAfter: true },
      { method: 'PUT' },
      { headers: [] },
      { headers: [{ name: 'X-Key', value: 'abc', isSecret: true }] },
    ])
      expect([data, (await client.patch(url, { data })).status]).toEqual([data, 403])
    ok(await client.patch(url, { data: { name: '別名', enabled: false, batchSeconds: 5 } }))
    ok(await client.patch(url, { data: { url: `${hooks.receiver.origin}/hook`, targets: null } }))
  })

  it('sees in the log that a message was sent, but neither its body nor the response', async () => {
    const { hook, write, log } = at
    const { _id, url } = await hook({ events: ['document.saved'], includesAfter: true })
    await write({ title: '秘密' })
    await expect.poll(async () => (await log(_id))[0]?.state).toBe('sent')
    const [{ _id: id }] = await log(_id)
    const { delivery } = ok(await helper.client.get(`${url}/delivery/${id}`))
    expect(delivery).toMatchObject({ isReadable: false, body: null, log: [{ answer: null, status: 200 }] })
    const mine = ok(await hooks.admin.client.get(`${url}/delivery/${id}`)).delivery
    expect(mine).toMatchObject({ isReadable: true, log: [{ answer: 'ok' }] })
    expect(mine.body).toContain('秘密')
  })
})

describe('a webhook whose creator has left the space', () => {
  it('keeps sending, and still names its creator', async () => {
    const { space, write, one, log } = await newSpace(hooks)
    const maker = await createMember(hooks.installation, space, 'pjt-Admin')
    const data = { ...given, url: `${hooks.receiver.origin}/hook`, events: ['document.published'] }
    const { webhook } = ok(await maker.client.post(`${space.url}/webhook`, { data }))
    ok(await hooks.admin.client.delete(`${space.url}/member/${maker.memberId}`))
    await write({ title: '一' }, { type: 'PUBLISH' })
    await expect.poll(async () => (await log(webhook._id))[0]?.state).toBe('sent')
    expect((await one(webhook._id)).createdBy).toMatchObject({ _id: maker.id })
  })
})

describe('a member who may read only one app of a webhook', () => {
  it('cannot resend stored messages of other apps, to the same or to another URL', async () => {
    const { space, write, hook, log } = await newSpace(hooks)
    const { client } = hooks.admin
    const other = await createApp(client, space)
    const fields = [{ uid: 'title', name: 'title', type: 'TEXT' }]
    ok(await client.post(`${other.url}/model`, { data: { uid: 'note', name: 'note', fields } }))
    const rights = ['space.view', 'webhook.manage']
    const { role } = ok(
      await client.post(`${space.url}/role`, { data: { name: '担当', target: 'project', rights } }),
    )
    const reader = { admin: client, url: other.url, role: 'app-Subscriber' }
    const helper = await createMember(hooks.installation, space, role.uid, reader)
    const { _id, url } = await hook({ events: ['document.saved'] })
    hooks.receiver.answers.set('/hook', (_, response) => response.writeHead(404).end())
    await write({ title: '秘密' })
    const note = ok(
      await client.post(`${other.url}/model/note/doc`, { document: { title: '別' }, type: 'SAVE' }),
    )
    await expect.poll(async () => (await log(_id)).map(({ attempts }) => attempts > 0)).toEqual([true, true])
    const sendAgain = async (id: string) =>
      (await helper.client.post(`${url}/delivery/${id}/redeliver`)).status
    const sendAllAgain = await helper.client.post(`${url}/delivery:redeliver`, { data: { state: 'failed' } })
    const messages = await log(_id)
    const [secret, own] = ['article', 'note'].map(
      (model) => messages.find((one) => one.model?.uid === model)._id,
    )
    expect(sendAllAgain.status).toBe(403)
    expect(await sendAgain(secret)).toBe(403)
    expect(await sendAgain(own)).toBe(200)
    // An attempt that ends after the URL was changed would overwrite the time of the next attempt.
    await expect.poll(async () => (await log(_id)).find((one) => one._id === own)?.attempts).toBe(2)
    ok(await helper.client.patch(url, { data: { targets: [{ app: other.uid, models: null }] } }))
    expect(await log(_id)).toHaveLength(2)
    ok(await helper.client.patch(url, { data: { url: `${hooks.receiver.origin}/elsewhere` } }))
    await expect.poll(async () => (await log(_id)).map(({ state }) => state)).toEqual(['sent'])
    expect(hooks.receiver.bodies('/elsewhere').map((body) => body._id)).toEqual([note.document._id])
  })
})

it('a member who may not read assets sees no body and no response of an asset event in the log', async () => {
  const { space, hook, log } = await newSpace(hooks)
  const { client } = hooks.admin
  const { _id, url } = await hook({ events: ['asset.created'] })
  ok(await client.post(`${space.url}/assets`, formOf({ name: '秘密.txt', type: 'text/plain', bytes: 'x' })))
  await expect.poll(async () => (await log(_id))[0]?.state).toBe('sent')
  const [{ _id: id }] = await log(_id)
  const data = { name: '担当', target: 'project', rights: ['space.view', 'webhook.manage'] }
  const { role } = ok(await client.post(`${space.url}/role`, { data }))
  const helper = await createMember(hooks.installation, space, role.uid)
  const { delivery } = ok(await helper.client.get(`${url}/delivery/${id}`))
  expect(delivery).toMatchObject({ isReadable: false, body: null, log: [{ answer: null, status: 200 }] })
  expect(ok(await client.get(`${url}/delivery/${id}`)).delivery.body).toContain('秘密')
})
