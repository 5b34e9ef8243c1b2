import { clockTime, instantAt } from '#admin/lib/zoned-time.ts'
import type { Period } from '#shared/views.ts'

/** A calendar day without a time zone. */
interface Day {
  year: number
  /** The month, counted from 0. */
  month: number
  date: number
}

function dayOf(now: Date): Day {
  const { year, month, day } = clockTime(now)
  return { year, month: month - 1, date: day }
}

/**
 * Returns the first day of a period and the day after its end. `month` and `date` may be out of range, as `Date`
 * allows.
 */
export function daysOfPeriod(period: Period, now: Date): [first: Day, behind: Day] {
  const today = dayOf(now)
  const days = (from: number, behind: number): [Day, Day] => [
    { ...today, date: today.date + from },
    { ...today, date: today.date + behind },
  ]
  const month = (from: number): [Day, Day] => [
    { ...today, month: today.month + from, date: 1 },
    { ...today, month: today.month + from + 1, date: 1 },
  ]
  switch (period) {
    case 'today':
      return days(0, 1)
    case 'yesterday':
      return days(-1, 0)
    case 'tomorrow':
      return days(1, 2)
    case 'last7Days':
      return days(-6, 1)
    case 'last30Days':
      return days(-29, 1)
    case 'next7Days':
      return days(0, 7)
    case 'next30Days':
      return days(0, 30)
    case 'thisMonth':
      return month(0)
    case 'lastMonth':
      return month(-1)
    case 'nextMonth':
      return month(1)
    case 'thisYear':
      return [
        { year: today.year, month: 0, date: 1 },
        { year: today.year + 1, month: 0, date: 1 },
      ]
  }
}

/**
 * Parses `2026-11-21`. undefined: not a day. In V8, a day up to the 31st is also accepted in shorter months
 * (`2026-02-31`).
 */
export function readIsoDay(text: string): Day | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text))) return undefined
  const [year = 0, month = 1, date = 1] = text.split('-').map(Number)
  return { year, month: month - 1, date }
}

export const nextDay = (day: Day): Day => ({ ...day, date: day.date + 1 })

/** Returns the start of a day as an ISO timestamp: midnight in UTC or in the space's time zone. */
export function startOf({ year, month, date }: Day, inUtc: boolean): string {
  const clock = { year, month: month + 1, day: date, hour: 0, minute: 0, second: 0 }
  const start = instantAt(clock, inUtc ? 'UTC' : undefined)
  return start.toISOString()
}
