import { randomBytes } from 'node:crypto'
import { byteOf, checkShape, contentBounds, endOfString, InvalidJson, parseJson } from '#archive/json.ts'
import { isRecord } from '#archive/shapes.ts'
import { LongNumber } from '#server/content/fields/received.ts'
import { isExactNumber } from '#server/lib/exact-number.ts'

const numberAt = /-?\d[\d.eE+-]*/y
/** Nobody can write it into an archive beforehand. */
const mark = `${randomBytes(16).toString('hex')}:`

/**
 * JSON.parse of UTF-8, in which numbers with more digits than a double has are {@link LongNumber}s. Throws InvalidJson,
 * also for more than one content may be.
 */
export function parseExactJson(text: Buffer): unknown {
  if (!checkShape(text, contentBounds)) return parseJson(text)
  const ascii = text.toString('latin1')
  const parts: Buffer[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    if (byte === byteOf.quote) at = endOfString(text, at)
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      numberAt.lastIndex = at
      const [number = ''] = numberAt.exec(ascii) ?? []
      if (number === '') throw new InvalidJson('no number')
      if (!isExactNumber(number)) {
        parts.push(text.subarray(from, at), Buffer.from(JSON.stringify(mark + number)))
        from = at + number.length
      }
      at += number.length - 1
    }
  }
  if (parts.length === 0) return parseJson(text)
  return unmarked(parseJson(Buffer.concat([...parts, text.subarray(from)])))
}

/** A function that JSON.parse calls for each value takes several times as long. */
function unmarked(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith(mark) ? new LongNumber(value.slice(mark.length)) : value
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) value[at] = unmarked(value[at])
  else if (isRecord(value))
    for (const key of Object.keys(value)) {
      const item = unmarked(value[key])
      if (item !== value[key]) Object.defineProperty(value, key, { ...every, value: item })
    }
  return value
}

const every = { configurable: true, enumerable: true, writable: true }
