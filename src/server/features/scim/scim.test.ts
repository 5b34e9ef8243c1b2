import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
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

/** A directory with the token of a space. */
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

/** Somebody takes the invitation that was mailed. */
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

describe('the edge', () => {
  it('lets in with the token of that space alone, and says nothing more', async () => {
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
    // Neither is it one of the delivery API, nor the other way round.
    const { cdnToken } = ok(await admin.client.post(`${space.url}/cdnToken`, { data: { name: 'x' } }))
    expect((await sender(space.uid, cdnToken.token)('GET', '/Users')).status).toBe(401)
  })

  it('ends with another token, or with the connection', async () => {
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

  it('is made by who may do everything, and nobody else', async () => {
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, {
        data: { name: '情報システム', rights: ['space.view', 'security.manage', 'member.manage'] },
      }),
    )
    const keeper = await createMember(installation, space, role.uid)
    expect((await keeper.client.post(`${space.url}/scim`, { data: {} })).body.code).toBe('Forbidden')
    ok(await keeper.client.delete(`${space.url}/scim`))
  })

  it('says what it can do', async () => {
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

  it('refuses what is no SCIM', async () => {
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

describe('people', () => {
  it('are members at once, and come by the mail that was sent to them', async () => {
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
    // The code is used up.
    expect((await come(email, await createAccount(installation))).status).toBe(400)
    // What the directory says of them stays its own, and their account theirs.
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

  it('with an account elsewhere are treated like those without', async () => {
    const foreign = await createAccount(installation, { name: '秘密の名前' })
    const elsewhere = await createSpace(foreign.client)
    const [known, unknown] = [await make(foreign.email), await make()]
    const shape = ({ id, userName, externalId, emails, meta, ...rest }: Record<string, unknown>) => rest
    expect(shape(known)).toEqual(shape(unknown))
    const [, first, second] = await membersOf()
    const same = ({ _id, email, accountId, createdAt, lastSeenAt, ...rest }: Record<string, unknown>) => rest
    expect(same(first)).toEqual(same(second))
    expect(JSON.stringify(await membersOf())).not.toContain('秘密の名前')
    // Not theirs before they say so, and nothing of theirs changes.
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

  it('take nobody’s address, and are nobody who signs in', async () => {
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

  it('whose address is confirmed become their member by any invitation', async () => {
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

  it('who are members already are not made twice, and the directory takes them over', async () => {
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
    // Of somebody else it would be a second one; an address of another member would be, too.
    const other = await make()
    expect(
      refusal(
        await scim.send(
          'PATCH',
          `/Users/${other.id}`,
          patch({ op: 'replace', path: 'externalId', value: 'E-1' }),
        ),
      ),
    ).toEqual([409, 'uniqueness'])
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

  it('lose the space with the next request, and come back with the roles they had', async () => {
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
    // Sessions from before ended with the membership; elsewhere they are their owner's.
    for (const client of [person.client, other]) {
      expect((await client.get(app.url)).body.code).toBe('SessionIsTooOld')
      ok(await client.get('/api/auth/getCurrentAccount'))
    }
    const again = await signIn(installation, person.id)
    ok(await again.get(app.url))
    const [, back] = await membersOf()
    // The role is gone; the least one takes its place.
    expect(back).toMatchObject({ _id: person.memberId, roleId: 'pjt-Member', provisioned: false })
    expect(ok(await admin.client.get(`${app.url}/members`)).members).toContainEqual(
      expect.objectContaining({ _id: person.memberId, roleId: 'app-Author' }),
    )
    const acts = (await entries()).slice(0, 2).map(({ act, details }) => [act, details])
    expect(acts).toEqual([
      ['member.addToApp', { app: app.uid, changes: [{ key: 'roleId', after: 'app-Author' }] }],
      ['member.reprovision', { changes: expect.arrayContaining([{ key: 'roleId', after: 'pjt-Member' }]) }],
    ])
    // Who left by themselves is asked again.
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

  it('never are without an admin who can come in', async () => {
    const [own] = ok(await scim.send('GET', '/Users')).Resources
    for (const answer of [
      await scim.send('DELETE', `/Users/${own.id}`),
      await scim.send('PATCH', `/Users/${own.id}`, patch({ op: 'replace', value: { active: false } })),
    ])
      expect(refusal(answer)).toEqual([409, 'mutability'])
    const email = address()
    await make(email)
    const [, second] = await membersOf()
    ok(await admin.client.put(`${space.url}/member/${second._id}`, { roleId: 'pjt-Admin' }))
    // An admin who has not come yet is none.
    expect((await admin.client.post(`${space.url}/members/leave`)).body.code).toBe(
      'OtherAdminMembersNotExist',
    )
    ok(await come(email, await createAccount(installation)))
    ok(await admin.client.post(`${space.url}/members/leave`))
  })

  it('are changed only as they are known, and told apart by version', async () => {
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
    // The same once more changes nothing.
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

  it('are listed in pages, by filters, and as far as is asked for', async () => {
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
})

describe('groups', () => {
  const inGroup = (id: string) => [{ value: id }]
  const roleOf = async (id: string) =>
    (await membersOf()).find((member: { _id: string }) => member._id === id)?.roleId

  it('bring roles, and take them away', async () => {
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
    // Roles that people gave stay.
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

  it.each([
    'left by one who is inactive',
    'deleted meanwhile',
    'renamed meanwhile',
    'that brings another role meanwhile',
    'one is in still',
  ])('give who comes back what they give then: a group %s', async (what) => {
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
    // What people gave is theirs to take away, and comes back.
    const other = await createApp(admin.client, space)
    const [, { _id: memberId, email: own }] = await membersOf()
    ok(await admin.client.post(`${other.url}/members`, { email: own, roleId: 'app-Author' }))
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
    if (what.startsWith('that brings')) await bring('pjt-Member', 'app-Author')
    await activate(true)
    const expected = {
      space: what.startsWith('one') ? 'pjt-Admin' : 'pjt-Member',
      app: what.startsWith('one') ? 'app-Editor' : what.startsWith('that') ? 'app-Author' : undefined,
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

  it('never take the last admin, and know their names and people', async () => {
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
    // Those of another space are nobody here.
    const other = await createSpace(admin.client)
    const elsewhere = await connect(other, admin.client)
    expect((await elsewhere.send('GET', `/Groups/${found.Resources[0].id}`)).status).toBe(404)
    expect((await elsewhere.send('GET', `/Users/${own.id}`)).status).toBe(404)
  })
})

it('calls people in the audit log by what is known of them', async () => {
  const names = async () => (await entries()).map(({ object }) => object.name)
  const named = await make()
  await scim.send('PATCH', `/Users/${named.id}`, patch({ op: 'remove', path: 'name' }))
  expect((await names())[0]).toBe('山田 花子')
  const email = address()
  await make(email, { name: undefined })
  expect((await names())[0]).toBe(email)
})

it('leaves one entry of the audit log for each act', async () => {
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
    'member.provision',
  ])
})
