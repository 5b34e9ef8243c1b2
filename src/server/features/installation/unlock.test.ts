import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createSpace, type TestAccount, testPassword, unique } from '#test/factories.ts'
import { mailsOf } from '#test/kept-mails.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { type Unlocking, unlock } from './unlock.service.ts'

let installation: TestInstallation
let person: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation({ IMORI_TRUST_PROXY: '1' })
  person = await createAccount(installation, { isAdmin: true, verified: true })
  space = await createSpace(person.client)
})
afterAll(() => installation?.close())

const db = () => installation.database.kysely
const run = (asked: Unlocking) => unlock(db(), { name: 'ops', ...installation.deps }, asked)
const logIn = (email: string) =>
  installation.visitor().post('/api/auth/login', { email, password: testPassword })
const newest = async (client: TestAccount['client'], url: string) =>
  ok(await client.get(`${url}?limit=1`)).auditLogs[0]

it('unlock lifts the IP ranges of a space, with effect from the next request', async () => {
  const data = { ipRanges: ['203.0.113.0/24'] }
  const inside = { 'x-forwarded-for': '203.0.113.1' }
  ok(await person.client.put(`${space.url}/security`, { data, lockOutMyself: true }, inside))
  expect((await person.client.get(space.url)).body.code).toBe('IpAddressNotAllowed')
  expect(await run({ what: 'space', uid: 'nowhere' })).toBe('noSpace')
  expect(await run({ what: 'space', uid: space.uid.toUpperCase() })).toBe('done')
  ok(await person.client.get(space.url))
  for (const url of [`${space.url}/auditLog`, '/api/admin/auditLog'])
    expect(await newest(person.client, url)).toMatchObject({
      act: 'security.unlock',
      actor: { kind: 'operator', name: 'ops' },
      details: { changes: [{ key: 'ipRanges', before: data.ipRanges }] },
    })
  expect(await run({ what: 'space', uid: space.uid })).toBe('nothing')
})

it('unlock ends the SSO requirement of a space without an exempt account', async () => {
  await db().updateTable('space_security').set({ sso_required: true, sso_exempt: null }).execute()
  expect((await person.client.get(space.url)).body.code).toBe('SsoRequired')
  expect(await run({ what: 'space', uid: space.uid })).toBe('done')
  ok(await person.client.get(space.url))
  for (const url of [`${space.url}/auditLog`, '/api/admin/auditLog'])
    expect(await newest(person.client, url)).toMatchObject({
      act: 'security.unlock',
      details: { changes: [{ key: 'ssoRequired', before: true, after: false }] },
    })
  expect(await run({ what: 'space', uid: space.uid })).toBe('nothing')
})

it('unlock removes the second factor of an account or changes its email address, and mails the owner', async () => {
  expect(await run({ what: 'second-factor', email: person.email })).toBe('nothing')
  expect(await run({ what: 'second-factor', email: 'nobody@example.com' })).toBe('noAccount')
  const factor = { account_id: person.id, secret: 'sealed', confirmed_at: new Date() }
  await db().insertInto('totp').values(factor).execute()
  expect(ok(await logIn(person.email)).user).toBeNull()
  expect(await run({ what: 'second-factor', email: person.email.toUpperCase() })).toBe('done')
  expect((await person.client.get(space.url)).status).toBe(401)
  expect(ok(await logIn(person.email)).user._id).toBe(person.id)
  expect((await mailsOf(installation, person.email))[0]?.subject).toBe('2段階認証がリセットされました')

  const other = await createAccount(installation)
  const move = (to: string) => run({ what: 'email', email: person.email, to })
  expect(await move('nonsense')).toBe('emailIsWrong')
  expect(await move(other.email)).toBe('emailIsTaken')
  const to = `${unique('moved')}@example.com`
  expect(await move(to)).toBe('done')
  expect((await logIn(person.email)).status).toBe(401)
  const client = installation.visitor()
  const { user } = ok(await client.post('/api/auth/login', { email: to, password: testPassword }))
  expect(user).toMatchObject({ _id: person.id, emailVerified: true })
  for (const email of [person.email, to])
    expect((await mailsOf(installation, email))[0]?.subject).toBe('メールアドレスを変更しました')
  const { auditLogs } = ok(await client.get(`${space.url}/auditLog?limit=10`))
  const acts = auditLogs
    .filter(({ actor }: { actor: { kind: string } }) => actor.kind === 'operator')
    .map(({ act }: { act: string }) => act)
  expect(acts).toEqual([
    'account.changeEmail',
    'account.resetSecondFactor',
    'security.unlock',
    'security.unlock',
  ])
})
