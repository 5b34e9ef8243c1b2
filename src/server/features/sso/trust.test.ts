import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCertificate } from '#test/certificates.ts'
import { type DnsServer, startDnsServer } from '#test/dns-server.ts'
import { createAccount, createApp, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let dns: DnsServer
let installation: TestInstallation
let admin: TestAccount
let guard: TestAccount & { memberId: string }
let space: { uid: string; url: string }
beforeAll(async () => {
  dns = await startDnsServer()
  installation = await startInstallation({ IMORI_NAME_SERVERS: dns.address })
})
afterAll(async () => {
  await installation?.close()
  await dns?.close()
})

const saml = { entityId: 'https://idp.example.com/saml', signInUrl: 'https://idp.example.com/sign-in' }
const certificates = [makeCertificate().certificate]
const data = { kind: 'saml', domains: ['example.com'], saml: { ...saml, certificates } }
const oidc = { issuer: 'https://other.example', clientId: 'imori', clientSecret: 'secret' }

/** Creates a space with a member who may manage its security and assign the default role, but has no further rights. */
beforeEach(async () => {
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  const rights = ['space.view', 'asset.read', 'asset.write.own', 'security.manage']
  ok(await admin.client.post(`${space.url}/role`, { data: { uid: 'guards', name: '守衛', rights } }))
  guard = await createMember(installation, space, 'guards')
})

const put = (who: TestAccount, more: object = {}) =>
  who.client.put(`${space.url}/sso`, { data: { ...data, saml, ...more } })
const setUp = async () => ok(await admin.client.put(`${space.url}/sso`, { data }))
const giveRoles = async (values: object) =>
  ok(
    await admin.client.put(`${space.url}/groupRoles`, {
      data: { groups: [], defaultRoleId: 'pjt-Member', ...values },
    }),
  )
const adminsLine = { groups: [{ name: 'cms-admins', roleId: 'pjt-Admin' }] }
const refused = async (answer: Promise<{ status: number; body: { code?: string } }>) => {
  const { status, body } = await answer
  expect([status, body.code]).toEqual([400, 'InvalidRoleChange'])
}

async function linkTo(connection: string, account: TestAccount) {
  const db = installation.database.kysely
  const { id } = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  const identity = { issuer: saml.entityId, subject: account.id, account_id: account.id, made_account: false }
  await db
    .insertInto('sso_identity')
    .values({ connection_id: connection, space_id: id, ...identity })
    .execute()
}

describe('changing settings of SSO', () => {
  it('for the provider, its groups or certificates requires the right to assign the mapped roles', async () => {
    await setUp()
    await giveRoles(adminsLine)
    await refused(put(guard, { groupsName: 'nickname' }))
    await refused(put(guard, { saml: { ...saml, signInUrl: 'https://evil.example/sign-in' } }))
    await refused(put(guard, { kind: 'oidc', oidc }))
    // Removing a setting first and adding another one later is refused, too.
    await refused(put(guard, { kind: 'oidc' }))
    await refused(put(guard, { saml: { ...saml, entityId: '' } }))
    await refused(
      guard.client.post(`${space.url}/sso/certificate`, { certificate: makeCertificate().certificate }),
    )
    const [{ fingerprint }] = ok(await guard.client.get(`${space.url}/sso/certificate`)).certificates
    ok(
      await admin.client.post(`${space.url}/sso/certificate`, { certificate: makeCertificate().certificate }),
    )
    await refused(guard.client.delete(`${space.url}/sso/certificate/${encodeURIComponent(fingerprint)}`))
    await refused(guard.client.delete(`${space.url}/sso`))
    expect(ok(await guard.client.get(`${space.url}/sso`)).sso).toMatchObject({ kind: 'saml', saml })
    // Changes that grant no access are allowed.
    ok(await put(guard, { domains: ['example.com', 'example.net'], provisions: false }))
    await refused(put(guard, { provisions: true }))
    ok(await put(admin, { groupsName: 'roles', provisions: true }))
    await giveRoles({})
    ok(await put(guard, { groupsName: 'nickname' }))
    ok(await guard.client.delete(`${space.url}/sso`))
  })

  it('requires the right to assign the mapped roles when the first connection becomes complete', async () => {
    await giveRoles(adminsLine)
    const { saml: whole, ...rest } = data
    ok(await guard.client.put(`${space.url}/sso`, { data: { ...rest, saml } }))
    await refused(guard.client.put(`${space.url}/sso`, { data: { ...rest, saml: whole } }))
    const [certificate] = certificates
    await refused(guard.client.post(`${space.url}/sso/certificate`, { certificate }))
    // A member who may create an incomplete connection can also delete it.
    ok(await guard.client.delete(`${space.url}/sso`))
    await refused(put(guard, { kind: 'oidc', oidc }))
    ok(await put(admin, { kind: 'oidc', oidc }))
  })

  it('requires the right to assign the default role of users in no group', async () => {
    await setUp()
    await giveRoles({ defaultRoleId: 'pjt-Admin' })
    await refused(put(guard, { groupsName: 'nickname' }))
    await refused(guard.client.delete(`${space.url}/sso`))
  })

  it('requires the right to assign the roles mapped in apps, including apps hidden from the caller', async () => {
    await setUp()
    const app = await createApp(admin.client, space)
    ok(
      await admin.client.patch(app.url, {
        accessSettings: { visibility: 'private', defaultRole: 'app-Subscriber' },
      }),
    )
    await giveRoles({ appGroups: [{ app: app.uid, name: 'writers', roleId: 'app-Subscriber' }] })
    await refused(put(guard, { groupsName: 'nickname' }))
    const chief = { memberId: guard.memberId, roleId: 'app-Admin' }
    ok(await admin.client.post(`${app.url}/members`, chief))
    ok(await put(guard, { groupsName: 'nickname' }))
  })

  it('requires authority over the members linked to the connection, in the space and in its apps', async () => {
    const { sso } = await setUp()
    const app = await createApp(admin.client, space)
    const link = (account: TestAccount) => linkTo(sso._id, account)
    await link(await createMember(installation, space))
    ok(await put(guard, { groupsName: 'nickname' }))
    const editor = { admin: admin.client, url: app.url, role: 'app-Editor' }
    await link(await createMember(installation, space, 'pjt-Member', editor))
    await refused(put(guard, { groupsName: 'groups' }))
    ok(await admin.client.post(`${app.url}/members`, { memberId: guard.memberId, roleId: 'app-Admin' }))
    ok(await put(guard, { groupsName: 'groups' }))
    await link(admin)
    await refused(put(guard, { groupsName: 'nickname' }))
    await refused(guard.client.delete(`${space.url}/sso`))
  })

  it('includes group mappings, which require authority over linked members whose roles they may replace', async () => {
    const { sso } = await setUp()
    const app = await createApp(admin.client, space)
    ok(await admin.client.post(`${app.url}/members`, { memberId: guard.memberId, roleId: 'app-Editor' }))
    const rights = ['document.read', 'app.manage']
    ok(await admin.client.post(`${app.url}/role`, { data: { uid: 'keepers', name: '管理', rights } }))
    ok(await admin.client.patch(`${app.url}/member/${guard.memberId}`, { roleId: 'keepers' }))
    const save = (values: object) =>
      guard.client.put(`${space.url}/groupRoles`, {
        data: { groups: [], defaultRoleId: 'pjt-Member', ...values },
      })
    const groups = [{ name: '全社員', roleId: 'guards' }]
    const appGroups = [{ app: app.uid, name: '全社員', roleId: 'keepers' }]
    const editor = { admin: admin.client, url: app.url, role: 'app-Editor' }
    const member = await createMember(installation, space, 'pjt-Member', editor)
    ok(await save({ groups, appGroups }))
    await giveRoles({ groups: [], appGroups: [] })
    await linkTo(sso._id, member)
    await refused(save({ appGroups }))
    ok(await save({ groups }))
    await giveRoles({})
    await linkTo(sso._id, admin)
    await refused(save({ groups }))
    ok(await admin.client.put(`${space.url}/groupRoles`, { data: { groups, defaultRoleId: 'pjt-Member' } }))
    ok(await save({ groups }))
  })

  it('to allow sign-ins begun at the provider requires the right to assign the mapped roles', async () => {
    await setUp()
    await giveRoles(adminsLine)
    await refused(put(guard, { saml: { ...saml, idpInitiated: true } }))
    ok(await put(admin, { saml: { ...saml, idpInitiated: true } }))
    ok(await put(guard, { saml: { ...saml, idpInitiated: false } }))
  })

  it('to add a proven domain again requires the right to assign the mapped roles', async () => {
    const { sso } = await setUp()
    await giveRoles(adminsLine)
    dns.records.set('_imori.example.com', [[sso.domains[0].record.value]])
    ok(await admin.client.post(`${space.url}/sso/domain:check`, { domain: 'example.com' }))
    ok(await put(admin, { domains: ['example.net'] }))
    await refused(put(guard, { domains: ['example.com', 'example.net'] }))
    const { sso: changed } = ok(await put(guard, { domains: ['example.net', 'example.org'] }))
    expect(changed.domains.map(({ domain }: { domain: string }) => domain)).toEqual([
      'example.net',
      'example.org',
    ])
    ok(await put(admin, { domains: ['example.com'] }))
  })

  it('to prove or confirm a domain requires the right to assign the mapped roles', async () => {
    const { sso } = await setUp()
    await giveRoles(adminsLine)
    dns.records.set('_imori.example.com', [[sso.domains[0].record.value]])
    const check = (who: TestAccount) =>
      who.client.post(`${space.url}/sso/domain:check`, { domain: 'example.com' })
    await refused(check(guard))
    expect(ok(await check(admin)).sso.domains[0].proof).toBe('dns')
    expect(ok(await check(guard)).problem).toBeNull()
    await installation.database.kysely
      .updateTable('account')
      .set({ is_admin: true })
      .where('id', '=', guard.id)
      .execute()
    ok(await put(admin, { domains: ['example.net'] }))
    await refused(guard.client.post(`${space.url}/sso/domain:confirm`, { domain: 'example.net' }))
  })
})

describe('the audit entry of a changed connection', () => {
  const newest = async () =>
    ok(await admin.client.get(`${space.url}/auditLog?kind=security&limit=1`)).auditLogs[0]

  it('contains the certificates before and after, but not the new client secret', async () => {
    await setUp()
    const [before] = ok(await admin.client.get(`${space.url}/sso/certificate`)).certificates
    const next = makeCertificate().certificate
    ok(await put(admin, { saml: { ...saml, certificates: [next], idpInitiated: true } }))
    const [, after] = ok(await admin.client.get(`${space.url}/sso/certificate`)).certificates
    const fingerprints = [before.fingerprint, `${before.fingerprint}, ${after.fingerprint}`]
    const changed = await newest()
    expect(changed).toMatchObject({ act: 'security.ssoUpdate', outcome: 'done' })
    expect(changed.details.changes).toEqual([
      { key: 'certificates', before: fingerprints[0], after: fingerprints[1] },
      { key: 'idpInitiated', before: false, after: true },
    ])
    ok(await put(admin, { kind: 'oidc', oidc }))
    ok(await put(admin, { kind: 'oidc', oidc: { clientSecret: 'another-secret' } }))
    const { details } = await newest()
    expect(details).toEqual({ newClientSecret: true })
  })
})
