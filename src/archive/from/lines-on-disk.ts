import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { writeAll } from '../files.ts'

/** A line with what it is ordered by. */
interface Place {
  order: string
  at: number
  length: number
}

const blockBytes = 1 << 18

/** Lines that come in any order and are read in theirs. Some 150 bytes of memory for each. */
export class LinesOnDisk {
  readonly #file: FileHandle
  readonly #places: Place[] = []
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
    return this.#places.length
  }

  async add(order: string, line: string): Promise<void> {
    const bytes = Buffer.from(line)
    this.#places.push({ order, at: this.#end, length: bytes.length })
    this.#end += bytes.length
    this.#gathered.push(bytes)
    this.#pending += bytes.length
    if (this.#pending >= 1 << 20) await this.#flush()
  }

  /** The lines by their order. */
  async *read(): AsyncGenerator<Buffer> {
    await this.#flush()
    this.#places.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
    let block = Buffer.alloc(0)
    let start = 0
    for (const { at, length } of this.#places) {
      // Lines mostly come in the order in which they are wanted.
      if (at < start || at + length > start + block.length) {
        block = Buffer.alloc(Math.min(Math.max(length, blockBytes), this.#end - at))
        start = at
        await this.#file.read(block, 0, block.length, at)
      }
      yield block.subarray(at - start, at - start + length)
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #flush(): Promise<void> {
    const block = Buffer.concat(this.#gathered)
    this.#gathered = []
    this.#pending = 0
    await writeAll(this.#file, block, this.#end - block.length)
  }
}
