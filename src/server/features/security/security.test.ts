import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { runWaiting } from '#test/run-now.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

import { revertRangesJob } from './security.jobs.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let url: string
beforeAll(async () => {
  // The installation is behind a proxy.
  installation = await startInstallation({ IMORI_TRUST_PROXY: '1' })
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  url = `${space.url}/security`
})
afterAll(() => installation?.close())

const save = (data: object, more: object = {}) => admin.client.put(url, { data, ...more })
/** Moves the end of all pending token ranges into the past, to simulate the passing of time. */
const expireTokenRanges = () =>
  installation.database.pool.query(
    'UPDATE space_security SET token_ip_ranges_pending_until = $1 WHERE token_ip_ranges_pending_until IS NOT NULL',
    [new Date(Date.now() - 1000)],
  )
/**
 * Confirms the pending ranges, with the settings version that the client reads now. `headers`: headers of a request
 * from another IP address.
 */
async function confirmPending(
  client: Client,
  url: string,
  name: string,
  headers: Record<string, string> = {},
) {
  const { version } = ok(await client.get(url, headers)).security
  return client.post(`${url}/${name}`, { version }, headers)
}
/** Headers of a request through the proxy. The last of `ips` is the IP address that the proxy saw. */
const from = (...ips: string[]) => ({ 'x-forwarded-for': ips.join(', ') })

