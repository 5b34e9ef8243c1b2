import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  addMember,
  createAccount,
  createApp,
  createMember,
  createSpace,
  signIn as signInAsUsual,
  type TestAccount,
  testPassword,
} from '#test/factories.ts'
import { mailsOf } from '#test/kept-mails.ts'
import { type IssuerScript, startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { startOidcProvider, type TestProvider } from '#test/oidc-provider.ts'
import {
  type Answer,
  type Client,
  type Method,
  ok,
  startInstallation,
  type TestInstallation,
} from '#test/server.ts'

let issuer: TestIssuer
let provider: TestProvider
let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let base: string
beforeAll(async () => {
  issuer = await startIssuer()
  provider = await startOidcProvider({
    kaede: { email: 'kaede@example.com', name: '楓', groups: ['編集部'] },
  })
  installation = await startInstallation({ IMORI_SSO_ORIGINS: `${issuer.url},${provider.url}` })
  admin = await createAccount(installation, { isAdmin: true })
  space = await createSpace(admin.client)
  base = installation.deps.services.config.url
  const oidc = { issuer: issuer.url, clientId: 'imori', clientSecret: 'a secret' }
  await configure(space, { kind: 'oidc', domains: ['example.com'], oidc })
})
afterAll(async () => {
  await installation?.close()
  await issuer?.close()
  await provider?.close()
})
beforeEach(() => {
  issuer.script = {}
})

async function configure({ url }: { url: string }, data: object) {
  const { sso } = ok(await admin.client.put(`${url}/sso`, { data }))
  for (const { domain, proof } of sso.domains)
    if (proof === null) ok(await admin.client.post(`${url}/sso/domain:confirm`, { domain }))
  return sso
}

/** Begins a sign-in like the login page. Returns the parameters for the identity provider. */
async function begin(client: Client, body: object = { space: space.uid }) {
  const { url } = ok(await client.post('/api/auth/sso', body))
  const asked = new URL(url).searchParams
  issuer.nonce = asked.get('nonce') ?? ''
  return { url, state: asked.get('state') ?? '', redirectUri: asked.get('redirect_uri') ?? '', asked }
}
/** Calls the callback like the browser. Returns the target of the redirect. */
async function comeBack(
  client: Client,
  { redirectUri, state }: { redirectUri: string; state: string },
  more: Record<string, string | undefined> = {},
): Promise<string> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ code: 'a-code', state, iss: issuer.url, ...more }))
    if (value !== undefined) query.set(name, value)
  const answer = await client.get(`${new URL(redirectUri).pathname}?${query}`)
  expect(answer.status).toBe(303)
  return String(answer.headers.location).replace(base, '')
}
const codeIn = (location: string) => {
  expect(location).toMatch(/^\/sso\/verify#[\w-]{43}$/)
  return location.split('#')[1] ?? ''
}
const finish = (client: Client, code: string) => client.post('/api/auth/sso/finish', { code })
async function signIn(client: Client, claims: IssuerScript['claims'] = {}, body?: object) {
  issuer.script = { claims }
  lastCode = codeIn(await comeBack(client, await begin(client, body)))
  return finish(client, lastCode)
}
let lastCode = ''
const person = (name: string) => ({ sub: name, email: `${name}@example.com`, name })

describe('a sign-in by OpenID Connect', () => {
  it('uses PKCE, and creates the account and its membership of the space', async () => {
    const client = installation.visitor()
    const begun = await begin(client, { email: ' Hanako@ＥＸＡＭＰＬＥ.com ', redirect: '/there' })
    expect(Object.fromEntries(begun.asked)).toMatchObject({
      client_id: 'imori',
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email profile',
    })
    issuer.script = { claims: { ...person('hanako'), name: '山田 花子', groups: ['編集部'] } }
    const location = await comeBack(client, begun)
    expect(issuer.lastBody.get('code_verifier')).toMatch(/^[\w~.-]{43,}$/)
    const answer = ok(await finish(client, codeIn(location)))
    expect(answer).toMatchObject({
      user: { email: 'hanako@example.com', name: '山田 花子', emailVerified: false, isAdmin: false },
      space: space.uid,
      redirect: '/there',
      popup: false,
      link: null,
    })
    expect(ok(await client.get(`${space.url}/currentRole`)).currentRole.uid).toBe('pjt-Member')
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=account`))
    expect(auditLogs[0]).toMatchObject({ act: 'account.ssoLogin', outcome: 'done' })
    const [joined] = ok(await admin.client.get(`${space.url}/auditLog?kind=member`)).auditLogs
    expect(joined).toMatchObject({
      act: 'member.joinSpace',
      actor: { _id: answer.user._id },
      details: { by: 'sso', changes: [{ key: 'roleId', after: 'pjt-Member' }] },
    })
    expect(JSON.stringify(auditLogs)).not.toContain('a secret')
    // These pages keep their opener, for sign-ins in a popup.
    const callback = `${new URL(begun.redirectUri).pathname}?state=x`
    for (const page of ['/sso/login', callback, '/sso/verify', '/connected'])
      expect((await client.get(page)).headers['cross-origin-opener-policy']).toBe('unsafe-none')
    // A second sign-in finds the same account, and used codes are invalid.
    expect((await finish(client, codeIn(location))).body.code).toBe('SsoHasEnded')
    expect(await comeBack(client, begun)).toBe('/sso/login?error=SsoHasEnded')
    const again = ok(
      await signIn(installation.visitor(), { ...person('hanako'), email: 'new-name@example.com' }),
    )
    expect(again.user._id).toBe(answer.user._id)
    expect((await client.post('/api/auth/login', { email: 'hanako@example.com', password: '' })).status).toBe(
      401,
    )
  })

  it('requests the additional scopes of the connection', async () => {
    const oidc = { issuer: issuer.url, clientId: 'imori', clientSecret: 'a secret' }
    const own = await createSpace(admin.client)
    await configure(own, { kind: 'oidc', domains: [], oidc })
    const change = (scopes: string[]) =>
      admin.client.put(`${own.url}/sso`, { data: { kind: 'oidc', domains: [], oidc: { scopes } } })
    const asked = async () => (await begin(installation.visitor(), { space: own.uid })).asked.get('scope')
    expect(await asked()).toBe('openid email profile')
    expect(ok(await change(['groups', 'email', 'groups'])).sso.oidc.scopes).toEqual(['groups'])
    expect(await asked()).toBe('openid email profile groups')
    const { auditLogs } = ok(await admin.client.get(`${own.url}/auditLog?kind=security`))
    expect(auditLogs[0].details.changes).toEqual([{ key: 'scopes', before: '', after: 'groups' }])
    const data = { kind: 'oidc', domains: [], groupsName: 'groups' }
    expect(ok(await admin.client.put(`${own.url}/sso`, { data })).sso.oidc.scopes).toEqual(['groups'])
    for (const wrong of [['a b'], ['"'], [''], ['グループ'], ['x'.repeat(101)], Array(21).fill('a')])
      expect((await change(wrong)).body.issues?.[0]?.path).toMatch(/^data\.oidc\.scopes/)
    expect(ok(await change([])).sso.oidc.scopes).toEqual([])
    expect(await asked()).toBe('openid email profile')
  })

  it('assigns the role that is mapped to a group', async () => {
    const data = { groups: [{ name: '管理部', roleId: 'pjt-Admin' }], defaultRoleId: 'pjt-Member' }
    ok(await admin.client.put(`${space.url}/groupRoles`, { data }))
    const [first, later] = [installation.visitor(), installation.visitor()]
    ok(await signIn(first, { ...person('taro'), groups: ['管理部'] }))
    expect(ok(await first.get(`${space.url}/currentRole`)).currentRole.uid).toBe('pjt-Admin')
    ok(await signIn(later, { ...person('jiro'), groups: [] }))
    ok(await signIn(later, { ...person('jiro'), groups: '管理部' }))
    expect(ok(await later.get(`${space.url}/currentRole`)).currentRole.uid).toBe('pjt-Admin')
  })

  it('assigns no mapped role for look-alike group names, and refuses look-alike addresses', async () => {
    const data = { groups: [{ name: 'Admins', roleId: 'pjt-Admin' }], defaultRoleId: 'pjt-Member' }
    ok(await admin.client.put(`${space.url}/groupRoles`, { data }))
    const client = installation.visitor()
    const roleWith = async (groups: unknown) => {
      ok(await signIn(client, { ...person('shizuka'), groups }))
      return ok(await client.get(`${space.url}/currentRole`)).currentRole.uid
    }
    const lookAlikes = [
      'Ad\u200bmins',
      '\u202eAdmins',
      '\ufeffAdmins',
      'Admins\u2066',
      'Ad\u0000mins',
      'Ａdmins',
    ]
    expect(await roleWith(lookAlikes)).toBe('pjt-Member')
    for (const one of lookAlikes) expect(await roleWith(one)).toBe('pjt-Member')
    for (const email of ['shizu\u200bka@example.com', '\ufeffshizuka@example.com', 'ｓhizuka@example.com'])
      expect((await signIn(installation.visitor(), { ...person('other'), email })).body.code).toBe(
        'SsoAddressNotAllowed',
      )
    expect(await roleWith(' Admins\n')).toBe('pjt-Admin')
  })

  it('stores names without invisible characters and line breaks', async () => {
    const nameOf = async (sub: string, claims: IssuerScript['claims']) =>
      ok(await signIn(installation.visitor(), { ...person(sub), ...claims })).user.name
    expect(await nameOf('aya', { name: 'A\u202eB\nC' })).toBe('AB C')
    expect(await nameOf('beni', { name: '\u2800', preferred_username: 'beni' })).toBe('beni')
    expect(await nameOf('chie', { name: '\u3164\u200b' })).toBe('')
    expect(await nameOf('dai', { name: '名'.repeat(150) })).toBe('名'.repeat(100))
  })

  it('reports problems with the groups in SSO tests, and malformed groups in the audit log', async () => {
    const tryIt = async (claims: IssuerScript['claims']) => {
      issuer.script = { claims: { ...person('nagisa'), ...claims } }
      const { url } = ok(await admin.client.post(`${space.url}/sso/try`))
      const asked = new URL(url).searchParams
      issuer.nonce = asked.get('nonce') ?? ''
      const redirectUri = asked.get('redirect_uri') ?? ''
      const code = codeIn(await comeBack(admin.client, { redirectUri, state: asked.get('state') ?? '' }))
      const { groups, groupsProblem } = ok(await finish(admin.client, code)).testResult.claims
      return [groups.slice(0, 2), groupsProblem]
    }
    const many = Array.from({ length: 501 }, (_, at) => `g${at}`)
    for (const [claims, expected] of [
      [{ groups: ['a', 'b'] }, [['a', 'b'], null]],
      [{ groups: [] }, [[], null]],
      [{ groups: '' }, [[], null]],
      [{ groups: 'a' }, [['a'], null]],
      [{ groups: 'a,b' }, [['a,b'], 'oneText']],
      [{ groups: '["a","b"]' }, [['["a","b"]'], 'oneText']],
      [{ groups: [{ value: 'a' }, 'b'] }, [['b'], 'unreadable']],
      [{ groups: { a: true } }, [[], 'unreadable']],
      [{ groups: ['x'.repeat(257)] }, [[], 'unreadable']],
      [{ groups: many }, [['g0', 'g1'], 'tooMany']],
      [{ groups: undefined }, [[], 'missing']],
      [{ groups: undefined, _claim_names: { groups: 'src1' } }, [[], 'overage']],
    ] as [IssuerScript['claims'], unknown][])
      expect([claims, await tryIt(claims)]).toEqual([claims, expected])
    ok(await signIn(installation.visitor(), { ...person('nagisa'), groups: 'a,b' }))
    ok(await signIn(installation.visitor(), { ...person('nagisa'), groups: undefined }))
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=account`))
    expect(auditLogs[0].details).not.toHaveProperty('groupsProblem')
    expect(auditLogs[1]).toMatchObject({ act: 'account.ssoLogin', details: { groupsProblem: 'oneText' } })
  })

  it('creates a session that is not valid for other spaces or the account’s security settings', async () => {
    const client = installation.visitor()
    const { user } = ok(await signIn(client, person('umi')))
    const other = await createSpace(admin.client)
    const member = { space_id: await idOf(other.uid), id: 'abcdefabcdefabcdefabcdef', role: 'pjt-Admin' }
    await installation.database.kysely
      .insertInto('space_member')
      .values({ ...member, account_id: user._id })
      .execute()
    expect((await client.get(other.url)).body.code).toBe('UsualSignInRequired')
    expect((await client.get(`${other.url}/security/validateIP`)).body.code).toBe('UsualSignInRequired')
    const { projects } = ok(await client.get('/api/project'))
    expect(projects.map((project: { uid: string }) => project.uid)).toEqual([space.uid])
    for (const refused of [
      client.post('/api/project', { project: { uid: 'mine', name: 'mine' } }),
      client.get(`/api/account/${user._id}/security`),
      client.post('/api/auth/sso/link', { code: 'x' }),
    ])
      expect((await refused).body.code).toBe('UsualSignInRequired')
    ok(await client.put(`/api/account/${user._id}`, { data: { name: '海' } }))
    // A removed member does not return by signing in again.
    const { members } = ok(await admin.client.get(`${space.url}/members?search=umi`))
    ok(await admin.client.delete(`${space.url}/member/${members[0]._id}`))
    expect((await client.get(space.url)).status).toBe(404)
    expect((await signIn(client, person('umi'))).body.code).toBe('SsoNotInvited')
  })
})

