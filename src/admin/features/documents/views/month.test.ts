import { expect, it } from 'vitest'
import { laterDay, laterMonth, weeksOf } from './month.ts'

it('weeksOf divides a month into weeks from Sunday to Saturday', () => {
  const weeks = weeksOf('2026-11')
  expect(weeks.map((week) => [week[0], week[6]])).toEqual([
    ['2026-11-01', '2026-11-07'],
    ['2026-11-08', '2026-11-14'],
    ['2026-11-15', '2026-11-21'],
    ['2026-11-22', '2026-11-28'],
    ['2026-11-29', '2026-12-05'],
  ])
  expect(weeksOf('2026-08')).toHaveLength(6)
  expect(weeksOf('2026-02')[0]?.[0]).toBe('2026-02-01')
})

it('laterDay and laterMonth cross the ends of months and years', () => {
  expect([laterDay('2024-02-28', 1), laterDay('2026-01-01', -1)]).toEqual(['2024-02-29', '2025-12-31'])
  expect([laterMonth('2026-12', 1), laterMonth('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
})
