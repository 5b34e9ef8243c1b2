import { isStorableText } from '#shared/fields/field-type.ts'
import { badQuery } from './bad-query.ts'

/** A tokenized query string that is not interpreted yet: `key=value` pairs and groups of alternatives. */
export type Syntax = { kind: 'pair'; key: string; value: string } | { kind: 'or'; branches: Syntax[][] }

const maximumLength = 64 * 1024
const maximumParts = 200
const maximumLevels = 5

/** Matches the beginning of a pair inside a group. After `;` or `&`, other text belongs to the previous value. */
const pairStart = /(?:\[or\]|[A-Za-z_][\w.-]*(?:\[[A-Za-z]*\])?)=/y

/**
 * Splits a raw query string (without `?`). Values of `[or]` are form-encoded (`+` is a space), all others are
 * percent-encoded only. The time is linear in the length. Throws a 400 with the name of the invalid part.
 */
export function readQueryString(raw: string): Syntax[] {
  if (raw.length > maximumLength) throw badQuery('query', `is longer than ${maximumLength} characters`)
  const segments = asUnicode(raw).split('&')
  const parts: Syntax[] = []
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index]
    if (!segment) continue
    if (parts.length >= maximumParts) throw badQuery('query', `has more than ${maximumParts} parameters`)
    const cut = segment.indexOf('=')
    const rawKey = cut < 0 ? segment : segment.slice(0, cut)
    const rawValue = cut < 0 ? '' : segment.slice(cut + 1)
    const key = decode(rawKey, rawKey)
    if (!isOr(key)) {
      parts.push({ kind: 'pair', key, value: decode(rawValue, key) })
      continue
    }
    let value = decode(rawValue.replaceAll('+', ' '), key)
    // In a group written by hand, an `&` between the parentheses has split the group into several parameters.
    if (rawValue.startsWith('(')) {
      const [joined, last] = joinGroup(segments, index, value)
      value = joined
      index = last
    }
    parts.push(readGroup(value, 1))
  }
  return parts
}

const isOr = (key: string) => key === '[or]' || key === 'or'

/**
 * Decodes raw UTF-8, which some clients send. Node passes the bytes of a URL on as Latin-1. Throws a 400 for other
 * bytes.
 */
function asUnicode(raw: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is the range of Latin-1
  if (!/^[\u0000-\u00ff]*$/.test(raw) || !/[\u0080-\u00ff]/.test(raw)) return raw
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(raw, 'latin1'))
  } catch {
    throw badQuery('query', 'is not UTF-8')
  }
}

function decode(text: string, parameter: string): string {
  let decoded = text
  if (text.includes('%')) {
    try {
      decoded = decodeURIComponent(text)
    } catch {
      throw badQuery(parameter, 'is not percent-encoded UTF-8')
    }
  }
  if (!isStorableText(decoded)) throw badQuery(parameter.toWellFormed(), 'holds characters that are no text')
  return decoded
}

/**
 * Appends the segments after `index` to `value` until its parentheses balance. Returns `value` alone if they never do.
 */
function joinGroup(segments: string[], index: number, value: string): [value: string, lastIndex: number] {
  let depth = balance(value)
  let joined = value
  let last = index
  while (depth > 0 && last + 1 < segments.length) {
    last++
    const next = decode((segments[last] ?? '').replaceAll('+', ' '), '[or]')
    joined += `&${next}`
    depth += balance(next)
  }
  return depth > 0 ? [value, index] : [joined, last]
}

function balance(text: string): number {
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    else if (character === ')') depth--
  }
  return depth
}

/**
 * Parses `(a=1&b=2;[or]=(c=3;d=4))`. Inner text is not escaped, so `;`, `&` and parentheses in search words are
 * ambiguous. The parser splits only before a `key=value` pair.
 */
function readGroup(text: string, level: number): Syntax {
  if (level > maximumLevels) throw badQuery('[or]', `is nested deeper than ${maximumLevels} levels`)
  if (!text.startsWith('(') || !text.endsWith(')') || text.length < 2)
    throw badQuery('[or]', 'must be alternatives in parentheses, such as (a=1;b=2)')
  const inner = text.slice(1, -1)
  let branch: Syntax[] = []
  const branches = [branch]
  let position = 0
  let count = 0
  for (;;) {
    if (++count > maximumParts) throw badQuery('[or]', `has more than ${maximumParts} conditions`)
    pairStart.lastIndex = position
    const start = pairStart.exec(inner)
    if (!start) throw badQuery('[or]', 'has an alternative that is not key=value')
    const key = start[0].slice(0, -1)
    position = pairStart.lastIndex
    let end: number
    if (isOr(key)) {
      end = groupEnd(inner, position)
      branch.push(readGroup(inner.slice(position, end), level + 1))
    } else {
      end = valueEnd(inner, position)
      branch.push({ kind: 'pair', key, value: inner.slice(position, end) })
    }
    if (end >= inner.length) return { kind: 'or', branches }
    if (inner[end] === ';') {
      branch = []
      branches.push(branch)
    }
    position = end + 1
  }
}

/** Checks whether the text ends at `position`, or has a separator there that is followed by a pair. */
function endsPair(text: string, position: number): boolean {
  if (position === text.length) return true
  if (text[position] !== ';' && text[position] !== '&') return false
  pairStart.lastIndex = position + 1
  return pairStart.test(text)
}

function valueEnd(text: string, from: number): number {
  for (let position = from; position < text.length; position++) if (endsPair(text, position)) return position
  return text.length
}

/**
 * Returns the end of the nested group that begins at `from`: the position where its parentheses balance. An unmatched
 * opening parenthesis in a value can prevent that. Then the group ends at the first closing parenthesis that is
 * followed by the end of the text or the next `name=value`.
 */
function groupEnd(text: string, from: number): number {
  let depth = 0
  let first = text.length
  for (let position = from; position < text.length; position++) {
    if (text[position] === '(') depth++
    else if (text[position] === ')') {
      depth--
      if (!endsPair(text, position + 1)) continue
      if (depth <= 0) return position + 1
      first = Math.min(first, position + 1)
    }
  }
  return first
}
