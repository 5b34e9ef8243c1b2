/** JSON as bytes: what an archive keeps is the text that was sent, not what a parser makes of it. */

export const byteOf = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

/** Nesting deeper than any model can produce; a stranger's answer may not exhaust our stack. */
export const maxDepth = 200

/** Objects and lists in one text: more than any manifest has files, and far fewer than would fill our memory. */
export const mostParts = 2_000_000

/** The text is no JSON, or none that we read. */
export class InvalidJson extends Error {
  override readonly name = 'InvalidJson'
}

/** It is more than we read at once. */
export class JsonTooLarge extends InvalidJson {
  readonly why: 'depth' | 'parts' | 'values' | 'keys' | 'bytes'
  constructor(why: JsonTooLarge['why']) {
    super(`too much: ${why}`)
    this.why = why
  }
}

/** What one text may have: bytes, objects and lists, values, and keys of one object. */
export interface JsonBounds {
  bytes: number
  parts: number
  values: number
  keys: number
}

/** What is read and held as a whole, by commands and threads. */
const wideBounds: JsonBounds = {
  bytes: Number.POSITIVE_INFINITY,
  parts: mostParts,
  values: Number.POSITIVE_INFINITY,
  keys: Number.POSITIVE_INFINITY,
}

/**
 * One content of what people bring: far more than the megabyte that a document may have, references that stand in it included, and little
 * enough for a server that does other things, too.
 */
export const contentBounds: JsonBounds = { bytes: 8_000_000, parts: 20_000, values: 50_000, keys: 5_000 }

/** JSON.parse of UTF-8 that throws InvalidJson. */
export function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'))
  } catch {
    throw new InvalidJson('no JSON')
  }
}

/** Characters of a number from which on a double may not hold it. */
const longNumber = 16

/**
 * To be asked before a stranger's text is parsed: throws JsonTooLarge when brackets nest deeper than {@link maxDepth}, or when there is
 * more than the bounds allow; a part takes twenty times the memory of its two bytes. Answers whether it has numbers that a double may
 * not hold.
 */
export function checkShape(text: Buffer, bounds: JsonBounds = wideBounds): boolean {
  if (text.length > bounds.bytes) throw new JsonTooLarge('bytes')
  let depth = 0
  let parts = 0
  let values = 0
  /** Of what is open: commas so far. */
  const commas = new Uint32Array(maxDepth + 1)
  let digits = 0
  let hasLongNumbers = false
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] ?? 0
    if (isOfNumber(byte)) {
      digits += 1
      if (digits >= longNumber) hasLongNumbers = true
      continue
    }
    if (digits > 0 && (byte | 0x20) === 0x65) hasLongNumbers = true
    digits = 0
    if (byte === byteOf.quote) i = endOfString(text, i)
    else if (byte === byteOf.openObject || byte === byteOf.openArray) {
      depth += 1
      parts += 1
      if (depth > maxDepth) throw new JsonTooLarge('depth')
      if (parts > bounds.parts) throw new JsonTooLarge('parts')
      commas[depth] = 0
    } else if (byte === byteOf.closeObject || byte === byteOf.closeArray) {
      if (byte === byteOf.closeObject && (commas[depth] ?? 0) >= bounds.keys) throw new JsonTooLarge('keys')
      depth = Math.max(0, depth - 1)
    } else if (byte === byteOf.comma) {
      values += 1
      commas[depth] = (commas[depth] ?? 0) + 1
      if (values > bounds.values) throw new JsonTooLarge('values')
    }
  }
  return hasLongNumbers
}

/** A digit or a point. */
const isOfNumber = (byte: number) => (byte >= 0x30 && byte <= 0x39) || byte === 0x2e

/** Where the string that is opened at `open` closes; throws InvalidJson when it does not. */
export function endOfString(text: Buffer, open: number): number {
  let close = text.indexOf(byteOf.quote, open + 1)
  while (close >= 0) {
    let slashes = 0
    while (text[close - 1 - slashes] === byteOf.backslash) slashes += 1
    if (slashes % 2 === 0) return close
    close = text.indexOf(byteOf.quote, close + 1)
  }
  throw new InvalidJson('cut short')
}