async function idOf(uid: string): Promise<number> {
  const db = installation.database.kysely
  return (await db.selectFrom('space').select('id').where('uid', '=', uid).executeTakeFirstOrThrow()).id
}

it('a sign-in with oidc-provider as the identity provider succeeds', async () => {
  const other = await createSpace(admin.client)
  const { clientId, clientSecret } = provider
  const oidc = { issuer: provider.url, clientId, clientSecret: 'another one' }
  const { ours } = await configure(other, { kind: 'oidc', domains: ['example.com'], oidc })
  provider.redirectTo(ours.redirectUri)
  expect(ok(await admin.client.post(`${other.url}/sso/test`)).problem).toBeNull()
  const changed = await configure(other, { kind: 'oidc', domains: ['example.com'], oidc: { clientSecret } })
  expect(changed).toMatchObject({ isComplete: true, version: 2, oidc: { hasSecret: true } })
  const client = installation.visitor()
  const { url } = ok(await client.post('/api/auth/sso', { space: other.uid }))
  const back = await provider.signIn(url, 'kaede')
  const location = String((await client.get(back.pathname + back.search)).headers.location).replace(base, '')
  expect(ok(await finish(client, codeIn(location))).user).toMatchObject({
    email: 'kaede@example.com',
    name: '楓',
  })
  // A new issuer does not receive the client secret of the former one.
  const moved = await configure(other, { kind: 'oidc', domains: [], oidc: { issuer: issuer.url } })
  expect(moved).toMatchObject({ isComplete: false, oidc: { hasSecret: false } })
})

