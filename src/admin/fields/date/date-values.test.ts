import { describe, expect, it } from 'vitest'
import {
  dayOf,
  dayValue,
  inJapaneseEra,
  instantValue,
  readDay,
  timeOf,
  timeValue,
  unreadText,
  valueOfNow,
} from './date-values.ts'

describe('readDay', () => {
  it.each([
    ['2026/11/21', '2026-11-21'],
    ['2026年1月2日(金)', '2026-01-02'],
    ['２０２６－０１－０２', '2026-01-02'],
    ['20260102', '2026-01-02'],
    ['3/4', '2026-03-04'],
    ['令和8年4月1日', '2026-04-01'],
    ['令和８年４月１日（水）', '2026-04-01'],
    ['令和元年5月1日', '2019-05-01'],
    ['㍻31年4月30日', '2019-04-30'],
    ['昭和64.1.7', '1989-01-07'],
    ['R8/4/1', '2026-04-01'],
    ['Apr 1, 2026 (Wed)', '2026-04-01'],
  ])('parses %s as %s', (typed, day) => {
    expect(readDay(typed, new Date('2026-06-01T00:00:00'))).toBe(day)
  })
  it.each(['2026/02/30', '明日', '2026/13/1', '', '令和8年2月30日', '令和8年', 'Foo 1, 2026', '4月'])(
    'returns null for %j',
    (typed) => {
      expect(readDay(typed)).toBeNull()
    },
  )
})

describe('date-values', () => {
  it('`dayOf` returns the day from which `dayValue` created a value', () => {
    expect(dayOf(dayValue('2026-03-04'), 'date')).toBe('2026-03-04')
  })
  it('`dayOf` and `timeOf` return the day and time from which an instant was created', () => {
    const value = instantValue('2026-03-04', '23:30')
    expect(dayOf(value, 'datetime')).toBe('2026-03-04')
    expect(timeOf(value, 'datetime')).toBe('23:30')
  })
  it('`timeOf` reads a time of day in UTC, with the seconds unless they are zero', () => {
    expect(timeOf(timeValue('09:05'), 'time')).toBe('09:05')
    expect(timeOf('1970-01-01T09:05:07.000Z', 'time')).toBe('09:05:07')
  })
  it('`unreadText` returns a text that is not a date, otherwise an empty text', () => {
    expect(unreadText('来月の一日')).toBe('来月の一日')
    expect(unreadText('2026-03-04T00:00:00.000Z')).toBe('')
    expect(unreadText(undefined)).toBe('')
  })
  it('`valueOfNow` returns the current day, time of day or instant, without seconds', () => {
    const now = new Date(2026, 10, 24, 23, 59, 58)
    expect(valueOfNow('date', now)).toBe('2026-11-24T00:00:00.000Z')
    expect(valueOfNow('time', now)).toBe('1970-01-01T23:59:00.000Z')
    expect(valueOfNow('datetime', now)).toBe(new Date(2026, 10, 24, 23, 59).toISOString())
  })
  it.each([
    ['2026-11-24', '令和8年11月24日'],
    ['2019-05-01', '令和元年5月1日'],
    ['1989-01-07', '昭和64年1月7日'],
  ])('`inJapaneseEra` converts %s to %s, and `readDay` converts it back', (day, era) => {
    expect(inJapaneseEra(day)).toBe(era)
    expect(readDay(era)).toBe(day)
  })
  it('`dayOf` and `instantValue` return null for an invalid value, and `timeOf` returns an empty text', () => {
    expect(dayOf(undefined, 'date')).toBeNull()
    expect(timeOf('nonsense', 'time')).toBe('')
    // `new Date` would parse the next two values.
    expect(dayOf('来月 1, 2026', 'date')).toBeNull()
    expect(dayOf('1', 'datetime')).toBeNull()
    expect(instantValue('2026-03-04', '9:')).toBeNull()
  })
})
