import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#server/lib/ids.ts'
import { allRights } from '#shared/permissions.ts'
import { addMember, createAccount, createSpace, type TestAccount, testPassword } from '#test/factories.ts'
import { startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { connectIssuer, signInBySso } from '#test/oidc-sign-in.ts'
import {
  type Answer,
  type Client,
  type Method,
  ok,
  startInstallation,
  type TestInstallation,
} from '#test/server.ts'

let issuer: TestIssuer
let installation: TestInstallation
let owner: TestAccount
let exempt: TestAccount & { memberId: string }
/** An admin who signs in by SSO. */
let boss: Client
let space: { uid: string; url: string }
beforeAll(async () => {
  issuer = await startIssuer()
  installation = await startInstallation({ IMORI_SSO_ORIGINS: issuer.url })
  owner = await createAccount(installation, { isAdmin: true })
  space = await createSpace(owner.client)
  await connectIssuer(owner, space, issuer, { domains: ['corp.example'] })
  const everything = { uid: 'everything', name: '全権', rights: [...allRights] }
  ok(await owner.client.post(`${space.url}/role`, { data: everything }))
  const account = await createAccount(installation, { email: 'glass@corp.example', verified: true })
  exempt = { ...account, memberId: await addMember(installation, space, account, 'everything') }
  boss = installation.visitor()
  const { user } = ok(await signInBySso(issuer, boss, space, { sub: 'boss', email: 'boss@corp.example' }))
  const { members } = ok(await owner.client.get(`${space.url}/members?account=${user._id}`))
  ok(await owner.client.put(`${space.url}/member/${members[0]._id}`, { roleId: 'pjt-Admin' }))
  for (const { id } of [owner, exempt]) await giveApp(id)
  const data = { ssoRequired: true, ssoExemptAccountId: exempt.id }
  ok(await exempt.client.put(`${space.url}/security`, { data }))
})
afterAll(async () => {
  await installation?.close()
  await issuer?.close()
})

const giveApp = (id: string) =>
  installation.database.kysely
    .insertInto('totp')
    .values({ account_id: id, secret: 'x', confirmed_at: new Date() })
    .execute()
const own = ({ id }: TestAccount) => `/api/account/${id}`
const needed = async (answer: Promise<Answer>) => {
  const { status, body } = await answer
  expect([status, body.code]).toEqual([409, 'SsoExemptAdminIsNeeded'])
}

describe('the admin exempt from required SSO', () => {
  it('cannot be removed or demoted, and cannot disable their second factor', async () => {
    await needed(boss.put(`${space.url}/member/${exempt.memberId}`, { roleId: 'pjt-Member' }))
    await needed(boss.delete(`${space.url}/member/${exempt.memberId}`))
    const rights = allRights.filter((right) => right !== 'security.manage')
    await needed(boss.put(`${space.url}/role/everything`, { data: { rights } }))
    await needed(exempt.client.post(`${space.url}/members/leave`))
    await needed(exempt.client.post(`${own(exempt)}/delete`, { password: testPassword }))
    await needed(exempt.client.post(`${own(exempt)}/secondFactor/disable`, { password: testPassword }))
    // Changes that keep all rights are allowed.
    ok(await boss.put(`${space.url}/role/everything`, { data: { name: '全部' } }))
    ok(await boss.put(`${space.url}/member/${exempt.memberId}`, { roleId: 'pjt-Admin' }))
    ok(await boss.put(`${space.url}/member/${exempt.memberId}`, { roleId: 'everything' }))
    ok(await exempt.client.get(space.url))
  })

  it('cannot delete a passkey that is their only second factor', async () => {
    const db = installation.database.kysely
    const passkey = {
      account_id: exempt.id,
      public_key: Buffer.alloc(3),
      counter: 0,
      transports: [],
      name: '',
    }
    const ids = [newId(), newId()]
    for (const id of ids)
      await db
        .insertInto('passkey')
        .values({ ...passkey, id, credential: id })
        .execute()
    await db.deleteFrom('totp').where('account_id', '=', exempt.id).execute()
    const remove = (id = '') =>
      exempt.client.post(`${own(exempt)}/secondFactor/passkey/${id}/delete`, { password: testPassword })
    ok(await remove(ids[0]))
    await needed(remove(ids[1]))
    ok(await exempt.client.get(space.url))
  })

  it('is neither removed by the directory nor demoted by a group mapping', async () => {
    const { token } = ok(await boss.post(`${space.url}/scim`, { data: { sendsMail: false } })).scim
    const headers = { 'content-type': 'application/scim+json', authorization: `Bearer ${token}` }
    const directory = (method: Method, path: string, body?: object) =>
      installation.visitor().send(method, `/scim/v2/${space.uid}/${path}`, body, headers)
    const user = `Users/${exempt.memberId}`
    for (const answer of [
      await directory('PUT', user, { userName: exempt.email, active: false }),
      await directory('DELETE', user),
    ])
      expect([answer.status, answer.body.scimType]).toEqual([409, 'mutability'])
    const data = { groups: [{ name: 'staff', roleId: 'pjt-Member' }], defaultRoleId: 'pjt-Member' }
    ok(await boss.put(`${space.url}/groupRoles`, { data }))
    const group = { displayName: 'staff', members: [{ value: exempt.memberId }] }
    expect((await directory('POST', 'Groups', group)).status).toBe(201)
    expect(ok(await exempt.client.get(`${space.url}/currentRole`)).currentRole.uid).toBe('everything')
    const { security } = ok(await boss.get(`${space.url}/security`))
    expect(security).toMatchObject({ ssoRequired: true, ssoExemptAccountId: exempt.id })
    ok(await boss.delete(`${space.url}/scim`))
  })

  it('can be removed and can disable their second factor once another admin is exempt', async () => {
    ok(await boss.put(`${space.url}/security`, { data: { ssoExemptAccountId: owner.id } }))
    ok(await boss.delete(`${space.url}/member/${exempt.memberId}`))
    ok(await exempt.client.post(`${own(exempt)}/secondFactor/disable`, { password: testPassword }))
    await needed(owner.client.post(`${own(owner)}/secondFactor/disable`, { password: testPassword }))
    ok(await boss.put(`${space.url}/security`, { data: { ssoRequired: false } }))
    ok(await owner.client.post(`${own(owner)}/secondFactor/disable`, { password: testPassword }))
  })
})
