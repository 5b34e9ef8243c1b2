import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DnsServer, startDnsServer } from '#test/dns-server.ts'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let dns: DnsServer
let installation: TestInstallation
let admin: TestAccount
let operator: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  dns = await startDnsServer()
  installation = await startInstallation({ IMORI_NAME_SERVERS: dns.address })
  // A confirmed email address does not prove ownership of its domain, because mail providers assign addresses to any
  // user.
  admin = await createAccount(installation, { email: 'hana@example.co.jp' })
  await installation.database.kysely
    .updateTable('account')
    .set({ email_verified_at: new Date() })
    .where('id', '=', admin.id)
    .execute()
  space = await createSpace(admin.client)
  operator = await createMember(installation, space, 'pjt-Admin')
  await installation.database.kysely
    .updateTable('account')
    .set({ is_admin: true })
    .where('id', '=', operator.id)
    .execute()
})
afterAll(async () => {
  await installation?.close()
  await dns?.close()
})

const oidc = { issuer: 'https://idp.example.com', clientId: 'imori', clientSecret: 'secret' }
const save = async (domains: string[], where = space) =>
  ok(await admin.client.put(`${where.url}/sso`, { data: { kind: 'oidc', domains, oidc } })).sso.domains
const check = (domain: string, { url } = space) => admin.client.post(`${url}/sso/domain:check`, { domain })
/** Begins a sign-in with an email address of the domain. Returns the error code. */
const begin = async (domain: string) =>
  (await installation.visitor().post('/api/auth/sso', { email: `saku@${domain}` })).body.code

beforeEach(async () => {
  dns.records.clear()
  dns.asked.length = 0
  await save([])
  await installation.database.pool.query('DELETE FROM former_sso_domain')
})

