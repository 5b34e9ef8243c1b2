import { createHash } from 'node:crypto'
import { isRecord } from '../shapes.ts'

export { isRecord }

/** Returns an id of 24 hex digits. The same parts always yield the same id. */
export const madeId = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\u0000')).digest('hex').slice(0, 24)

const maxCachedResults = 5_000
const maxCachedKeyLength = 200

/** Returns the function with a cache of its results for short texts. */
export function memoize<Result>(find: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    if (text.length > maxCachedKeyLength) return find(text)
    const before = known.get(text)
    if (before !== undefined) return before
    const result = find(text)
    if (known.size >= maxCachedResults) known.clear()
    known.set(text, result)
    return result
  }
}

/** Returns strings and numbers as text, and an empty string for anything else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

/** Parses a time to ISO 8601. Returns null if the value is not a time. Times without an offset are in `zone`. */
export function momentOf(value: unknown, zone = 'Z'): string | null {
  const date =
    value instanceof Date ? value : typeof value === 'string' ? parseMoment(value.trim(), zone) : null
  if (!date || Number.isNaN(date.getTime())) return null
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date.toISOString() : null
}

/**
 * Returns whether the text is the zero date that databases write for a missing date: `0000-00-00`, `0000-00-00
 * 00:00:00`.
 */
export const isZeroDate = (text: string): boolean => /^0000-00-00(?:[T ]00:00(?::00)?)?$/.test(text.trim())

const day = String.raw`(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})`
const clock = String.raw`(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?`
const written = new RegExp(
  `^${day}(?:[T ]+${clock}\\s*(Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?)?(?:\\[[\\w/+-]{1,50}\\])?)?$`,
  'i',
)

function parseMoment(text: string, zone: string): Date | null {
  const [, year, month, date, hour, minute, second = '0', part = '', said] = written.exec(text) ?? []
  if (year === undefined || month === undefined || date === undefined) return parseMailDate(text)
  const two = (digits: string) => digits.padStart(2, '0')
  const first = `${year}-${two(month)}-${two(date)}`
  const midnight = new Date(`${first}T00:00:00Z`)
  // This refuses dates that roll over, such as 31 April.
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(date)) return null
  if (hour === undefined || minute === undefined) return midnight
  const offset =
    said === undefined
      ? zone
      : /^[A-Z]/i.test(said)
        ? 'Z'
        : said.replace(/^(...):?(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`)
  return new Date(
    `${first}T${two(hour)}:${minute}:${two(second)}.${part.padEnd(3, '0').slice(0, 3)}${offset}`,
  )
}

/** Parses a time in the notation of mails and feeds: `Mon, 05 Feb 2024 10:00:00 +0900`. */
function parseMailDate(text: string): Date | null {
  const [, date, month, year] = /^[A-Z][a-z]{2}, (\d{1,2}) ([A-Z][a-z]{2}) (\d{4})\b/.exec(text) ?? []
  if (date === undefined) return null
  const midnight = new Date(`${date} ${month} ${year} UTC`)
  return midnight.getUTCDate() === Number(date) ? new Date(text) : null
}

/** Returns an object with own keys only, so that `__proto__` is an ordinary key. */
export const objectOf = (entries: Iterable<readonly [string, unknown]>): Record<string, unknown> =>
  Object.fromEntries(entries)

const pictures: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
}
const others: Record<string, string> = {
  pdf: 'application/pdf',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  zip: 'application/zip',
  csv: 'text/csv',
  txt: 'text/plain',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
}

/** Returns the media type for the extension of a file name; an empty string for unsupported types. */
export function typeOfName(name: string): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return pictures[ending] ?? others[ending] ?? ''
}

/** Parses the URL of a file on the web. undefined: a page, or any other value. */
export function fileAddress(value: unknown): URL | undefined {
  if (typeof value !== 'string' || value.length > 4_096 || !/^(?:https?:)?\/\/[^\s]+$/i.test(value))
    return undefined
  const address = value.startsWith('//') ? `https:${value}` : value
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  return typeOfName(url.pathname) === '' ? undefined : url
}

const special: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Escapes a text for HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => special[sign] ?? sign)

/**
 * Returns whether a folder name is too general to describe its contents: common names of content folders, and years.
 */
export const isGeneralName = (name: string): boolean =>
  /^(?:\d+|(?:src|data|static|public|source|_?contents?|markdown|md)(?:[ _-]?\(?\d+\)?)?)$/i.test(name)

/** Reduces a name to the characters of uids. Returns an empty string if nothing remains. */
export const plainName = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z]+|-+$/g, '')
    .slice(0, 60)
