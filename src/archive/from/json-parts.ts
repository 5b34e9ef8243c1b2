import { byteOf, InvalidJson, JsonTooLarge, maxDepth } from '../json.ts'

/** A part of a large JSON text: an item of a list, or the value of a key if this value is not a list. */
export interface JsonPart {
  /** null: the text is a list as a whole. */
  key: string | null
  /** Keys from the top to the value; lists add none. */
  keys: readonly string[]
  isItem: boolean
  text: Buffer
}

/** Maximum size of one part in bytes. */
const longestPart = 64_000_000

type Expected = 'start' | 'key' | 'colon' | 'value' | 'separator' | 'end'

/** Returns whether the object under these keys is also read in parts, instead of as one part. */
type IsOpened = (keys: readonly string[]) => boolean

/**
 * Reads a list or an object of any size in parts, and also the objects that `isOpened` selects. Throws `InvalidJson`.
 * Memory use: one part.
 */
export async function* jsonParts(
  chunks: AsyncIterable<Buffer>,
  isOpened: IsOpened = () => false,
): AsyncGenerator<JsonPart> {
  const slicer = new Slicer(isOpened)
  for await (const chunk of chunks) yield* slicer.take(chunk)
  slicer.end()
}

class Slicer {
  #expected: Expected = 'start'
  /** Enclosing brackets: of the whole text, of opened objects, and of lists under their keys. */
  readonly #around: number[] = []
  /** The current key of each enclosing object. */
  readonly #keys: string[] = []
  readonly #isOpened: IsOpened
  /** Kind of the token that is being read. null: no token. */
  #reading: 'key' | 'value' | null = null
  #pieces: Buffer[] = []
  #length = 0
  /** Number of open brackets in the current part. */
  #open = 0
  #inString = false
  #isEscaped = false

  constructor(isOpened: IsOpened) {
    this.#isOpened = isOpened
  }

  end(): void {
    if (this.#expected !== 'end' || this.#reading) throw new InvalidJson('cut short')
  }

  *take(chunk: Buffer): Generator<JsonPart> {
    let from = 0
    let slash = -1
    for (let at = 0; at < chunk.length; at++) {
      if (this.#inString && !this.#isEscaped) {
        // Most input consists of long strings, so the loop skips to the next quote or backslash.
        if (slash < at) slash = placeOf(chunk, byteOf.backslash, at)
        at = Math.min(slash, placeOf(chunk, byteOf.quote, at))
        if (at === chunk.length) break
      }
      const byte = chunk[at] ?? 0
      if (this.#reading) {
        const ends = this.#endsAt(byte)
        if (ends === 'no') continue
        const stop = ends === 'with' ? at + 1 : at
        this.#keep(chunk.subarray(from, stop))
        yield* this.#finish()
        if (ends === 'with') continue
      }
      if (isSpace(byte)) continue
      if (this.#meet(byte)) from = at
    }
    if (this.#reading) this.#keep(chunk.subarray(from))
  }

  /** Returns whether the current token ends with this byte, or before it. */
  #endsAt(byte: number): 'no' | 'with' | 'before' {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === byteOf.backslash) this.#isEscaped = true
      else if (byte === byteOf.quote) {
        this.#inString = false
        if (this.#open === 0) return 'with'
      }
      return 'no'
    }
    if (byte === byteOf.quote) this.#inString = true
    else if (byte === byteOf.openObject || byte === byteOf.openArray) {
      this.#open += 1
      if (this.#open > maxDepth) throw new JsonTooLarge('depth')
    } else if (byte === byteOf.closeObject || byte === byteOf.closeArray) {
      if (this.#open === 0) return 'before'
      this.#open -= 1
      if (this.#open === 0) return 'with'
    } else if (this.#open === 0 && (byte === byteOf.comma || isSpace(byte))) return 'before'
    return 'no'
  }

  /** Handles a byte outside keys and values. Returns true if a key or a value starts with it. */
  #meet(byte: number): boolean {
    const inner = this.#around.at(-1)
    switch (this.#expected) {
      case 'start':
        if (byte !== byteOf.openArray && byte !== byteOf.openObject) throw new InvalidJson('no JSON')
        return this.#enter(byte)
      case 'key':
        if (byte === byteOf.closeObject) return this.#close()
        if (byte !== byteOf.quote) throw new InvalidJson('no key')
        return this.#begin('key', byte)
      case 'colon':
        if (byte !== byteOf.colon) throw new InvalidJson('no colon')
        this.#expected = 'value'
        return false
      case 'value':
        if (byte === byteOf.closeArray && inner === byteOf.openArray) return this.#close()
        // A list under a key is read item by item.
        if (byte === byteOf.openArray && inner === byteOf.openObject) return this.#enter(byte)
        if (byte === byteOf.openObject && this.#keys.length > 0 && this.#isOpened(this.#keys))
          return this.#enter(byte)
        return this.#begin('value', byte)
      case 'separator':
        if (byte === byteOf.comma) {
          this.#expected = inner === byteOf.openArray ? 'value' : 'key'
          return false
        }
        if (byte === (inner === byteOf.openArray ? byteOf.closeArray : byteOf.closeObject))
          return this.#close()
        throw new InvalidJson('no comma')
      case 'end':
        throw new InvalidJson('more than one value')
    }
  }

  #enter(bracket: number): false {
    if (this.#around.length >= maxDepth) throw new JsonTooLarge('depth')
    this.#around.push(bracket)
    this.#expected = bracket === byteOf.openArray ? 'value' : 'key'
    if (bracket === byteOf.openObject) this.#keys.push('')
    return false
  }

  #begin(what: 'key' | 'value', byte: number): true {
    this.#reading = what
    this.#inString = byte === byteOf.quote
    this.#isEscaped = false
    this.#open = byte === byteOf.openObject || byte === byteOf.openArray ? 1 : 0
    return true
  }

  #close(): false {
    if (this.#around.pop() === byteOf.openObject) this.#keys.pop()
    this.#expected = this.#around.length === 0 ? 'end' : 'separator'
    return false
  }

  #keep(piece: Buffer): void {
    // The piece is copied, because the caller may reuse the chunk.
    this.#pieces.push(Buffer.from(piece))
    this.#length += piece.length
    if (this.#length > longestPart) throw new JsonTooLarge('bytes')
  }

  *#finish(): Generator<JsonPart> {
    const text = Buffer.concat(this.#pieces)
    const what = this.#reading
    this.#pieces = []
    this.#length = 0
    this.#reading = null
    if (what === 'key') {
      this.#keys[this.#keys.length - 1] = keyOf(text)
      this.#expected = 'colon'
      return
    }
    this.#expected = 'separator'
    yield {
      key: this.#keys.at(-1) ?? null,
      keys: [...this.#keys],
      isItem: this.#around.at(-1) === byteOf.openArray,
      text,
    }
  }
}

function placeOf(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from)
  return at < 0 ? chunk.length : at
}

function keyOf(text: Buffer): string {
  try {
    return String(JSON.parse(text.toString('utf8')))
  } catch {
    throw new InvalidJson('no key')
  }
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