describe('IP ranges', () => {
  it('are rejected with the path of an invalid range, or if there are more than 200', async () => {
    const answer = await save({ ipRanges: ['10.0.0.0/8', '300.1.1.1'] })
    expect([answer.status, answer.body.issues]).toEqual([
      400,
      [{ path: 'data.ipRanges.1', code: 'InvalidFormat' }],
    ])
    expect((await save({ ipRanges: Array.from({ length: 201 }, () => '10.0.0.1') })).status).toBe(400)
  })

  it('cannot lock out their author without `lockOutMyself`', async () => {
    const refused = await save({ ipRanges: ['203.0.113.0/24'] })
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'WouldLockOutYourself', reason: 'address' },
    ])
    expect(ok(await admin.client.get(url))).toMatchObject({
      security: { ipRanges: null, version: 0 },
      yourAddress: admin.client.ip,
    })
  })

  it('that exclude their author end after ten minutes, unless they are confirmed from inside', async () => {
    const space = await createSpace(admin.client)
    const url = `${space.url}/security`
    const member = await createMember(installation, space)
    const inside = from('203.0.113.9')
    const tryOut = async (ipRanges = ['203.0.113.0/24']) => {
      const answer = await admin.client.put(url, { data: { ipRanges }, lockOutMyself: true }, inside)
      expect(ok(answer).security.ipRangesPendingUntil).toBeNull()
      await admin.client.put(url, { data: { ipRanges: [] } }, inside)
      const own = await admin.client.put(url, { data: { ipRanges }, lockOutMyself: true })
      const left = Date.parse(ok(own).security.ipRangesPendingUntil) - Date.now()
      expect(Math.round(left / 60_000)).toBe(10)
      expect((await member.client.get(space.url)).body.code).toBe('IpAddressNotAllowed')
      // Members with all rights may still enter from the ranges that applied before. They cannot confirm the pending
      // ranges from there.
      ok(await admin.client.get(space.url))
      expect(ok(await admin.client.get(`${url}/validateIP`)).isValid).toBe(true)
      const refused = await confirmPending(admin.client, url, 'confirmRanges')
      expect([refused.status, refused.body.code]).toEqual([403, 'IpAddressNotAllowed'])
    }
    await tryOut()
    const db = installation.database.kysely
    const ending = { ip_ranges_pending_until: new Date(Date.now() - 1000) }
    await db
      .updateTable('space_security')
      .set(ending)
      .where('ip_ranges_pending_until', 'is not', null)
      .execute()
    // The end applies to the next request, before any job has run. The job then writes the log entry.
    expect(ok(await admin.client.get(url)).security).toMatchObject({
      ipRanges: null,
      ipRangesPendingUntil: null,
    })
    await runWaiting(installation, revertRangesJob)
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog`))
    expect(auditLogs.map(({ act }: { act: string }) => act)).toContain('security.endTrial')
    expect(ok(await admin.client.get(url)).security).toMatchObject({
      ipRanges: null,
      ipRangesPendingUntil: null,
    })

    await tryOut(['203.0.113.0/25'])
    const confirmed = ok(await confirmPending(admin.client, url, 'confirmRanges', inside))
    expect(confirmed.security).toMatchObject({ ipRanges: ['203.0.113.0/25'], ipRangesPendingUntil: null })
    await runWaiting(installation, revertRangesJob)
    expect((await admin.client.get(space.url)).body.code).toBe('IpAddressNotAllowed')
  })

  it('of an author without all rights are pending, and only a member with all rights can confirm them', async () => {
    const space = await createSpace(admin.client)
    const url = `${space.url}/security`
    const data = { name: '保安係', rights: ['space.view', 'security.manage'] }
    const { role } = ok(await admin.client.post(`${space.url}/role`, { data }))
    const keeper = await createMember(installation, space, role.uid)
    const member = await createMember(installation, space)
    const save = async () =>
      ok(await keeper.client.put(url, { data: { ipRanges: [keeper.client.ip] } })).security
        .ipRangesPendingUntil
    const endsAt = await save()
    expect(Math.round((Date.parse(endsAt) - Date.now()) / 60_000)).toBe(10)
    expect(await save()).toBe(endsAt)
    expect((await confirmPending(keeper.client, url, 'confirmRanges')).status).toBe(403)
    const inside = { 'x-forwarded-for': keeper.client.ip }
    expect((await member.client.get(space.url)).body.code).toBe('IpAddressNotAllowed')
    const confirmed = ok(await confirmPending(admin.client, url, 'confirmRanges', inside))
    expect(confirmed.security.ipRangesPendingUntil).toBeNull()
  })

  it('while pending, still admit members with all rights who connect from the former ranges', async () => {
    const space = await createSpace(admin.client)
    const url = `${space.url}/security`
    const data = { name: '保安係', rights: ['space.view', 'security.manage'] }
    const { role } = ok(await admin.client.post(`${space.url}/role`, { data }))
    const keeper = await createMember(installation, space, role.uid)
    ok(await admin.client.put(url, { data: { ipRanges: [admin.client.ip, keeper.client.ip] } }))
    for (let time = 1; time <= 2; time++) {
      ok(await keeper.client.put(url, { data: { ipRanges: [keeper.client.ip] } }))
      ok(await admin.client.get(space.url))
      // Members with all rights are not admitted from any other IP address.
      const elsewhere = await admin.client.get(space.url, from('203.0.113.1'))
      expect(elsewhere.body.code).toBe('IpAddressNotAllowed')
      const ending = { ip_ranges_pending_until: new Date(Date.now() - 1000) }
      const db = installation.database.kysely
      await db
        .updateTable('space_security')
        .set(ending)
        .where('ip_ranges_pending_until', 'is not', null)
        .execute()
    }
    // A member with all rights can end pending ranges that another member saved.
    ok(await keeper.client.put(url, { data: { ipRanges: [keeper.client.ip] } }))
    const ended = ok(await admin.client.put(url, { data: { ipRanges: [admin.client.ip] } }))
    expect(ended.security).toMatchObject({ ipRanges: [`${admin.client.ip}/32`], ipRangesPendingUntil: null })
  })

  it('are refused if they lock out an author who does not have all rights', async () => {
    const data = { name: '保安係', rights: ['space.view', 'security.manage'] }
    const { role } = ok(await admin.client.post(`${space.url}/role`, { data }))
    const { client } = await createMember(installation, space, role.uid)
    const body = { data: { ipRanges: ['203.0.113.0/24'] }, lockOutMyself: true }
    const answer = await client.put(url, body)
    expect([answer.status, answer.body.code]).toEqual([403, 'Forbidden'])
    expect(ok(await client.get(url)).security.ipRanges).toBe(null)
    ok(await client.get(space.url))
  })

  it('reject requests from other addresses, even with forged headers', async () => {
    const member = await createMember(installation, space)
    const { client } = member
    ok(await client.get(space.url))
    const ranges = ['10.0.0.0/8', '2001:DB8::/32']
    const saved = ok(await save({ ipRanges: ranges }))
    expect(saved.security).toMatchObject({ ipRanges: ['10.0.0.0/8', '2001:db8::/32'], version: 1 })
    ok(await client.get(space.url))
    ok(await client.get(space.url, from('203.0.113.1', '2001:db8::1')))
    ok(await client.get(space.url, from('::ffff:10.1.1.1')))
    for (const ips of [['203.0.113.1'], ['10.0.0.1', '203.0.113.1'], ['nonsense'], ['2001:db9::1']]) {
      const answer = await client.get(space.url, from(...ips))
      expect([ips, answer.status, answer.body.code]).toEqual([ips, 403, 'IpAddressNotAllowed'])
      const write = await client.post(`${space.url}/tags`, { data: { name: 'x' } }, from(...ips))
      expect(write.status).toBe(403)
      expect(ok(await client.get(`${url}/validateIP`, from(...ips))).isValid).toBe(false)
    }
    expect(ok(await client.get(`${url}/validateIP`))).toEqual({ isValid: true, address: client.ip })
    // A user who is not a member learns nothing about the space.
    const stranger = await createAccount(installation)
    expect((await stranger.client.get(`${url}/validateIP`, from('203.0.113.1'))).status).toBe(404)
    const refusals = ok(await admin.client.get(`${space.url}/auditLog?outcome=refused&person=${member.id}`))
    expect(refusals.auditLogs[0]).toMatchObject({ outcome: 'IpAddressNotAllowed', ip: '2001:db9::1' })
    ok(await save({ ipRanges: [] }))
    ok(await client.get(space.url, from('203.0.113.1')))
  })

  it('ignore forwarded addresses without a proxy', async () => {
    const direct = await startInstallation()
    try {
      const owner = await createAccount(direct)
      const own = await createSpace(owner.client)
      ok(await owner.client.put(`${own.url}/security`, { data: { ipRanges: [owner.client.ip] } }))
      const elsewhere = { ...from(owner.client.ip), forwarded: `for=${owner.client.ip}` }
      owner.client.ip = '203.0.113.1'
      expect((await owner.client.get(own.url, elsewhere)).body.code).toBe('IpAddressNotAllowed')
    } finally {
      await direct.close()
    }
  })
})

describe('security settings', () => {
  it('end the access of sessions that are older than the session hours', async () => {
    const member = await createMember(installation, space)
    ok(await save({ sessionHours: 2 }))
    const age = (hours: number) =>
      installation.database.pool.query(
        `UPDATE session SET created_at = now() - make_interval(hours => $2) WHERE account_id = $1`,
        [member.id, hours],
      )
    await age(1)
    ok(await member.client.get(space.url))
    await age(3)
    expect((await member.client.get(space.url)).body.code).toBe('SessionIsTooOld')
    ok(await member.client.get('/api/project'))
    expect((await save({ sessionHours: 0 })).status).toBe(400)
    ok(await save({ sessionHours: null }))
    ok(await member.client.get(space.url))
  })

  it('cannot require a second factor if the author has no second factor', async () => {
    const refused = await save({ secondFactorRequired: true })
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [{ path: 'data.secondFactorRequired', code: 'InvalidValue' }],
    ])
    expect(ok(await admin.client.get(`${url}/validate2FA`))).toEqual({ isValid: true, isRequired: false })
    await installation.database.pool.query('UPDATE space_security SET second_factor = true')
    expect((await admin.client.get(space.url)).body.code).toBe('SecondFactorRequired')
    expect(ok(await admin.client.get(`${url}/validate2FA`))).toEqual({ isValid: false, isRequired: true })
    await installation.database.pool.query('UPDATE space_security SET second_factor = false')
  })

  it('cannot be changed with an outdated version or invalid values', async () => {
    const { version } = ok(await admin.client.get(url)).security
    ok(await save({ auditDays: 365, version }))
    expect((await save({ auditDays: 90, version })).body).toMatchObject({
      code: 'VersionConflict',
      current: version + 1,
    })
    for (const data of [{ auditDays: 29 }, { auditDays: 1.5 }, { unknown: 1 }])
      expect((await save(data)).status).toBe(400)
  })
})

describe('delivery tokens', () => {
  it('work again if their new ranges are not confirmed within ten minutes', async () => {
    const space = await createSpace(admin.client)
    const url = `${space.url}/security`
    const { cdnToken } = ok(await admin.client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
    const visitor = installation.visitor()
    const headers = { authorization: `Bearer ${cdnToken.token}` }
    const read = async () => (await visitor.get('/v1/space/apps/none', headers)).status
    const put = async (tokenIpRanges: string[] | null) =>
      ok(await admin.client.put(url, { data: { tokenIpRanges }, limitTokens: true })).security
    const inUse = `${visitor.ip}/32`

    const { tokenIpRangesPendingUntil } = await put(['10.9.8.0/24'])
    expect(Math.round((Date.parse(tokenIpRangesPendingUntil) - Date.now()) / 60_000)).toBe(10)
    expect(await read()).toBe(403)
    // Neither saving ranges again nor saving other settings prolongs the pending period or confirms the ranges.
    expect((await put(['10.9.8.0/24', '10.9.7.0/24'])).tokenIpRangesPendingUntil).toBe(
      tokenIpRangesPendingUntil,
    )
    const other = ok(await admin.client.put(url, { data: { auditDays: 90 } })).security
    expect(other).toMatchObject({ ipRangesPendingUntil: null, tokenIpRangesPendingUntil })
    await expireTokenRanges()
    // The end applies to the next request, before any job has run. The job then writes the log entry.
    expect(await read()).toBe(404)
    expect(ok(await admin.client.get(url)).security).toMatchObject({
      tokenIpRanges: null,
      tokenIpRangesPendingUntil: null,
      auditDays: 90,
    })
    await runWaiting(installation, revertRangesJob)
    expect(await read()).toBe(404)
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog`))
    expect(auditLogs).toContainEqual(
      expect.objectContaining({
        act: 'security.endTrial',
        actor: { kind: 'system', _id: null, name: revertRangesJob.name },
        details: {
          changes: [{ key: 'tokenIpRanges', before: ['10.9.8.0/24', '10.9.7.0/24'] }],
          systemReason: 'pendingRangesExpired',
        },
      }),
    )

    // Confirmed ranges stay. Ranges that only add addresses are not pending.
    expect((await put([inUse])).tokenIpRangesPendingUntil).not.toBeNull()
    const confirmed = ok(await confirmPending(admin.client, url, 'confirmTokenRanges')).security
    expect(confirmed).toMatchObject({ tokenIpRanges: [inUse], tokenIpRangesPendingUntil: null })
    expect((await put([inUse, '10.9.8.0/24'])).tokenIpRangesPendingUntil).toBeNull()
    expect(await read()).toBe(404)
    // Pending ranges that were not confirmed are replaced by the confirmed ones.
    expect((await put(['10.9.8.0/24'])).tokenIpRangesPendingUntil).not.toBeNull()
    expect(await read()).toBe(403)
    await expireTokenRanges()
    expect(await read()).toBe(404)
    await runWaiting(installation, revertRangesJob)
    const settings = ok(await admin.client.get(url)).security
    expect(settings.tokenIpRanges).toEqual([inUse, '10.9.8.0/24'])
  })

  it('can be limited to IP ranges, and the ranges confirmed, only by members with all rights', async () => {
    const space = await createSpace(admin.client)
    const url = `${space.url}/security`
    const data = { name: '保安係', rights: ['space.view', 'security.manage'] }
    const { role } = ok(await admin.client.post(`${space.url}/role`, { data }))
    const keeper = await createMember(installation, space, role.uid)
    const limit = (client: Client, tokenIpRanges: string[] | null) =>
      client.put(url, { data: { tokenIpRanges }, limitTokens: true })
    expect((await limit(keeper.client, ['10.9.8.0/24'])).status).toBe(403)
    const unaware = await admin.client.put(url, { data: { tokenIpRanges: ['10.9.8.0/24'] } })
    expect([unaware.status, unaware.body.code]).toEqual([409, 'WouldLimitTokens'])
    const { version } = ok(await limit(admin.client, ['10.9.8.0/24'])).security
    expect((await confirmPending(keeper.client, url, 'confirmTokenRanges')).status).toBe(403)
    expect((await limit(keeper.client, ['10.9.9.9'])).status).toBe(403)
    // Saving the same ranges again, or additional ranges, removes no IP address and does not require all rights.
    const saved = ok(await limit(keeper.client, ['10.9.8.0/24'])).security
    expect(saved.tokenIpRangesPendingUntil).not.toBeNull()
    const outdated = await admin.client.post(`${url}/confirmTokenRanges`, { version })
    expect([outdated.status, outdated.body.code]).toEqual([409, 'VersionConflict'])
    ok(await confirmPending(admin.client, url, 'confirmTokenRanges'))
    await runWaiting(installation, revertRangesJob)
    expect(ok(await keeper.client.get(url)).security).toMatchObject({
      tokenIpRanges: ['10.9.8.0/24'],
      tokenIpRangesPendingUntil: null,
    })
    ok(await limit(keeper.client, ['10.9.8.0/24', '10.9.7.0/24']))
    expect((await limit(keeper.client, ['10.9.7.0/24'])).status).toBe(403)
  })

  it('are rejected outside the token ranges of the space, and after they expire', async () => {
    const { cdnToken } = ok(await admin.client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
    const read = (headers: Record<string, string> = {}) =>
      installation
        .visitor()
        .get('/v1/space/apps/none', { authorization: `Bearer ${cdnToken.token}`, ...headers })
    expect((await read()).status).toBe(404)
    ok(await save({ tokenIpRanges: ['198.51.100.0/24'] }, { limitTokens: true }))
    await expect.poll(async () => (await read()).body.code).toBe('IpAddressNotAllowed')
    expect((await read(from('198.51.100.7'))).status).toBe(404)
    expect((await read(from('198.51.100.7', '203.0.113.1'))).status).toBe(403)
    ok(await save({ tokenIpRanges: null }))
    await expect.poll(async () => (await read()).status).toBe(404)

    const one = `${space.url}/cdnToken/${cdnToken._id}`
    const past = await admin.client.put(one, { data: { expiresAt: '2020-01-01T00:00:00Z' } })
    expect([past.status, past.body.issues[0].path]).toEqual([400, 'data.expiresAt'])
    const end = new Date(Date.now() + 3_600_000).toISOString()
    const renamed = { data: { expiresAt: end } }
    expect(ok(await admin.client.put(one, renamed)).cdnToken.expiresAt).toBe(end)
    expect((await read()).status).toBe(404)
    await installation.database.pool.query(`UPDATE token SET expires_at = now() WHERE id = $1`, [
      cdnToken._id,
    ])
    ok(await admin.client.put(one, { data: { name: 'told to every process' } }))
    await expect.poll(async () => (await read()).body.message).toMatch(/expired/)
    ok(await admin.client.put(one, { data: { expiresAt: null } }))
    await expect.poll(async () => (await read()).status).toBe(404)
  })
})
