import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createMember, createModel, createSpace, unique } from '#test/factories.ts'
import { type Answer, formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'

type Place = Awaited<ReturnType<typeof createApp>>

let installation: TestInstallation
let admin: Awaited<ReturnType<typeof createAccount>>
let space: { uid: string; url: string }
let app: Place
let otherApp: Place
let model: Awaited<ReturnType<typeof createModel>>
let otherModel: Awaited<ReturnType<typeof createModel>>

beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  ;[app, otherApp] = [await createApp(admin.client, space), await createApp(admin.client, space)]
  model = await createModel(admin.client, app)
  otherModel = await createModel(admin.client, otherApp)
})
afterAll(() => installation?.close())

interface Made {
  _id: string
  token: string
}

const create = async (data: object = {}): Promise<Made> =>
  ok(await admin.client.post(`${space.url}/apiToken`, { data: { name: '同期', writes: true, ...data } }))
    .apiToken

/** A program without a session that sends the token. */
function program({ token }: { token: string }, ip?: string) {
  const visitor = installation.visitor()
  if (ip) visitor.ip = ip
  const headers = { authorization: `Bearer ${token}` }
  return {
    get: (url: string, more = {}) => visitor.get(url, { ...headers, ...more }),
    post: (url: string, body?: unknown, more = {}) => visitor.post(url, body, { ...headers, ...more }),
    put: (url: string, body?: unknown, more = {}) => visitor.put(url, body, { ...headers, ...more }),
    delete: (url: string) => visitor.delete(url, headers),
  }
}

const titled = (title: string) => ({ document: { title } })
const changed = (title: string) => ({ doc: { title }, type: 'SAVE' })
const codeOf = ({ status, body }: Answer) => [status, body.code]

