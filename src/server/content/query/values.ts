import { isExactNumber } from '#server/lib/exact-number.ts'
import type { Comparison } from '#shared/fields/field-type.ts'
import { idPattern } from '#shared/identifiers.ts'
import { badQuery } from './bad-query.ts'
import type { Span, Value } from './tree.ts'

/**
 * Parses one value of a parameter by the field's comparison type. Throws a 400 with the parameter's name if the value
 * is malformed.
 */
export function readValue(comparison: Comparison, text: string, parameter: string): Value {
  switch (comparison) {
    case 'text':
      return { kind: 'text', text }
    case 'id':
      if (!idPattern.test(text)) throw badQuery(parameter, 'needs an _id (24 lower-case hex characters)')
      return { kind: 'id', text }
    case 'number':
      return { kind: 'number', number: readNumber(text, parameter) }
    case 'boolean':
      return { kind: 'boolean', boolean: readBoolean(text, parameter) }
    case 'date':
      return readSpan(text, parameter)
    case 'none':
      throw badQuery(parameter, 'can only be asked whether it exists, and for texts with match')
  }
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/

function readNumber(text: string, parameter: string): number {
  const number = decimal.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(number)) throw badQuery(parameter, 'needs a number')
  // A number beyond double precision would be compared as a different number.
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) throw badQuery(parameter, 'is beyond 2^53-1')
  if (!isExactNumber(text)) throw badQuery(parameter, 'has more digits than a number keeps')
  return Object.is(number, -0) ? 0 : number
}

export function readBoolean(text: string, parameter: string): boolean {
  if (text !== 'true' && text !== 'false') throw badQuery(parameter, 'needs true or false')
  return text === 'true'
}

/** Parses a whole number without sign from 0 to `maximum`. Throws a 400 for other texts. */
export function readWholeNumber(text: string, maximum: number, parameter: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= maximum)) throw badQuery(parameter, `needs a whole number from 0 to ${maximum}`)
  return number
}

const datePattern =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/
const timePattern = /^(\d{2}):(\d{2})(?::(\d{2}))?$/

/**
 * Parses a full or partial ISO 8601 date as the span it denotes. `2023` is a year, and `2023-10-01T09:30` is a minute.
 * A value with a fraction of a second is a millisecond. A value without an offset is in UTC. A time of day is on
 * 1970-01-01, as in fields that store a time.
 *
 * Equality, `ne` and `in` test whether a timestamp is within the span. `gt`, `gte`, `lt` and `lte` compare with the
 * start of the span, so that `[gte]=2023&[lt]=2024` is the year 2023.
 */
export function readSpan(text: string, parameter: string): Span {
  const bad = () => badQuery(parameter, 'needs an ISO 8601 date such as 2023-10-01 or 2023-10-01T00:00:00Z')
  const time = timePattern.exec(text)
  const parts = time ? ['', '1970', '01', '01', time[1], time[2], time[3]] : datePattern.exec(text)
  if (!parts) throw bad()
  const [, year, month, day, hour, minute, second, fraction, zone] = parts
  const at = (n: string | undefined, start: number) => (n === undefined ? start : Number(n))
  const numbers = [at(year, 1), at(month, 1), at(day, 1), at(hour, 0), at(minute, 0), at(second, 0)] as const
  const [y, mo, d, h, mi, s] = numbers
  const inRange = y >= 1 && mo >= 1 && mo <= 12 && d >= 1 && h <= 23 && mi <= 59 && s <= 59
  if (!inRange || d > utc(y, mo + 1, 0).getUTCDate()) throw bad()

  const offset = offsetMinutes(zone)
  if (offset === undefined) throw bad()
  const milliseconds = Number((fraction ?? '').padEnd(3, '0').slice(0, 3))
  const start = utc(y, mo, d, h, mi - offset, s, milliseconds)
  let end: Date
  if (month === undefined) end = utc(y + 1, 1, 1)
  else if (day === undefined) end = utc(y, mo + 1, 1)
  else if (hour === undefined) end = utc(y, mo, d + 1)
  else if (second === undefined) end = new Date(start.getTime() + 60_000)
  else if (fraction === undefined) end = new Date(start.getTime() + 1000)
  else end = new Date(start.getTime() + 1)
  if (start.getUTCFullYear() < 1 || start.getUTCFullYear() > 9999) throw bad()
  return {
    kind: 'span',
    start: start.toISOString(),
    end: end.getUTCFullYear() > 9999 ? null : end.toISOString(),
  }
}

/** Works like `Date.UTC`, but months count from 1, and the years 1 to 99 are not moved to the 20th century. */
function utc(year: number, month: number, day: number, hour = 0, minute = 0, second = 0, ms = 0): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, ms)
  return date
}

function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 14 || minutes > 59) return undefined
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
