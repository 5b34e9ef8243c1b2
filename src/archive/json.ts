/** Byte-level JSON: archives keep the original text, not the result of a parser. */

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

/** Maximum nesting depth, more than any model can produce; protects the stack from untrusted input. */
export const maxDepth = 200

/** Maximum objects and lists in one text, so that the parsed text fits in memory. */
export const mostParts = 2_000_000

/** The text is invalid JSON, or not supported. */
export class InvalidJson extends Error {
  override readonly name = 'InvalidJson'
}

export class JsonTooLarge extends InvalidJson {
  readonly why: 'depth' | 'parts' | 'values' | 'keys' | 'bytes'
  constructor(why: JsonTooLarge['why']) {
    super(`too much: ${why}`)
    this.why = why
  }
}

/** Limits for one text: bytes, objects and lists (`parts`), values, and keys of one object. */
export interface JsonBounds {
  bytes: number
  parts: number
  values: number
  keys: number
}

/** Limits for texts that commands and worker processes read as a whole. */
const wideBounds: JsonBounds = {
  bytes: Number.POSITIVE_INFINITY,
  parts: mostParts,
  values: Number.POSITIVE_INFINITY,
  keys: Number.POSITIVE_INFINITY,
}

/**
 * Limits for one imported content. They leave room for a document of the maximum size (1 MB) with expanded references,
 * and are low enough for a server that does other work at the same time.
 */
export const contentBounds: JsonBounds = { bytes: 8_000_000, parts: 20_000, values: 50_000, keys: 5_000 }

/** Parses UTF-8 JSON. Throws `InvalidJson`. */
export function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'))
  } catch {
    throw new InvalidJson('no JSON')
  }
}

/** Number of consecutive digits and points from which a number may lose precision as a double. */
const longNumber = 16

/**
 * Checks untrusted text before it is parsed, because a two-byte object takes twenty times its size in memory. Throws
 * `JsonTooLarge` if the text nests deeper than {@link maxDepth} or exceeds the bounds. Throws `InvalidJson` for a
 * string without an end. Returns whether the text contains numbers that may lose precision as a double.
 */
export function checkShape(text: Buffer, bounds: JsonBounds = wideBounds): boolean {
  if (text.length > bounds.bytes) throw new JsonTooLarge('bytes')
  let depth = 0
  let parts = 0
  let values = 0
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

const isOfNumber = (byte: number) => (byte >= 0x30 && byte <= 0x39) || byte === 0x2e

/**
 * Returns the index of the closing quote of the string that starts at `open`. Throws `InvalidJson` if the string has no
 * end.
 */
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
