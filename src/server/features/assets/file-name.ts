import { nameProblem, normalizeUnicode, replaceInvisible } from '#shared/unicode.ts'

/** Maximum length in bytes of a file name that all operating systems accept. */
const maximumBytes = 255
/** Maximum length in bytes of an extension that is kept whole. */
const maximumEnding = 20

const forbidden = /[<>:"|?*]/g
const windowsDevices = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/**
 * Returns a file name that is valid on every system and looks like the given one. It is NFC, has no folders, control
 * characters or bidirectional marks, and no characters that Windows forbids. It has at most 255 bytes including its
 * extension.
 */
export function safeFileName(given: string): string {
  const composed = normalizeUnicode(given.slice(0, 10_000).toWellFormed(), 'NFC')
  const last = composed.split(/[/\\]/).findLast((part) => /[^.\s]/u.test(part)) ?? ''
  const name = replaceInvisible(last, '')
    .replace(forbidden, '_')
    .replace(/\s+/gu, ' ')
    .replace(/^[\s.]+|(?<![\s.])[\s.]+$/gu, '')
  const usable =
    name === '' || nameProblem(name) !== null ? 'file' : windowsDevices.test(name) ? `_${name}` : name
  return shorten(usable)
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maximumBytes) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && Buffer.byteLength(name.slice(dot)) <= maximumEnding ? name.slice(dot) : ''
  const room = maximumBytes - Buffer.byteLength(ending)
  let stem = ''
  let used = 0
  for (const character of name.slice(0, name.length - ending.length)) {
    used += Buffer.byteLength(character)
    if (used > room) break
    stem += character
  }
  return stem.trimEnd() + ending
}