describe('an address from the identity provider', () => {
  it('signs in to an existing account only after the owner has linked the account once', async () => {
    const owner = await createAccount(installation, { email: 'mori@example.com' })
    const elsewhere = await createSpace(owner.client)
    const browser = installation.visitor()
    issuer.script = { claims: person('mori') }
    const code = codeIn(await comeBack(browser, await begin(browser)))
    const answer = ok(await finish(browser, code))
    expect(answer).toMatchObject({ user: null, link: { email: 'mori@example.com' } })
    expect(ok(await browser.get('/api/auth/getCurrentAccount')).currentAccount).toBeNull()
    const link = (client: Client) => client.post('/api/auth/sso/link', { code })
    expect((await link(browser)).status).toBe(401)
    // Neither another account in this browser, nor the owner in another browser can link it.
    const stranger = await createAccount(installation)
    expect((await link(owner.client)).body.code).toBe('SsoHasEnded')
    ok(await browser.post('/api/auth/login', { email: stranger.email, password: testPassword }))
    expect((await link(browser)).body.code).toBe('Forbidden')
    ok(await browser.post('/api/auth/login', { email: owner.email, password: testPassword }))
    expect(ok(await link(browser)).user._id).toBe(owner.id)
    // The browser's session keeps its access to other spaces.
    ok(await browser.get(space.url))
    ok(await browser.get(elsewhere.url))
    // Later sign-ins by SSO create a session that is not valid in other spaces.
    const bySso = installation.visitor()
    expect(ok(await signIn(bySso, person('mori'))).user._id).toBe(owner.id)
    ok(await bySso.get(space.url))
    expect((await bySso.get(elsewhere.url)).body.code).toBe('UsualSignInRequired')
    expect(ok(await bySso.get('/api/project')).mayCreateSpaces).toBe(false)
    const made = await bySso.post('/api/project', { project: { uid: 'by-sso', name: 'SSO' } })
    expect(made.body.code).toBe('UsualSignInRequired')
  })

  it('is refused if its domain is not proven by the space or if it is invalid', async () => {
    for (const claims of [
      { sub: 'x1', email: 'somebody@elsewhere.example' },
      { sub: 'x2', email: 'somebody@example.com.evil.example' },
      { sub: 'x3', email: 'somebody@еxample.com' },
      { sub: 'x6', email: 'not an address' },
    ])
      expect([claims.sub, (await signIn(installation.visitor(), claims)).body.code]).toEqual([
        claims.sub,
        'SsoAddressNotAllowed',
      ])
  })

  it('is refused with a recorded reason if it is missing, unverified, invalid or of another domain', async () => {
    const wrong = [
      [{ sub: 'y1', email: undefined }, 'SsoAddressIsMissing', 'noEmail'],
      [{ sub: 'y2', email: '' }, 'SsoAddressIsMissing', 'noEmail'],
      [{ sub: 'y3', email_verified: false }, 'SsoAddressIsNotVerified', 'emailNotVerified'],
      [{ sub: 'y4', email_verified: 'false' }, 'SsoAddressIsNotVerified', 'emailNotVerified'],
      [{ sub: 'y5', email: 'some\u200bbody@example.com' }, 'SsoAddressNotAllowed', 'wrongEmail'],
      [{ sub: 'y6', email: 'not an address' }, 'SsoAddressNotAllowed', 'wrongEmail'],
      [{ sub: 'y7', email: ['somebody@example.com'] }, 'SsoAddressNotAllowed', 'wrongEmail'],
      [{ sub: 'y8', email: 'somebody@elsewhere.example' }, 'SsoAddressNotAllowed', 'domain'],
    ] as const
    for (const [claims, code, reason] of wrong) {
      const answer = await signIn(installation.visitor(), claims)
      const [newest] = ok(await admin.client.get(`${space.url}/sso/refusal`)).refusals
      expect([claims.sub, answer.status, answer.body.code, newest.reason]).toEqual([
        claims.sub,
        403,
        code,
        reason,
      ])
    }
  })
})

