import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSession } from '#server/access/sessions.ts'
import { cookieName } from '#server/http/browsers/cookie-jar.ts'
import { readsCookies } from '#shared/contract/endpoint.ts'
import { createAccount, createMember, createSpace, signIn, type TestAccount } from './factories.ts'
import { callEmpty, everyEndpoint, inSpaces, methodOf } from './matrix-calls.ts'
import { type Fixture, invitePeople, makeFixture } from './matrix-fixture.ts'
import { type Client, ok, startInstallation, type TestInstallation } from './server.ts'

/*
 * Tests, at every endpoint, the checks other than rights: the caller's IP address, session, second factor and key.
 * Refused calls change nothing, so all tests share one space.
 */

let installation: TestInstallation
let fixture: Fixture
let owner: TestAccount
let url: string
beforeAll(async () => {
  installation = await startInstallation()
  fixture = await makeFixture(installation, await invitePeople(installation), { reading: true })
  owner = fixture.people.owner
  url = `/api/project/${fixture.p}`
})
afterAll(() => installation?.close())

const unguarded = ['validateIp', 'validateSecondFactor']
const space = { allowed: '192.0.2.7' }
const db = () => installation.database.kysely

const spaceId = async (uid: string) =>
  (await db().selectFrom('space').select('id').where('uid', '=', uid).executeTakeFirstOrThrow()).id

async function giveSecondFactor({ id }: { id: string }): Promise<void> {
  const values = { account_id: id, secret: 'sealed', confirmed_at: new Date() }
  await db().insertInto('totp').values(values).execute()
}

/** Creates an admin of the space with an allowed IP address. */
async function admin(): Promise<TestAccount & { memberId: string }> {
  const account = await createMember(installation, { uid: fixture.p, url }, 'pjt-Admin')
  account.client.ip = space.allowed
  return account
}

async function expectRefusal(client: Client, code: string): Promise<void> {
  for (const call of inSpaces) {
    const [name] = call
    const answer = await callEmpty(client, call, fixture)
    const expected = unguarded.includes(name) ? [name, 200, undefined] : [name, 403, code]
    expect([name, answer.status, answer.body?.code], answer.text.slice(0, 300)).toEqual(expected)
  }
}

describe('a space that requires an IP range, a session of at most one hour and a second factor', () => {
  beforeAll(async () => {
    const asked = { ip_ranges: ['192.0.2.0/24'], session_hours: 1, second_factor: true }
    const values = { space_id: await spaceId(fixture.p), ...asked }
    await db().insertInto('space_security').values(values).execute()
  })
  afterAll(() => db().deleteFrom('space_security').execute())

  it('has no unguarded endpoints except `validateIp` and `validateSecondFactor`', () => {
    const open = inSpaces.filter(([, endpoint]) => endpoint.unguarded).map(([name]) => name)
    expect(open.sort()).toEqual(unguarded)
  })

  it('admits an admin who meets all requirements to every GET endpoint', async () => {
    const account = await admin()
    await giveSecondFactor(account)
    for (const call of inSpaces)
      if (methodOf(call[1]) === 'GET') {
        const answer = await callEmpty(account.client, call, fixture)
        expect([call[0], [401, 403].includes(answer.status)], answer.text.slice(0, 300)).toEqual([
          call[0],
          false,
        ])
      }
  })

  it('refuses an IP address outside the range at every guarded endpoint', async () => {
    const account = await admin()
    await giveSecondFactor(account)
    account.client.ip = '198.51.100.7'
    await expectRefusal(account.client, 'IpAddressNotAllowed')
  })

  it('refuses a session of two hours at every guarded endpoint', async () => {
    const account = await admin()
    await giveSecondFactor(account)
    const created_at = new Date(Date.now() - 2 * 3_600_000)
    await db().updateTable('session').set({ created_at }).where('account_id', '=', account.id).execute()
    await expectRefusal(account.client, 'SessionIsTooOld')
  })

  it('refuses a member without a second factor at every guarded endpoint', async () => {
    await expectRefusal((await admin()).client, 'SecondFactorRequired')
  })
})

describe('a session created by SSO', () => {
  /** Returns a client that is signed in only by the SSO of this space. */
  async function bySso(account: { id: string }, uid: string): Promise<Client> {
    const connection = db().selectFrom('sso_connection').select(['id', 'space_id'])
    const { id, space_id } = await connection
      .where('space_id', '=', await spaceId(uid))
      .executeTakeFirstOrThrow()
    const client = installation.visitor()
    const admission = { spaceId: space_id, connectionId: id, continues: null }
    const cookie = await createSession(
      db(),
      installation.deps.services.secrets,
      account.id,
      undefined,
      admission,
    )
    client.cookies.set(cookieName(installation.deps.services.config, 'sid'), cookie)
    return client
  }

  it('is refused by other spaces, and by account endpoints that do not allow SSO sessions', async () => {
    const account = await admin()
    const elsewhere = await makeFixture(
      installation,
      { ...fixture.people, owner: account },
      { members: false },
    )
    // The session is also allowed to log out, but the call would end it.
    for (const call of everyEndpoint.filter(([name]) => name !== 'logout')) {
      const [name, { permission, bySso: isOpen }] = call
      if (permission === 'public' || !readsCookies(call[1])) continue
      const client = await bySso(account, elsewhere.p)
      const answer = await callEmpty(client, call, fixture, {}, account.id)
      if (permission === 'admin') expect([name, answer.status]).toEqual([name, 403])
      else if (isOpen) expect([name, answer.body?.code]).not.toEqual([name, 'UsualSignInRequired'])
      else
        expect([name, answer.status, answer.body?.code], answer.text.slice(0, 300)).toEqual([
          name,
          403,
          'UsualSignInRequired',
        ])
    }
    // The space of the SSO admits the session.
    const client = await bySso(account, elsewhere.p)
    for (const call of inSpaces)
      if (methodOf(call[1]) === 'GET')
        expect([call[0], (await callEmpty(client, call, elsewhere)).status]).not.toEqual([call[0], 403])
  })
})

