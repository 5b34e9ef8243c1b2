import { describe, expect, it } from 'vitest'
import { dayOf, dayValue, instantValue, readDay, timeOf, timeValue } from './date-values.ts'

describe('readDay', () => {
  it.each([
    ['2026/11/21', '2026-11-21'],
    ['2026年1月2日(金)', '2026-01-02'],
    ['２０２６－０１－０２', '2026-01-02'],
    ['20260102', '2026-01-02'],
    ['3/4', '2026-03-04'],
  ])('%s is %s', (typed, day) => {
    expect(readDay(typed, new Date('2026-06-01T00:00:00'))).toBe(day)
  })
  it.each(['2026/02/30', '明日', '2026/13/1', ''])('refuses %s', (typed) => {
    expect(readDay(typed)).toBeNull()
  })
})

describe('values', () => {
  it('a day is its midnight in UTC wherever the browser is', () => {
    expect(dayOf(dayValue('2026-03-04'), 'date')).toBe('2026-03-04')
  })
  it('an instant comes back as it was chosen here', () => {
    const value = instantValue('2026-03-04', '23:30')
    expect(dayOf(value, 'datetime')).toBe('2026-03-04')
    expect(timeOf(value, 'datetime')).toBe('23:30')
  })
  it('a time of day does not depend on the zone', () => {
    expect(timeOf(timeValue('09:05'), 'time')).toBe('09:05')
    expect(timeOf('1970-01-01T09:05:07.000Z', 'time')).toBe('09:05:07')
  })
  it('is nothing without a date', () => {
    expect(dayOf(undefined, 'date')).toBeNull()
    expect(timeOf('nonsense', 'time')).toBe('')
    expect(instantValue('2026-03-04', '9:')).toBeNull()
  })
})