describe('a new user of a space', () => {
  const address = (name: string) => `${name}@example.com`
  const provides = (provisions: boolean) =>
    configure(space, { kind: 'oidc', domains: ['example.com'], provisions })
  type Directory = (method: Method, path: string, body?: object) => Promise<Answer>
  const connect = async ({ uid, url }: { uid: string; url: string }): Promise<Directory> => {
    const { token } = ok(await admin.client.post(`${url}/scim`, { data: {} })).scim
    const visitor = installation.visitor()
    const headers = { 'content-type': 'application/scim+json', authorization: `Bearer ${token}` }
    return (method, path, body) => visitor.send(method, `/scim/v2/${uid}/Users${path}`, body, headers)
  }
  let directory: Directory
  beforeAll(async () => {
    await provides(false)
    directory = await connect(space)
    const data = { groups: [{ name: '管理部', roleId: 'pjt-Admin' }], defaultRoleId: 'pjt-Member' }
    ok(await admin.client.put(`${space.url}/groupRoles`, { data }))
  })
  afterAll(async () => {
    await provides(true)
    ok(await admin.client.delete(`${space.url}/scim`))
  })
  const provision = async (name: string, by = directory) => {
    const answer = await by('POST', '', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: name,
      emails: [{ value: address(name).toUpperCase(), primary: true }],
      active: true,
    })
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
    return answer.body.id as string
  }
  const found = async (name: string) =>
    ok(await admin.client.get(`${space.url}/members?search=${name}`)).members

  it('becomes the member that the directory provisioned, even if the connection creates no members', async () => {
    expect((await signIn(installation.visitor(), person('sora'))).body.code).toBe('SsoNotInvited')
    const scimId = await provision('sora')
    const [made] = await found('sora')
    // The address must be in a proven domain of the connection, and must be an address that the directory lists.
    for (const email of ['sora@elsewhere.example', 'sora2@example.com'])
      expect((await signIn(installation.visitor(), { sub: 'sora', email })).status).toBe(403)
    const elsewhere = await createSpace(admin.client)
    await provision('sora', await connect(elsewhere))

    const client = installation.visitor()
    const { user } = ok(await signIn(client, { ...person('sora'), groups: ['管理部'] }))
    expect(user).toMatchObject({ email: 'sora@example.com', emailVerified: false })
    ok(await client.get(space.url))
    expect((await client.get(elsewhere.url)).status).toBe(404)
    const { members } = ok(await admin.client.get(`${elsewhere.url}/members?search=sora`))
    expect(members[0].accountId).not.toBe(user._id)
    expect(await found('sora')).toEqual([
      expect.objectContaining({ _id: made._id, accountId: user._id, roleId: 'pjt-Admin' }),
    ])
    // The invitation of the directory is obsolete.
    const { invitations } = ok(await admin.client.get(`${space.url}/invitation`))
    expect(JSON.stringify(invitations)).not.toMatch(/sora@/i)
    // Deleting the user in the directory locks the user out. Creating the user again restores the same account.
    expect((await directory('DELETE', `/${scimId}`)).status).toBe(204)
    expect((await client.get(space.url)).status).toBe(404)
    expect((await signIn(client, person('sora'))).body.code).toBe('SsoNotInvited')
    await provision('sora')
    expect(ok(await signIn(client, person('sora'))).user._id).toBe(user._id)
    expect(await found('sora')).toHaveLength(1)
  })

  it('can be invited to sign in by SSO only while SSO is set up and has a proven domain for the address', async () => {
    const other = await createSpace(admin.client)
    const app = await createApp(admin.client, other)
    const invite = () => admin.client.post(`${other.url}/invitation`, { invitation: { useSSO: true } })
    const isReady = async () => ok(await admin.client.get(`${other.url}/invitation`)).ssoIsReady
    expect(await isReady()).toBe(false)
    const half = { kind: 'oidc', domains: [], oidc: { issuer: issuer.url, clientId: 'imori' } }
    const answerOf = ({ status, body }: Answer) => [status, body.code, body.issues?.[0]?.path]
    expect(answerOf(await invite())).toEqual([404, 'SsoNotSetUp', 'invitation.useSSO'])
    await configure(other, half)
    expect(answerOf(await invite())).toEqual([404, 'SsoNotSetUp', 'invitation.useSSO'])
    const toApp = { email: 'guest@example.com', useSSO: true }
    expect(answerOf(await admin.client.post(`${app.url}/members`, toApp))).toEqual([
      404,
      'SsoNotSetUp',
      'useSSO',
    ])

    const complete = { ...half, oidc: { ...half.oidc, clientSecret: 'a secret' } }
    await configure(other, complete)
    expect(answerOf(await invite())).toEqual([404, 'SsoNotSetUp', 'invitation.useSSO'])
    await configure(other, { ...complete, domains: ['other.example'] })
    const { invitation } = ok(await invite())
    // A user with an address outside the proven domains could not sign in by SSO.
    const outside = [409, 'SsoDomainIsNotVerified', 'email']
    const mailed = (email: string) =>
      admin.client.post(`${other.url}/invitation`, { invitation: { email, useSSO: true } })
    for (const email of ['guest@example.com', 'guest@other.example.com'])
      expect(answerOf(await mailed(email))).toEqual([409, 'SsoDomainIsNotVerified', 'invitation.email'])
    expect(answerOf(await admin.client.post(`${app.url}/members`, toApp))).toEqual(outside)
    const inside = ok(await mailed('Guest@OTHER.example')).invitation
    const listed = async () => {
      const answer = ok(await admin.client.get(`${other.url}/invitation`))
      const problems = answer.invitations.map(
        ({ _id, ssoProblem }: { _id: string; ssoProblem: string | null }) => [_id, ssoProblem],
      )
      return [answer.ssoDomains, Object.fromEntries(problems)]
    }
    expect(await listed()).toEqual([['other.example'], { [invitation._id]: null, [inside._id]: null }])
    await configure(other, { ...complete, domains: ['new.example'] })
    expect(await listed()).toEqual([['new.example'], { [invitation._id]: null, [inside._id]: 'domain' }])
    const again = await admin.client.post(`${other.url}/invitation/${inside._id}/resend`, {})
    expect(answerOf(again)).toEqual(outside)
    const code = new URL(invitation.url).searchParams.get('code') ?? ''
    ok(await admin.client.delete(`${other.url}/sso`))
    const guest = await createAccount(installation)
    const look = ok(await guest.client.post('/api/invitation/look', { code }))
    expect(look.invitation.bySso).toBe(true)
    expect(await isReady()).toBe(false)
    expect(await listed()).toEqual([[], { [invitation._id]: 'notSetUp', [inside._id]: 'notSetUp' }])
    const taken = await guest.client.post('/api/invitation/accept', { code })
    expect([taken.status, taken.body.code]).toEqual([404, 'SsoNotSetUp'])
    expect((await guest.client.get(other.url)).status).toBe(404)
    const renewed = await admin.client.post(`${other.url}/invitation/${invitation._id}/resend`, {})
    expect(renewed.body.code).toBe('SsoNotSetUp')
  })

  it('gets an invitation mail that mentions SSO only if the invitation requires it', async () => {
    expect(ok(await admin.client.get(`${space.url}/invitation`)).ssoIsReady).toBe(true)
    const mailed = async (email: string, more: object) => {
      const { invitation } = ok(
        await admin.client.post(`${space.url}/invitation`, { invitation: { email, ...more } }),
      )
      const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=invitation`))
      const [mail] = await mailsOf(installation, email)
      return { text: mail?.text.replace(/\s+/g, ' '), details: auditLogs[0].details, invitation }
    }
    const bySso = await mailed('mitsuki@example.com', { useSSO: true })
    expect(bySso.text).toMatch(
      /SSO.*mitsuki@example\.com のアカウントでログイン.*パスワードを決める必要はありません/,
    )
    expect(bySso.text).not.toContain('その場で作成')
    expect(bySso.details).toMatchObject({ useSSO: true })
    const usual = await mailed('tsukasa@example.com', {})
    expect(usual.text).toContain('その場で作成')
    expect(usual.text).not.toContain('SSO')
    expect(usual.details).not.toHaveProperty('useSSO')
  })

  it('who is provisioned by the directory and accepts an invitation by SSO has a single membership', async () => {
    await provision('riku')
    const { invitation } = ok(
      await admin.client.post(`${space.url}/invitation`, { invitation: { useSSO: true } }),
    )
    const invitationCode = new URL(invitation.url).searchParams.get('code') ?? ''
    // This invitation cannot be accepted without SSO.
    const usual = await createAccount(installation)
    const taken = await usual.client.post('/api/invitation/accept', { code: invitationCode })
    expect([taken.status, taken.body.code]).toEqual([403, 'SsoRequired'])
    const { user } = ok(
      await signIn(installation.visitor(), person('riku'), { space: space.uid, invitationCode }),
    )
    expect(await found('riku')).toEqual([expect.objectContaining({ accountId: user._id })])
    const { body } = await directory('GET', `?filter=${encodeURIComponent('userName eq "riku"')}`)
    expect(body).toMatchObject({ totalResults: 1, Resources: [{ active: true }] })
  })
})

describe('a user whose membership has ended', () => {
  const removed = async (accountId: string) => {
    const { members } = ok(await admin.client.get(`${space.url}/members?account=${accountId}`))
    ok(await admin.client.delete(`${space.url}/member/${members[0]._id}`))
  }
  /** Signs in by SSO with an existing account and links it, like the page. */
  const link = async (account: TestAccount, name: string, body?: object) => {
    const answer = await signIn(account.client, person(name), body)
    if (answer.status !== 200 || !answer.body.link) return answer
    return account.client.post('/api/auth/sso/link', { code: lastCode })
  }
  const invited = async () => {
    const { invitation } = ok(await admin.client.post(`${space.url}/invitation`, { invitation: {} }))
    return { space: space.uid, invitationCode: new URL(invitation.url).searchParams.get('code') ?? '' }
  }

  it('can return by an invitation, but not by linking the account again or with a new account', async () => {
    const owner = await createAccount(installation, { email: 'nao@example.com' })
    ok(await link(owner, 'nao'))
    ok(await owner.client.get(space.url))
    await removed(owner.id)
    expect((await signIn(installation.visitor(), person('nao'))).body.code).toBe('SsoNotInvited')
    const mine = `/api/account/${owner.id}/identity`
    const [linked] = ok(await owner.client.get(mine)).identities
    ok(await owner.client.delete(`${mine}/${linked._id}`))
    expect((await link(owner, 'nao')).body.code).toBe('SsoNotInvited')
    expect((await owner.client.get(space.url)).status).toBe(404)
    expect(await tried('nao')).toMatchObject({ result: 'refused', reason: 'notInvited' })
    // The former address is still refused after the account's address has changed.
    await installation.database.pool.query(
      `UPDATE account SET email = 'nao@elsewhere.example', email_key = 'nao@elsewhere.example' WHERE id = $1`,
      [owner.id],
    )
    expect((await signIn(installation.visitor(), person('nao'))).body.code).toBe('SsoNotInvited')
    await installation.database.pool.query(
      `UPDATE account SET email = 'nao@example.com', email_key = 'nao@example.com' WHERE id = $1`,
      [owner.id],
    )
    ok(await link(owner, 'nao', await invited()))
    ok(await owner.client.get(space.url))
    // The new membership is valid until they are removed again.
    expect((await signIn(installation.visitor(), person('nao'))).status).toBe(200)
    await removed(owner.id)
    expect((await signIn(installation.visitor(), person('nao'))).body.code).toBe('SsoNotInvited')
  })

  it('is refused even if they never signed in by SSO before', async () => {
    const usual = await createAccount(installation, { email: 'ren@example.com' })
    await addMember(installation, space, usual)
    await removed(usual.id)
    expect((await link(usual, 'ren')).body.code).toBe('SsoNotInvited')
    expect((await usual.client.get(space.url)).status).toBe(404)
  })

  it('who is listed in the directory cannot return until the directory activates them', async () => {
    const { token } = ok(await admin.client.post(`${space.url}/scim`, { data: {} })).scim
    const visitor = installation.visitor()
    const headers = { 'content-type': 'application/scim+json', authorization: `Bearer ${token}` }
    const directory = async (method: Method, path: string, body?: object) => {
      const answer = await visitor.send(method, `/scim/v2/${space.uid}/Users${path}`, body, headers)
      expect([answer.status < 300, answer.text]).toEqual([true, expect.any(String)])
      return answer.body
    }
    const user = (name: string, active = true) => ({ userName: `${name}@example.com`, active })
    const outcome = async (name: string) => {
      const answer = await signIn(installation.visitor(), person(name))
      expect((await tried(name)).result).toBe(answer.status === 200 ? 'signIn' : 'refused')
      return answer.body.code ?? answer.status
    }
    // The directory deactivates this user before their first sign-in.
    const ended = await directory('POST', '', user('asahi'))
    await directory('PUT', `/${ended.id}`, user('asahi', false))
    expect(await outcome('asahi')).toBe('SsoDeactivated')
    await directory('PUT', `/${ended.id}`, { ...user('asahi', false), userName: 'Asahi2@example.com' })
    expect(await outcome('asahi')).toBe('SsoNotInvited')
    expect(await outcome('asahi2')).toBe('SsoDeactivated')
    await directory('PUT', `/${ended.id}`, user('asahi'))
    expect(await outcome('asahi')).toBe(200)
    const deleted = await directory('POST', '', user('haru'))
    await directory('DELETE', `/${deleted.id}`)
    expect(await outcome('haru')).toBe('SsoNotInvited')
    const inactive = await directory('POST', '', user('kei', false))
    expect(await outcome('kei')).toBe('SsoDeactivated')
    await directory('DELETE', `/${inactive.id}`)
    expect(await outcome('kei')).toBe('SsoNotInvited')
    await directory('POST', '', user('kei'))
    expect(await outcome('kei')).toBe(200)
    // This member has a password, and has not linked their account to the identity provider before.
    const usual = await createAccount(installation, { email: 'mio@example.com' })
    const memberId = await addMember(installation, space, usual)
    await directory('PATCH', `/${memberId}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    })
    expect((await link(usual, 'mio')).body.code).toBe('SsoDeactivated')
    expect((await tried('mio')).result).toBe('refused')
    await directory('PUT', `/${memberId}`, user('mio'))
    ok(await link(usual, 'mio'))
    ok(await admin.client.delete(`${space.url}/scim`))
  })

  /** Returns the result of an SSO test for that user. */
  async function tried(name: string) {
    const { url } = ok(await admin.client.post(`${space.url}/sso/try`))
    const asked = new URL(url).searchParams
    issuer.nonce = asked.get('nonce') ?? ''
    issuer.script = { claims: person(name) }
    const begun = { redirectUri: asked.get('redirect_uri') ?? '', state: asked.get('state') ?? '' }
    return ok(await finish(admin.client, codeIn(await comeBack(admin.client, begun)))).testResult
  }
})

