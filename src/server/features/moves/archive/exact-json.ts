import { randomBytes } from 'node:crypto'
import { byteOf, checkShape, contentBounds, endOfString, InvalidJson, parseJson } from '#archive/json.ts'
import { isRecord } from '#archive/shapes.ts'
import { LongNumber } from '#server/content/fields/received.ts'
import { endOfNumber, isExactNumber } from '#server/lib/exact-number.ts'

/** Random, so that no archive can contain it in advance. */
const prefix = `${randomBytes(9).toString('base64url')}:`
const mark = `"${prefix}`

/**
 * Parses JSON in UTF-8. Returns a number as {@link LongNumber} if a double does not keep all of its digits, or if it
 * has an exponent and JavaScript would write it differently. Throws `InvalidJson`, also if the text exceeds
 * `contentBounds`.
 */
export function parseExactJson(text: Buffer): unknown {
  if (!checkShape(text, contentBounds)) return parseJson(text)
  const places = longNumbers(text)
  if (places.length === 0) return parseJson(text)
  // Written into one buffer, because 50,000 small strings would block the event loop during garbage collection.
  const marked = Buffer.allocUnsafe(text.length + (places.length / 2) * (mark.length + 1))
  let length = 0
  let from = 0
  for (let index = 0; index < places.length; index += 2) {
    const [at, end] = [places[index] ?? 0, places[index + 1] ?? 0]
    length += text.copy(marked, length, from, at)
    length += marked.write(mark, length, 'latin1')
    length += text.copy(marked, length, at, end)
    length += marked.write('"', length, 'latin1')
    from = end
  }
  length += text.copy(marked, length, from)
  return unmarked(parseJson(marked.subarray(0, length)))
}

/** Returns the start and end offsets, alternating, of the numbers whose text a double does not keep. */
function longNumbers(text: Buffer): number[] {
  const ascii = text.toString('latin1')
  const places: number[] = []
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    if (byte === byteOf.quote) at = endOfString(text, at)
    else if (byte === 0x2d || isDigit(byte)) {
      const end = endOfNumber(text, at)
      if (end === at + 1 && byte === 0x2d) throw new InvalidJson('no number')
      if (!isKept(ascii.slice(at, end))) places.push(at, end)
      at = end - 1
    }
  }
  return places
}

const isKept = (written: string) =>
  isExactNumber(written) && (!/e/i.test(written) || String(Number(written)) === written)

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39

/**
 * Replaces marked strings by {@link LongNumber}. Does not use a reviver of JSON.parse, which takes several times as
 * long.
 */
function unmarked(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith(prefix) ? new LongNumber(value.slice(prefix.length)) : value
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) value[at] = unmarked(value[at])
  else if (isRecord(value))
    for (const key of Object.keys(value)) {
      const item = unmarked(value[key])
      if (item !== value[key]) Object.defineProperty(value, key, { ...every, value: item })
    }
  return value
}

const every = { configurable: true, enumerable: true, writable: true }
