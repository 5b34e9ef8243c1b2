import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createMember, createSpace, type TestAccount, unique } from '#test/factories.ts'
import { mailsOf } from '#test/kept-mails.ts'
import { type IssuerScript, startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { connectIssuer, signInBySso, trySso } from '#test/oidc-sign-in.ts'
import {
  type Answer,
  type Client,
  type Method,
  ok,
  startInstallation,
  type TestInstallation,
} from '#test/server.ts'

/* Users whose names or addresses differ between the space's directory (SCIM) and its identity provider (SSO). */

let issuer: TestIssuer
let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let directory: (method: Method, path: string, body?: object) => Promise<Answer>
beforeAll(async () => {
  issuer = await startIssuer()
  installation = await startInstallation({ IMORI_SSO_ORIGINS: issuer.url })
  admin = await createAccount(installation, { isAdmin: true })
})
afterAll(async () => {
  await installation?.close()
  await issuer?.close()
})
beforeEach(async () => {
  space = await createSpace(admin.client)
  await connectIssuer(admin, space, issuer, { domains: ['corp.example'] })
  const { token } = ok(await admin.client.post(`${space.url}/scim`, { data: {} })).scim
  const headers = { 'content-type': 'application/scim+json', authorization: `Bearer ${token}` }
  const visitor = installation.visitor()
  directory = (method, path, body) =>
    visitor.send(method, `/scim/v2/${space.uid}/Users${path}`, body, headers)
})

/** Returns a name that is unique for each call, for addresses and subjects. */
const called = (name: string) => unique(name).toLowerCase()
const at = (name: string) => `${name}@corp.example`
const user = (userName: string, emails: string[], active = true) => ({
  userName,
  active,
  emails: emails.map((value, index) => ({
    value,
    type: index === 0 ? 'work' : 'other',
    primary: index === 0,
  })),
})
async function provision(userName: string, emails: string[], active = true) {
  const { status, body, text } = await directory('POST', '', user(userName, emails, active))
  expect([status, text]).toEqual([201, expect.any(String)])
  return body.id as string
}
const replace = async (id: string, body: object) => ok(await directory('PUT', `/${id}`, body))
const deactivate = async (id: string) =>
  ok(
    await directory('PATCH', `/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    }),
  )
const signIn = (claims: IssuerScript['claims'], client: Client = installation.visitor()) =>
  signInBySso(issuer, client, space, claims)
const members = async (): Promise<
  { _id: string; accountId: string; email: string; provisioned: boolean }[]
> =>
  ok(await admin.client.get(`${space.url}/members`)).members.filter(
    ({ accountId }: { accountId: string }) => accountId !== admin.id,
  )
const logged = async (act: string) =>
  ok(await admin.client.get(`${space.url}/auditLog?kind=member`)).auditLogs.filter(
    (entry: { act: string }) => entry.act === act,
  )

describe('a user of the directory who signs in', () => {
  it.each([
    ['with their second address', 'okta.user', ['main', 'second'], 'second'],
    ['with an address that is only their userName', 'main@', ['second'], 'main'],
    ['with their primary address if their userName differs', 'main@', ['second'], 'second'],
  ])(
    'becomes the provisioned member %s, and is removed when the directory deactivates them',
    async (_, userName, emails, used) => {
      const name = called('hana')
      const own = (part: string) => at(`${part}.${name}`)
      const id = await provision(
        userName.endsWith('@') ? own('main') : `${userName}.${name}`,
        emails.map(own),
      )
      const [made] = await members()
      const client = installation.visitor()
      const { user: account } = ok(await signIn({ sub: name, email: own(used) }, client))
      expect(await members()).toEqual([
        expect.objectContaining({ _id: made?._id, accountId: account._id, provisioned: false }),
      ])
      ok(await client.get(space.url))

      await deactivate(id)
      expect(await members()).toEqual([])
      expect((await client.get(space.url)).status).toBe(404)
      for (const email of ['main', 'second'].map(own))
        for (const sub of [name, `${name}-2`])
          expect([email, sub, (await signIn({ sub, email })).body.code]).toEqual([
            email,
            sub,
            'SsoDeactivated',
          ])
    },
  )

  it('stays the provisioned member when the directory changes their name and addresses', async () => {
    const name = called('taro')
    const id = await provision(name, [at(`${name}.suzuki`)])
    const { user: account } = ok(await signIn({ sub: name, email: at(`${name}.suzuki`) }))
    const [member] = await members()
    await replace(id, user(`${name}.sato`, [at(`${name}.sato`)]))
    // Another user gets the former address.
    await provision(`${name}.other`, [at(`${name}.other`), at(`${name}.suzuki`)])
    for (const email of [at(`${name}.sato`), at(`${name}.suzuki`)])
      expect(ok(await signIn({ sub: name, email })).user._id).toBe(account._id)
    expect(await members()).toEqual([
      expect.objectContaining({ _id: member?._id, accountId: account._id }),
      expect.objectContaining({ provisioned: true }),
    ])
    expect((await directory('DELETE', `/${id}`)).status).toBe(204)
    expect(await members()).toEqual([expect.objectContaining({ provisioned: true })])
  })

  it('links the account that accepted the directory’s invitation, if the account is verified', async () => {
    const name = called('yuki')
    const id = await provision(name, [at(name), at(`y.${name}`)])
    const [mail] = await mailsOf(installation, at(name))
    const code = new URL(mail?.link ?? 'http://none/').searchParams.get('code')
    const own = await createAccount(installation)
    ok(await own.client.post('/api/invitation/accept', { code }))
    const claims = { sub: name, email: at(`y.${name}`) }
    // Members who sign in by SSO count as verified, so an account with an unconfirmed address must not be linked.
    expect(await trySso(issuer, admin.client, space, claims)).toMatchObject({ reason: 'unverifiedAccount' })
    await installation.database.pool.query('UPDATE account SET email_verified_at = now() WHERE id = $1', [
      own.id,
    ])
    const asked = await signIn(claims)
    // Only the owner of the account may see its address, also in an SSO test.
    const unnamed = { email: null, isOwn: false, spaceName: expect.any(String) }
    expect(asked.body).toMatchObject({ user: null, link: unnamed })
    expect(asked.text).not.toContain(own.email)
    expect(await trySso(issuer, admin.client, space, claims)).toMatchObject({ result: 'link', email: null })
    const stranger = await createAccount(installation)
    const refused = await signIn(claims, stranger.client)
    expect(refused.body.link).toMatchObject(unnamed)
    const link = (client: Client, answer: { code: string }) =>
      client.post('/api/auth/sso/link', { code: answer.code })
    expect((await link(stranger.client, refused)).body.code).toBe('Forbidden')
    const ownAnswer = await signIn(claims, own.client)
    expect(ownAnswer.body.link).toMatchObject({ email: own.email, isOwn: true })
    ok(await link(own.client, ownAnswer))
    expect(ok(await signIn(claims)).user._id).toBe(own.id)
    expect(await members()).toEqual([expect.objectContaining({ accountId: own.id })])
    await deactivate(id)
    expect(await members()).toEqual([])
  })

  it('stays the member that they became by SSO before the directory provisioned them', async () => {
    const name = called('ken')
    const client = installation.visitor()
    const { user: account } = ok(await signIn({ sub: name, email: at(`${name}.old`) }, client))
    const [member] = await members()
    const id = await provision(name, [at(name), at(`${name}.old`)])
    expect(await members()).toHaveLength(2)
    ok(await signIn({ sub: name, email: at(`${name}.old`) }, client))
    expect(await members()).toEqual([expect.objectContaining({ _id: member?._id, accountId: account._id })])
    await deactivate(id)
    expect((await client.get(space.url)).status).toBe(404)
  })
})

describe('removing a user of the directory', () => {
  it.each(['deactivated', 'deleted'])(
    'removes a member who last signed in by SSO with one of the user’s addresses (%s)',
    async (how) => {
      const name = called('mei')
      const client = installation.visitor()
      // The account has the first address. The directory lists the address of the last sign-in, but not the first one.
      ok(await signIn({ sub: name, email: at(`${name}.first`) }, client))
      ok(await signIn({ sub: name, email: at(`${name}.last`) }, client))
      const id = await provision(name, [at(name), at(`${name}.last`)])
      expect(await members()).toHaveLength(2)
      if (how === 'deleted') expect((await directory('DELETE', `/${id}`)).status).toBe(204)
      else await deactivate(id)
      expect(await members()).toEqual([])
      expect((await client.get(space.url)).status).toBe(404)
      expect((await signIn({ sub: name, email: at(`${name}.first`) })).body.code).toBe('SsoNotInvited')
      expect(await logged('member.deprovision')).toHaveLength(2)
    },
  )

  it('keeps a member whose address is outside the proven domains', async () => {
    const name = called('agency')
    const partner = await createMember(installation, space)
    const address = `${name}@other.example`
    await installation.database.pool.query(
      'UPDATE account SET email = $2, email_key = $2, email_verified_at = now() WHERE id = $1',
      [partner.id, address],
    )
    const id = await provision(name, [at(name), address])
    await deactivate(id)
    expect(await members()).toEqual([expect.objectContaining({ accountId: partner.id })])
  })

  it('removes the user’s other membership even if an admin removed the provisioned member before', async () => {
    const name = called('rin')
    const client = installation.visitor()
    ok(await signIn({ sub: name, email: at(`${name}.old`) }, client))
    const id = await provision(name, [at(name), at(`${name}.old`)])
    const made = (await members()).find(({ provisioned }) => provisioned)
    ok(await admin.client.delete(`${space.url}/member/${made?._id}`))
    ok(await client.get(space.url))
    await deactivate(id)
    expect((await client.get(space.url)).status).toBe(404)
    // A member who is invited afterwards stays when the directory changes or deletes the inactive user.
    const { invitation } = ok(await admin.client.post(`${space.url}/invitation`, { invitation: {} }))
    const invitationCode = new URL(invitation.url).searchParams.get('code') ?? ''
    ok(await signInBySso(issuer, client, space, { sub: name, email: at(`${name}.old`) }, { invitationCode }))
    await replace(id, { ...user(name, [at(name), at(`${name}.old`)], false), displayName: '凛' })
    expect((await directory('DELETE', `/${id}`)).status).toBe(204)
    ok(await client.get(space.url))
  })

  it('blocks sign-ins with the user’s addresses if an admin removes the member before the first sign-in', async () => {
    const name = called('ai')
    await provision(name, [at(name), at(`${name}.second`)])
    const [made] = await members()
    ok(await admin.client.delete(`${space.url}/member/${made?._id}`))
    for (const email of [at(name), at(`${name}.second`)])
      expect((await signIn({ sub: name, email })).body.code).toBe('SsoNotInvited')
  })

  it('keeps a member whose address also belongs to another user of the directory', async () => {
    const name = called('sho')
    const shared = at(`desk.${name}`)
    const desk = installation.visitor()
    ok(await signIn({ sub: `desk.${name}`, email: shared }, desk))
    const [first, second] = [
      await provision(`a.${name}`, [at(`a.${name}`), shared]),
      await provision(`b.${name}`, [at(`b.${name}`), shared]),
    ]
    const other = installation.visitor()
    ok(await signIn({ sub: `b.${name}`, email: at(`b.${name}`) }, other))
    await deactivate(first)
    ok(await desk.get(space.url))
    ok(await other.get(space.url))
    await deactivate(second)
    expect((await other.get(space.url)).status).toBe(404)
  })

  it('keeps the last admin, although the user has the admin’s address', async () => {
    const name = called('jo')
    const id = await provision(name, [at(name), admin.email])
    expect((await deactivate(id)).active).toBe(false)
    ok(await admin.client.get(space.url))
    expect(await members()).toEqual([])
  })
})

it('a sign-in is refused if two users of the directory, but no account of a member, have its address', async () => {
  const name = called('nao')
  const email = at(name)
  const [first, second] = [
    await provision(`a.${name}`, [email]),
    await provision(`b.${name}`, [at(`b.${name}`), email]),
  ]
  const before = await members()
  const claims = { sub: name, email }
  expect((await signIn(claims)).body.code).toBe('SsoRefused')
  expect(await members()).toEqual(before)
  const [refusal] = ok(await admin.client.get(`${space.url}/sso/refusal`)).refusals
  expect(refusal).toMatchObject({ reason: 'severalUsers', email })
  expect(await trySso(issuer, admin.client, space, claims)).toMatchObject({
    result: 'refused',
    reason: 'severalUsers',
  })
  // A deactivated user still blocks the address for the other user.
  await deactivate(first)
  expect((await signIn(claims)).body.code).toBe('SsoRefused')
  // An existing member with this address can link their account.
  const member = await createMember(installation, space)
  await installation.database.pool.query('UPDATE account SET email = $1, email_key = $1 WHERE id = $2', [
    email,
    member.id,
  ])
  expect((await signIn(claims)).body.link).toMatchObject({ email })
  ok(await admin.client.delete(`${space.url}/member/${member.memberId}`))
  await installation.database.pool.query('UPDATE account SET email = $1, email_key = $1 WHERE id = $2', [
    `${name}@private.example`,
    member.id,
  ])
  expect((await directory('DELETE', `/${first}`)).status).toBe(204)
  await replace(second, user(`b.${name}`, [at(`b.${name}`)]))
  await replace(second, user(`b.${name}`, [at(`b.${name}`), email]))
  ok(await signIn(claims))
  expect(await members()).toHaveLength(1)
})

it('a sign-in ignores directory addresses in domains that are not proven', async () => {
  const name = called('io')
  await provision(name, [at(name), `${name}@elsewhere.example`])
  const { body } = await signIn({ sub: name, email: `${name}@elsewhere.example` })
  expect(body.code).toBe('SsoAddressNotAllowed')
})
