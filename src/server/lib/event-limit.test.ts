import { expect, test } from 'vitest'
import { createHourLimit, createMinuteLimit } from './event-limit.ts'

test('createMinuteLimit allows the given number of events per minute and caller', () => {
  const limit = createMinuteLimit(2)
  const allowed = (who: string, now: number) => limit.allows(who, now)
  expect([0, 1, 2, 59_999].map((now) => allowed('a', now))).toEqual([true, true, false, false])
  expect(allowed('b', 59_999)).toBe(true)
  expect(allowed('a', 60_000)).toBe(true)
})

test('createHourLimit allows the given number of events per hour', () => {
  const limit = createHourLimit(1)
  expect([0, 60_000, 3_599_999, 3_600_000].map((now) => limit.allows('a', now))).toEqual([
    true,
    false,
    false,
    true,
  ])
})
