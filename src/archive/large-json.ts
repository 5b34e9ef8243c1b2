import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { byteOf, checkShape, endOfString, InvalidJson, JsonTooLarge, maxDepth } from './json.ts'

/*
 * Whole files of JSON that a server reads while others wait: in pieces, between which the others have their turn.
 */

/** A member of the file, or an item of a list that is one: far more than any model or file says of itself. */
const pieceBounds = { bytes: 2_000_000, parts: 20_000, values: 60_000, keys: 5_000 }
/** Items of all lists together. */
const mostItems = 400_000
/** Milliseconds after which others have their turn. */
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
 * JSON.parse of UTF-8 that is one object, for others to go on meanwhile: its members, and the items of members that are lists, are
 * read one by one, and none is larger than a piece may be. Throws InvalidJson.
 */
export async function parseLargeObject(text: Buffer): Promise<Record<string, unknown>> {
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
  /** What stands between an opening and its end, each read by `read`, which leaves `at` behind it. */
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
    if (text[at] !== byteOf.openArray) {
      members.push([key, await valueAt()])
      return
    }
    const list: unknown[] = []
    await listOf(byteOf.closeArray, async () => {
      list.push(await valueAt())
    })
    members.push([key, list])
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

/** Where the value ends that begins there, as far as brackets and quotes tell. */
function endOfValue(text: Buffer, from: number): number {
  // What goes on for longer is not looked at to its end.
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
 * `schema.parse`, for others to go on meanwhile: the items of `lists` are parsed one by one. Unlike the schema's own lists they may be as
 * many as the longest says. Throws ZodError.
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
