import { expect, it } from 'vitest'
import { delayAfter, failuresAfter, mostFailures, parseRetryAfter, pauseAfter } from './delivery-rules.ts'

const now = new Date('2026-01-01T00:00:00Z')

it.each([
  ['120', 120_000],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  // A time that has passed.
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  // At most a day.
  ['99999999999999999999', 86_400_000],
  ['soon', null],
  ['1.5', null],
  ['', null],
  [undefined, null],
])('parseRetryAfter(%j) returns %j', (value, wait) => {
  expect(parseRetryAfter(value, now)).toBe(wait)
})

it('delayAfter() plans eleven attempts in about a day', () => {
  const delays = Array.from({ length: 10 }, (_, n) => delayAfter(n + 1) ?? 0)
  const hours = delays.reduce((sum, delay) => sum + delay, 0) / 3_600_000
  expect(hours).toBeGreaterThan(23)
  expect(hours).toBeLessThan(27)
  expect(delayAfter(11)).toBeNull()
})

it('pauseAfter() pauses a receiver after ten failures, for at most an hour', () => {
  expect(failuresAfter(9, 8)).toBe(mostFailures)
  expect(failuresAfter(mostFailures, 1)).toBe(mostFailures + 1)
  expect([9, 10, 11, 100].map(pauseAfter)).toEqual([null, 60_000, 120_000, 3_600_000])
})
