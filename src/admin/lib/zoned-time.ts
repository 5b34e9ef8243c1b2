import { spaceZone } from '#admin/base/space-zone.ts'

/** A date and time as a clock shows it. Months count from 1. */
export interface ClockTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat('en-US', {
    ...numeric,
    ...time,
    timeZone,
    calendar: 'gregory',
    era: 'short',
  })
  formats.set(timeZone, format)
  return format
}

/** Returns the clock time at an instant, by default in the space's time zone. */
export function clockTime(time: Date, timeZone = spaceZone()): ClockTime {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name))
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year')
  const day = { year, month: part('month'), day: part('day') }
  return { ...day, hour: part('hour'), minute: part('minute'), second: part('second') }
}

/** Returns the instant at which a clock in UTC shows this time. Days and months out of range roll over. */
function inUtc({ year, month, day, hour, minute, second }: ClockTime): Date {
  const time = new Date(0)
  time.setUTCFullYear(year, month - 1, day)
  time.setUTCHours(hour, minute, second)
  return time
}

/**
 * Returns the instant of a clock time, by default in the space's time zone. A time that the clock skips is moved
 * forward by the gap. An invalid time returns an invalid date.
 */
export function instantAt(clock: ClockTime, timeZone = spaceZone()): Date {
  const wanted = inUtc(clock).getTime()
  if (Number.isNaN(wanted)) return new Date(Number.NaN)
  const offsetAt = (time: number) => inUtc(clockTime(new Date(time), timeZone)).getTime() - time
  const near = wanted - offsetAt(wanted)
  const found = wanted - offsetAt(near)
  // For a skipped time, neither guess converts back to it. The later guess is after the gap.
  return new Date(offsetAt(found) === offsetAt(near) ? found : Math.max(found, near))
}
