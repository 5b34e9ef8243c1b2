import { randomInt } from 'node:crypto'

/** Number of 32-bit words in a 24-hex `_id`. */
const words = 3
const noEntry = 0

/**
 * Maps many `_id`s to integers in a third of a Map's memory, without objects that the garbage collector must scan. Keys
 * that are not a 24-hex `_id` are stored in a Map. Entries cannot be removed.
 */
export class IdMap {
  #keys = new Uint32Array(64 * words)
  #values = new Uint32Array(64)
  /** Hash table of entry numbers, starting at 1. */
  #slots = new Uint32Array(128)
  #count = 0
  readonly #others = new Map<string, number>()
  /** Random multipliers, so that an attacker cannot choose `_id`s that collide. */
  readonly #odd = [oddByChance(), oddByChance(), oddByChance()] as const
  /** The parsed `_id` of the current call. */
  readonly #wanted = new Uint32Array(words)

  get size(): number {
    return this.#count + this.#others.size
  }

  get(id: string): number | undefined {
    if (!this.#read(id)) return this.#others.get(id)
    const entry = this.#slots[this.#slotOf()] ?? noEntry
    return entry === noEntry ? undefined : this.#values[entry - 1]
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  /** Sets the value of an `_id`: an integer from 0 to 2³² − 1. */
  set(id: string, value: number): void {
    if (!this.#read(id)) {
      this.#others.set(id, value)
      return
    }
    const slot = this.#slotOf()
    const entry = this.#slots[slot] ?? noEntry
    if (entry !== noEntry) this.#values[entry - 1] = value
    else this.#add(slot, value)
  }

  /** Yields the 24-hex `_id`s in insertion order, then the other keys. */
  *ids(): Generator<string> {
    for (let entry = 0; entry < this.#count; entry++) {
      let id = ''
      for (let word = 0; word < words; word++)
        id += (this.#keys[entry * words + word] ?? 0).toString(16).padStart(8, '0')
      yield id
    }
    yield* this.#others.keys()
  }

  #add(slot: number, value: number): void {
    if (this.#count === this.#values.length) {
      this.#values = grown(this.#values)
      this.#keys = grown(this.#keys)
    }
    this.#keys.set(this.#wanted, this.#count * words)
    this.#values[this.#count] = value
    this.#count += 1
    this.#slots[slot] = this.#count
    if (this.#count * 2 > this.#slots.length) this.#spread()
  }

  /** Parses an `_id` into `#wanted`. Returns false if it is not a 24-hex `_id`. */
  #read(id: string): boolean {
    if (id.length !== words * 8) return false
    for (let word = 0; word < words; word++) {
      let bits = 0
      for (let at = word * 8; at < word * 8 + 8; at++) {
        const code = id.charCodeAt(at)
        const digit =
          code >= 0x30 && code <= 0x39 ? code - 0x30 : code >= 0x61 && code <= 0x66 ? code - 0x57 : -1
        if (digit < 0) return false
        bits = (bits << 4) | digit
      }
      this.#wanted[word] = bits
    }
    return true
  }

  /** Returns the slot of the parsed `_id`, or the free slot for it. */
  #slotOf(): number {
    const first = this.#wanted[0] ?? 0
    const second = this.#wanted[1] ?? 0
    const third = this.#wanted[2] ?? 0
    const mask = this.#slots.length - 1
    for (let slot = this.#hash(first, second, third) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? noEntry
      if (entry === noEntry) return slot
      const at = (entry - 1) * words
      const keys = this.#keys
      if (keys[at] === first && keys[at + 1] === second && keys[at + 2] === third) return slot
    }
  }

  #hash(first: number, second: number, third: number): number {
    const [a, b, c] = this.#odd
    const hash = Math.imul(first, a) ^ Math.imul(second, b) ^ Math.imul(third, c)
    const mixed = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }

  #spread(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    for (let entry = 0; entry < this.#count; entry++) {
      this.#wanted.set(this.#keys.subarray(entry * words, (entry + 1) * words))
      this.#slots[this.#slotOf()] = entry + 1
    }
  }
}

const oddByChance = () => randomInt(2 ** 32) | 1

const grown = (array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
