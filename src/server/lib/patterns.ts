import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

/** Bounds that keep one check in the range of milliseconds, whatever people write. */
const maximumProgram = 2_100
const maximumText = 50_000

const compiled = new LRUCache<string, { pattern: RE2JS | null }>({ max: 500 })

function compile(pattern: string): RE2JS | null {
  const known = compiled.get(pattern)
  if (known) return known.pattern
  let result: RE2JS | null = null
  try {
    result = RE2JS.compile(pattern)
    if (result.programSize() > maximumProgram) result = null
  } catch {
    // Not a pattern of RE2: look-around and back references are none.
  }
  compiled.set(pattern, { pattern: result })
  return result
}

/** Is this a regular expression in RE2 syntax, of a size that is run in linear time without harm? */
export function compiles(pattern: string): boolean {
  return compile(pattern) !== null
}

/** Does the pattern occur in the value? A text that is too long to look at, and a pattern that is none, do not match. */
export function matches(pattern: string, value: string): boolean {
  if (value.length > maximumText) return false
  return compile(pattern)?.matcher(value).find() ?? false
}