describe('a program with an API token that writes', () => {
  it('creates, updates, duplicates, publishes and deletes documents, in the name of the token', async () => {
    const token = await create()
    const client = program(token)
    const url = `${model.url}/doc`
    const { document } = ok(await client.post(url, titled('はじめまして')))
    expect(document._sys).toMatchObject({ version: 1, createdBy: null })
    const one = `${url}/${document._id}`
    ok(await client.put(one, changed('二つめ'), { 'if-match': '"1"' }))
    expect(codeOf(await client.put(one, changed('古い版'), { 'if-match': '"1"' }))).toEqual([
      409,
      'VersionConflict',
    ])
    ok(await client.post(`${url}/bulkPublish`, { documentIds: [document._id] }))
    const copy = ok(await client.post(`${one}/duplicate`, { docTitle: '写し' })).document
    expect(ok(await client.get(url)).documents).toHaveLength(2)
    ok(await client.delete(`${url}/${copy._id}`))
    expect((await client.get(`${url}/${copy._id}`)).status).toBe(404)

    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog`))
    const own = auditLogs.filter(({ actor }: { actor: { kind: string } }) => actor.kind === 'token')
    expect(own.map(({ act }: { act: string }) => act)).toEqual([
      'document.delete',
      'document.create',
      'document.publish',
      'document.save',
      'document.create',
    ])
    expect(own[0].actor).toEqual({ kind: 'token', _id: token._id, name: '同期' })
    const { revisions } = ok(await admin.client.get(`${one}/revisions`))
    expect(revisions.map(({ source }: { source: string }) => source)).toEqual(['api', 'api', 'api'])
    const { apiTokens } = ok(await admin.client.get(`${space.url}/apiToken`))
    expect(apiTokens.find(({ _id }: Made) => _id === token._id)).toMatchObject({
      writes: true,
      lastUsedAt: expect.any(String),
    })
  })

  it('reads models and the media library, and uploads files', async () => {
    const client = program(await create())
    expect(ok(await client.get(`${app.url}/model`)).models).toHaveLength(1)
    ok(await client.get(model.url))
    const { results } = ok(
      await client.post(`${space.url}/assets`, formOf({ name: 'a.txt', bytes: '文字', type: 'text/plain' })),
    )
    expect(results).toMatchObject([{ success: true }])
    expect(ok(await client.get(`${space.url}/assets/${results[0].asset._id}`)).asset.fileName).toBe('a.txt')
  })

  it('repeats a request with an idempotency key without a second effect, separately for each token', async () => {
    const key = { 'idempotency-key': unique('key') }
    const [one, two] = [program(await create()), program(await create())]
    const send = async (client: typeof one) =>
      ok(await client.post(`${model.url}/doc`, titled('一度だけ'), key)).document._id
    const first = await send(one)
    expect(await send(one)).toBe(first)
    expect(await send(two)).not.toBe(first)
    expect(codeOf(await one.post(`${model.url}/doc`, titled('別'), key))).toEqual([
      422,
      'IdempotencyKeyReused',
    ])
  })

  it('reaches only the apps of the token, in its own space', async () => {
    const client = program(await create({ apps: [app.uid] }))
    ok(await client.post(`${model.url}/doc`, titled('ここ')))
    for (const url of [`${otherModel.url}/doc`, `${space.url}/app/none/model/none/doc`]) {
      expect(codeOf(await client.post(url, titled('そこ')))).toEqual([404, 'NotFound'])
      expect(codeOf(await client.get(url))).toEqual([404, 'NotFound'])
    }
    const elsewhere = await createModel(
      admin.client,
      await createApp(admin.client, await createSpace(admin.client)),
    )
    expect(codeOf(await client.get(`${elsewhere.url}/doc`))).toEqual([401, 'Unauthorized'])
    expect(codeOf(await client.get(elsewhere.url.replace(/project\/[^/]+/, 'project/nothing')))).toEqual([
      401,
      'Unauthorized',
    ])
  })

  it('cannot preview the rights of a member', async () => {
    const member = await createMember(installation, space)
    const answer = await program(await create()).get(`${model.url}/doc`, {
      'x-imori-view-as': member.memberId,
    })
    expect(codeOf(answer)).toEqual([403, 'Forbidden'])
  })

  it('is refused at the next request when the token is changed, expired, refreshed or deleted', async () => {
    const token = await create()
    const url = `${space.url}/apiToken/${token._id}`
    const client = program(token)
    const list = async () => codeOf(await client.get(`${model.url}/doc`))
    expect(await list()).toEqual([200, undefined])
    ok(await admin.client.put(url, { data: { apps: [otherApp.uid] } }))
    expect(await list()).toEqual([404, 'NotFound'])
    ok(await admin.client.put(url, { data: { apps: null } }))
    expect(await list()).toEqual([200, undefined])
    await installation.database.pool.query(
      `UPDATE token SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [token._id],
    )
    expect(await list()).toEqual([401, 'Unauthorized'])
    ok(await admin.client.put(url, { data: { expiresAt: null } }))
    expect(await list()).toEqual([200, undefined])
    ok(await admin.client.post(`${url}/refresh`))
    expect(await list()).toEqual([401, 'Unauthorized'])
    const reading = await create()
    ok(await admin.client.put(`${space.url}/apiToken/${reading._id}`, { data: { writes: false } }))
    expect(codeOf(await program(reading).get(`${model.url}/doc`))).toEqual([403, 'TokenIsReadOnly'])
    const deleted = await create()
    ok(await admin.client.delete(`${space.url}/apiToken/${deleted._id}`))
    expect(codeOf(await program(deleted).get(`${model.url}/doc`))).toEqual([401, 'Unauthorized'])
  })

  it('must come from an address that the space allows for tokens; the audit log records the refusal', async () => {
    const own = await createSpace(admin.client)
    const place = await createModel(admin.client, await createApp(admin.client, own))
    const { apiToken } = ok(
      await admin.client.post(`${own.url}/apiToken`, { data: { name: '外から', writes: true } }),
    )
    const security = { tokenIpRanges: ['192.0.2.0/24'] }
    ok(await admin.client.put(`${own.url}/security`, { data: security, limitTokens: true }))
    expect((await program(apiToken, '192.0.2.7').get(`${place.url}/doc`)).status).toBe(200)
    expect(codeOf(await program(apiToken, '198.51.100.7').post(`${place.url}/doc`, titled('外')))).toEqual([
      403,
      'IpAddressNotAllowed',
    ])
    const { auditLogs } = ok(await admin.client.get(`${own.url}/auditLog`))
    expect(auditLogs[0]).toMatchObject({
      act: 'document.create',
      outcome: 'IpAddressNotAllowed',
      actor: { kind: 'token', _id: apiToken._id, name: '外から' },
      ip: '198.51.100.7',
    })
  })
})

