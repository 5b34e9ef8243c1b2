import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  addMember,
  createAccount,
  createApp,
  createMember,
  createSpace,
  signIn,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { mailsOf } from '#test/kept-mails.ts'
import { type Answer, type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const core = 'urn:ietf:params:scim:schemas:core:2.0'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let scim: Scim
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation?.close())
beforeEach(async () => {
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  scim = await connect(space, admin.client)
})

interface Scim {
  token: string
  send: Client['send']
}

async function connect({ uid, url }: { uid: string; url: string }, client: Client): Promise<Scim> {
  const { scim: made } = ok(await client.post(`${url}/scim`, { data: {} }))
  expect(made.url).toMatch(new RegExp(`/scim/v2/${uid}$`))
  return { token: made.token, send: sender(uid, made.token) }
}

function sender(uid: string, token: string): Client['send'] {
  const visitor = installation.visitor()
  return (method, path, body, headers = {}) =>
    visitor.send(method, `/scim/v2/${uid}${path}`, body, {
      ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
      authorization: `Bearer ${token}`,
      ...headers,
    })
}

const person = (email: string, rest: object = {}) => ({
  schemas: [`${core}:User`],
  userName: email,
  externalId: unique('ext'),
  name: { givenName: '花子', familyName: '山田' },
  locale: 'ja-JP',
  emails: [{ value: email, type: 'work', primary: true }],
  active: true,
  ...rest,
})
const patch = (...Operations: object[]) => ({ schemas: [patchOp], Operations })
const address = () => `${unique('someone')}@example.com`

async function make(email = address(), rest: object = {}) {
  const answer = await scim.send('POST', '/Users', person(email, rest))
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body
}

/** Accepts the invitation that was mailed. */
async function come(email: string, account: TestAccount): Promise<Answer> {
  const [mail] = await mailsOf(installation, email)
  const code = new URL(mail?.link ?? 'http://none/').searchParams.get('code')
  return account.client.post('/api/invitation/accept', { code })
}

const membersOf = async () => ok(await admin.client.get(`${space.url}/members`)).members
const entries = async () =>
  ok(await admin.client.get(`${space.url}/auditLog`)).auditLogs as {
    act: string
    actor: { kind: string; name: string }
    outcome: string
    object: { name: string | null }
    details: object
  }[]
const refusal = (answer: Answer) => [answer.status, answer.body?.scimType ?? null]

describe('the SCIM endpoint', () => {
  it('rejects the token of another space, an unknown token and an unknown space with the same 401 response', async () => {
    const other = await createSpace(admin.client)
    const { token } = await connect(other, admin.client)
    for (const send of [
      sender(space.uid, token),
      sender(space.uid, 'scim_wrong'),
      sender('no-such-space', scim.token),
    ]) {
      const answer = await send('GET', '/Users')
      expect(answer.status).toBe(401)
      expect(answer.headers['content-type']).toMatch('application/scim+json')
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(answer.body).toEqual({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '401',
        detail: 'The token is not valid here',
      })
    }
    expect((await admin.client.get(`/scim/v2/${space.uid}/Users`)).status).toBe(401)
    expect(await entries()).toContainEqual(
      expect.objectContaining({ act: 'scim.request', outcome: 'Unauthorized' }),
    )
    // A token of the delivery API is not accepted.
    const { cdnToken } = ok(await admin.client.post(`${space.url}/cdnToken`, { data: { name: 'x' } }))
    expect((await sender(space.uid, cdnToken.token)('GET', '/Users')).status).toBe(401)
  })

  it('rejects a request without a token before it reads the body, whatever the cookies of the request', async () => {
    const visitor = installation.visitor()
    const url = `/scim/v2/${space.uid}/Users`
    const answers = [
      await visitor.post(url, 'x'.repeat(1_100_000)),
      await visitor.post(url, '{', { authorization: 'Basic x' }),
      await admin.client.delete(`${url}/${'0'.repeat(24)}`),
      await visitor.get(`/scim/v2/${space.uid}/Machines`),
      await sender(space.uid, 'scim_wrong')('GET', '/Machines'),
      await sender(space.uid, 'scim_wrong')('POST', '/Users', '{'),
    ]
    expect(answers.map(refusal)).toEqual(answers.map(() => [401, null]))
    for (const { headers } of answers) expect(headers['set-cookie']).toBeUndefined()
    const { headers } = await scim.send('HEAD', '/Users')
    expect(headers['content-type']).not.toMatch('application/scim+json')
  })

  it('ignores the body of a DELETE, and the media type of an empty body', async () => {
    const { id } = await make()
    const none = { 'content-type': 'text/plain' }
    expect((await scim.send('POST', '/Users/.search', '', none)).status).toBe(200)
    expect((await scim.send('DELETE', `/Users/${id}`, '{', none)).status).toBe(204)
  })

  it('rejects a token that was replaced, and the token of a deleted connection', async () => {
    const renewed = await connect(space, admin.client)
    expect((await scim.send('GET', '/Users')).status).toBe(401)
    expect((await renewed.send('GET', '/Users')).status).toBe(200)
    const shown = ok(await admin.client.get(`${space.url}/scim`)).scim
    expect(shown).toMatchObject({ last4: renewed.token.slice(-4), lastUsedAt: expect.any(String) })
    expect(JSON.stringify(shown)).not.toContain(renewed.token)
    ok(await admin.client.delete(`${space.url}/scim`))
    expect((await renewed.send('GET', '/Users')).status).toBe(401)
    expect(ok(await admin.client.get(`${space.url}/scim`)).scim).toBe(null)
  })

  it('can be removed, but not set up, with only the rights security.manage and member.manage', async () => {
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, {
        data: { name: '情報システム', rights: ['space.view', 'security.manage', 'member.manage'] },
      }),
    )
    const keeper = await createMember(installation, space, role.uid)
    expect((await keeper.client.post(`${space.url}/scim`, { data: {} })).body.code).toBe('Forbidden')
    ok(await keeper.client.delete(`${space.url}/scim`))
  })

  it('describes its capabilities', async () => {
    const config = ok(await scim.send('GET', '/ServiceProviderConfig'))
    expect(config).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      etag: { supported: true },
    })
    const { Resources: schemas } = ok(await scim.send('GET', '/Schemas'))
    expect(schemas.map(({ id }: { id: string }) => id)).toEqual([`${core}:User`, `${core}:Group`])
    expect(ok(await scim.send('GET', `/Schemas/${core}:User`)).attributes).toContainEqual(
      expect.objectContaining({ name: 'userName', required: true, uniqueness: 'server', caseExact: false }),
    )
    expect(ok(await scim.send('GET', '/ResourceTypes/Group'))).toMatchObject({ endpoint: '/Groups' })
    expect((await scim.send('POST', '/Bulk', {})).status).toBe(501)
    expect((await scim.send('GET', '/Me')).status).toBe(501)
    expect(refusal(await scim.send('GET', '/Machines'))).toEqual([404, null])
  })

  it('rejects malformed requests', async () => {
    expect(refusal(await scim.send('POST', '/Users', '{"userName":'))).toEqual([400, 'invalidSyntax'])
    expect(refusal(await scim.send('POST', '/Users', '[]'))).toEqual([400, 'invalidSyntax'])
    expect(refusal(await scim.send('POST', '/Users', 'x', { 'content-type': 'text/plain' }))).toEqual([
      415,
      null,
    ])
    expect((await scim.send('POST', '/Users', `"${'x'.repeat(1_100_000)}"`)).status).toBe(413)
    expect(refusal(await scim.send('POST', '/Users', {}))).toEqual([400, 'invalidValue'])
    expect(refusal(await scim.send('POST', '/Users', { userName: 'no address' }))).toEqual([
      400,
      'invalidValue',
    ])
    expect(refusal(await scim.send('GET', '/Users?filter=userName%20is%20x'))).toEqual([400, 'invalidFilter'])
    expect(refusal(await scim.send('GET', '/Users?count=many'))).toEqual([400, 'invalidValue'])
    expect((await scim.send('GET', `/Users/${'0'.repeat(24)}`)).status).toBe(404)
    expect((await scim.send('GET', "/Users/' OR true --")).status).toBe(404)
  })
})

