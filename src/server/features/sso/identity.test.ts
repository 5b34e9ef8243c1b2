import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAccount,
  createSpace,
  signIn as signInAsUsual,
  type TestAccount,
  testPassword,
} from '#test/factories.ts'
import { linkIn, type MailServer, startMailServer } from '#test/mail-server.ts'
import { type IssuerScript, startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { connectIssuer, signInBySso, trySso } from '#test/oidc-sign-in.ts'
import { sendMails } from '#test/run-now.ts'
import { type Client, type Method, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let issuer: TestIssuer
let mail: MailServer
let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  issuer = await startIssuer()
  mail = await startMailServer()
  installation = await startInstallation({ IMORI_SSO_ORIGINS: issuer.url, IMORI_SMTP_URL: mail.url })
  admin = await createAccount(installation, { isAdmin: true })
  space = await createSpace(admin.client)
  await connectIssuer(admin, space, issuer, { domains: ['corp.example'] })
})
afterAll(async () => {
  await installation?.close()
  await issuer?.close()
  await mail?.close()
})

const person = (name: string) => ({ sub: name, email: `${name}@corp.example`, name })
const signIn = (client: Client, claims: IssuerScript['claims']) => signInBySso(issuer, client, space, claims)
const comesIn = async (claims: IssuerScript['claims']) => {
  const { status, body } = await signIn(installation.visitor(), claims)
  return body.code ?? status
}
const employee = (name: string) =>
  createAccount(installation, { email: `${name}@corp.example`, name, verified: true })

async function link(account: TestAccount, claims: IssuerScript['claims']) {
  const { code, body } = await signIn(account.client, claims)
  expect(body.link).not.toBeNull()
  ok(await account.client.post('/api/auth/sso/link', { code }))
}

const memberOf = async (accountId: string) =>
  ok(await admin.client.get(`${space.url}/members?account=${accountId}`)).members[0]
const remove = async (accountId: string) =>
  ok(await admin.client.delete(`${space.url}/member/${(await memberOf(accountId))._id}`))

const mailed = async (address: string) => {
  await sendMails(installation)
  const mails = mail.mails.filter(({ to }) => JSON.stringify(to).includes(address))
  return linkIn(mails.at(-1) ?? {})
}

/** Changes a company address to a private one, and confirms the change from both addresses. */
async function changeAddress({ id, client, email }: TestAccount, to: string) {
  ok(await client.post(`/api/account/${id}/email`, { email: to, password: testPassword }))
  for (const address of [to, email]) {
    const token = (await mailed(address)).split('#')[1] ?? ''
    ok(await client.post('/api/auth/confirm', { token }))
  }
}

async function invite(email?: string): Promise<string> {
  const { invitation } = ok(await admin.client.post(`${space.url}/invitation`, { invitation: { email } }))
  const url = email === undefined ? invitation.url : await mailed(email)
  return new URL(url).searchParams.get('code') ?? ''
}
const accept = (client: Client, code: string) => client.post('/api/invitation/accept', { code })

async function unlink({ id, client }: TestAccount) {
  const [identity] = ok(await client.get(`/api/account/${id}/identity`)).identities
  ok(await client.delete(`/api/account/${id}/identity/${identity._id}`))
}

