import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { type Answer, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { isTokenValue, newTokenValue } from './token-value.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
})
afterAll(() => installation?.close())

const stored = (id: string) =>
  installation.database.kysely.selectFrom('token').selectAll().where('id', '=', id).executeTakeFirst()
const sha256 = (text: string) => createHash('sha256').update(text).digest()

describe('a token value', () => {
  it('consists of its kind and 49 letters or digits, and a wrong character is detected', () => {
    const values = new Set(Array.from({ length: 200 }, () => newTokenValue('cdn')))
    expect(values.size).toBe(200)
    for (const value of values) {
      expect(value).toMatch(/^cdn_[0-9A-Za-z]{49}$/)
      expect(isTokenValue(value)).toBe(true)
      const at = value.length - 20
      expect(isTokenValue(value.slice(0, at) + (value[at] === 'a' ? 'b' : 'a') + value.slice(at + 1))).toBe(
        false,
      )
    }
    expect(isTokenValue('api_')).toBe(false)
  })
})

describe.each([
  ['cdn', 'cdnToken'],
  ['api', 'apiToken'],
] as const)('%s tokens', (kind, noun) => {
  const url = () => `${space.url}/${noun}`
  const create = async (data: object) => ok(await admin.client.post(url(), { data }))[noun]

  it('are returned with their value once, and stored as a hash', async () => {
    const created = await create({ name: '公式サイト' })
    expect(created).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: '公式サイト',
      last4: created.token.slice(-4),
      apps: null,
      createdAt: expect.any(String),
      createdBy: { _id: admin.id, name: admin.name, isMember: true },
      expiresAt: null,
      lastUsedAt: null,
      ...(kind === 'api' ? { writes: false } : {}),
      token: expect.stringMatching(new RegExp(`^${kind}_`)),
    })
    const { token, ...rest } = created
    const list = await admin.client.get(url())
    expect(ok(list)[`${noun}s`]).toContainEqual(rest)
    expect(list.text).not.toContain(token)
    const row = await stored(created._id)
    expect(row?.value_hash).toEqual(sha256(token))
    expect(JSON.stringify(row)).not.toContain(token)
    expect(row).toMatchObject({ kind, created_by: admin.id })
  })

  it('contain the uids of the apps that they can read, without deleted apps', async () => {
    const [a, b] = [await createApp(admin.client, space), await createApp(admin.client, space)]
    const created = await create({ name: 'two apps', apps: [b.uid, a.uid, b.uid] })
    expect(created.apps).toEqual([b.uid, a.uid])
    const one = `${url()}/${created._id}`
    expect(ok(await admin.client.put(one, { data: { name: 'renamed' } }))[noun]).toMatchObject({
      name: 'renamed',
      apps: [b.uid, a.uid],
      last4: created.last4,
    })
    ok(await admin.client.delete(b.url))
    ok(await admin.client.delete(a.url))
    // No remaining app means no access, not access to all.
    expect(ok(await admin.client.get(url()))[`${noun}s`]).toContainEqual(
      expect.objectContaining({ _id: created._id, apps: [] }),
    )
    expect(ok(await admin.client.put(one, { data: { apps: null } }))[noun].apps).toBeNull()
    expect(ok(await admin.client.put(one, { data: { apps: [] } }))[noun].apps).toEqual([])
    const elsewhere = await createApp(admin.client, await createSpace(admin.client))
    for (const apps of [['nothing'], [elsewhere.uid]]) {
      const answer = await admin.client.put(one, { data: { apps } })
      expect([answer.status, answer.body.issues]).toEqual([
        400,
        [{ path: 'data.apps.0', code: 'InvalidValue' }],
      ])
    }
  })

  it('get another value when they are refreshed, and the old value becomes invalid', async () => {
    const created = await create({ name: 'refreshed' })
    const refreshed = ok(await admin.client.post(`${url()}/${created._id}/refresh`))[noun]
    expect(refreshed).toMatchObject({ _id: created._id, name: 'refreshed' })
    expect(refreshed.token).not.toBe(created.token)
    expect((await stored(created._id))?.value_hash).toEqual(sha256(refreshed.token))
    const both = await Promise.all([1, 2].map(() => admin.client.post(`${url()}/${created._id}/refresh`)))
    const live = (await stored(created._id))?.value_hash
    expect(both.filter((answer) => sha256(ok(answer)[noun].token).equals(live as Buffer))).toHaveLength(1)
  })

  it('are removed from the database when they are deleted', async () => {
    const { _id } = await create({ name: 'old' })
    expect(ok(await admin.client.delete(`${url()}/${_id}`))).toEqual({ success: true })
    expect(await stored(_id)).toBeUndefined()
    expect((await admin.client.delete(`${url()}/${_id}`)).status).toBe(404)
  })

  it('are inaccessible by endpoints of another kind or space, and cannot be listed without the right', async () => {
    const { _id } = await create({ name: 'mine' })
    const other = noun === 'cdnToken' ? 'apiToken' : 'cdnToken'
    const stranger = await createAccount(installation)
    const foreign = await createSpace(stranger.client)
    for (const base of [`${space.url}/${other}`, `${foreign.url}/${noun}`]) {
      const client = base.startsWith(foreign.url) ? stranger.client : admin.client
      const unknown = await client.put(`${base}/${'0'.repeat(24)}`, { data: { name: 'x' } })
      expect(unknown.status).toBe(404)
      for (const id of [_id, 'no-id', '%00'])
        for (const answer of [
          await client.put(`${base}/${id}`, { data: { name: 'x' } }),
          await client.post(`${base}/${id}/refresh`),
          await client.delete(`${base}/${id}`),
        ])
          expect([answer.status, answer.text]).toEqual([404, unknown.text])
    }
    const member = await createMember(installation, space)
    expect((await member.client.get(url())).status).toBe(403)
    expect((await stored(_id))?.name).toBe('mine')
  })

  it('cannot be created or refreshed by a member who may not read every app of the token', async () => {
    const [open, closed] = [await createApp(admin.client, space), await createApp(admin.client, space)]
    const accessSettings = { visibility: 'private', defaultRole: 'app-Subscriber' }
    ok(await admin.client.patch(closed.url, { accessSettings }))
    const roleOf = async (...rights: string[]) =>
      ok(await admin.client.post(`${space.url}/role`, { data: { name: unique('係'), rights } })).role.uid
    const reader = { ...open, admin: admin.client, role: 'app-Subscriber' }
    const keeper = await createMember(installation, space, await roleOf('space.view', 'token.manage'), reader)
    const post = (data: object) => keeper.client.post(url(), { data: { name: 'site', ...data } })
    const refused = (answer: Answer, ...paths: string[]) =>
      expect([answer.status, answer.body.code, answer.body.issues]).toEqual([
        403,
        'Forbidden',
        paths.map((path) => ({ path, code: 'NotAllowed' })),
      ])
    refused(await post({}), 'data.apps')
    refused(await post({ apps: null }), 'data.apps')
    const joinable = await createApp(admin.client, space)
    refused(await post({ apps: [open.uid, joinable.uid] }), 'data.apps.1')
    // An app that the member may not see is indistinguishable from a missing one.
    expect((await post({ apps: [closed.uid] })).body.issues).toEqual([
      { path: 'data.apps.0', code: 'InvalidValue' },
    ])
    const own = ok(await post({ apps: [open.uid] }))[noun]
    const one = `${url()}/${own._id}`
    refused(await keeper.client.put(one, { data: { apps: null } }), 'data.apps')
    ok(await keeper.client.post(`${one}/refresh`))

    // The member may rename the tokens of other members, but not renew their values.
    for (const apps of [null, [closed.uid, open.uid]]) {
      const others = await create({ name: 'all', apps })
      const other = `${url()}/${others._id}`
      refused(await keeper.client.post(`${other}/refresh`), 'apps')
      ok(await keeper.client.put(other, { data: { name: 'renamed' } }))
      expect((await stored(others._id))?.value_hash).toEqual(sha256(others.token))
      if (apps === null) continue
      // Apps that the member may not see stay, regardless of the request.
      ok(await keeper.client.put(other, { data: { apps: [] } }))
      expect(ok(await admin.client.get(url()))[`${noun}s`]).toContainEqual(
        expect.objectContaining({ _id: others._id, apps: [closed.uid] }),
      )
    }
    // The member may not prolong tokens of other members either, but may shorten their validity.
    const ends = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    for (const apps of [null, [closed.uid, open.uid]]) {
      const other = `${url()}/${(await create({ name: 'ending', apps, expiresAt: ends(10) }))._id}`
      for (const expiresAt of [null, ends(20)])
        refused(await keeper.client.put(other, { data: { expiresAt } }), 'data.expiresAt')
      if (apps !== null)
        refused(await keeper.client.put(other, { data: { apps: [], expiresAt: null } }), 'data.expiresAt')
      ok(await keeper.client.put(other, { data: { expiresAt: ends(5) } }))
      ok(await admin.client.put(other, { data: { expiresAt: null } }))
    }
    const brief = await create({ name: 'ending', apps: [open.uid], expiresAt: ends(10) })
    ok(await keeper.client.put(`${url()}/${brief._id}`, { data: { expiresAt: null } }))
    // A deleted app does not prevent a refresh.
    const [gone] = [await createApp(admin.client, space)]
    const left = await create({ name: 'left', apps: [gone.uid, open.uid] })
    ok(await admin.client.delete(gone.url))
    ok(await keeper.client.post(`${url()}/${left._id}/refresh`))
    // A role that cannot read all models of the app does not suffice.
    const secret = await createModel(admin.client, open)
    const [{ _id }] = ok(await admin.client.get(`${open.url}/model`)).models
    expect(secret.url).toContain(open.url)
    const data = { name: unique('役'), rights: ['document.read'], models: { [_id]: { rights: [] } } }
    const { role } = ok(await admin.client.post(`${open.url}/role`, { data }))
    ok(await admin.client.patch(`${open.url}/member/${keeper.memberId}`, { roleId: role.uid }))
    refused(await post({ apps: [open.uid] }), 'data.apps.0')
  })

  it('contain their creator, and whether the creator still is a member', async () => {
    const admin = await createAccount(installation)
    const own = await createSpace(admin.client)
    const maker = await createMember(installation, own, 'pjt-Admin')
    await installation.database.pool.query(`UPDATE account SET name = '' WHERE id = $1`, [maker.id])
    const names = { apiToken: 'プレビュー', cdnToken: 'サイト' }
    const made = ok(await maker.client.post(`${own.url}/${noun}`, { data: { name: names[noun] } }))[noun]
    expect(made.createdBy).toEqual({ _id: maker.id, name: maker.email, isMember: true })
    const other = noun === 'cdnToken' ? 'apiToken' : 'cdnToken'
    ok(await maker.client.post(`${own.url}/${other}`, { data: { name: names[other] } }))
    const list = async () => ok(await admin.client.get(`${own.url}/${noun}`))[`${noun}s`]
    expect((await list())[0].createdBy).toEqual(made.createdBy)
    ok(await admin.client.delete(`${own.url}/member/${maker.memberId}`))
    expect((await list())[0].createdBy).toEqual({ ...made.createdBy, isMember: false })
    const [entry] = ok(await admin.client.get(`${own.url}/auditLog`)).auditLogs
    expect(entry).toMatchObject({ act: 'member.remove', details: { tokensLeft: 'プレビュー, サイト' } })
    ok(await admin.client.post(`${own.url}/${noun}/${made._id}/refresh`))
    expect((await list())[0].createdBy).toMatchObject({ _id: admin.id, isMember: true })
  })

  it('record events with the actor, but without the value', async () => {
    const { _id, token } = await create({ name: 'watched' })
    ok(await admin.client.put(`${url()}/${_id}`, { data: { name: 'watched closely' } }))
    ok(await admin.client.post(`${url()}/${_id}/refresh`))
    ok(await admin.client.delete(`${url()}/${_id}`))
    const events = await installation.database.kysely.selectFrom('event').selectAll().orderBy('id').execute()
    const own = events.filter((event) => event.payload.tokenId === _id)
    expect(own.map((event) => event.type)).toEqual([
      'token.created',
      'token.updated',
      'token.refreshed',
      'token.deleted',
    ])
    expect(own.every((event) => event.actor_id === admin.id)).toBe(true)
    expect(JSON.stringify(events)).not.toContain(token)
  })
})
