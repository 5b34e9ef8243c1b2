import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startInstallation, type TestInstallation } from '#test/server.ts'
import { countAttempt, deleteOldAttempts, networkOf } from './attempts.ts'

describe('networkOf', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2ff:a:b:c:d', '2001:db8:1:200::/56'],
    ['2001:db8:1:201::9', '2001:db8:1:200::/56'],
    ['2001:db8:1:300::9', '2001:db8:1:300::/56'],
    ['2001:db8::1', '2001:db8:0:0::/56'],
    ['::1', '0:0:0:0::/56'],
    ['fe80::1%eth0', 'fe80:0:0:0::/56'],
    ['not an address', 'unknown'],
  ])('returns the network of %s as %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network)
  })
})

describe('the attempt counter', () => {
  let installation: TestInstallation
  beforeAll(async () => {
    installation = await startInstallation({ IMORI_TRUST_PROXY: '1' })
  })
  afterAll(() => installation?.close())

  it('accepts an attempt if the full window starts two hours in the future', async () => {
    const db = installation.database.kysely
    const limit = { key: 'network:set back', limit: 3, minutes: 15 }
    const start = (minutes: number) => ({ window_start: new Date(Date.now() + minutes * 60_000), count: 3 })
    await db
      .insertInto('attempt')
      .values({ key: limit.key, ...start(-1) })
      .execute()
    await expect(countAttempt(db, [[limit]])).rejects.toMatchObject({ code: 'TooManyRequests' })
    await db.updateTable('attempt').set(start(120)).where('key', '=', limit.key).execute()
    await countAttempt(db, [[limit]])
    await db.deleteFrom('attempt').where('key', '=', limit.key).execute()
  })

  it('is deleted by deleteOldAttempts when its window is over', async () => {
    const db = installation.database.kysely
    const row = (key: string, minutes: number) => ({
      key,
      window_start: new Date(Date.now() - minutes * 60_000),
      count: 3,
    })
    await db
      .insertInto('attempt')
      .values([
        row('pair:old', 16),
        row('pair:new', 14),
        row('network:old', 61),
        row('network:new', 59),
        row('account:old', 1441),
        row('account:new', 1439),
        row('slow:old', 16),
        row('slow:new', 14),
        row('device:old', 1441),
        row('device:new', 1439),
        row('signup:old', 61),
        row('known:old', 43_201),
        row('known:new', 43_199),
      ])
      .execute()
    await deleteOldAttempts(db)
    const left = await db.selectFrom('attempt').select('key').orderBy('key').execute()
    expect(left.map((attempt) => attempt.key)).toEqual([
      'account:new',
      'device:new',
      'known:new',
      'network:new',
      'pair:new',
      'slow:new',
    ])
  })

  it('uses the client address that the trusted proxy reports, not an address that the client sends', async () => {
    const statuses = []
    for (let n = 0; n < 11; n++) {
      const client = installation.visitor()
      const headers = { 'x-forwarded-for': `198.51.${n}.1, 203.0.113.5` }
      const body = { email: 'behind-a-proxy@example.com', password: 'guess guess guess' }
      statuses.push((await client.post('/api/auth/login', body, headers)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429])
  })
})
