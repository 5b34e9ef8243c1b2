import { byteOf, endOfString, InvalidJson, maxDepth, parseJson } from '#archive/json.ts'
import { strangeIfUnreadable } from './answers.ts'

export interface ListAnswer {
  /** Total number of contents that the server reports; undefined if it reports none. */
  total: number | undefined
  /** The page size that the server reports; undefined if it reports none. */
  limit: number | undefined
  /** The received bytes of each item. Only line breaks between tokens are replaced by spaces. */
  items: Buffer[]
}

/**
 * Splits a list response `{skip, limit, total, items: […]}` into the raw bytes of its items, so that numbers, escapes
 * and key order are preserved. Throws RescueFailure `strange_answer` for any other response.
 */
export const sliceListAnswer = strangeIfUnreadable((text): ListAnswer => {
  const array = findItems(text)
  const head = Buffer.concat([text.subarray(0, array.start), Buffer.from('[]'), text.subarray(array.end)])
  const parsed = parseJson(head)
  const { total, limit } = (parsed ?? {}) as { total?: unknown; limit?: unknown }
  return { total: wholeNumber(total), limit: wholeNumber(limit), items: array.items.map(withoutLineBreaks) }
})

/** Returns the members of an object with the raw bytes of each value. Throws RescueFailure `strange_answer`. */
export const sliceMembers = strangeIfUnreadable((text): Map<string, Buffer> => {
  const members = new Map<string, Buffer>()
  let depth = 0
  let key: string | undefined
  let start = -1
  let lastToken = -1
  const end = () => {
    if (key !== undefined && start >= 0) members.set(key, text.subarray(start, lastToken + 1))
    key = undefined
    start = -1
  }
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (byte === undefined || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) continue
    const from = i
    if (depth === 1 && (byte === byteOf.comma || byte === byteOf.closeObject)) end()
    else if (depth === 1 && key !== undefined && start < 0 && byte !== byteOf.colon) start = from
    if (byte === byteOf.quote) {
      i = endOfString(text, i)
      if (depth === 1 && key === undefined) key = String(parseJson(text.subarray(from, i + 1)))
    } else if (byte === byteOf.openObject || byte === byteOf.openArray) depth += 1
    else if (byte === byteOf.closeObject || byte === byteOf.closeArray) depth -= 1
    lastToken = i
  }
  if (depth !== 0) throw new InvalidJson('cut short')
  return members
})

/** Returns a count, which may also be sent as a string; undefined for any other value. */
function wholeNumber(value: unknown): number | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^\d{1,15}$/.test(value))) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** Replaces line breaks by spaces, because NDJSON needs a single line. JSON only allows line breaks between tokens. */
export function withoutLineBreaks(slice: Buffer): Buffer {
  if (!slice.includes(0x0a) && !slice.includes(0x0d)) return slice
  return slice.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)) as Buffer
}

function findItems(text: Buffer): { start: number; end: number; items: Buffer[] } {
  const items: Buffer[] = []
  let depth = 0
  let key = ''
  let start = -1
  let end = -1
  let itemStart = -1
  let lastToken = -1
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (byte === undefined || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) continue
    const inItems = start >= 0 && end < 0
    if (byte === byteOf.quote) {
      const close = endOfString(text, i)
      if (depth === 1) key = text.toString('utf8', i + 1, close)
      if (inItems && itemStart < 0) itemStart = i
      i = close
    } else if (byte === byteOf.openObject || byte === byteOf.openArray) {
      depth += 1
      if (depth > maxDepth) throw new InvalidJson('nested too deeply')
      if (depth === 2 && byte === byteOf.openArray && key === 'items' && start < 0) start = i
      else if (inItems && itemStart < 0) itemStart = i
    } else if (byte === byteOf.closeObject || byte === byteOf.closeArray) {
      depth -= 1
      if (inItems && depth === 1) {
        if (itemStart >= 0) items.push(text.subarray(itemStart, lastToken + 1))
        end = i + 1
      }
    } else if (inItems && depth === 2 && byte === byteOf.comma) {
      items.push(text.subarray(itemStart, lastToken + 1))
      itemStart = -1
    } else if (byte !== byteOf.colon && inItems && itemStart < 0) itemStart = i
    lastToken = i
  }
  if (end < 0 || depth !== 0) throw new InvalidJson('cut short')
  return { start, end, items }
}
