import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { byteOf, checkShape, endOfString, InvalidJson, JsonTooLarge, maxDepth } from './json.ts'

/* Parses whole JSON files in pieces, yielding to the event loop in between, so that a server can use it. */

/** Limits for one member of the file, or for one item of a list member. */
const pieceBounds = { bytes: 2_000_000, parts: 20_000, values: 60_000, keys: 5_000 }
/** Maximum number of members and list items in one file. */
const mostItems = 400_000
/** Time in ms after which parsing yields to the event loop. */
const slice = 10

class Turns {
  #began = performance.now()

  async give(): Promise<void> {
    if (performance.now() - this.#began < slice) return
    await setImmediate()
    this.#began = performance.now()
  }
}

/**
 * Parses a large UTF-8 JSON object without blocking the event loop: members, and items of list members, are parsed one
 * at a time and limited in size. Members not in `known` become undefined, because garbage collection of a million
 * unused objects would also block. Throws `InvalidJson`.
 */
export async function parseLargeObject(
  text: Buffer,
  known: ReadonlySet<string>,
): Promise<Record<string, unknown>> {
  const turns = new Turns()
  const members: [string, unknown][] = []
  let at = afterSpace(text, 0)
  let items = 0

  const valueAt = async (): Promise<unknown> => {
    const end = endOfValue(text, at)
    const piece = text.subarray(at, end)
    checkShape(piece, pieceBounds)
    at = afterSpace(text, end)
    await turns.give()
    return parsePiece(piece)
  }
  /** Reads the elements up to the byte `close`. `read` parses one element and moves `at` after it. */
  const listOf = async (close: number, read: () => Promise<void>): Promise<void> => {
    at = afterSpace(text, at + 1)
    if (text[at] !== close)
      for (;;) {
        items += 1
        if (items > mostItems) throw new JsonTooLarge('values')
        await read()
        if (text[at] === close) break
        if (text[at] !== byteOf.comma) throw new InvalidJson('no JSON')
        at = afterSpace(text, at + 1)
      }
    at = afterSpace(text, at + 1)
  }

  if (text[at] !== byteOf.openObject) throw new InvalidJson('no object')
  await listOf(byteOf.closeObject, async () => {
    const key = text[at] === byteOf.quote ? await valueAt() : undefined
    if (typeof key !== 'string' || text[at] !== byteOf.colon) throw new InvalidJson('no JSON')
    at = afterSpace(text, at + 1)
    const isKnown = known.has(key)
    if (text[at] !== byteOf.openArray) {
      const value = await valueAt()
      members.push([key, isKnown ? value : undefined])
      return
    }
    const list: unknown[] = []
    await listOf(byteOf.closeArray, async () => {
      const item = await valueAt()
      if (isKnown) list.push(item)
    })
    members.push([key, isKnown ? list : undefined])
  })
  if (at < text.length) throw new InvalidJson('no JSON')
  return Object.fromEntries(members)
}

function parsePiece(piece: Buffer): unknown {
  try {
    return JSON.parse(piece.toString('utf8'))
  } catch {
    throw new InvalidJson('no JSON')
  }
}

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

function afterSpace(text: Buffer, from: number): number {
  let at = from
  while (isSpace(text[at])) at += 1
  if (at - from > pieceBounds.bytes) throw new JsonTooLarge('bytes')
  return at
}

/** Returns the end of the value that starts at `from`, determined by brackets and quotes only. */
function endOfValue(text: Buffer, from: number): number {
  // Values longer than the limit are not scanned to the end.
  const within = text.subarray(0, from + pieceBounds.bytes + 1)
  let depth = 0
  for (let at = from; at < within.length; at++) {
    const byte = within[at] ?? 0
    if (byte === byteOf.quote) at = endOfText(within, at)
    else if (byte === byteOf.openObject || byte === byteOf.openArray) {
      depth += 1
      if (depth > maxDepth) throw new JsonTooLarge('depth')
    } else if (byte === byteOf.closeObject || byte === byteOf.closeArray) {
      if (depth === 0) return at
      depth -= 1
    } else if (depth > 0 || !(byte === byteOf.comma || byte === byteOf.colon || isSpace(byte))) continue
    else return at
    if (depth === 0) return at + 1
  }
  throw new JsonTooLarge('bytes')
}

function endOfText(within: Buffer, open: number): number {
  try {
    return endOfString(within, open)
  } catch {
    throw new JsonTooLarge('bytes')
  }
}

/**
 * Parses with a schema without blocking the event loop: items of `lists` are parsed one at a time. `least` and `most`
 * limit the number of items in place of the schema. Throws `ZodError`.
 */
export async function parseLarge<
  Shape extends z.core.$ZodShape,
  Config extends z.core.$ZodObjectConfig,
  const Lists extends keyof Shape & string,
>(
  schema: z.ZodObject<Shape, Config>,
  found: Record<string, unknown>,
  lists: Record<Lists, { least?: number; most: number; item: z.ZodType }>,
): Promise<z.output<z.ZodObject<Shape, Config>>> {
  const turns = new Turns()
  const names = Object.keys(lists) as Lists[]
  const rest = Object.fromEntries(Object.entries(found).filter(([key]) => !names.includes(key as Lists)))
  const mask = Object.fromEntries(names.map((name) => [name, true])) as never
  const parsed: Record<string, unknown> = schema.omit(mask).parse(rest) as Record<string, unknown>
  for (const name of names) {
    const { item, least = 0, most } = lists[name]
    const list = z.array(z.unknown()).min(least).max(most).parse(found[name])
    const read: unknown[] = []
    for (const one of list) {
      read.push(item.parse(one))
      await turns.give()
    }
    parsed[name] = read
  }
  return parsed as z.output<z.ZodObject<Shape, Config>>
}