describe('a browser', () => {
  it('keeps its session if a proxy adds another kind of Authorization header', async () => {
    for (const value of [
      `Basic ${Buffer.from('user:word').toString('base64')}`,
      'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x',
    ])
      expect((await admin.client.get(`${model.url}/doc`, { authorization: value })).status).toBe(200)
  })

  it('needs the CSRF token as before', async () => {
    const headers = { 'x-csrf-token': 'none' }
    const answer = await admin.client.send('POST', `${model.url}/doc`, titled('偽造'), headers)
    expect(codeOf(answer)).toEqual([403, 'InvalidCsrfToken'])
  })
})

describe('writing with a token', () => {
  const refused = (answer: Answer, path: string) =>
    expect([answer.status, answer.body.issues]).toEqual([403, [{ path, code: 'NotAllowed' }]])

  it('is for tokens of members with these rights in every app of the token', async () => {
    const roleOf = async (...rights: string[]) =>
      ok(await admin.client.post(`${space.url}/role`, { data: { name: unique('係'), rights } })).role.uid
    const uploads = ['asset.read', 'asset.write.own']
    const editor = { ...app, admin: admin.client, role: 'app-Editor' }
    const keeper = await createMember(
      installation,
      space,
      await roleOf('space.view', 'token.manage', ...uploads),
      editor,
    )
    const post = (data: object) =>
      keeper.client.post(`${space.url}/apiToken`, { data: { name: 'x', writes: true, ...data } })
    refused(await post({}), 'data.apps')
    refused(await post({ apps: [app.uid, otherApp.uid] }), 'data.apps.1')
    const own = ok(await post({ apps: [app.uid] })).apiToken
    const change = (id: string, data: object) => keeper.client.put(`${space.url}/apiToken/${id}`, { data })
    refused(await change(own._id, { apps: [app.uid, otherApp.uid] }), 'data.apps.1')
    ok(await keeper.client.post(`${space.url}/apiToken/${own._id}/refresh`))

    // Tokens of other members: no new value, no later end, and no writing.
    const ending = { apps: [otherApp.uid], expiresAt: new Date(Date.now() + 600_000).toISOString() }
    const writing = await create(ending)
    refused(await keeper.client.post(`${space.url}/apiToken/${writing._id}/refresh`), 'apps')
    refused(await change(writing._id, { expiresAt: null }), 'data.expiresAt')
    // Less is allowed. Writing cannot be turned on again, because the value may be known.
    ok(await change(writing._id, { writes: false, name: '読むだけ' }))
    for (const client of [keeper.client, admin.client]) {
      const answer = await client.put(`${space.url}/apiToken/${writing._id}`, { data: { writes: true } })
      expect([answer.status, answer.body.issues]).toEqual([
        400,
        [{ path: 'data.writes', code: 'InvalidValue' }],
      ])
    }

    // A role with read-only fields cannot write everything.
    const [{ _id }] = ok(await admin.client.get(`${app.url}/model`)).models
    const data = {
      name: unique('役'),
      rights: ['document.read', 'document.write.own', 'document.publish.own', 'document.write.any'],
      models: { [_id]: { readOnly: [model.fields[0]?._id] } },
    }
    const { role } = ok(await admin.client.post(`${app.url}/role`, { data }))
    ok(await admin.client.patch(`${app.url}/member/${keeper.memberId}`, { roleId: role.uid }))
    refused(await post({ apps: [app.uid] }), 'data.apps.0')
    ok(await post({ apps: [app.uid], writes: false }))
    refused(await keeper.client.post(`${space.url}/apiToken/${own._id}/refresh`), 'apps')

    const without = await createMember(
      installation,
      space,
      await roleOf('space.view', 'token.manage'),
      editor,
    )
    const answer = await without.client.post(`${space.url}/apiToken`, {
      data: { name: 'x', writes: true, apps: [app.uid] },
    })
    refused(answer, 'data.writes')
    // Narrowing and renaming need no right to write.
    const wide = await create({ apps: [app.uid, otherApp.uid] })
    const narrow = { data: { name: '狭い', writes: true, apps: [app.uid] } }
    ok(await without.client.put(`${space.url}/apiToken/${wide._id}`, narrow))
  })

  it('is refused for CDN tokens', async () => {
    const answer = await admin.client.post(`${space.url}/cdnToken`, { data: { name: 'x', writes: true } })
    expect(codeOf(answer)).toEqual([400, 'ValidationFailed'])
  })
})
