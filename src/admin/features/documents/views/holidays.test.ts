import { expect, it } from 'vitest'
import { holidayOn } from './holidays.ts'
import { laterDay } from './month.ts'

function daysOf(year: number): string[] {
  const days: string[] = []
  for (let day = `${year}-01-01`; day.startsWith(`${year}`); day = laterDay(day, 1))
    if (holidayOn(day)) days.push(day.slice(5))
  return days
}

// The holidays published by the Cabinet Office.
it.each([
  [
    2009,
    '01-01 01-12 02-11 03-20 04-29 05-03 05-04 05-05 05-06 07-20 09-21 09-22 09-23 10-12 11-03 11-23 12-23',
  ],
  [
    2019,
    '01-01 01-14 02-11 03-21 04-29 04-30 05-01 05-02 05-03 05-04 05-05 05-06 07-15 08-11 08-12 09-16 09-23 10-14 10-22 11-03 11-04 11-23',
  ],
  [
    2020,
    '01-01 01-13 02-11 02-23 02-24 03-20 04-29 05-03 05-04 05-05 05-06 07-23 07-24 08-10 09-21 09-22 11-03 11-23',
  ],
  [
    2021,
    '01-01 01-11 02-11 02-23 03-20 04-29 05-03 05-04 05-05 07-22 07-23 08-08 08-09 09-20 09-23 11-03 11-23',
  ],
  [
    2024,
    '01-01 01-08 02-11 02-12 02-23 03-20 04-29 05-03 05-04 05-05 05-06 07-15 08-11 08-12 09-16 09-22 09-23 10-14 11-03 11-04 11-23',
  ],
  [
    2026,
    '01-01 01-12 02-11 02-23 03-20 04-29 05-03 05-04 05-05 05-06 07-20 08-11 09-21 09-22 09-23 10-12 11-03 11-23',
  ],
  [
    2027,
    '01-01 01-11 02-11 02-23 03-21 03-22 04-29 05-03 05-04 05-05 07-19 08-11 09-20 09-23 10-11 11-03 11-23',
  ],
])('holidayOn recognises the official holidays of %i', (year, days) =>
  expect(daysOf(year)).toEqual(days.split(' ')),
)

it('holidayOn returns the kind of a holiday', () => {
  expect(['2026-05-06', '2026-09-22', '2019-10-14', '2026-10-12'].map(holidayOn)).toEqual([
    'substitute',
    'citizens',
    'healthSports',
    'sports',
  ])
})

it('holidayOn returns undefined for 1 January of the unsupported years 2006 and 2100', () => {
  expect([holidayOn('2006-01-01'), holidayOn('2100-01-01')]).toEqual([undefined, undefined])
})
