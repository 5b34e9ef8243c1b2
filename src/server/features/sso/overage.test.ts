import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '#test/certificates.ts'
import { createAccount, createApp, createSpace, type TestAccount } from '#test/factories.ts'
import { type IssuerScript, startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { connectIssuer, signInBySso, trySso } from '#test/oidc-sign-in.ts'
import { connectSaml, finishSaml, type Ours, signInBySaml } from '#test/saml-sign-in.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

/* For users in many groups, Entra ID sends a link instead of the groups. */

const signer = makeCertificate()
const link = 'https://graph.microsoft.com/v1.0/users/1/getMemberObjects'
let issuer: TestIssuer
let installation: TestInstallation
let admin: TestAccount
beforeAll(async () => {
  issuer = await startIssuer()
  installation = await startInstallation({ IMORI_SSO_ORIGINS: issuer.url })
  admin = await createAccount(installation, { isAdmin: true })
})
afterAll(async () => {
  await installation?.close()
  await issuer?.close()
})

/** Creates a space whose group mappings assign roles for `chiefs` in the space and for `writers` in an app. */
async function spaceWithGroups() {
  const space = await createSpace(admin.client)
  const app = await createApp(admin.client, space)
  ok(
    await admin.client.patch(app.url, {
      accessSettings: { visibility: 'private', defaultRole: 'app-Subscriber' },
    }),
  )
  const data = {
    groups: [{ name: 'chiefs', roleId: 'pjt-Admin' }],
    defaultRoleId: 'pjt-Member',
    appGroups: [{ app: app.uid, name: 'writers', roleId: 'app-Editor' }],
  }
  ok(await admin.client.put(`${space.url}/groupRoles`, { data }))
  return { space, app }
}

type World = Awaited<ReturnType<typeof spaceWithGroups>>

async function rolesIn({ space, app }: World, client: Client): Promise<string[]> {
  return [
    ok(await client.get(`${space.url}/currentRole`)).currentRole.uid,
    ok(await client.get(`${app.url}/currentRole`)).currentRole.uid,
  ]
}

async function expectTold({ space }: World): Promise<void> {
  const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=account&limit=1`))
  expect(auditLogs[0]).toMatchObject({ act: 'account.ssoLogin', details: { groupsProblem: 'overage' } })
}

describe('groups that the identity provider omits because there are too many', () => {
  const insteadOfGroups: [string, IssuerScript['claims']][] = [
    ['a claim source', { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: link } } }],
    ['a link', { 'groups:src1': link }],
    ['a mark', { hasgroups: true }],
  ]

  it('leave existing roles unchanged and are reported in sign-ins by OpenID Connect', async () => {
    const world = await spaceWithGroups()
    await connectIssuer(admin, world.space, issuer, { domains: ['example.com'] })
    const client = installation.visitor()
    const person = { sub: 'hana', email: 'hana@example.com' }
    ok(await signInBySso(issuer, client, world.space, { ...person, groups: ['chiefs', 'writers'] }))
    expect(await rolesIn(world, client)).toEqual(['pjt-Admin', 'app-Editor'])
    for (const [name, more] of insteadOfGroups) {
      const claims = { ...person, groups: undefined, ...more }
      const { result, claims: told, roleId } = await trySso(issuer, admin.client, world.space, claims)
      expect([name, result, told.groups, told.groupsProblem, roleId]).toEqual([
        name,
        'signIn',
        [],
        'overage',
        'pjt-Admin',
      ])
      ok(await signInBySso(issuer, client, world.space, claims))
      expect(await rolesIn(world, client)).toEqual(['pjt-Admin', 'app-Editor'])
      await expectTold(world)
    }
    // A claim source for another claim says nothing about the groups.
    const other = { ...person, groups: undefined, _claim_names: { roles: 'src1' } }
    expect((await trySso(issuer, admin.client, world.space, other)).claims.groupsProblem).toBe('missing')
  })

  it('leave existing roles unchanged and are reported in sign-ins by SAML', async () => {
    const world = await spaceWithGroups()
    const ours: Ours = await connectSaml(admin, world.space, [signer.certificate])
    const client = installation.visitor()
    const signIn = async (groups: Record<string, string[]>) => {
      const attributes = { email: ['saku@example.com'], ...groups }
      ok(await signInBySaml(client, world.space, ours, { signer, attributes }))
    }
    await signIn({ groups: ['chiefs', 'writers'] })
    expect(await rolesIn(world, client)).toEqual(['pjt-Admin', 'app-Editor'])
    const overage = { 'http://schemas.microsoft.com/claims/groups.link': [link] }
    await signIn(overage)
    expect(await rolesIn(world, client)).toEqual(['pjt-Admin', 'app-Editor'])
    await expectTold(world)
    const { url } = ok(await admin.client.post(`${world.space.url}/sso/try`))
    const attributes = { email: ['saku@example.com'], ...overage }
    const { testResult } = ok(await finishSaml(admin.client, ours, { url, signer, attributes }))
    expect(testResult).toMatchObject({
      roleId: 'pjt-Admin',
      claims: { groups: [], groupsProblem: 'overage' },
    })
  })
})
