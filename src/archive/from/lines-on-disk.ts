import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { writeAll } from '../files.ts'

const blockBytes = 1 << 18

/**
 * Stores lines in any order and reads them sorted by key. Memory per line: its key and about 20 bytes, without objects,
 * because there may be millions of lines. Reads are synchronous, so use it only in a worker process.
 */
export class LinesOnDisk {
  readonly #file: FileHandle
  #count = 0
  /** For each line: the end of its bytes in the file, and the end of its key in `#orders`. */
  #ends = new Float64Array(1024)
  #orderEnds = new Float64Array(1024)
  #orders = Buffer.alloc(1 << 16)
  #isInOrder = true
  #gathered: Buffer[] = []
  #pending = 0
  #end = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async create(path: string): Promise<LinesOnDisk> {
    return new LinesOnDisk(await open(path, 'w+'))
  }

  get count(): number {
    return this.#count
  }

  async add(order: string, line: string): Promise<void> {
    const bytes = Buffer.from(line)
    this.#end += bytes.length
    this.#note(order)
    this.#gathered.push(bytes)
    this.#pending += bytes.length
    if (this.#pending >= 1 << 20) await this.#flush()
  }

  /** Yields the lines sorted by key. Reads whole blocks if the lines were added in order, otherwise line by line. */
  async *read(): AsyncGenerator<Buffer> {
    await this.#flush()
    let block = Buffer.alloc(0)
    let start = 0
    for (const index of this.#inOrder()) {
      const at = startOf(this.#ends, index)
      const length = (this.#ends[index] ?? 0) - at
      if (at < start || at + length > start + block.length) {
        const wanted = this.#isInOrder ? Math.max(length, blockBytes) : length
        block = Buffer.alloc(Math.min(wanted, this.#end - at))
        start = at
        // An asynchronous read takes about ten times as long for one line.
        readSync(this.#file.fd, block, 0, block.length, at)
      }
      yield block.subarray(at - start, at - start + length)
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** Records the key of the line that ends at `#end`. */
  #note(order: string): void {
    if (this.#count === this.#ends.length) {
      this.#ends = grown(this.#ends)
      this.#orderEnds = grown(this.#orderEnds)
    }
    const from = startOf(this.#orderEnds, this.#count)
    const size = Buffer.byteLength(order)
    if (from + size > this.#orders.length)
      this.#orders = Buffer.concat([this.#orders], Math.max(2 * this.#orders.length, from + size))
    this.#orders.write(order, from)
    this.#ends[this.#count] = this.#end
    this.#orderEnds[this.#count] = from + size
    this.#count += 1
    if (this.#isInOrder && this.#count > 1)
      this.#isInOrder = this.#compare(this.#count - 2, this.#count - 1) <= 0
  }

  /**
   * Compares the keys of two lines; UTF-8 bytes sort like code points. It is a plain loop, because `Buffer.compare` is
   * several times slower for short keys.
   */
  #compare(a: number, b: number): number {
    const orders = this.#orders
    const fromA = startOf(this.#orderEnds, a)
    const fromB = startOf(this.#orderEnds, b)
    const [lengthA, lengthB] = [(this.#orderEnds[a] ?? 0) - fromA, (this.#orderEnds[b] ?? 0) - fromB]
    const length = Math.min(lengthA, lengthB)
    for (let at = 0; at < length; at++) {
      const difference = (orders[fromA + at] ?? 0) - (orders[fromB + at] ?? 0)
      if (difference !== 0) return difference
    }
    return lengthA - lengthB
  }

  #inOrder(): Uint32Array {
    const places = Uint32Array.from({ length: this.#count }, (_, index) => index)
    return this.#isInOrder ? places : places.sort((a, b) => this.#compare(a, b) || a - b)
  }

  async #flush(): Promise<void> {
    const block = Buffer.concat(this.#gathered)
    this.#gathered = []
    this.#pending = 0
    await writeAll(this.#file, block, this.#end - block.length)
  }
}

const startOf = (ends: Float64Array, index: number): number => (index === 0 ? 0 : (ends[index - 1] ?? 0))

function grown(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const more = new Float64Array(2 * numbers.length)
  more.set(numbers)
  return more
}
