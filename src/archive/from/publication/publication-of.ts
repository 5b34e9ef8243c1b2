import { type PublicationState, publicationStates } from '../../publication-states.ts'
import { unmarked, writeExact } from '../exact-values.ts'
import { isRecord, isZeroDate, momentOf, textOf } from '../values.ts'
import { booleanOf, isWordForAll, stateOfWord } from './words.ts'

/** The visibility of one content at its source. */
export interface Publication {
  state: PublicationState
  /** The decisive statement as the source writes it, such as `status: archived`. Empty: the source makes none. */
  statement: string
  /** Time when the source would publish a scheduled content. */
  at?: string
}

/**
 * One statement of a source, with `key` and `value` as the source writes them. The meaning of the value depends on the
 * kind:
 *
 * - `status`: a word for a status, or a list of words
 * - `audience`, `shown`: a boolean in any spelling, a word, or a list of words. Yes and words for everyone state
 *   nothing, because a draft may have a public audience.
 * - `published`, `draft`: a boolean in any spelling, or a word for a status; `published` may also be the time of
 *   publication
 * - `hidden`, `archived`, `trashed`: a boolean in any spelling. Any other value counts as yes.
 * - `changed`: a boolean in any spelling. Any value except no means that the values are newer than the published ones.
 * - `publishedAt`: time of publication; empty: never published
 * - `publishAt`: a date that postpones the publication while it is in the future; a past date states nothing
 * - `expiresAt`: a date that ends the publication; a future date states nothing
 *
 * An empty value states nothing, except for `publishedAt`. Dates that cannot be read are `unknown`, because they may be
 * in the future.
 */
export interface Sign {
  kind:
    | 'status'
    | 'audience'
    | 'published'
    | 'draft'
    | 'changed'
    | 'hidden'
    | 'archived'
    | 'trashed'
    | 'shown'
    | 'publishedAt'
    | 'publishAt'
    | 'expiresAt'
  key: string
  value: unknown
}

export interface Clock {
  now: Date
  /** Time zone of times without an offset. */
  zone: string
}

/**
 * Returns the most restrictive of the statements about a content. A content is published only if a statement says so
 * and no other is more restrictive or unknown. Without any statement the state is `unknown`. A source that derives the
 * state from other facts, such as the folder of a file, passes a {@link Publication}.
 */
export function publicationOf(signs: readonly (Sign | Publication)[], clock: Clock): Publication {
  let found: Publication | undefined
  for (const sign of signs) {
    const read = 'state' in sign ? sign : readSign(sign, clock)
    if (!read) continue
    if (!found || rank(read.state) > rank(found.state)) found = read
    // A status is often a word, and another key contains the time.
    else if (read.at && read.state === found.state) found = { at: read.at, ...found }
  }
  return found ?? { state: 'unknown', statement: '' }
}

const rank = (state: PublicationState) => publicationStates.indexOf(state)

/** Returns the meaning of one statement. undefined: it states nothing. */
function readSign({ kind, key, value }: Sign, clock: Clock): Publication | undefined {
  const statement = `${key}: ${shown(value)}`
  if (kind === 'publishedAt')
    return isEmpty(value) ? { state: 'draft', statement } : readTime(key, value, clock)
  if (isEmpty(value)) return undefined
  const flag = booleanOf(value)
  switch (kind) {
    case 'status':
      return { state: stateOfWords(value), statement }
    case 'published':
      if (flag !== undefined) return { state: flag ? 'published' : 'draft', statement }
      return timeOf(value, clock.zone)
        ? readTime(key, value, clock)
        : { state: stateOfWords(value), statement }
    case 'draft':
      if (flag !== undefined) return { state: flag ? 'draft' : 'published', statement }
      return { state: stateOfWords(value), statement }
    case 'changed':
      return flag === false ? undefined : { state: 'draft', statement }
    case 'hidden':
    case 'archived':
    case 'trashed':
      // Any other value may mean yes, and may be a password.
      if (flag === false) return undefined
      return { state: kind, statement: flag ? statement : key }
    case 'audience':
    case 'shown': {
      if (flag !== undefined) return flag ? undefined : { state: 'hidden', statement }
      const words = wordsOf(value).filter((word) => !isWordForAll(word))
      const state = stateOfWords(words)
      return state === 'published' ? undefined : { state, statement }
    }
    case 'publishAt': {
      if (flag === false) return undefined
      const time = readTime(key, value, clock)
      return time.state === 'published' ? undefined : time
    }
    case 'expiresAt': {
      if (flag === false) return undefined
      const time = readTime(key, value, clock)
      if (time.state === 'unknown') return time
      return time.state === 'published' ? { state: 'archived', statement: key } : undefined
    }
  }
}