describe('a token or key', () => {
  type Kind =
    | 'cdn'
    | 'api'
    | 'writing api'
    | 'scim'
    | 'program'
    | 'program of another space'
    | 'program of a removed member'
  const keys = {} as Record<Kind, string>
  let gone: TestAccount & { memberId: string }
  beforeAll(async () => {
    const make = async (noun: 'cdnToken' | 'apiToken', data: object = {}) =>
      ok(await owner.client.post(`${url}/${noun}`, { data: { name: noun, ...data } }))[noun].token
    const keyOf = async (client: Client, uid: string) =>
      ok(await client.post(`/api/project/${uid}/move:key`)).key
    keys.cdn = await make('cdnToken')
    keys.api = await make('apiToken')
    keys['writing api'] = await make('apiToken', { writes: true })
    await owner.client.delete(`${url}/scim`)
    keys.scim = ok(await owner.client.post(`${url}/scim`, { data: {} })).scim.token
    keys.program = await keyOf(await signIn(installation, owner.id), fixture.p)
    const another = await createSpace(owner.client)
    keys['program of another space'] = await keyOf(owner.client, another.uid)
    gone = await admin()
    keys['program of a removed member'] = await keyOf(gone.client, fixture.p)
    ok(await owner.client.delete(`${url}/member/${gone.memberId}`))
    expect(Object.values(keys).filter((key) => key?.length > 40)).toHaveLength(kinds.length)
  })

  const kinds: Kind[] = [
    'cdn',
    'api',
    'writing api',
    'scim',
    'program',
    'program of another space',
    'program of a removed member',
  ]
  it.each(kinds)('of kind "%s" gets 401 from management endpoints that do not accept it', async (kind) => {
    const client = installation.visitor()
    // The key is also sent as a session cookie, which is not accepted either.
    client.cookies.set(cookieName(installation.deps.services.config, 'sid'), keys[kind])
    client.csrfToken = 'none'
    let opened = 0
    for (const call of everyEndpoint) {
      const [name, { permission, programs, caller }] = call
      if (permission === 'public') continue
      const answer = await callEmpty(client, call, fixture, { authorization: `Bearer ${keys[kind]}` })
      const ofDirectory = caller === 'directory' && kind === 'scim'
      const forIt =
        ofDirectory ||
        (programs === 'memberKey' && kind === 'program') ||
        (programs === 'apiToken' && kind === 'writing api')
      const whenGone = programs === 'memberKey' && kind === 'program of a removed member'
      const onlyReads = programs === 'apiToken' && kind === 'api'
      if (whenGone) expect([name, answer.status]).toEqual([name, 404])
      else if (onlyReads)
        expect([name, answer.status, answer.body.code]).toEqual([name, 403, 'TokenIsReadOnly'])
      else if (forIt) expect([name, [401, 403].includes(answer.status)]).toEqual([name, false])
      else expect([name, answer.status], answer.text.slice(0, 300)).toEqual([name, 401])
      if (forIt) opened++
    }
    expect(opened > 0).toBe(['program', 'scim', 'writing api'].includes(kind))
  })

  const doors: [door: string, path: (fixture: Fixture) => string, ...kinds: [Kind, ...Kind[]]][] = [
    ['the CDN API', ({ p, a, m }) => `/${p}.cdn/v1/${a}/${m}`, 'cdn'],
    ['the API', ({ p, a, m }) => `/${p}.api/v1/${a}/${m}`, 'api', 'writing api'],
    ['SCIM', ({ p }) => `/scim/v2/${p}/Users`, 'scim'],
  ]
  it.each(doors)('is accepted by %s only if it is of the right kind', async (_, path, ...opening) => {
    for (const kind of kinds) {
      const answer = await installation
        .visitor()
        .get(path(fixture), { authorization: `Bearer ${keys[kind]}` })
      expect([kind, answer.status], answer.text.slice(0, 300)).toEqual([
        kind,
        opening.includes(kind) ? 200 : 401,
      ])
    }
    const withSession = await owner.client.get(path(fixture))
    expect(withSession.status).toBe(401)
  })

  it('is refused from another IP address (CDN and API tokens) or after its session ended (program key)', async () => {
    const deliveries = doors.filter(([, , kind]) => kind !== 'scim')
    const from = async (ip: string, [, path, kind]: (typeof doors)[number]) => {
      const visitor = installation.visitor()
      visitor.ip = ip
      return visitor.get(path(fixture), { authorization: `Bearer ${keys[kind]}` })
    }
    ok(
      await owner.client.put(`${url}/security`, {
        data: { tokenIpRanges: ['192.0.2.0/24'] },
        limitTokens: true,
      }),
    )
    for (const door of deliveries) {
      await expect.poll(async () => (await from('198.51.100.7', door)).status).toBe(403)
      expect((await from('198.51.100.7', door)).body.code).toBe('IpAddressNotAllowed')
      expect((await from('192.0.2.7', door)).status).toBe(200)
    }
    ok(await owner.client.put(`${url}/security`, { data: { tokenIpRanges: [] } }))
    const stranger = await createAccount(installation)
    await db().deleteFrom('session').where('account_id', '=', owner.id).execute()
    const late = await stranger.client.get(`${url}/move`, { authorization: `Bearer ${keys.program}` })
    expect(late.status).toBe(401)
  })
})
