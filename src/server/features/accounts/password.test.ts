import { describe, expect, it } from 'vitest'
import { hashPassword, verifyPassword } from './password.ts'

describe('password hashing', () => {
  it('accepts 36 concurrent calls, and rejects further calls with a time to retry', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => hashPassword('a pond full of red newts')),
    )
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(36)
    for (const error of refused)
      expect(error).toMatchObject({ code: 'TooManyRequests', headers: { 'retry-after': '2' } })
    // All slots are free again.
    const again = await Promise.all(Array.from({ length: 36 }, () => hashPassword('another pond of newts')))
    expect(new Set(again).size).toBe(36)
    expect(await verifyPassword(again[0] ?? null, 'another pond of newts')).toBe(true)
    expect(await verifyPassword(again[0] ?? null, 'another pond of newt')).toBe(false)
  })

  it('rejects an empty password for a missing account', async () => {
    expect(await verifyPassword(null, '')).toBe(false)
  })
})
