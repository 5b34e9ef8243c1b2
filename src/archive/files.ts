import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Maximum size in bytes of a line that is read. Equals the size of the largest response that the rescue command
 * accepts.
 */
const longestLine = 64_000_000

/** One line of a file without its line break, and its byte offset. */
export interface Line {
  text: Buffer
  offset: number
}

/**
 * Yields the complete lines of a file from `start` up to `end`, and omits an unterminated last line. Memory use: one
 * line and one chunk.
 */
export async function* readLines(
  path: string,
  start = 0,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<Line> {
  if (end <= start) return
  const limit = Number.isFinite(end) ? { end: end - 1 } : {}
  yield* completeLines(createReadStream(path, { start, highWaterMark: 1 << 20, ...limit }), start)
}

/** Yields all lines of a byte stream; the last one may be unterminated. */
export async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const last = yield* completeLines(chunks, 0)
  if (last.text.length > 0) yield last
}

/**
 * Yields the complete lines of a byte stream; offsets count from `start`. Returns the unterminated rest. Throws if a
 * line is too long.
 */
async function* completeLines(chunks: AsyncIterable<Buffer>, start: number): AsyncGenerator<Line, Line> {
  let parts: Buffer[] = []
  let pending = 0
  let offset = start
  for await (const block of chunks) {
    let from = 0
    for (let at = block.indexOf(0x0a); at >= 0; at = block.indexOf(0x0a, from)) {
      const tail = block.subarray(from, at)
      const text = parts.length > 0 ? Buffer.concat([...parts, tail]) : tail
      yield { text, offset }
      offset += text.length + 1
      parts = []
      pending = 0
      from = at + 1
    }
    if (from < block.length) {
      parts.push(block.subarray(from))
      pending += block.length - from
      if (pending > longestLine) throw new Error('a line is too long')
    }
  }
  return { text: Buffer.concat(parts), offset }
}

/**
 * Yields the bytes of a file. Opens the file only when the caller reads, so that the caller always receives the error.
 */
export async function* fileBytes(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: 1 << 18 })
}

/** Returns the sha256 (hex) and size in bytes of a file, read once. */
export function hashFile(path: string): Promise<{ sha256: string; bytes: number }> {
  return hashOf(fileBytes(path))
}

export async function hashOf(chunks: AsyncIterable<Buffer>): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { sha256: hash.digest('hex'), bytes }
}

/** Writes a file of the archive: buffers small pieces, hashes them, and renames the complete file to its final path. */
export class HashedFile {
  readonly #path: string
  readonly #handle: FileHandle
  readonly #hash = createHash('sha256')
  #pieces: Buffer[] = []
  #gathered = 0
  #bytes = 0

  private constructor(path: string, handle: FileHandle) {
    this.#path = path
    this.#handle = handle
  }

  static async create(path: string): Promise<HashedFile> {
    return new HashedFile(path, await createFile(`${path}.new`))
  }

  async write(piece: Buffer | string): Promise<void> {
    const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece
    this.#pieces.push(buffer)
    this.#gathered += buffer.length
    if (this.#gathered >= 1 << 20) await this.#flush()
  }

  /** Syncs the file and renames it to its final path. Returns its size and hash. */
  async close(): Promise<{ sha256: string; bytes: number }> {
    try {
      await this.#flush()
      await this.#handle.sync()
    } finally {
      await this.#handle.close()
    }
    await renameFirmly(`${this.#path}.new`, this.#path)
    return { sha256: this.#hash.digest('hex'), bytes: this.#bytes }
  }

  /** Closes the file without renaming it; the `.new` file remains. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => {})
  }

  async #flush(): Promise<void> {
    if (this.#gathered === 0) return
    const block = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#gathered = 0
    await writeAll(this.#handle, block)
    this.#hash.update(block)
    this.#bytes += block.length
  }
}

/**
 * Writes the whole buffer at `position`, or at the current position. Loops because a nearly full disk may accept only a
 * part of the buffer at first.
 */
export async function writeAll(handle: FileHandle, buffer: Buffer, position?: number): Promise<void> {
  let done = 0
  while (done < buffer.length) {
    const at = position === undefined ? null : position + done
    const { bytesWritten } = await handle.write(buffer, done, buffer.length - done, at)
    done += bytesWritten
  }
}

/**
 * Creates an empty file. Removes an existing entry first, so that the content is never written through a planted link.
 */
export async function createFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true })
  return open(path, 'wx')
}

const busyOnWindows = new Set(['EPERM', 'EACCES', 'EBUSY'])

/**
 * Renames a file, replacing the target. On Windows, retries for `patienceMs`, because virus scanners and sync clients
 * briefly lock new files.
 */
export async function renameFirmly(from: string, to: string, patienceMs = 10_000): Promise<void> {
  const until = Date.now() + patienceMs
  for (let pause = 20; ; pause = Math.min(pause * 2, 1_000)) {
    try {
      await rename(from, to)
      return
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (process.platform !== 'win32' || !busyOnWindows.has(code) || Date.now() > until) throw error
    }
    await sleep(pause)
  }
}

/** Returns the size of a file in bytes; -1 if it does not exist or is not a plain file. */
export async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isFile() ? found.size : -1
}
