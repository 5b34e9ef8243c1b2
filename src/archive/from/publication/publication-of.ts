import { type PublicationState, publicationStates } from '../../publication-states.ts'
import { unmarked, writeExact } from '../exact-values.ts'
import { momentOf } from '../values.ts'
import { booleanOf, stateOfWord } from './words.ts'

/** What the source says about the visibility of one content. */
export interface Publication {
  state: PublicationState
  /** The decisive statement as the source writes it, `status: archived`; `''`: the source says nothing. */
  said: string
  /** When the source would publish a scheduled content. */
  at?: string
}

/**
 * One statement of a source, with `key` and `value` as the source writes them. The kinds differ in what a value means:
 *
 * - `status`: a word of a status or visibility, or a list of words
 * - `published`, `draft`, `hidden`, `archived`, `trashed`: a boolean in any spelling; for all but `draft` and `hidden`
 *   also the time when it happened
 * - `shown`: a boolean in any spelling; only `false` says something
 * - `publishedAt`: when it was published; empty: never
 * - `publishAt`: a date that postpones the publication while it is in the future, and says nothing afterwards
 * - `expiresAt`: a date that ends the publication
 */
export interface Sign {
  kind:
    | 'status'
    | 'published'
    | 'draft'
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
 * Decides for every source whether a content is published. The most restrictive statement counts, so a content is only
 * published if a statement says so and none contradicts or is unknown. Without any statement it is `unknown`. A source
 * whose reader knows the state for another reason, such as the folder of a file, passes a {@link Publication}.
 */
export function publicationOf(signs: readonly (Sign | Publication)[], clock: Clock): Publication {
  let found: Publication | undefined
  for (const sign of signs) {
    const read = 'state' in sign ? sign : readSign(sign, clock)
    if (!read) continue
    if (!found || rank(read.state) > rank(found.state)) found = read
    // A status is often a word, and the time another key.
    else if (read.at && read.state === found.state) found = { at: read.at, ...found }
  }
  return found ?? { state: 'unknown', said: '' }
}

const rank = (state: PublicationState) => publicationStates.indexOf(state)

/** What one statement means; undefined: nothing. */
function readSign({ kind, key, value }: Sign, clock: Clock): Publication | undefined {
  const said = `${key}: ${shown(value)}`
  if (kind === 'publishedAt') return isEmpty(value) ? { state: 'draft', said } : readTime(key, value, clock)
  if (isEmpty(value)) return undefined
  const flag = booleanOf(value)
  switch (kind) {
    case 'status':
      return { state: stateOfWords(value), said }
    case 'published':
      if (flag !== undefined) return { state: flag ? 'published' : 'draft', said }
      return momentOf(value, clock.zone) ? readTime(key, value, clock) : { state: stateOfWords(value), said }
    case 'draft':
      if (flag !== undefined) return { state: flag ? 'draft' : 'published', said }
      return { state: stateOfWords(value), said }
    case 'hidden':
    case 'archived':
    case 'trashed':
      // Any other value may mean yes, and may be a password.
      if (flag === false) return undefined
      return { state: kind, said: flag ? said : key }
    case 'shown': {
      const state = flag === false ? 'hidden' : flag === undefined ? stateOfWords(value) : 'unknown'
      return state === 'unknown' || state === 'published' ? undefined : { state, said }
    }
    case 'publishAt': {
      const time = readTime(key, value, clock)
      return time.state === 'scheduled' ? time : undefined
    }
    case 'expiresAt': {
      const { state } = readTime(key, value, clock)
      return state === 'published' ? { state: 'archived', said: key } : undefined
    }
  }
}

function readTime(key: string, value: unknown, { now, zone }: Clock): Publication {
  const at = momentOf(value, zone)
  if (!at) return { state: 'unknown', said: `${key}: ${shown(value)}` }
  return Date.parse(at) > now.getTime()
    ? { state: 'scheduled', said: key, at }
    : { state: 'published', said: key }
}

/** The most restrictive state of a word or a list of words. */
function stateOfWords(value: unknown): PublicationState {
  const states = (Array.isArray(value) ? value : [value]).map((word) =>
    typeof word === 'string' ? stateOfWord(word) : 'unknown',
  )
  return states.reduce((one, other) => (rank(other) > rank(one) ? other : one), 'published')
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0)

const longestSaid = 60

function shown(value: unknown): string {
  if (isEmpty(value)) return '–'
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  const text = isPlain ? unmarked(String(value)) : writeExact(value)
  return text.trim().slice(0, longestSaid).toWellFormed()
}