describe('an email domain', () => {
  it('is refused for sign-ins by SSO with a missing or other TXT record, and accepted with its own record', async () => {
    const [named] = await save(['Example.co.jp'])
    const record = {
      name: '_imori.example.co.jp',
      value: expect.stringMatching(/^imori-domain-verification=[0-9a-f]{24}$/),
    }
    expect(named).toEqual({ domain: 'example.co.jp', proof: null, record, checkedAt: null })
    expect(await begin('example.co.jp')).toBe('SsoNotSetUp')

    const missing = ok(await check('example.co.jp'))
    expect([missing.problem, missing.sso.domains[0]]).toMatchObject([
      'noRecord',
      { proof: null, checkedAt: expect.any(String) },
    ])
    dns.records.set('_imori.example.co.jp', [['imori-domain-verification=of another space']])
    expect(ok(await check('example.co.jp')).problem).toBe('otherRecord')
    expect(await begin('example.co.jp')).toBe('SsoNotSetUp')

    const value: string = named.record.value
    // The value is one of several TXT records, and is split into parts like long values.
    dns.records.set('_imori.example.co.jp', [['v=spf1 -all'], [value.slice(0, 10), value.slice(10)]])
    const proven = ok(await check('example.co.jp'))
    expect([proven.problem, proven.sso.domains[0].proof]).toEqual([null, 'dns'])
    expect(dns.asked).toEqual(Array(3).fill('_imori.example.co.jp'))
    // The domain is accepted now, but the identity provider itself does not answer.
    expect(await begin('example.co.jp')).toBe('SsoUnavailable')
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=security`))
    expect(auditLogs[0]).toMatchObject({
      act: 'security.ssoDomain',
      details: {
        changes: [
          { key: 'domain', after: 'example.co.jp' },
          { key: 'proof', after: 'dns' },
        ],
      },
    })

    // A proven domain stays proven without new DNS queries, also when the settings are saved again.
    dns.records.clear()
    expect(
      (await save(['example.co.jp', '日本.example'])).map(
        ({ domain, proof }: { domain: string; proof: string }) => [domain, proof],
      ),
    ).toEqual([
      ['example.co.jp', 'dns'],
      ['xn--wgv71a.example', null],
    ])
    expect(ok(await check('example.co.jp')).problem).toBeNull()
    expect(dns.asked).toHaveLength(3)
  })

  it('keeps its proof when it is removed and added again', async () => {
    const [first] = await save(['example.co.jp', 'example.org'])
    dns.records.set('_imori.example.co.jp', [[first.record.value]])
    ok(await check('example.co.jp'))
    await save([])
    expect(await begin('example.co.jp')).toBe('SsoNotSetUp')
    const [again, unproven] = await save(['example.co.jp', 'example.org'])
    expect(again).toMatchObject({ proof: 'dns', record: first.record })
    expect(unproven.proof).toBeNull()
    expect(await begin('example.co.jp')).toBe('SsoUnavailable')
  })

  it('must be proven to invite members by SSO or to require SSO', async () => {
    const own = await createSpace(admin.client)
    await save(['example.co.jp'], own)
    const invite = () => admin.client.post(`${own.url}/invitation`, { invitation: { useSSO: true } })
    const invited = await invite()
    expect([invited.body.code, invited.body.issues]).toEqual([
      'SsoNotSetUp',
      [{ path: 'invitation.useSSO', code: 'InvalidValue' }],
    ])
    await installation.database.pool.query(
      `INSERT INTO totp (account_id, secret, confirmed_at) VALUES ($1, 'x', now())`,
      [admin.id],
    )
    const require = () =>
      admin.client.put(`${own.url}/security`, {
        data: { ssoRequired: true, ssoExemptAccountId: admin.id },
      })
    expect((await require()).body.issues).toEqual([{ path: 'data.ssoRequired', code: 'InvalidValue' }])
    await installation.database.pool.query(
      `UPDATE sso_domain SET proof = 'dns' WHERE domain = 'example.co.jp'`,
    )
    const { invitation } = ok(await invite())
    ok(await require())
    // While SSO is required, the last proven domain can neither be removed nor replaced.
    for (const domains of [[], ['example.org']]) {
      const data = { kind: 'oidc', domains, oidc }
      expect((await admin.client.put(`${own.url}/sso`, { data })).body.code).toBe('SsoIsStillRequired')
    }
    await save(['example.co.jp', 'example.org'], own)
    ok(await admin.client.put(`${own.url}/security`, { data: { ssoRequired: false } }))
    await save([], own)
    const guest = await createAccount(installation)
    const code = new URL(invitation.url).searchParams.get('code')
    expect((await guest.client.post('/api/invitation/accept', { code })).body.code).toBe('SsoNotSetUp')
    await installation.database.pool.query('DELETE FROM totp')
  })

  it('must be proven by each space, and gets another record if it is removed unproven and added again', async () => {
    const [first] = await save(['example.co.jp'])
    dns.records.set('_imori.example.co.jp', [[first.record.value]])
    await save([])
    const [again] = await save(['example.co.jp'])
    expect([again.proof, again.record.value === first.record.value]).toEqual([null, false])
    expect(ok(await check('example.co.jp')).problem).toBe('otherRecord')
    const other = await createSpace(admin.client)
    await save(['example.co.jp'], other)
    expect(ok(await check('example.co.jp', other)).problem).toBe('otherRecord')
  })

  it('keeps its proof when the connection is deleted and recreated, but is not accepted in between', async () => {
    const [named] = await save(['example.co.jp'])
    dns.records.set('_imori.example.co.jp', [[named.record.value]])
    ok(await check('example.co.jp'))
    ok(await admin.client.delete(`${space.url}/sso`))
    expect(await begin('example.co.jp')).toBe('SsoNotSetUp')
    expect((await check('example.co.jp')).status).toBe(404)
    dns.records.clear()
    const [again] = await save(['example.co.jp'])
    expect([again.proof, again.record.value]).toEqual(['dns', named.record.value])
  })

  it('can be confirmed by an admin of the installation without DNS queries', async () => {
    await save(['example.co.jp'])
    const confirm = (who: TestAccount, domain: string) =>
      who.client.post(`${space.url}/sso/domain:confirm`, { domain })
    expect((await confirm(admin, 'example.co.jp')).status).toBe(403)
    expect((await confirm(operator, 'example.com')).status).toBe(404)
    expect(ok(await confirm(operator, 'example.co.jp')).sso.domains[0].proof).toBe('operator')
    expect(await begin('example.co.jp')).toBe('SsoUnavailable')
    expect(dns.asked).toEqual([])
  })

  it('is checked only if the space claims it', async () => {
    for (const domain of ['example.com', 'localhost', '', '_imori.example.co.jp'])
      expect([domain, (await check(domain)).status]).toEqual([domain, 404])
    expect(dns.asked).toEqual([])
    expect((await save(['example.co.jp', 'example.co.jp'])).length).toBe(1)
    const wrong = await admin.client.put(`${space.url}/sso`, {
      data: { kind: 'oidc', domains: ['example.com', 'no domain'] },
    })
    expect(wrong.body.issues).toEqual([{ path: 'data.domains.1', code: 'InvalidFormat' }])
  })
})

it('the check of a domain reports that no name server answers', async () => {
  // A port without a listener.
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  const alone = await startInstallation({ IMORI_NAME_SERVERS: `127.0.0.1:${port}` })
  try {
    const { client } = await createAccount(alone)
    const own = await createSpace(client)
    ok(await client.put(`${own.url}/sso`, { data: { kind: 'oidc', domains: ['example.com'] } }))
    const answer = ok(await client.post(`${own.url}/sso/domain:check`, { domain: 'example.com' }))
    expect([answer.problem, answer.sso.domains[0].proof]).toEqual(['unreachable', null])
  } finally {
    await alone.close()
  }
})
