import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCertificate } from '#test/certificates.ts'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { connectIssuer, signInBySso } from '#test/oidc-sign-in.ts'
import { signedResponse } from '#test/saml-response.ts'
import {
  answerTo,
  finishSaml,
  idp,
  postResponse,
  readRequest,
  signInBySaml,
  signInUrl,
} from '#test/saml-sign-in.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

const signer = makeCertificate()
const saml = { entityId: idp, signInUrl }
const certificates = [signer.certificate]

let issuer: TestIssuer
let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
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
  await connectIssuer(admin, space, issuer, { domains: ['example.com'], groupsName: 'roles' })
})

const put = (data: object, who = admin) =>
  who.client.put(`${space.url}/sso`, { data: { domains: ['example.com'], ...data } })
const shown = async () => ok(await admin.client.get(`${space.url}/sso`)).sso
const signIn = (name: string) =>
  signInBySso(issuer, installation.visitor(), space, { sub: name, email: `${name}@example.com` })

describe('the protocol that is not in use', () => {
  it('can be prepared and tested before it is put into use', async () => {
    ok(await signIn('hana'))
    ok(await put({ kind: 'oidc', saml: { entityId: idp } }))
    const half = await shown()
    expect(half).toMatchObject({
      kind: 'oidc',
      isComplete: true,
      groupsName: 'roles',
      saml: { entityId: idp, signInUrl: '', isComplete: false, groupsName: 'groups' },
      oidc: { issuer: issuer.url, hasSecret: true, isComplete: true, groupsName: 'roles' },
    })
    ok(await signIn('hana'))
    const tooEarly = await admin.client.post(`${space.url}/sso/try?kind=saml`)
    expect([tooEarly.status, tooEarly.body.code]).toEqual([404, 'SsoNotSetUp'])
    expect(ok(await admin.client.post(`${space.url}/sso/test?kind=saml`)).problem).toBe('incomplete')

    // A switch to an incomplete protocol is refused, and changes nothing.
    const refused = await put({ kind: 'saml', saml: { signInUrl } })
    expect([refused.status, refused.body.code]).toEqual([409, 'SsoProtocolIsIncomplete'])
    expect(refused.body.issues[0].path).toBe('data.kind')
    expect(await shown()).toEqual(half)

    ok(await put({ kind: 'oidc', saml: { signInUrl } }))
    ok(await admin.client.post(`${space.url}/sso/certificate`, { certificate: signer.certificate }))
    const whole = await shown()
    expect(whole).toMatchObject({ kind: 'oidc', saml: { isComplete: true } })
    expect(ok(await admin.client.post(`${space.url}/sso/test?kind=saml`)).problem).toBeNull()
    const { url } = ok(await admin.client.post(`${space.url}/sso/try?kind=saml`))
    const attributes = { email: ['new@example.com'], groups: ['総務'] }
    const { user, testResult } = ok(await finishSaml(admin.client, whole.ours, { url, signer, attributes }))
    expect([user, testResult.result, testResult.claims.groups]).toEqual([null, 'signIn', ['総務']])
    // Users cannot sign in with SAML yet, not even by a response without a request.
    const unasked = signedResponse(answerTo(whole.ours, signer, { requestId: null }))
    const location = await postResponse(installation.visitor(), whole.ours, unasked, '')
    expect(location).toBe('/sso/login?error=SsoNotSetUp')
    ok(await signIn('hana'))

    // A sign-in that began before the switch cannot be finished after it.
    const late = installation.visitor()
    const begun = new URL(ok(await late.post('/api/auth/sso', { space: space.uid })).url).searchParams
    expect(ok(await put({ kind: 'saml' })).sso).toMatchObject({ kind: 'saml', isComplete: true })
    const query = new URLSearchParams({ code: 'a-code', state: begun.get('state') ?? '', iss: issuer.url })
    const answer = await late.get(`${new URL(begun.get('redirect_uri') ?? '').pathname}?${query}`)
    expect(String(answer.headers.location)).toContain('SsoHasEnded')
    const bySaml = await signInBySaml(installation.visitor(), space, whole.ours, { signer })
    expect(ok(bySaml).user.email).toBe('saku@example.com')

    // A sign-in that was answered before the switch cannot be finished after it either.
    const answered = installation.visitor()
    const { url: there } = ok(await answered.post('/api/auth/sso', { space: space.uid }))
    const request = readRequest(there)
    const xml = signedResponse(answerTo(whole.ours, signer, request))
    const code = (await postResponse(answered, whole.ours, xml, request.state)).split('#')[1]

    // Switches back. The client secret was kept.
    expect(ok(await put({ kind: 'oidc' })).sso).toMatchObject({ kind: 'oidc', isComplete: true })
    expect((await answered.post('/api/auth/sso/finish', { code })).body.code).toBe('SsoHasEnded')
    ok(await signIn('hana'))
    expect((await shown()).saml).toEqual(whole.saml)
  })

  it('can be saved completely and put into use by one request', async () => {
    ok(await put({ kind: 'saml', saml: { ...saml, certificates } }))
    expect(await shown()).toMatchObject({ kind: 'saml', isComplete: true, oidc: { hasSecret: true } })
  })

  it('can be selected before either protocol is complete', async () => {
    const other = await createSpace(admin.client)
    const save = async (data: object) =>
      ok(await admin.client.put(`${other.url}/sso`, { data: { domains: [], ...data } })).sso
    await save({ kind: 'saml', saml: { entityId: idp } })
    const sso = await save({ kind: 'oidc', oidc: { issuer: issuer.url } })
    expect(sso).toMatchObject({ kind: 'oidc', isComplete: false, saml: { entityId: idp } })
  })

  it('cannot be completed, changed once complete or put into use without the right to assign mapped roles', async () => {
    const rights = ['space.view', 'asset.read', 'asset.write.own', 'security.manage']
    ok(await admin.client.post(`${space.url}/role`, { data: { uid: 'guards', name: '守衛', rights } }))
    const guard = await createMember(installation, space, 'guards')
    const groups = [{ name: 'cms-admins', roleId: 'pjt-Admin' }]
    ok(await admin.client.put(`${space.url}/groupRoles`, { data: { groups, defaultRoleId: 'pjt-Member' } }))
    const refused = async (data: object) => {
      const { status, body } = await put({ kind: 'oidc', ...data }, guard)
      expect([status, body.code]).toEqual([400, 'InvalidRoleChange'])
    }
    ok(await put({ kind: 'oidc', saml }, guard))
    await refused({ saml: { certificates } })
    ok(await put({ kind: 'oidc', saml: { certificates } }))
    await refused({ saml: { signInUrl: 'https://evil.example/sign-in' } })
    await refused({ saml: { groupsName: 'nickname' } })
    await refused({ kind: 'saml' })
  })
})
