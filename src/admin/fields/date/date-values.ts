import { clockTime, instantAt } from '#admin/lib/zoned-time.ts'

/** Conversions between dates in documents (ISO instants in UTC) and their display in the space's time zone. */

/**
 * Returns the day of a stored value, such as `2026-11-21`; null if the value is not a date. A day field stores the
 * midnight of its day in UTC. The day of an instant is its day in the space's time zone.
 */
export function dayOf(value: unknown, inputType: 'datetime' | 'date'): string | null {
  const time = instantOf(value)
  if (!time) return null
  return inputType === 'date' ? time.toISOString().slice(0, 10) : localDay(time)
}

/**
 * Returns the time of day of a stored value, such as `12:03`; the seconds only if they are not zero. A time field is
 * read in UTC, an instant in the space's time zone. Returns an empty text if the value is not a date.
 */
export function timeOf(value: unknown, inputType: 'datetime' | 'time'): string {
  const time = instantOf(value)
  if (!time) return ''
  const { hour, minute, second } = clockTime(time)
  const text =
    inputType === 'time' ? time.toISOString().slice(11, 19) : [hour, minute, second].map(twoDigits).join(':')
  return text.endsWith(':00') ? text.slice(0, 5) : text
}

/** Returns the stored value of a day field. */
export function dayValue(day: string): string {
  return `${day}T00:00:00.000Z`
}

/** Returns the stored value of a time field. */
export function timeValue(time: string): string {
  return `1970-01-01T${withSeconds(time)}.000Z`
}

/**
 * Returns the instant of a day and a time in the space's time zone. An empty time counts as midnight. Null if the day
 * or the time is invalid, such as a time that is still being typed.
 */
export function instantValue(day: string, time: string): string | null {
  const clock = new Date(`${day}T${withSeconds(time || '00:00')}Z`)
  if (Number.isNaN(clock.getTime())) return null
  const instant = instantAt(clockTime(clock, 'UTC'))
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString()
}

/**
 * Returns the initial value of a field whose default is now: the current day or time of day in the space's time zone,
 * or the current instant. Times are rounded down to the minute.
 */
export function valueOfNow(inputType: 'datetime' | 'date' | 'time', now: Date): string {
  const { hour, minute } = clockTime(now)
  const time = `${twoDigits(hour)}:${twoDigits(minute)}`
  if (inputType === 'date') return dayValue(localDay(now))
  if (inputType === 'time') return timeValue(time)
  return instantValue(localDay(now), time) ?? now.toISOString()
}

/** Formats a day with its year in the Japanese era: 令和8年11月21日. */
export function inJapaneseEra(day: string): string {
  const calendar = new Intl.DateTimeFormat('ja-JP-u-ca-japanese', { dateStyle: 'long', timeZone: 'UTC' })
  return calendar.format(new Date(`${day}T00:00:00Z`))
}

/** The year before the first year of each era, by the era's name and by its letter. */
const eras: Record<string, number> = {
  令和: 2018,
  R: 2018,
  平成: 1988,
  H: 1988,
  昭和: 1925,
  S: 1925,
  大正: 1911,
  T: 1911,
  明治: 1867,
  M: 1867,
}
const englishMonths = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Parses a typed day. Accepts `2026/11/21`, `2026-11-21`, `2026年11月21日`, `令和8年11月21日`, `R8.11.21`, `20261121`, `11/21`
 * (of this year), `Nov 21, 2026` and similar notations, also with full-width digits. Ignores text in parentheses, such
 * as a weekday. Returns null for other text and for days that do not exist, such as February 30.
 */
export function readDay(typed: string, today: Date = new Date()): string | null {
  const text = typed.normalize('NFKC').replace(/\s|\([^)]*\)/g, '')
  const western =
    /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/.exec(text) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(text)
  if (western) return dayFrom(Number(western[1]), Number(western[2]), Number(western[3]))
  const japanese =
    /^(令和|平成|昭和|大正|明治|[RHSTM])\.?(元|\d{1,2})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/i.exec(text)
  if (japanese) {
    const year = japanese[2] === '元' ? 1 : Number(japanese[2])
    return dayFrom(
      (eras[japanese[1]?.toUpperCase() ?? ''] ?? 0) + year,
      Number(japanese[3]),
      Number(japanese[4]),
    )
  }
  const short = /^(\d{1,2})[-/.月](\d{1,2})日?$/.exec(text)
  if (short) return dayFrom(clockTime(today).year, Number(short[1]), Number(short[2]))
  const english = /^([a-z]{3})[a-z]*\.?(\d{1,2}),(\d{4})$/i.exec(text)
  if (english)
    return dayFrom(
      Number(english[3]),
      englishMonths.indexOf(english[1]?.toLowerCase() ?? '') + 1,
      Number(english[2]),
    )
  return null
}

function dayFrom(year: number, month: number, day: number): string | null {
  const date = `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
  const time = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date) ? date : null
}

/** Returns a value that is text but not a date; otherwise an empty text. */
export function unreadText(value: unknown): string {
  return typeof value === 'string' && instantOf(value) === null ? value : ''
}

/** Returns the day of an instant in the space's time zone, such as `2026-11-21`. */
export function localDay(time: Date): string {
  const { year, month, day } = clockTime(time)
  return [year.toString().padStart(4, '0'), twoDigits(month), twoDigits(day)].join('-')
}

function instantOf(value: unknown): Date | null {
  // Accepts only the format of stored values, because browsers parse many other texts as dates.
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T/.test(value)) return null
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? null : time
}

function withSeconds(time: string): string {
  return time.length === 5 ? `${time}:00` : time
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
