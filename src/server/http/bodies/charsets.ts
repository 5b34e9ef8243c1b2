import { isUtf8 } from 'node:buffer'
import { storableTextOf } from '#shared/unicode.ts'

/** Converts bytes to a text that PostgreSQL can store. */
export type Decode = (bytes: Buffer) => string

const utf8: Decode = (bytes) => storable(bytes.toString('utf8'))

/** Returns the text without NUL, and with U+FFFD for lone surrogates. Most texts contain neither. */
export const storable = (text: string) =>
  text.includes('\u0000') || !text.isWellFormed() ? storableTextOf(text) : text

/**
 * Returns the decoder of a charset by one of its labels in the Encoding Standard, which browsers follow: `shift_jis`
 * includes the characters of Windows. Invalid bytes become U+FFFD, and NUL is removed. null: unknown charset.
 */
export function decoderOf(label: string): Decode | null {
  const name = label.trim().toLowerCase()
  if (name === 'utf-8' || name === 'utf8') return utf8
  // UTF-16 is no charset of forms: its bytes cannot be separated by `&` and `=`.
  if (name.length > 40 || /utf-?16|unicode|ucs-2/.test(name)) return null
  try {
    const decoder = new TextDecoder(name)
    return (bytes) => storable(decoder.decode(bytes))
  } catch {
    return null
  }
}

/**
 * Charsets of old Japanese pages. EUC-JP is first: most of its texts are valid in Shift_JIS, but hardly any text in
 * Shift_JIS is valid in EUC-JP.
 */
const oldCharsets = ['euc-jp', 'shift_jis']

/**
 * Returns the decoder of texts whose charset the client did not state: UTF-8, or the first old charset in which all of
 * them are valid.
 */
export function guessDecoder(texts: readonly Buffer[]): Decode {
  if (texts.every((bytes) => isUtf8(bytes))) return utf8
  const found = oldCharsets.find((name) => {
    const strict = new TextDecoder(name, { fatal: true })
    return texts.every((bytes) => isValid(strict, bytes))
  })
  return (found && decoderOf(found)) || utf8
}

function isValid(strict: TextDecoder, bytes: Buffer): boolean {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}