const refusals: [string, Partial<IssuerScript>, Record<string, string | undefined>?][] = [
  ['a token without a signature', { header: { alg: 'none' }, signedBy: 'nothing' }],
  ['a token with an empty signature', { signedBy: 'nothing' }],
  ['the public key used as a secret', { header: { alg: 'HS256' }, signedBy: 'publicKey' }],
  ['another key', { signedBy: 'stranger' }],
  ['an unknown key', { header: { kid: 'other' }, signedBy: 'stranger' }],
  ['another algorithm', { header: { alg: 'PS256' } }],
  ['an unknown critical header', { header: { crit: ['x'], x: 1 } }],
  ['another issuer', { claims: { iss: 'https://elsewhere.example' } }],
  ['another audience', { claims: { aud: 'somebody-else' } }],
  ['several audiences without an authorized party', { claims: { aud: ['imori', 'somebody-else'] } }],
  ['another authorized party', { claims: { aud: ['imori', 'other'], azp: 'other' } }],
  ['an expired token', { claims: { exp: 1_600_000_000 } }],
  ['a token without an expiry', { claims: { exp: undefined } }],
  ['a token that is not valid yet', { claims: { nbf: 4_000_000_000 } }],
  ['another nonce', { claims: { nonce: 'another' } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['no subject', { claims: { sub: undefined } }],
  ['an empty subject', { claims: { sub: '' } }],
  ['a subject that is not a text', { claims: { sub: { $ne: null } } }],
  ['a code that the issuer refuses', { status: 400 }],
  ['an error of the issuer', { status: 500 }],
  ['an answer of another issuer (mix-up)', {}, { iss: 'https://elsewhere.example' }],
  ['an answer without an issuer', {}, { iss: undefined }],
  ['no code', {}, { code: undefined }],
  ['a refusal', {}, { code: undefined, error: 'access_denied' }],
  ['a token instead of a code', {}, { code: undefined, id_token: 'x' }],
  ['a discovery document of another issuer', { metadata: { issuer: 'https://elsewhere.example' } }],
]

describe('a hostile OpenID Connect response', () => {
  it.each(refusals)('is refused: %s', async (_, script, query) => {
    const client = installation.visitor()
    const begun = await begin(client)
    issuer.script = script
    const location = await comeBack(client, begun, query)
    expect(location).toMatch(/^\/sso\/login\?error=Sso(?:Refused|Unavailable)$/)
  })

  it('is listed with its reason in the refusals of the space', async () => {
    const reasons = {
      'another audience': 'audience',
      'an expired token': 'expired',
      'a token that is not valid yet': 'notYetValid',
      'another issuer': 'issuer',
      'an error of the issuer': 'providerError',
      'a code that the issuer refuses': 'status',
      'a discovery document of another issuer': 'issuer',
      'another key': 'signature',
      'another algorithm': 'algorithm',
      'another nonce': 'request',
      'a refusal': 'status',
    }
    for (const name of Object.keys(reasons)) {
      const [, script = {}, query] = refusals.find(([one]) => one === name) ?? []
      issuer.script = {}
      const begun = await begin(admin.client)
      issuer.script = script
      await comeBack(admin.client, begun, query)
    }
    const told = ok(await admin.client.get(`${space.url}/sso/refusal`)).refusals
    const newest = told.slice(0, Object.keys(reasons).length).reverse()
    expect(newest.map(({ reason }: { reason: string }) => reason)).toEqual(Object.values(reasons))
  })

  it('is refused if it belongs to another browser, another state or another connection', async () => {
    const [own, foreign] = [installation.visitor(), installation.visitor()]
    const begun = await begin(own, { space: space.uid, popup: true })
    expect(await comeBack(own, begun, { state: 'guessed' })).toBe('/sso/login?error=SsoHasEnded')
    expect(await comeBack(own, begun, { state: undefined })).toBe('/sso/login?error=SsoHasEnded')
    const other = await createSpace(admin.client)
    const oidc = { issuer: issuer.url, clientId: 'imori', clientSecret: 'a secret' }
    const { ours } = await configure(other, { kind: 'oidc', domains: ['example.com'], oidc })
    expect(await comeBack(own, { ...begun, redirectUri: ours.redirectUri })).toBe(
      '/sso/login?error=SsoHasEnded',
    )
    // An attacker with a stolen code (code injection, log-in CSRF) does not have the cookie.
    issuer.script = { claims: person('victim') }
    const code = codeIn(await comeBack(foreign, begun))
    expect((await finish(foreign, code)).body.code).toBe('SsoHasEnded')
    expect((await finish(own, `${code}x`)).body.code).toBe('SsoHasEnded')
    expect(ok(await finish(own, code)).popup).toBe(true)
    // Both spaces have the domain, so the address does not determine the space.
    const answer = await own.post('/api/auth/sso', { email: 'x@example.com' })
    expect([answer.status, answer.body.code]).toEqual([409, 'SsoSpaceIsNeeded'])
    const nobody = await own.post('/api/auth/sso', { email: 'x@nowhere.example' })
    expect([nobody.status, nobody.body.code]).toEqual([404, 'SsoNotSetUp'])
    const failed = await begin(own, { space: space.uid, popup: true })
    issuer.script = { signedBy: 'nothing' }
    expect(await comeBack(own, failed)).toBe('/connected?success=false&error-code=SsoRefused')
    // A refused sign-in has ended, even if a valid answer arrives later.
    issuer.script = {}
    expect(await comeBack(own, failed)).toBe('/sso/login?error=SsoHasEnded')
    ok(await admin.client.delete(`${other.url}/sso`))
  })
})

describe('the identity of a member', () => {
  it('is shown to members who manage members and to its owner, and both can unlink it', async () => {
    const client = installation.visitor()
    const { user } = ok(await signIn(client, person('yuki')))
    const { members } = ok(await admin.client.get(`${space.url}/members?account=${user._id}`))
    expect(members[0].identities).toEqual(['sso'])
    const url = `${space.url}/member/${members[0]._id}/identity`
    const shown = ok(await admin.client.get(url)).identities
    expect(shown).toMatchObject({ sso: { issuer: issuer.url, subject: 'yuki' }, scim: null })
    // A session created by SSO is for its space only. Unlinking with it would leave the owner without access.
    expect((await client.get(`/api/account/${user._id}/identity`)).body.code).toBe('UsualSignInRequired')
    expect((await client.get(url)).status).toBe(403)

    // A session that was created without SSO and extended by SSO outlives the link.
    const own = await signInAsUsual(installation, user._id)
    ok(await own.get(space.url))
    await installation.database.pool.query(
      `UPDATE session SET (sso_space_id, sso_connection_id, sso_at) =
         (SELECT sso_space_id, sso_connection_id, sso_at FROM session WHERE account_id = $1 AND NOT own_means)
       WHERE account_id = $1 AND own_means`,
      [user._id],
    )
    ok(await admin.client.delete(url))
    expect((await client.get(space.url)).status).toBe(401)
    ok(await own.get(space.url))
    expect((await admin.client.delete(url)).status).toBe(404)
    expect(ok(await admin.client.get(url)).identities.sso).toBeNull()
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=member`))
    expect(auditLogs[0]).toMatchObject({ act: 'member.ssoUnlink', outcome: 'done' })

    // The account has no identity at the provider now. The owner of the account links one again, and unlinks it.
    issuer.script = { claims: person('yuki') }
    const code = codeIn(await comeBack(own, await begin(own)))
    expect(ok(await finish(own, code)).link).toMatchObject({ email: 'yuki@example.com' })
    ok(await own.post('/api/auth/sso/link', { code }))
    const mine = `/api/account/${user._id}/identity`
    const [linked] = ok(await own.get(mine)).identities
    expect(linked).toMatchObject({ space: { uid: space.uid }, subject: 'yuki' })
    expect((await own.delete(`/api/account/${admin.id}/identity/${linked._id}`)).status).toBe(404)
    expect((await admin.client.delete(`/api/account/${admin.id}/identity/${linked._id}`)).status).toBe(404)
    ok(await own.delete(`${mine}/${linked._id}`))
    expect(ok(await own.get(mine)).identities).toEqual([])
    ok(await own.get(space.url))
  })
})

describe('required SSO', () => {
  it('excludes members with other sessions, except the exempt admin with a second factor', async () => {
    const bySso = installation.visitor()
    ok(await signIn(bySso, person('natsu')))
    const member = await createMember(installation, space)
    ok(await member.client.get(space.url))
    const save = (data: object, more = {}) => admin.client.put(`${space.url}/security`, { data, ...more })
    expect((await save({ ssoRequired: true })).body.issues[0].path).toBe('data.ssoExemptAccountId')
    const required = { ssoRequired: true, ssoExemptAccountId: admin.id }
    expect((await save(required)).body.issues[0].path).toBe('data.ssoExemptAccountId')
    await installation.database.pool.query(
      `INSERT INTO totp (account_id, secret, confirmed_at) VALUES ($1, 'x', now())`,
      [admin.id],
    )
    expect((await save({ ssoRequired: true, ssoExemptAccountId: member.id })).status).toBe(400)
    ok(await save(required))
    const [entry] = ok(await admin.client.get(`${space.url}/auditLog?kind=security`)).auditLogs
    expect(entry.details.changes).toContainEqual({ key: 'ssoExempt', after: admin.name })
    expect((await member.client.get(space.url)).body.code).toBe('SsoRequired')
    ok(await bySso.get(space.url))
    ok(await admin.client.get(space.url))
    expect((await admin.client.delete(`${space.url}/sso`)).body.code).toBe('SsoIsStillRequired')
    await installation.database.pool.query('DELETE FROM totp')
    expect((await admin.client.get(space.url)).body.code).toBe('SecondFactorRequired')
    await installation.database.pool.query(`UPDATE space_security SET sso_exempt = NULL`)
    expect((await admin.client.get(space.url)).body.code).toBe('SsoRequired')
    await installation.database.pool.query(`UPDATE space_security SET sso_required = false`)
    ok(await member.client.get(space.url))
    // Deleting the connection ends the sessions that it created.
    ok(await admin.client.delete(`${space.url}/sso`))
    expect((await bySso.get(space.url)).status).toBe(401)
  })
})
