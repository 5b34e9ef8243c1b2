import { type FileHandle, open } from 'node:fs/promises'
import { linesIn, writeAll } from '#archive/files.ts'
import type { Manifest } from '#archive/format.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { parseContent, type ReceivedContent } from './moves.received.ts'

/** The lines of a file of an archive. */
export function linesOf(
  source: ArchiveSource,
  manifest: Manifest,
  path: string,
): AsyncIterable<{ text: Buffer }> {
  const bytes = manifest.files.find((file) => file.path === path)?.bytes ?? 0
  return linesIn(source.read(path, bytes))
}

/**
 * The contents of one file of an archive, to be had by `_id`: what belongs together stands in several files of different orders,
 * and a zip can only be read from front to back. Memory holds the places, a file of ours the lines.
 */
export class IndexedLines {
  readonly #file: FileHandle
  readonly #places = new Map<string, { at: number; length: number }>()

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** Writes `lines` to `path`; `visit` sees each content on the way. */
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
      this.#places.set(content.id, { at, length: text.length })
      // A line may be a view of a block that is used again.
      pieces.push(Buffer.from(text))
      gathered += text.length
      at += text.length
      if (gathered >= 1 << 20) await flush()
    }
    await flush()
  }

  ids(): IterableIterator<string> {
    return this.#places.keys()
  }

  /** Undefined for an `_id` that is not there. */
  async read(id: string): Promise<Buffer | undefined> {
    const place = this.#places.get(id)
    if (!place) return undefined
    const line = Buffer.alloc(place.length)
    await this.#file.read(line, 0, place.length, place.at)
    return line
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
