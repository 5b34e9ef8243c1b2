import { RescueFailure } from '#rescue/failure.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** Nesting deeper than any model can produce; a stranger's answer may not exhaust our stack. */
export const maxDepth = 200

export interface ListAnswer {
  /** Undefined when the answer has none. */
  total: number | undefined
  /** The page size the server says it went by. */
  limit: number | undefined
  /** The bytes of each item exactly as they came, only line breaks between tokens made spaces. */
  items: Buffer[]
}

/**
 * Cuts a list answer `{skip, limit, total, items: […]}` into the raw bytes of its items, so that numbers,
 * escapes and key order stay as sent. Throws RescueFailure `strange_answer` when it is not such an answer.
 */
export function sliceListAnswer(text: Buffer): ListAnswer {
  const array = findItems(text)
  const head = Buffer.concat([text.subarray(0, array.start), Buffer.from('[]'), text.subarray(array.end)])
  const parsed = parseJson(head)
  const { total, limit } = (parsed ?? {}) as { total?: unknown; limit?: unknown }
  return { total: wholeNumber(total), limit: wholeNumber(limit), items: array.items.map(withoutLineBreaks) }
}

/** The members of an object, each value as the raw bytes it came in. Throws RescueFailure `strange_answer`. */
export function sliceMembers(text: Buffer): Map<string, Buffer> {
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
    if (depth === 1 && (byte === COMMA || byte === CLOSE_OBJECT)) end()
    else if (depth === 1 && key !== undefined && start < 0 && byte !== COLON) start = from
    if (byte === QUOTE) {
      i = endOfString(text, i)
      if (depth === 1 && key === undefined) key = String(parseJson(text.subarray(from, i + 1)))
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1
    lastToken = i
  }
  if (depth !== 0) throw strange('cut short')
  return members
}

/** A count, also when it came as a string. */
function wholeNumber(value: unknown): number | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^\d{1,15}$/.test(value))) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** JSON.parse that throws RescueFailure `strange_answer`. */
export function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'))
  } catch {
    throw strange('no JSON')
  }
}

/** Throws when brackets nest deeper than maxDepth; for JSON that is parsed without slicing. */
export function checkDepth(text: Buffer): void {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (byte === QUOTE) i = endOfString(text, i)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1
      if (depth > maxDepth) throw strange('nested too deeply')
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1
  }
}

/** Line breaks can stand only between tokens in JSON; NDJSON wants one line. */
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
    if (byte === QUOTE) {
      const close = endOfString(text, i)
      if (depth === 1) key = text.toString('utf8', i + 1, close)
      if (inItems && itemStart < 0) itemStart = i
      i = close
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1
      if (depth > maxDepth) throw strange('nested too deeply')
      if (depth === 2 && byte === OPEN_ARRAY && key === 'items' && start < 0) start = i
      else if (inItems && itemStart < 0) itemStart = i
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1
      if (inItems && depth === 1) {
        if (itemStart >= 0) items.push(text.subarray(itemStart, lastToken + 1))
        end = i + 1
      }
    } else if (inItems && depth === 2 && byte === COMMA) {
      items.push(text.subarray(itemStart, lastToken + 1))
      itemStart = -1
    } else if (byte !== COLON && inItems && itemStart < 0) itemStart = i
    lastToken = i
  }
  if (end < 0 || depth !== 0) throw strange('cut short')
  return { start, end, items }
}

function endOfString(text: Buffer, open: number): number {
  let close = text.indexOf(QUOTE, open + 1)
  while (close >= 0) {
    let slashes = 0
    while (text[close - 1 - slashes] === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return close
    close = text.indexOf(QUOTE, close + 1)
  }
  throw strange('cut short')
}

function strange(reason: string): RescueFailure {
  return new RescueFailure('strange_answer', { reason })
}
