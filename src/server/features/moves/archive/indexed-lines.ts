import { type FileHandle, open } from 'node:fs/promises'
import { linesIn, writeAll } from '#archive/files.ts'
import type { Manifest } from '#archive/format.ts'
import { IdMap } from '#archive/id-map.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { parseContent, type ReceivedContent } from './received-contents.ts'

/** Returns the lines of a file of an archive. */
export function linesOf(
  source: ArchiveSource,
  manifest: Manifest,
  path: string,
): AsyncIterable<{ text: Buffer }> {
  const bytes = manifest.files.find((file) => file.path === path)?.bytes ?? 0
  return linesIn(source.read(path, bytes))
}

/** Bytes to read ahead when lines are read sequentially. */
const readAhead = 1 << 18

/**
 * Random access by `_id` to the contents of one file of an archive. It is needed because the files have different
 * orders, and a zip entry can only be read sequentially. The offsets are in memory, the lines in a temporary file.
 */
export class IndexedLines {
  readonly #file: FileHandle
  /** Line numbers by `_id`. */
  readonly #lines = new IdMap()
  /** Offset of each line in bytes, then the end of the last line. */
  #places = new Float64Array(1024)
  #count = 0
  /** The block of bytes that was read last. Its memory is reused. */
  #block = { at: 0, bytes: Buffer.alloc(0) }
  #memory = Buffer.alloc(0)

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** Writes `lines` to `path` and calls `visit` for each content. */
  static async open(
    path: string,
    lines: AsyncIterable<{ text: Buffer }>,
    visit: (content: ReceivedContent) => void = () => {},
  ): Promise<IndexedLines> {
    const file = await open(path, 'w+', 0o600)
    const index = new IndexedLines(file)
    try {
      await index.#fill(lines, visit)
    } catch (error) {
      await file.close()
      throw error
    }
    return index
  }

  async #fill(lines: AsyncIterable<{ text: Buffer }>, visit: (content: ReceivedContent) => void) {
    let pieces: Buffer[] = []
    let gathered = 0
    let at = 0
    const flush = async () => {
      await writeAll(this.#file, Buffer.concat(pieces), at - gathered)
      pieces = []
      gathered = 0
    }
    for await (const { text } of lines) {
      const content = parseContent(text)
      if (!content) continue
      visit(content)
      this.#lines.set(content.id, this.#count)
      // A copy, because a line may be a view of a block that is reused.
      pieces.push(Buffer.from(text))
      gathered += text.length
      at += text.length
      this.#endLine(at)
      if (gathered >= 1 << 20) await flush()
    }
    await flush()
  }

  #endLine(at: number): void {
    this.#count += 1
    if (this.#count === this.#places.length) {
      const places = new Float64Array(2 * this.#count)
      places.set(this.#places)
      this.#places = places
    }
    this.#places[this.#count] = at
  }

  has(id: string): boolean {
    return this.#lines.has(id)
  }

  /** Returns the line; undefined for an unknown `_id`. The bytes are valid until the next read. */
  async read(id: string): Promise<Buffer | undefined> {
    const line = this.#lines.get(id)
    if (line === undefined) return undefined
    const at = this.#places[line] ?? 0
    const length = (this.#places[line + 1] ?? 0) - at
    if (at < this.#block.at || at + length > this.#block.at + this.#block.bytes.length)
      await this.#fetch(at, length)
    const from = at - this.#block.at
    return this.#block.bytes.subarray(from, from + length)
  }

  /**
   * Reads a block from the temporary file. Reads at least `readAhead` bytes if the access is sequential, because most
   * reads follow the order of the lines.
   */
  async #fetch(at: number, length: number): Promise<void> {
    const end = this.#block.at + this.#block.bytes.length
    const follows = at + length > end && at - end < readAhead
    const wanted = Math.max(length, follows ? readAhead : 0)
    if (this.#memory.length < wanted) this.#memory = Buffer.allocUnsafe(wanted)
    // The block is invalid during the read.
    this.#block = { at: 0, bytes: Buffer.alloc(0) }
    const { bytesRead } = await this.#file.read(this.#memory, 0, wanted, at)
    this.#block = { at, bytes: this.#memory.subarray(0, bytesRead) }
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