describe('users', () => {
  it('become members when created, and an account can claim the membership with the mailed invitation', async () => {
    const email = address()
    const user = await make(email)
    expect(user).toMatchObject({ userName: email, active: true, emails: [{ value: email }] })
    expect(user).not.toHaveProperty('password')
    const [, member] = await membersOf()
    expect(member).toMatchObject({
      email,
      name: '山田 花子',
      roleId: 'pjt-Member',
      provisioned: true,
      identities: ['scim'],
    })
    const somebody = await createAccount(installation)
    ok(await come(email, somebody))
    ok(await somebody.client.get(`${space.url}`))
    const after = await membersOf()
    expect(after).toHaveLength(2)
    expect(after[1]).toMatchObject({ _id: member._id, email: somebody.email, provisioned: false })
    expect((await come(email, await createAccount(installation))).status).toBe(400)
    // Later changes in the directory do not change the account.
    ok(
      await scim.send(
        'PATCH',
        `/Users/${user.id}`,
        patch({ op: 'replace', path: 'displayName', value: '別名' }),
      ),
    )
    expect(ok(await scim.send('GET', `/Users/${user.id}`)).displayName).toBe('別名')
    expect((await membersOf())[1].name).toBe('山田花子')
  })

  it('with an existing account look like users without an account, and do not change its name or address', async () => {
    const foreign = await createAccount(installation, { name: '秘密の名前' })
    const elsewhere = await createSpace(foreign.client)
    const [known, unknown] = [await make(foreign.email), await make()]
    const shape = ({ id, userName, externalId, emails, meta, ...rest }: Record<string, unknown>) => rest
    expect(shape(known)).toEqual(shape(unknown))
    const [, first, second] = await membersOf()
    const same = ({ _id, email, accountId, createdAt, lastSeenAt, ...rest }: Record<string, unknown>) => rest
    expect(same(first)).toEqual(same(second))
    expect(JSON.stringify(await membersOf())).not.toContain('秘密の名前')
    // Without the owner's consent, the account is not a member and does not change.
    expect((await foreign.client.get(space.url)).status).toBe(404)
    ok(
      await scim.send(
        'PATCH',
        `/Users/${known.id}`,
        patch({ op: 'replace', path: 'emails', value: [{ value: address() }] }),
      ),
    )
    ok(await scim.send('PUT', `/Users/${known.id}`, person(foreign.email, { displayName: 'のっとり' })))
    expect(ok(await foreign.client.get('/api/auth/getCurrentAccount')).currentAccount).toMatchObject({
      email: foreign.email,
      name: '秘密の名前',
    })
    ok(await come(foreign.email, foreign))
    ok(await foreign.client.get(space.url))
    expect((await scim.send('DELETE', `/Users/${known.id}`)).status).toBe(204)
    expect((await foreign.client.get(space.url)).status).toBe(404)
    ok(await foreign.client.get(elsewhere.url))
  })

  it('do not reserve their address for sign-up, and cannot sign in with an empty password', async () => {
    const email = address()
    await make(email)
    const visitor = installation.visitor()
    expect((await visitor.post('/api/auth/login', { email, password: '' })).body.code).toBe(
      'IncorrectPassword',
    )
    const signedUp = await visitor.post('/api/auth/signup', { email, password: 'a horse that eats newts' })
    expect(signedUp.status).toBe(200)
    expect((await visitor.get(space.url)).status).toBe(404)
  })

  it('can be claimed by an account with the same confirmed address through an invitation link', async () => {
    const account = await createAccount(installation)
    await installation.database.kysely
      .updateTable('account')
      .set({ email_verified_at: new Date() })
      .where('id', '=', account.id)
      .execute()
    await make(account.email)
    const { invitation } = ok(await admin.client.post(`${space.url}/invitation`, { invitation: {} }))
    const code = new URL(invitation.url).searchParams.get('code')
    ok(await account.client.post('/api/invitation/accept', { code }))
    expect(await membersOf()).toHaveLength(2)
  })

  it('who already are members are not created twice, and can be updated by the directory', async () => {
    const member = await createMember(installation, space)
    expect(refusal(await scim.send('POST', '/Users', person(member.email.toUpperCase())))).toEqual([
      409,
      'uniqueness',
    ])
    const found = ok(
      await scim.send('GET', `/Users?filter=${encodeURIComponent(`userName eq "${member.email}"`)}`),
    )
    expect(found).toMatchObject({ totalResults: 1, startIndex: 1, itemsPerPage: 1 })
    const [user] = found.Resources
    const put = ok(await scim.send('PUT', `/Users/${user.id}`, person(member.email, { externalId: 'E-1' })))
    expect(put).toMatchObject({ id: user.id, externalId: 'E-1' })
    // A user cannot get the email address of another user.
    const other = await make()
    expect(
      refusal(
        await scim.send(
          'PATCH',
          `/Users/${other.id}`,
          patch({ op: 'replace', path: 'emails[primary eq true].value', value: member.email }),
        ),
      ),
    ).toEqual([409, 'uniqueness'])
  })

  it('may share an externalId, but not a userName', async () => {
    const email = address()
    const [first, second] = [
      await make(email, { externalId: 'hanako' }),
      await make(address(), { externalId: 'hanako' }),
    ]
    const again = await scim.send('POST', '/Users', person(email, { externalId: 'hanako' }))
    expect(refusal(again)).toEqual([409, 'uniqueness'])
    const list = ok(await scim.send('GET', `/Users?filter=${encodeURIComponent('externalId eq "hanako"')}`))
    expect(list.Resources.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id])
    const group = (displayName: string) => scim.send('POST', '/Groups', { displayName, externalId: 'g' })
    expect([await group('A'), await group('B')].map(({ status }) => status)).toEqual([201, 201])
    expect(refusal(await group('A'))).toEqual([409, 'uniqueness'])
    const third = await make()
    const change = patch({ op: 'replace', path: 'externalId', value: 'hanako' })
    expect(ok(await scim.send('PATCH', `/Users/${third.id}`, change)).externalId).toBe('hanako')
  })

  it('can be created with attribute names that contain the URN of the schema', async () => {
    const email = address()
    const body = {
      schemas: [`${core}:User`],
      [`${core}:User:userName`]: email,
      [`${core}:User`]: { displayName: '花' },
    }
    const answer = await scim.send('POST', '/Users', body)
    expect([answer.status, answer.body]).toMatchObject([201, { userName: email, displayName: '花' }])
  })

  it('lose access when deactivated, and regain the roles that still exist when reactivated', async () => {
    const app = await createApp(admin.client, space)
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, { data: { name: '校閲', rights: ['space.view'] } }),
    )
    const person = await createMember(installation, space, role.uid, {
      admin: admin.client,
      url: app.url,
      role: 'app-Author',
    })
    const other = await signIn(installation, person.id)
    ok(await other.get(app.url))
    ok(
      await scim.send(
        'PATCH',
        `/Users/${person.memberId}`,
        patch({ op: 'Replace', path: 'active', value: 'False' }),
      ),
    )
    for (const client of [person.client, other]) expect((await client.get(app.url)).status).toBe(404)
    expect(ok(await scim.send('GET', `/Users/${person.memberId}`)).active).toBe(false)
    expect((await admin.client.delete(`${space.url}/role/${role.uid}`)).status).toBe(200)
    ok(
      await scim.send(
        'PATCH',
        `/Users/${person.memberId}`,
        patch({ op: 'replace', value: { active: true } }),
      ),
    )
    // Earlier sessions are not valid for the new membership. Outside this space they still are.
    for (const client of [person.client, other]) {
      expect((await client.get(app.url)).body.code).toBe('SessionIsTooOld')
      ok(await client.get('/api/auth/getCurrentAccount'))
    }
    const again = await signIn(installation, person.id)
    ok(await again.get(app.url))
    const [, back] = await membersOf()
    // The role was deleted, so the default role replaces it.
    expect(back).toMatchObject({ _id: person.memberId, roleId: 'pjt-Member', provisioned: false })
    expect(ok(await admin.client.get(`${app.url}/members`)).members).toContainEqual(
      expect.objectContaining({ _id: person.memberId, roleId: 'app-Author' }),
    )
    const acts = (await entries()).slice(0, 2).map(({ act, details }) => [act, details])
    expect(acts).toEqual([
      ['member.addToApp', { app: app.uid, changes: [{ key: 'roleId', after: 'app-Author' }] }],
      ['member.reprovision', { changes: expect.arrayContaining([{ key: 'roleId', after: 'pjt-Member' }]) }],
    ])
    // A member who left on their own gets a new provisioned membership.
    ok(await again.post(`${space.url}/members/leave`))
    ok(
      await scim.send(
        'PATCH',
        `/Users/${person.memberId}`,
        patch({ op: 'replace', value: { active: true } }),
      ),
    )
    expect((await again.get(space.url)).status).toBe(404)
    expect((await membersOf())[1]).toMatchObject({ provisioned: true })
  })

  it('have an empty name if the directory sends only invisible characters', async () => {
    const [blank, broken] = [
      await make(address(), { name: undefined, displayName: '\u2800' }),
      await make(address(), { name: undefined, displayName: 'A\u202eB\nC' }),
    ]
    const names = new Map(
      (await membersOf()).map(({ email, name }: { email: string; name: string }) => [email, name]),
    )
    expect([blank, broken].map(({ userName }) => names.get(userName))).toEqual(['', 'AB C'])
    const blanked = patch({ op: 'replace', path: 'displayName', value: '\u200b' })
    ok(await scim.send('PATCH', `/Users/${broken.id}`, blanked))
    expect((await membersOf()).map(({ name }: { name: string }) => name)).not.toContain('AB C')
  })

  it('can be deactivated, but not reactivated, if another member has the same address', async () => {
    const other = await createAccount(installation)
    const user = await make(other.email, { emails: [{ value: address(), type: 'work', primary: true }] })
    await addMember(installation, space, other, 'pjt-Member')
    const end = patch({ op: 'Replace', path: 'active', value: false })
    const ended = await scim.send('PATCH', `/Users/${user.id}`, end)
    expect([ended.status, ended.body.active]).toEqual([200, false])
    // The user returns only if no other member has the address.
    const back = await scim.send(
      'PATCH',
      `/Users/${user.id}`,
      patch({ op: 'Replace', path: 'active', value: true }),
    )
    expect(back.status).toBe(409)
  })

  it('cannot be removed if the space would have no admin who can sign in', async () => {
    const [own] = ok(await scim.send('GET', '/Users')).Resources
    for (const answer of [
      await scim.send('DELETE', `/Users/${own.id}`),
      await scim.send('PATCH', `/Users/${own.id}`, patch({ op: 'replace', value: { active: false } })),
    ])
      expect(refusal(answer)).toEqual([409, 'mutability'])
    // The log names the request, as for a member.
    const refused = (await entries()).filter(({ outcome }) => outcome === 'OtherAdminMembersNotExist')
    expect(refused).toEqual([
      expect.objectContaining({
        act: 'scim.request',
        actor: expect.objectContaining({ name: 'SCIM' }),
        details: { route: 'PATCH /scim/v2/{p}/Users/{id}' },
      }),
      expect.objectContaining({ details: { route: 'DELETE /scim/v2/{p}/Users/{id}' } }),
    ])
    const email = address()
    await make(email)
    const [, second] = await membersOf()
    ok(await admin.client.put(`${space.url}/member/${second._id}`, { roleId: 'pjt-Admin' }))
    // A provisioned admin who has not signed in yet does not count.
    expect((await admin.client.post(`${space.url}/members/leave`)).body.code).toBe(
      'OtherAdminMembersNotExist',
    )
    ok(await come(email, await createAccount(installation)))
    ok(await admin.client.post(`${space.url}/members/leave`))
  })

  it('get a new version when changed, and cannot be changed with an old version', async () => {
    const user = await make()
    const { version } = user.meta
    const read = await scim.send('GET', `/Users/${user.id}`)
    expect(read.headers.etag).toBe(version)
    expect(
      (await scim.send('GET', `/Users/${user.id}`, undefined, { 'if-none-match': version })).status,
    ).toBe(304)
    const change = patch({ op: 'replace', path: 'displayName', value: '次郎' })
    const changed = ok(await scim.send('PATCH', `/Users/${user.id}`, change, { 'if-match': version }))
    expect(changed.meta.version).not.toBe(version)
    expect((await scim.send('PATCH', `/Users/${user.id}`, change, { 'if-match': version })).status).toBe(412)
    expect((await scim.send('DELETE', `/Users/${user.id}`, undefined, { 'if-match': version })).status).toBe(
      412,
    )
    // Repeating the same change has no effect.
    expect(ok(await scim.send('PATCH', `/Users/${user.id}`, change)).meta.version).toBe(changed.meta.version)
    expect((await membersOf())[1].name).toBe('次郎')
    const put = ok(await scim.send('PUT', `/Users/${user.id}`, { userName: user.userName }))
    expect(put).not.toHaveProperty('displayName')
    expect((await scim.send('DELETE', `/Users/${user.id}`)).status).toBe(204)
    expect((await scim.send('GET', `/Users/${user.id}`)).status).toBe(404)
    const { count } = await installation.database.kysely
      .selectFrom('account')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('email', '=', user.userName)
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(0)
  })

  it('are looked up without an audit log entry; two pages of a list from one IP address write one entry', async () => {
    const { userName } = await make()
    const entries = async () =>
      ok(await admin.client.get(`${space.url}/auditLog?search=scim.list`)).auditLogs as object[]
    const filter = encodeURIComponent(`userName eq "${userName}"`)
    ok(await scim.send('GET', `/Users?filter=${filter}`))
    expect(await entries()).toEqual([])
    // There are two pages, because the admin is a user as well.
    for (const startIndex of [1, 2]) ok(await scim.send('GET', `/Users?count=1&startIndex=${startIndex}`))
    expect(await entries()).toEqual([
      expect.objectContaining({
        act: 'scim.list',
        actor: expect.objectContaining({ kind: 'token', name: 'SCIM' }),
        ip: expect.stringMatching(/^10\./),
        details: { type: 'users' },
      }),
    ])
    // The use of the token from another IP address gets an entry of its own, because the token may have been copied.
    const elsewhere = sender(space.uid, scim.token)
    ok(await elsewhere('POST', '/Users/.search', { schemas: [], count: 1 }))
    expect(await entries()).toHaveLength(2)
    // Reading a group together with several members counts as a list.
    const members = [await make(), await make()].map(({ id }) => ({ value: id }))
    const group = (await scim.send('POST', '/Groups', { displayName: '全社員', members })).body
    ok(await scim.send('GET', `/Groups/${group.id}?excludedAttributes=members`))
    expect(await entries()).toHaveLength(2)
    ok(await scim.send('GET', `/Groups/${group.id}`))
    expect(await entries()).toHaveLength(3)
  })

  it('are listed in pages, by filters, and with the requested attributes', async () => {
    for (const name of ['a', 'b', 'c'])
      await make(`${unique(name)}@pages.example.com`, { displayName: `人 ${name}` })
    const list = async (query: Record<string, string>) =>
      ok(await scim.send('GET', `/Users?${new URLSearchParams(query)}`))
    const page = await list({ startIndex: '2', count: '2' })
    expect(page).toMatchObject({ totalResults: 4, startIndex: 2, itemsPerPage: 2 })
    expect(await list({ count: '0' })).toMatchObject({ totalResults: 4, Resources: [] })
    expect(await list({ startIndex: '-3', count: '-1' })).toMatchObject({ startIndex: 1, itemsPerPage: 0 })
    const filter = 'emails[value ew "pages.example.com"] and displayName co "人" and not (displayName ew "B")'
    const found = await list({ filter, count: '1', attributes: 'displayName,emails.value' })
    expect(found).toMatchObject({ totalResults: 2, itemsPerPage: 1 })
    expect(Object.keys(found.Resources[0]).sort()).toEqual(['displayName', 'emails', 'id', 'meta', 'schemas'])
    expect(found.Resources[0].emails).toEqual([{ value: expect.any(String) }])
    expect((await list({ excludedAttributes: 'emails' })).Resources[1]).not.toHaveProperty('emails')
    const searched = ok(
      await scim.send('POST', '/Users/.search', { filter: 'displayName eq "人 c"', count: 5 }),
    )
    expect(searched.totalResults).toBe(1)
  })

  it('are found by the filters that Entra ID and Okta send', async () => {
    const email = address()
    const user = await make(email)
    const idsBy = async (filter: string) =>
      ok(await scim.send('GET', `/Users?${new URLSearchParams({ filter })}`)).Resources.map(
        ({ id }: { id: string }) => id,
      )
    const work = `emails[type eq "work"].value eq "${email.toUpperCase()}"`
    for (const filter of [
      work,
      `${work} and active eq true`,
      `userName eq "${email.toUpperCase()}"`,
      `userName eq "${email}" and externalId eq "${user.externalId}"`,
      `externalId eq "${user.externalId}"`,
    ])
      expect([filter, await idsBy(filter)]).toEqual([filter, [user.id]])
    expect(await idsBy(`externalId eq "${user.externalId.toUpperCase()}"`)).toEqual([])
    // A member that the directory did not create can be found by their address.
    const [own] = await membersOf()
    expect(await idsBy(`emails[type eq "work"].value eq "${own.email}"`)).toEqual([own._id])
    for (const filter of [
      'emails[type eq "work"].value',
      'userName eq',
      'userName matches "x"',
      'active gt true',
    ])
      expect(refusal(await scim.send('GET', `/Users?${new URLSearchParams({ filter })}`))).toEqual([
        400,
        'invalidFilter',
      ])
  })
})