function readTime(key: string, value: unknown, clock: Clock): Publication {
  const now = clock.now.getTime()
  const at = timeOf(value, clock.zone)
  if (at)
    return Date.parse(at) > now
      ? { state: 'scheduled', statement: key, at }
      : { state: 'published', statement: key }
  // If a date is in another notation, its year is often enough.
  const year = yearOf(value)
  if (year === undefined || year === clock.now.getUTCFullYear())
    return { state: 'unknown', statement: `${key}: ${shown(value)}` }
  return { state: year > clock.now.getUTCFullYear() ? 'scheduled' : 'published', statement: key }
}

/**
 * Returns a time as ISO 8601. It may be a text, seconds or milliseconds since 1970, or an object of MongoDB or
 * Firestore that contains one of these. null: not a time.
 */
function timeOf(value: unknown, zone: string): string | null {
  if (isRecord(value)) {
    const { $date, $numberLong, _seconds, seconds } = value
    return timeOf($date ?? $numberLong ?? _seconds ?? seconds ?? null, zone)
  }
  const text = textOf(value).trim()
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  if (writtenByScript.test(text)) return momentOf(new Date(text.replace(/\s*\(.*$/, '')))
  if (year) return momentOf(`${year}-${month}-${day}`, zone)
  if (!/^\d{9,13}(?:\.\d+)?$/.test(text)) return momentOf(value, zone)
  return momentOf(new Date(text.replace(/\..*/, '').length < 12 ? Number(text) * 1_000 : Number(text)))
}

/** A time in JavaScript's notation: `Thu Feb 01 2024 10:00:00 GMT+0000 (Coordinated Universal Time)`. */
const writtenByScript =
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}(?:\s*\([^()]{0,60}\))?$/

const dateWords =
  /\b(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]{0,7}|am|pm|gmt|utc|jst)\b|[年月日時分秒]/gi

/**
 * Returns the year of a date that contains exactly one number of four digits, such as `March 3, 2024`, `05/01/2024
 * 10:00` or `2024年1月5日`.
 */
function yearOf(value: unknown): number | undefined {
  const text = textOf(value).slice(0, 100).replace(dateWords, ' ')
  const [year, other] = text.match(/(?<!\d)\d{4}(?!\d)/g) ?? []
  return year && !other && /^[\d\s/.,:()-]+$/.test(text) ? Number(year) : undefined
}

const wordsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** Returns the most restrictive state of a word or a list of words; `published` for an empty list. */
function stateOfWords(value: unknown): PublicationState {
  const states = wordsOf(value).map((word) => (typeof word === 'string' ? stateOfWord(word) : 'unknown'))
  return states.reduce((one, other) => (rank(other) > rank(one) ? other : one), 'published')
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && (value.trim() === '' || isZeroDate(value))) ||
  (Array.isArray(value) && value.length === 0)

const maxStatementLength = 60

function shown(value: unknown): string {
  if (isEmpty(value)) return '–'
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  const text = isPlain ? unmarked(String(value)) : writeExact(value)
  return text.trim().slice(0, maxStatementLength).toWellFormed()
}
