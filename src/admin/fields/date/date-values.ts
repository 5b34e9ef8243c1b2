/** How dates of documents (ISO instants in UTC) look to a person in this browser's time zone, and back. */

/** `2026-11-21` of a stored value: a day is its midnight in UTC, an instant is the day it falls on here. */
export function dayOf(value: unknown, inputType: 'datetime' | 'date'): string | null {
  const time = instantOf(value)
  if (!time) return null
  return inputType === 'date' ? time.toISOString().slice(0, 10) : localDay(time)
}

/** `12:03`, with seconds only where there are some. */
export function timeOf(value: unknown, inputType: 'datetime' | 'time'): string {
  const time = instantOf(value)
  if (!time) return ''
  const text =
    inputType === 'time'
      ? time.toISOString().slice(11, 19)
      : [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':')
  return text.endsWith(':00') ? text.slice(0, 5) : text
}

/** The value of a day field. */
export function dayValue(day: string): string {
  return `${day}T00:00:00.000Z`
}

/** The value of a time field. */
export function timeValue(time: string): string {
  return `1970-01-01T${withSeconds(time)}.000Z`
}

/** The instant of a day and a time here; null for what is no date (a time that is still being typed). */
export function instantValue(day: string, time: string): string | null {
  const instant = new Date(`${day}T${withSeconds(time || '00:00')}`)
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString()
}

/**
 * Reads a day as people type it: `2026/11/21`, `2026-11-21`, `2026年11月21日`, `20261121`, `11/21` (of this year),
 * in full-width digits too. Null for everything else, February 30 included.
 */
export function readDay(typed: string, today: Date = new Date()): string | null {
  const text = typed.normalize('NFKC').replace(/\s|\(.\)/g, '')
  const [, year, month, day] =
    /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/.exec(text) ??
    /^(\d{4})(\d{2})(\d{2})$/.exec(text) ??
    (/^()(\d{1,2})[-/.月](\d{1,2})日?$/.exec(text) || [])
  if (month === undefined || day === undefined) return null
  const date = `${year || today.getFullYear()}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date) ? date : null
}

/** `2026-11-21` of an instant, here. */
export function localDay(time: Date): string {
  return [
    time.getFullYear().toString().padStart(4, '0'),
    twoDigits(time.getMonth() + 1),
    twoDigits(time.getDate()),
  ].join('-')
}

function instantOf(value: unknown): Date | null {
  if (typeof value !== 'string' || value === '') return null
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? null : time
}

function withSeconds(time: string): string {
  return time.length === 5 ? `${time}:00` : time
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
