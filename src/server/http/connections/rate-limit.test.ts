import { expect, it, vi } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

it('createRateLimit allows each key a burst, and then the rate per minute', () => {
  let now = 0
  const wait = createRateLimit(60, () => now)
  const burst = Array.from({ length: 61 }, () => wait('a'))
  expect(burst.filter((seconds) => seconds === 0)).toHaveLength(60)
  expect(burst.at(-1)).toBe(1)
  expect(wait('b')).toBe(0)
  now += 500
  expect(wait('a')).toBe(1)
  now += 500
  expect(wait('a')).toBe(0)
  expect(wait('a')).toBe(1)
  now += 3_600_000
  expect(Array.from({ length: 61 }, () => wait('a')).filter((seconds) => seconds === 0)).toHaveLength(60)
})

it('createRateLimit does not block requests after the system clock was set back', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const wait = createRateLimit(60)
    const burst = () => Array.from({ length: 30 }, () => wait('a')).filter((seconds) => seconds === 0)
    vi.setSystemTime('2026-11-24T12:00:00Z')
    expect(burst()).toHaveLength(30)
    vi.setSystemTime('2026-11-24T11:00:00Z')
    expect(burst()).toHaveLength(30)
  } finally {
    vi.useRealTimers()
  }
})
