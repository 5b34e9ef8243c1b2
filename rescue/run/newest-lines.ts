import { open } from 'node:fs/promises'
import { readContent } from '#archive/content.ts'
import { type HashedFile, readLines } from '#archive/files.ts'

interface Place {
  order: string
  offset: number
  length: number
}

/** Returns the position of the newest version of each content in a working file. */
export async function newestLines(source: string, bytes: number): Promise<Map<string, Place>> {
  const newest = new Map<string, Place>()
  if (bytes === 0) return newest
  for await (const { text, offset } of readLines(source, 0, bytes)) {
    const content = readContent(text)
    if (!content) continue
    newest.set(content.id, { order: `${content.createdAt} ${content.id}`, offset, length: text.length + 1 })
  }
  return newest
}

/** Copies these lines, oldest content first. */
export async function copyLines(
  source: string,
  newest: ReadonlyMap<string, Place>,
  file: HashedFile,
  visit: (id: string, line: Buffer) => void = () => {},
): Promise<void> {
  if (newest.size === 0) return
  const places = [...newest].sort(([, a], [, b]) => (a.order < b.order ? -1 : 1))
  const reader = await WindowReader.open(source)
  try {
    for (const [id, { offset, length }] of places) {
      const line = await reader.read(offset, length)
      await file.write(line)
      visit(id, line)
    }
  } finally {
    await reader.close()
  }
}

/** Reads mostly consecutive parts of a file, buffering 2 MiB or one longer part. */
class WindowReader {
  readonly #handle: Awaited<ReturnType<typeof open>>
  #window = Buffer.alloc(0)
  #start = 0

  private constructor(handle: Awaited<ReturnType<typeof open>>) {
    this.#handle = handle
  }

  static async open(path: string): Promise<WindowReader> {
    return new WindowReader(await open(path, 'r'))
  }

  async read(offset: number, length: number): Promise<Buffer> {
    if (offset < this.#start || offset + length > this.#start + this.#window.length) {
      const window = Buffer.alloc(Math.max(length, 2 << 20))
      const { bytesRead } = await this.#handle.read(window, 0, window.length, offset)
      this.#window = window.subarray(0, bytesRead)
      this.#start = offset
    }
    const piece = this.#window.subarray(offset - this.#start, offset - this.#start + length)
    if (piece.length < length) throw new Error('a working file was cut short')
    return piece
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}