describe('groups', () => {
  const inGroup = (id: string) => [{ value: id }]
  const roleOf = async (id: string) =>
    (await membersOf()).find((member: { _id: string }) => member._id === id)?.roleId

  it('assign an open invitation the role of a mapping that is created later', async () => {
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, { data: { name: '編集', rights: ['space.view'] } }),
    )
    const email = address()
    const { id } = await make(email)
    const group = { schemas: [`${core}:Group`], displayName: '編集部', members: inGroup(id) }
    expect((await scim.send('POST', '/Groups', group)).status).toBe(201)
    const data = { groups: [{ name: '編集部', roleId: role.uid }], defaultRoleId: 'pjt-Member' }
    ok(await admin.client.put(`${space.url}/groupRoles`, { data }))

    const isRole = async () => {
      const { invitations } = ok(await admin.client.get(`${space.url}/invitation`))
      expect(invitations).toMatchObject([{ email, roleId: role.uid }])
      return invitations[0]._id
    }
    const invitationId = await isRole()
    // A member who resends the invitation becomes its inviter.
    const earlier = { sent_at: new Date(Date.now() - 3_600_000) }
    await installation.database.kysely
      .updateTable('invitation')
      .set(earlier)
      .where('id', '=', invitationId)
      .execute()
    ok(await admin.client.post(`${space.url}/invitation/${invitationId}/resend`))
    await isRole()
    const [mail] = await mailsOf(installation, email)
    const code = new URL(mail?.link ?? 'http://none/').searchParams.get('code')
    const shown = ok(await installation.visitor().post('/api/invitation/look', { code }))
    expect(shown.invitation).toMatchObject({ roleId: role.uid, roleName: '編集' })
    const account = await createAccount(installation)
    ok(await come(email, account))
    const member = (await membersOf()).find(
      ({ accountId }: { accountId: string }) => accountId === account.id,
    )
    expect(member?.roleId).toBe(role.uid)
    const accepted = (await entries()).find(({ act }) => act === 'member.joinSpace')
    expect(accepted?.details).toMatchObject({ changes: [{ key: 'roleId', after: role.uid }] })
  })

  it('assign the mapped role to members, and the default role to members who leave the group', async () => {
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, { data: { name: '編集', rights: ['space.view'] } }),
    )
    ok(
      await admin.client.put(`${space.url}/groupRoles`, {
        data: { groups: [{ name: '編集部', roleId: role.uid }], defaultRoleId: 'pjt-Member' },
      }),
    )
    const member = await createMember(installation, space)
    const created = await scim.send('POST', '/Groups', {
      schemas: [`${core}:Group`],
      displayName: '編集部',
      externalId: 'G1',
      members: inGroup(member.memberId),
    })
    expect(created.status).toBe(201)
    const group = created.body
    expect(group.members).toEqual([expect.objectContaining({ value: member.memberId, type: 'User' })])
    expect(await roleOf(member.memberId)).toBe(role.uid)
    expect(ok(await scim.send('GET', `/Users/${member.memberId}`)).groups).toEqual([
      expect.objectContaining({ value: group.id, display: '編集部' }),
    ])
    const change = async (...operations: object[]) =>
      ok(await scim.send('PATCH', `/Groups/${group.id}`, patch(...operations)))
    await change({ op: 'remove', path: `members[value eq "${member.memberId}"]` })
    expect(await roleOf(member.memberId)).toBe('pjt-Member')
    await change({ op: 'add', path: 'members', value: inGroup(member.memberId) })
    await change({ op: 'replace', path: 'displayName', value: '総務部' })
    expect(await roleOf(member.memberId)).toBe('pjt-Member')
    await change({ op: 'replace', value: { id: group.id, displayName: '編集部' } })
    expect(await roleOf(member.memberId)).toBe(role.uid)
    // Roles assigned by admins stay.
    ok(await admin.client.put(`${space.url}/member/${member.memberId}`, { roleId: 'pjt-Admin' }))
    expect((await scim.send('DELETE', `/Groups/${group.id}`)).status).toBe(204)
    expect(await roleOf(member.memberId)).toBe('pjt-Admin')
    const acts = (await entries()).filter(({ actor }) => actor?.name === 'SCIM').map(({ act }) => act)
    expect(acts.filter((act) => act.startsWith('group.'))).toEqual([
      'group.delete',
      'group.update',
      'group.update',
      'group.update',
      'group.update',
      'group.create',
    ])
    expect(acts).toContain('member.update')
  })

  it('change the roles of their members when a mapping is created, changed or removed', async () => {
    const app = await createApp(admin.client, space)
    const save = (groups: [string, string][], apps: [string, string][] = [], client = admin.client) =>
      client.put(`${space.url}/groupRoles`, {
        data: {
          groups: groups.map(([name, roleId]) => ({ name, roleId })),
          appGroups: apps.map(([name, roleId]) => ({ app: app.uid, name, roleId })),
          defaultRoleId: 'pjt-Member',
        },
      })
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, { data: { name: '編集', rights: ['space.view'] } }),
    )
    const [member, other, given] = [
      await createMember(installation, space),
      await createMember(installation, space),
      await createMember(installation, space),
    ]
    const people = [member, given].map(({ memberId }) => ({ value: memberId }))
    await scim.send('POST', '/Groups', { displayName: '編集部', members: people })
    await scim.send('POST', '/Groups', {
      displayName: '全社員',
      members: [...people, { value: other.memberId }],
    })
    const inApp = async ({ memberId }: { memberId: string }) =>
      ok(await admin.client.get(`${app.url}/members`)).members.find(
        ({ _id }: { _id: string }) => _id === memberId,
      )?.roleId
    const roles = async () => [
      await roleOf(member.memberId),
      await inApp(member),
      await roleOf(other.memberId),
      await inApp(other),
    ]
    ok(await save([['編集部', role.uid]], [['編集部', 'app-Author']]))
    expect(await roles()).toEqual([role.uid, 'app-Author', 'pjt-Member', undefined])
    const changes = (await entries()).filter(({ act }) => act.startsWith('member.'))
    expect(changes.slice(0, 4).map(({ act, actor }) => [act, actor.name])).toEqual(
      expect.arrayContaining([
        ['member.update', admin.name],
        ['member.addToApp', admin.name],
      ]),
    )
    // A role in the space that an admin assigned in the meantime stays.
    ok(await admin.client.put(`${space.url}/member/${given.memberId}`, { roleId: 'pjt-Admin' }))
    ok(await admin.client.patch(`${app.url}/member/${given.memberId}`, { roleId: 'app-Editor' }))
    const both: [string, string][] = [
      ['編集部', 'app-Author'],
      ['全社員', 'app-Subscriber'],
    ]
    ok(await save([['編集部', role.uid]], both))
    expect(await roles()).toEqual([role.uid, 'app-Author', 'pjt-Member', 'app-Subscriber'])
    ok(await save([['編集部', role.uid]], [...both].reverse()))
    expect(await roles()).toEqual([role.uid, 'app-Subscriber', 'pjt-Member', 'app-Subscriber'])
    ok(await save([], [['編集部', 'app-Author']]))
    expect(await roles()).toEqual(['pjt-Member', 'app-Author', 'pjt-Member', undefined])
    ok(await save([]))
    expect(await roles()).toEqual(['pjt-Member', undefined, 'pjt-Member', undefined])
    expect(await roleOf(given.memberId)).toBe('pjt-Admin')
  })

  it('are mapped only by callers who may change their members, and do not change the caller’s role', async () => {
    const rights = ['space.view', 'security.manage']
    for (const uid of ['guards', 'lookers'])
      ok(
        await admin.client.post(`${space.url}/role`, {
          data: { uid, name: uid, rights: uid === 'guards' ? rights : ['space.view'] },
        }),
      )
    const guard = await createMember(installation, space, 'guards')
    const [own] = ok(await scim.send('GET', '/Users')).Resources
    const second = await createMember(installation, space, 'pjt-Admin')
    await scim.send('POST', '/Groups', {
      displayName: '一般',
      members: [{ value: own.id }, { value: second.memberId }],
    })
    const data = { groups: [{ name: '一般', roleId: 'lookers' }], defaultRoleId: 'pjt-Member' }
    const refused = await guard.client.put(`${space.url}/groupRoles`, { data })
    expect([refused.status, refused.body.code]).toEqual([400, 'InvalidRoleChange'])
    expect(ok(await admin.client.get(`${space.url}/groupRoles`)).groupRoles.groups).toEqual([])
    ok(await admin.client.put(`${space.url}/groupRoles`, { data }))
    expect([await roleOf(own.id), await roleOf(second.memberId)]).toEqual(['pjt-Admin', 'lookers'])
  })

  describe('whose mappings a member with fewer rights changes', () => {
    const line = (name: string, roleId: string) => ({ name, roleId })
    const defaultRoleId = 'lookers'
    let app: Awaited<ReturnType<typeof createApp>>
    let guard: TestAccount
    let member: Awaited<ReturnType<typeof createMember>>
    const saveBy = (client: Client, data: object) =>
      client.put(`${space.url}/groupRoles`, { data: { defaultRoleId, ...data } })
    const appLine = (name: string, roleId: string) => ({ app: app.uid, ...line(name, roleId) })
    const inApp = async () =>
      ok(await admin.client.get(`${app.url}/members`)).members.find(
        ({ _id }: { _id: string }) => _id === member.memberId,
      )?.roleId
    const rulesNow = async () => ok(await admin.client.get(`${space.url}/groupRoles`)).groupRoles
    /**
     * The guard may change mappings and manages the app's members, but has only some of the rights in the space and in
     * the app.
     */
    beforeEach(async () => {
      app = await createApp(admin.client, space)
      for (const [url, uid, rights] of [
        [space.url, 'guards', ['space.view', 'security.manage']],
        [space.url, 'lookers', ['space.view']],
        [app.url, 'keepers', ['document.read', 'app.manage']],
      ] as const) {
        const target = url === space.url ? 'project' : 'app'
        ok(await admin.client.post(`${url}/role`, { data: { uid, name: uid, target, rights } }))
      }
      guard = await createMember(installation, space, 'guards', {
        admin: admin.client,
        url: app.url,
        role: 'keepers',
      })
      member = await createMember(installation, space)
      for (const displayName of ['一般', '役員'])
        await scim.send('POST', '/Groups', { displayName, members: inGroup(member.memberId) })
    })

    it('do not begin to assign a role in the space beyond the rights of that member', async () => {
      const own = line('役員', 'pjt-Admin')
      const appGroups = [appLine('一般', 'keepers')]
      ok(await saveBy(admin.client, { groups: [line('一般', 'lookers'), own], appGroups }))
      expect([await roleOf(member.memberId), await inApp()]).toEqual(['lookers', 'keepers'])
      const before = await rulesNow()
      const renamed = [line('別', 'lookers'), own]
      for (const data of [{ groups: renamed }, { groups: renamed, appGroups }]) {
        const refused = await saveBy(guard.client, data)
        expect([refused.status, refused.body.code]).toEqual([400, 'InvalidRoleChange'])
      }
      expect(await rulesNow()).toEqual(before)
      expect(await roleOf(member.memberId)).toBe('lookers')
      // A mapping that grants no more rights than the guard has may begin to apply.
      ok(await saveBy(admin.client, { groups: [line('一般', 'lookers'), line('役員', 'guards')] }))
      ok(await saveBy(guard.client, { groups: [line('別', 'lookers'), line('役員', 'guards')] }))
      expect(await roleOf(member.memberId)).toBe('guards')
    })

    it('do not begin to assign a role in an app beyond the rights of that member', async () => {
      const own = appLine('役員', 'app-Admin')
      ok(await saveBy(admin.client, { groups: [], appGroups: [appLine('一般', 'keepers'), own] }))
      expect(await inApp()).toBe('keepers')
      const before = await rulesNow()
      const renamed = [appLine('別', 'keepers'), own]
      const refused = await saveBy(guard.client, { groups: [], appGroups: renamed })
      expect([refused.status, refused.body.code]).toEqual([400, 'InvalidRoleChange'])
      expect(await rulesNow()).toEqual(before)
      expect(await inApp()).toBe('keepers')
      const lesser = appLine('役員', 'keepers')
      ok(await saveBy(admin.client, { groups: [], appGroups: [appLine('一般', 'keepers'), lesser] }))
      ok(await saveBy(guard.client, { groups: [], appGroups: [appLine('別', 'keepers'), lesser] }))
      expect(await inApp()).toBe('keepers')
    })

    it('keep the app roles that admins assigned if only mappings of the space are sent', async () => {
      const appGroups = [appLine('一般', 'app-Author')]
      ok(await saveBy(admin.client, { groups: [line('一般', 'lookers')], appGroups }))
      ok(await admin.client.patch(`${app.url}/member/${member.memberId}`, { roleId: 'app-Editor' }))
      ok(await saveBy(guard.client, { groups: [line('一般', 'guards')] }))
      expect([await roleOf(member.memberId), await inApp()]).toEqual(['guards', 'app-Editor'])
      expect((await rulesNow()).appGroups).toEqual(appGroups)
    })

    it('do not reveal a mapping of an app that the member cannot see', async () => {
      const accessSettings = { visibility: 'private', defaultRole: 'app-Author' }
      const hidden = await createApp(admin.client, space)
      ok(await admin.client.patch(hidden.url, { accessSettings }))
      const secret = { app: hidden.uid, ...line('極秘', 'app-Admin') }
      const groups = [line('無人', 'lookers')]
      ok(await saveBy(admin.client, { groups, appGroups: [appLine('一般', 'keepers'), secret] }))
      const renamed = [line('別', 'lookers')]
      const saved = await saveBy(guard.client, { groups: renamed, appGroups: [appLine('別', 'keepers')] })
      expect(ok(saved).groupRoles.appGroups).toEqual([appLine('別', 'keepers')])
      expect(saved.text).not.toContain(hidden.uid)
      // The name of a hidden app gets the same response as an unknown one.
      const [there, nowhere] = [secret.app, 'no-such-app'].map((uid) =>
        saveBy(guard.client, { groups: renamed, appGroups: [{ ...secret, app: uid }] }),
      )
      expect((await there)?.body).toEqual((await nowhere)?.body)
      expect((await there)?.status).toBe(400)
      expect((await rulesNow()).appGroups).toEqual(expect.arrayContaining([secret]))
    })
  })

  it.each(['left by the member', 'deleted', 'renamed'])(
    'do not restore the role of a member who rejoins an app after the group was %s',
    async (what) => {
      const app = await createApp(admin.client, space)
      ok(
        await admin.client.put(`${space.url}/groupRoles`, {
          data: {
            groups: [],
            defaultRoleId: 'pjt-Member',
            appGroups: [{ app: app.uid, name: '管理部', roleId: 'app-Admin' }],
          },
        }),
      )
      const member = await createMember(installation, space)
      const members = inGroup(member.memberId)
      const group = (await scim.send('POST', '/Groups', { displayName: '管理部', members })).body
      const [joining, leaving] = [`${app.url}/members/join`, `${app.url}/members/leave`]
      // While the member is in the group, rejoining the app restores the role of the group.
      ok(await member.client.post(leaving))
      expect(ok(await member.client.post(joining)).member.roleId).toBe('app-Admin')
      ok(await member.client.post(leaving))
      const change = async (operation: object) =>
        ok(await scim.send('PATCH', `/Groups/${group.id}`, patch(operation)))
      if (what.startsWith('left')) await change({ op: 'remove', path: 'members', value: members })
      if (what === 'renamed') await change({ op: 'replace', path: 'displayName', value: '旧管理部' })
      if (what === 'deleted') expect((await scim.send('DELETE', `/Groups/${group.id}`)).status).toBe(204)
      expect(ok(await member.client.post(joining)).member.roleId).toBe('app-Editor')
    },
  )

  it.each([
    'left by an inactive user',
    'deleted meanwhile',
    'renamed meanwhile',
    'that grants another role meanwhile',
    'the user is still in',
  ])('assign a reactivated user the roles that apply at the reactivation: a group %s', async (what) => {
    const app = await createApp(admin.client, space)
    const bring = async (roleId: string, appRole: string) =>
      ok(
        await admin.client.put(`${space.url}/groupRoles`, {
          data: {
            groups: [{ name: '管理部', roleId }],
            defaultRoleId: 'pjt-Member',
            appGroups: [{ app: app.uid, name: '管理部', roleId: appRole }],
          },
        }),
      )
    await bring('pjt-Admin', 'app-Editor')
    const email = address()
    const user = await make(email)
    await come(email, await createAccount(installation))
    // A role that an admin assigned does not depend on groups, and is restored.
    const other = await createApp(admin.client, space)
    const [, { _id: memberId }] = await membersOf()
    ok(await admin.client.post(`${other.url}/members`, { memberId, roleId: 'app-Author' }))
    const group = (await scim.send('POST', '/Groups', { displayName: '管理部', members: inGroup(user.id) }))
      .body
    expect(await roleOf(memberId)).toBe('pjt-Admin')
    const activate = async (value: boolean) =>
      ok(await scim.send('PATCH', `/Users/${user.id}`, patch({ op: 'replace', path: 'active', value })))
    await activate(false)
    const change = async (operation: object) =>
      ok(await scim.send('PATCH', `/Groups/${group.id}`, patch(operation)))
    if (what.startsWith('left')) await change({ op: 'remove', path: `members[value eq "${user.id}"]` })
    if (what.startsWith('deleted')) await scim.send('DELETE', `/Groups/${group.id}`)
    if (what.startsWith('renamed')) await change({ op: 'replace', path: 'displayName', value: '旧管理部' })
    if (what.startsWith('that grants')) await bring('pjt-Member', 'app-Author')
    await activate(true)
    const expected = {
      space: what.startsWith('the user') ? 'pjt-Admin' : 'pjt-Member',
      app: what.startsWith('the user') ? 'app-Editor' : what.startsWith('that') ? 'app-Author' : undefined,
    }
    const inApp = async ({ url }: { url: string }) =>
      ok(await admin.client.get(`${url}/members`)).members.find(
        ({ _id }: { _id: string }) => _id === memberId,
      )?.roleId
    expect({ space: await roleOf(memberId), app: await inApp(app) }).toEqual(expected)
    expect(await inApp(other)).toBe('app-Author')
    const entry = (await entries()).find(({ act }) => act === 'member.reprovision')
    expect(entry?.details).toMatchObject({
      changes: expect.arrayContaining([{ key: 'roleId', after: expected.space }]),
    })
  })

  it('do not demote the last admin, and are found by name and by member', async () => {
    ok(
      await admin.client.put(`${space.url}/groupRoles`, {
        data: { groups: [{ name: '一般', roleId: 'pjt-Member' }], defaultRoleId: 'pjt-Member' },
      }),
    )
    const [own] = ok(await scim.send('GET', '/Users')).Resources
    const body = { displayName: '一般', members: inGroup(own.id) }
    expect((await scim.send('POST', '/Groups', body)).status).toBe(201)
    expect(await roleOf(own.id)).toBe('pjt-Admin')
    expect(refusal(await scim.send('POST', '/Groups', { displayName: '一般' }))).toEqual([409, 'uniqueness'])
    expect(
      refusal(await scim.send('POST', '/Groups', { displayName: '別', members: inGroup('f'.repeat(24)) })),
    ).toEqual([400, 'invalidValue'])
    const found = ok(
      await scim.send(
        'GET',
        `/Groups?${new URLSearchParams({ filter: 'displayName eq "一般"', excludedAttributes: 'members' })}`,
      ),
    )
    expect(found.totalResults).toBe(1)
    expect(found.Resources[0]).not.toHaveProperty('members')
    const of = ok(
      await scim.send(
        'GET',
        `/Groups?${new URLSearchParams({ filter: `members[value eq "${own.id}"]`, attributes: 'displayName' })}`,
      ),
    )
    expect(of.Resources).toHaveLength(1)
    // Users and groups of another space do not exist here.
    const other = await createSpace(admin.client)
    const elsewhere = await connect(other, admin.client)
    expect((await elsewhere.send('GET', `/Groups/${found.Resources[0].id}`)).status).toBe(404)
    expect((await elsewhere.send('GET', `/Users/${own.id}`)).status).toBe(404)
  })
})