describe('a removed member', () => {
  it('cannot return by SSO with a former address of their account', async () => {
    const taro = await employee('taro')
    await link(taro, person('taro'))
    await changeAddress(taro, 'taro@private.example')
    await remove(taro.id)
    await unlink(taro)
    expect(await comesIn(person('taro'))).toBe('SsoNotInvited')
    // Members who never linked their account, or whose account is deleted, cannot return either.
    const jiro = await employee('jiro')
    ok(await accept(jiro.client, await invite(jiro.email)))
    await changeAddress(jiro, 'jiro@private.example')
    await remove(jiro.id)
    expect(await comesIn(person('jiro'))).toBe('SsoNotInvited')
    ok(await jiro.client.post(`/api/account/${jiro.id}/delete`, { password: testPassword }))
    expect(await comesIn(person('jiro'))).toBe('SsoNotInvited')
  })

  it('cannot return by SSO with another address for the same subject', async () => {
    const saburo = await employee('saburo')
    await link(saburo, person('saburo'))
    // The link ends before the membership, so that only the recorded identity is left.
    await unlink(saburo)
    await remove(saburo.id)
    expect(await comesIn({ ...person('saburo'), email: 'saburo.y@corp.example' })).toBe('SsoNotInvited')
    expect(await comesIn({ ...person('saburo-y') })).toBe(200)
  })

  it('cannot return by SSO with the address that they were invited with', async () => {
    const own = await createAccount(installation, { email: 'shiro@private.example' })
    ok(await accept(own.client, await invite('shiro@corp.example')))
    await remove(own.id)
    expect(await comesIn(person('shiro'))).toBe('SsoNotInvited')
  })

  it('cannot return by SSO with the address that the directory had for them', async () => {
    const { token } = ok(await admin.client.post(`${space.url}/scim`, { data: { sendsMail: false } })).scim
    const headers = { 'content-type': 'application/scim+json', authorization: `Bearer ${token}` }
    const directory = async (method: Method, path: string, body?: object) => {
      const answer = await installation
        .visitor()
        .send(method, `/scim/v2/${space.uid}/Users${path}`, body, headers)
      expect(answer.status).toBeLessThan(300)
    }
    const goro = await employee('goro')
    await link(goro, person('goro'))
    await directory('POST', '', { userName: 'goro.s@corp.example', active: true })
    // The identity provider sends their new address, which the directory lists.
    ok(await signIn(goro.client, { ...person('goro'), email: 'goro.s@corp.example' }))
    await remove(goro.id)
    await unlink(goro)
    expect(await comesIn({ ...person('goro-s'), email: 'goro.s@corp.example' })).toBe('SsoNotInvited')
    ok(await admin.client.delete(`${space.url}/scim`))
  })

  it('cannot accept an invitation link again with a new account at a former address', async () => {
    const code = await invite()
    const roku = await employee('roku')
    ok(await accept(roku.client, code))
    await changeAddress(roku, 'roku@private.example')
    await remove(roku.id)
    const again = await employee('roku')
    expect((await accept(again.client, code)).body.code).toBe('InvalidInvitationCode')
  })

  it('can return by an invitation, and can sign in by SSO with a former address afterwards', async () => {
    const shichi = await employee('shichi')
    ok(await accept(shichi.client, await invite(shichi.email)))
    await changeAddress(shichi, 'shichi@private.example')
    await remove(shichi.id)
    expect(await comesIn(person('shichi'))).toBe('SsoNotInvited')
    ok(await accept(shichi.client, await invite('shichi@private.example')))
    expect(await comesIn(person('shichi'))).toBe(200)
  })
})

describe('an account created by SSO', () => {
  it('is not accessible to another user with the same address at the identity provider', async () => {
    const hana = installation.visitor()
    const { user } = ok(await signIn(hana, person('hana')))
    const { _id } = await memberOf(user._id)
    ok(await admin.client.put(`${space.url}/member/${_id}`, { roleId: 'pjt-Admin' }))
    const evil = { ...person('evil'), email: 'hana@corp.example' }
    const thief = installation.visitor()
    expect((await signIn(thief, evil)).body.code).toBe('SsoRefused')
    expect((await thief.get(space.url)).status).toBe(401)
    expect(await trySso(issuer, admin.client, space, evil)).toMatchObject({
      result: 'refused',
      reason: 'otherSubject',
    })
    const [refusal] = ok(await admin.client.get(`${space.url}/sso/refusal`)).refusals
    expect(refusal).toMatchObject({ reason: 'otherSubject', email: 'hana@corp.example' })
    expect(ok(await signIn(hana, person('hana'))).user._id).toBe(user._id)
    expect(ok(await signIn(thief, person('evil'))).user._id).not.toBe(user._id)
  })

  it('can be linked to a new subject by its owner after the former link has ended', async () => {
    const { user } = ok(await signIn(installation.visitor(), person('kiku')))
    const renewed = { ...person('kiku'), sub: 'kiku-2' }
    expect(await comesIn(renewed)).toBe('SsoRefused')
    const { _id } = await memberOf(user._id)
    ok(await admin.client.delete(`${space.url}/member/${_id}/identity`))
    const { body } = await signIn(installation.visitor(), renewed)
    expect(body).toMatchObject({ user: null, link: { email: 'kiku@corp.example' } })
    const own = await signInAsUsual(installation, user._id)
    const { code } = await signIn(own, renewed)
    ok(await own.post('/api/auth/sso/link', { code }))
    expect(ok(await signIn(installation.visitor(), renewed)).user._id).toBe(user._id)
  })
})
