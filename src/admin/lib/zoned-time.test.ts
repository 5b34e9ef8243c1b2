import { afterEach, expect, it } from 'vitest'
import { openSpaceZone } from '#admin/base/space-zone.ts'
import { clockTime, instantAt } from './zoned-time.ts'

afterEach(() => openSpaceZone(undefined))

const clock = (text: string) => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split(/\D/).map(Number)
  return { year, month, day, hour, minute, second }
}

it.each([
  ['Asia/Tokyo', '2026-11-22 09:30:05', '2026-11-22T00:30:05.000Z'],
  ['America/New_York', '2026-07-01 00:00:00', '2026-07-01T04:00:00.000Z'],
  ['America/New_York', '2026-03-08 01:59:59', '2026-03-08T06:59:59.000Z'],
  ['America/New_York', '2026-03-08 03:00:00', '2026-03-08T07:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01 05:45:00', '2026-01-01T00:00:00.000Z'],
  ['Asia/Tokyo', '0101-02-03 09:18:59', '0101-02-03T00:00:00.000Z'],
  ['UTC', '9999-12-31 23:59:59', '9999-12-31T23:59:59.000Z'],
])('in %s, `instantAt` and `clockTime` convert %s to %s and back', (zone, shown, instant) => {
  openSpaceZone(zone)
  expect(instantAt(clock(shown)).toISOString()).toBe(instant)
  expect(clockTime(new Date(instant))).toEqual(clock(shown))
})

it('`instantAt` moves a skipped time forward, and returns one of two instants for a repeated time', () => {
  expect(instantAt(clock('2026-03-08 02:30:00'), 'America/New_York').toISOString()).toBe(
    '2026-03-08T07:30:00.000Z',
  )
  const twice = instantAt(clock('2026-11-01 01:30:00'), 'America/New_York')
  expect(clockTime(twice, 'America/New_York')).toEqual(clock('2026-11-01 01:30:00'))
})

it('`instantAt` converts month 13 to January of the next year, and returns an invalid date for NaN', () => {
  expect(instantAt(clock('2026-13-01 00:00:00'), 'UTC').toISOString()).toBe('2027-01-01T00:00:00.000Z')
  expect(instantAt({ ...clock('2026-01-01'), hour: Number.NaN }).getTime()).toBeNaN()
})

it('`openSpaceZone` returns the same fallback for an unknown time zone as for none', () => {
  expect(openSpaceZone('Moon/Tranquility')).toBe(openSpaceZone(undefined))
})