it('the audit log names a user by the name that a change removes, or by the address if there is no name', async () => {
  const names = async () => (await entries()).map(({ object }) => object.name)
  const named = await make()
  await scim.send('PATCH', `/Users/${named.id}`, patch({ op: 'remove', path: 'name' }))
  expect((await names())[0]).toBe('山田 花子')
  const email = address()
  await make(email, { name: undefined })
  expect((await names())[0]).toBe(email)
})

it('the audit log lists the attributes of a user that the directory changed', async () => {
  const user = await make()
  const change = async (...operations: object[]) => {
    ok(await scim.send('PATCH', `/Users/${user.id}`, patch(...operations)))
    const [newest] = await entries()
    return [newest?.act, (newest?.details as { changes?: object[] } | undefined)?.changes]
  }
  expect(await change({ op: 'replace', path: 'name.familyName', value: '佐藤' })).toEqual([
    'member.update',
    [{ key: 'familyName', before: '山田', after: '佐藤' }],
  ])
  expect(await change({ op: 'add', path: 'displayName', value: '佐藤 花' })).toEqual([
    'member.update',
    [{ key: 'displayName', after: '佐藤 花' }],
  ])
  expect(
    await change(
      { op: 'replace', path: 'displayName', value: '佐藤 はな' },
      { op: 'remove', path: 'locale' },
      { op: 'replace', path: 'externalId', value: 'E-2' },
    ),
  ).toEqual([
    'member.update',
    expect.arrayContaining([
      { key: 'displayName', before: '佐藤 花', after: '佐藤 はな' },
      { key: 'locale', before: 'ja-JP' },
      { key: 'externalId', before: user.externalId, after: 'E-2' },
    ]),
  ])
  const [first, second] = [user.emails[0].value, address()]
  const emails = (primary: string) => [first, second].map((value) => ({ value, primary: value === primary }))
  await change({ op: 'replace', path: 'emails', value: emails(first) })
  expect(await change({ op: 'replace', path: 'emails', value: emails(second) })).toEqual([
    'member.update',
    expect.arrayContaining([
      { key: 'email', before: first, after: second },
      { key: 'emails', before: [first, second], after: [second, first] },
    ]),
  ])
  const { id } = (await scim.send('POST', '/Groups', { displayName: '総務部' })).body
  ok(await scim.send('PATCH', `/Groups/${id}`, patch({ op: 'add', path: 'externalId', value: 'G-1' })))
  expect((await entries())[0]).toMatchObject({
    act: 'group.update',
    details: { changes: [{ key: 'externalId', after: 'G-1' }], added: 0, removed: 0 },
  })
  await change({ op: 'replace', path: 'emails', value: emails(first) })
  // The account of a member who has signed in keeps its own address. Changes in the directory are logged nevertheless.
  const guest = await createAccount(installation)
  await come(user.emails[0].value, guest)
  expect(await change({ op: 'replace', path: 'name.givenName', value: '花' })).toEqual([
    'member.update',
    expect.arrayContaining([{ key: 'givenName', before: '花子', after: '花' }]),
  ])
})

it('each change of a user by the directory writes one audit log entry, and a repeated change none', async () => {
  const acts = async () =>
    (await entries()).filter(({ actor }) => actor?.name === 'SCIM').map(({ act }) => act)
  const user = await make()
  await scim.send('GET', '/Users')
  await scim.send('PATCH', `/Users/${user.id}`, patch({ op: 'replace', path: 'displayName', value: 'x' }))
  await scim.send('PATCH', `/Users/${user.id}`, patch({ op: 'replace', path: 'displayName', value: 'x' }))
  await scim.send('PATCH', `/Users/${user.id}`, patch({ op: 'replace', path: 'active', value: false }))
  await scim.send('PATCH', `/Users/${user.id}`, patch({ op: 'replace', path: 'active', value: true }))
  await scim.send('DELETE', `/Users/${user.id}`)
  expect(await acts()).toEqual([
    'member.deprovision',
    'member.reprovision',
    'member.deprovision',
    'member.update',
    'scim.list',
    'member.provision',
  ])
})
