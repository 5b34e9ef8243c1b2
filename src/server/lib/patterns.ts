import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

const maximumProgram = 2_100
const maximumText = 50_000
/**
 * Maximum number of steps of the engine. It visits every part of the pattern at every character, at about 30 ns each.
 */
const maximumSteps = 10_000_000

/** Limit of {@link roughSize}, which overestimates the engine's size by a factor of at most 4. */
const maximumRoughSize = 4 * maximumProgram

const token =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|\((?:\?(?:P?<\w+>|[\w-]*:?))?|./gsu

/**
 * Returns the approximate size of a pattern with its repetitions expanded. Compile time grows with that size, up to a
 * tenth of a second for the largest pattern that fits into a field's settings. Therefore oversized patterns are not
 * compiled.
 */
function roughSize(pattern: string): number {
  const groups = [0]
  let last = 0
  const add = (size: number) => {
    groups.push((groups.pop() ?? 0) + size)
  }
  for (const [text, least, most] of pattern.matchAll(token)) {
    if (text.startsWith('(')) groups.push(0)
    else if (text === ')') {
      last = (groups.pop() ?? 0) + 2
      add(last)
    } else if (least !== undefined) {
      const times = Math.max(1, Number(least) + 1, Number(most ?? 0))
      add(last * (times - 1))
      last *= times
    } else {
      if (!/^[?*+|]$/.test(text)) last = 1
      add(text.startsWith('\\Q') ? text.length : 1)
    }
  }
  return groups.reduce((sum, size) => sum + size, 0)
}

const compiled = new LRUCache<string, { pattern: RE2JS | null }>({ max: 500 })

function compile(pattern: string): RE2JS | null {
  const known = compiled.get(pattern)
  if (known) return known.pattern
  let result: RE2JS | null = null
  try {
    if (roughSize(pattern) <= maximumRoughSize) result = RE2JS.compile(pattern)
    if (result && result.programSize() > maximumProgram) result = null
  } catch {
    // Not RE2 syntax: look-around and back references are not supported.
  }
  compiled.set(pattern, { pattern: result })
  return result
}

/** Returns whether this is a regular expression in RE2 syntax that is small enough to run in acceptable linear time. */
export function compiles(pattern: string): boolean {
  return compile(pattern) !== null
}

/**
 * Returns the maximum number of steps of {@link matches}: size of the pattern × length of the text. 0: the pattern is
 * not run.
 */
export function stepsOf(pattern: string, value: string): number {
  const steps = (compile(pattern)?.programSize() ?? 0) * value.length
  return value.length > maximumText || steps > maximumSteps ? 0 : steps
}

/**
 * Returns whether the pattern occurs in the value. False if the pattern is invalid, or if the value is empty or too
 * long. For large patterns, the length limit is lower.
 */
export function matches(pattern: string, value: string): boolean {
  return stepsOf(pattern, value) > 0 && (compile(pattern)?.matcher(value).find() ?? false)
}
