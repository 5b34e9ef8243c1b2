import { spaceZone } from '#admin/base/space-zone.ts'

/** A day and time as clocks show it, months from 1. */
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

/** What clocks show at an instant in the space's time zone. */
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

/** As if the clock were in UTC. Days and months beyond their ends are those that follow. */
function inUtc({ year, month, day, hour, minute, second }: ClockTime): Date {
  const time = new Date(0)
  time.setUTCFullYear(year, month - 1, day)
  time.setUTCHours(hour, minute, second)
  return time
}

/**
 * The instant at which clocks show this in the space's time zone; where they skip it, as much later. An invalid date for
 * what is none.
 */
export function instantAt(clock: ClockTime, timeZone = spaceZone()): Date {
  const wanted = inUtc(clock).getTime()
  if (Number.isNaN(wanted)) return new Date(Number.NaN)
  const offsetAt = (time: number) => inUtc(clockTime(new Date(time), timeZone)).getTime() - time
  const near = wanted - offsetAt(wanted)
  const found = wanted - offsetAt(near)
  // On the day on which clocks are put on, both guesses miss what is skipped: the later one is behind the gap.
  return new Date(offsetAt(found) === offsetAt(near) ? found : Math.max(found, near))
}
