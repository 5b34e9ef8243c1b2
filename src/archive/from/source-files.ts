import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { fileBytes } from '../files.ts'
import { isLitter } from '../names.ts'
import { type ArchiveSource, capped, openArchive, TooManyBytes } from '../source.ts'
import { BrokenSource } from './broken-source.ts'

/** Number of bytes that are read to detect the type of a file. */
const headBytes = 65_536
/** Limits on the unpacked size of an upload in bytes: a fixed allowance, plus a multiple of its size. */
const usualAllowance = 500_000_000
const mostTimes = 20
const mostFiles = 200_000
/**
 * Limit on all bytes that are read, as a multiple of the limit on the unpacked size. Each file is read several times:
 * to detect its type, to analyse it and to convert it.
 */
const readings = 4

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'shift_jis'

/** A file of the upload. Its name is untrusted: data only, never used as a path on disk. */
export interface SourceFile {
  /** Path within the upload, with forward slashes. */
  path: string
}

/** Entries of an upload that are skipped: links, devices, and further files with the same name. */
type LeftOut = { path: string; why: 'link' | 'repeatedName' }[]

interface Opened {
  paths: string[]
  leftOut: LeftOut
  read(path: string, most: number): AsyncIterable<Buffer>
  close(): void
}

/** The files of an upload, which is a zip, a tar, or a single file. A tar or a single file may be gzipped. */
export class SourceFiles {
  /** Name of the upload without its extension. */
  readonly name: string
  readonly files: readonly SourceFile[]
  /** Entries that are not read; the plan reports them. */
  readonly leftOut: Readonly<LeftOut>
  /** Files that exceed a limit, with the name of the limit. */
  readonly unread: BrokenSource['items'] = []
  readonly #opened: Opened
  readonly #most: number
  #left: number
  readonly #heads = new Map<string, Buffer>()
  #byName: Map<string, SourceFile[]> | undefined
  readonly #encodings = new Map<string, Encoding>()

  private constructor(name: string, opened: Opened, most: number) {
    this.name = stemOf(name)
    this.#opened = opened
    this.#most = most
    this.#left = most * readings
    this.files = opened.paths.map((path) => ({ path }))
    this.leftOut = opened.leftOut
  }

  /**
   * Opens an upload. `folder` is used for unpacking formats without random access. Throws `BrokenSource`, and the
   * errors of an unreadable zip.
   */
  static async open(
    path: string,
    name: string,
    folder: string,
    allowance = usualAllowance,
  ): Promise<SourceFiles> {
    const { size } = await stat(path)
    const most = allowance + mostTimes * size
    const opened = await openUpload(path, name, folder, most)
    if (opened.paths.length + opened.leftOut.length <= mostFiles) return new SourceFiles(name, opened, most)
    opened.close()
    throw new BrokenSource('tooLarge')
  }

  named(name: string): readonly SourceFile[] {
    if (!this.#byName) {
      this.#byName = new Map()
      for (const file of this.files) {
        const last = file.path.split('/').at(-1) ?? ''
        const same = this.#byName.get(last)
        if (same) same.push(file)
        else this.#byName.set(last, [file])
      }
    }
    return this.#byName.get(name) ?? []
  }

  close(): void {
    this.#opened.close()
  }

  /** Yields the bytes of a file. Throws `BrokenSource` beyond the limit of the whole upload, and for a damaged file. */
  async *read({ path }: SourceFile): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#opened.read(path, this.#most)) {
        this.#left -= chunk.length
        if (this.#left < 0) throw new TooManyBytes()
        yield chunk
      }
    } catch (error) {
      if (error instanceof TooManyBytes) throw new BrokenSource('tooLarge', [{ file: path, why: 'bytes' }])
      if (isUnreadable(error)) throw new BrokenSource('broken', [{ file: path, why: 'compression' }])
      throw error
    }
  }

  async head(file: SourceFile): Promise<Buffer> {
    const known = this.#heads.get(file.path)
    if (known) return known
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of this.read(file)) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= headBytes) break
    }
    const head = Buffer.from(Buffer.concat(chunks).subarray(0, headBytes))
    // At most 1,000 heads are cached, to limit memory.
    if (this.#heads.size < 1_000) this.#heads.set(file.path, head)
    return head
  }

  /** Returns the beginning of a text file; undefined for binary files. */
  async beginning(file: SourceFile): Promise<string | undefined> {
    const head = await this.head(file)
    const bom = bomOf(head)
    if (!bom && head.includes(0)) return undefined
    return new TextDecoder(bom ?? 'utf-8').decode(head).trimStart()
  }

  /**
   * Yields a whole text, decoded as UTF-8, as UTF-16 with a byte order mark, or as Shift_JIS if it is not valid UTF-8.
   */
  async *text(file: SourceFile): AsyncGenerator<string> {
    const decoder = new TextDecoder(await this.#encodingOf(file))
    for await (const chunk of this.read(file)) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  }

  /** Yields {@link text} encoded as UTF-8 without a byte order mark. */
  async *utf8(file: SourceFile): AsyncGenerator<Buffer> {
    for await (const text of this.text(file)) if (text !== '') yield Buffer.from(text)
  }

  /** Returns {@link text} as one string, for small files. Throws `BrokenSource` beyond `most` characters. */
  async whole(file: SourceFile, most: number): Promise<string> {
    let whole = ''
    for await (const text of this.text(file)) {
      whole += text
      if (whole.length > most) throw new BrokenSource('tooLarge', [{ file: file.path, why: 'bytes' }])
    }
    return whole
  }

  async #encodingOf(file: SourceFile): Promise<Encoding> {
    const known = this.#encodings.get(file.path)
    if (known) return known
    const encoding = bomOf(await this.head(file)) ?? ((await this.#isUtf8(file)) ? 'utf-8' : 'shift_jis')
    this.#encodings.set(file.path, encoding)
    return encoding
  }

  async #isUtf8(file: SourceFile): Promise<boolean> {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    try {
      for await (const chunk of this.read(file)) decoder.decode(chunk, { stream: true })
      decoder.decode()
      return true
    } catch (error) {
      if (error instanceof TypeError) return false
      throw error
    }
  }
}

function bomOf(head: Buffer): Encoding | undefined {
  const [a, b, c] = head
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined
}

/** Returns the file name of a path without its extension. */
export const stemOf = (path: string): string =>
  (path.split('/').at(-1) ?? path).replace(/(?<=.)\.(?:tar\.gz|[A-Za-z0-9]{1,10})$/, '')

/** Returns whether the error is caused by a damaged, encrypted or unsupported zip or gzip file. */
function isUnreadable(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return (
    /^(?:Z_|ERR_)/.test(code) ||
    /invalid|unsupported|encrypted|compress|not enough bytes|end of data/i.test(message)
  )
}

async function openUpload(path: string, name: string, folder: string, most: number): Promise<Opened> {
  const magic = await beginningOf(path)
  if (magic.subarray(0, 2).toString('latin1') === 'PK') return openZip(await openArchive(path))
  const isGzip = magic[0] === 0x1f && magic[1] === 0x8b
  if (!isGzip && !isTar(magic)) return openFolder([{ path: name.split('/').at(-1) ?? name, at: path }])
  await mkdir(folder, { recursive: true })
  try {
    if (!isGzip) return await unpackTar(createReadStream(path), folder, most)
    const inner = join(folder, 'unpacked')
    await pipeline(createReadStream(path), createGunzip(), counted(most), createWriteStream(inner))
    if (isTar(await beginningOf(inner))) return await unpackTar(createReadStream(inner), folder, most)
    return openFolder([{ path: stemOf(name), at: inner }])
  } catch (error) {
    if (error instanceof TooManyBytes) throw new BrokenSource('tooLarge')
    if (isUnreadable(error)) throw new BrokenSource('broken', [{ file: name, why: 'compression' }])
    throw error
  }
}

async function beginningOf(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const isTar = (magic: Buffer) => magic.subarray(257, 262).toString('latin1') === 'ustar'

async function openZip(zip: ArchiveSource): Promise<Opened> {
  const paths: string[] = []
  const leftOut: LeftOut = []
  for await (const path of zip.list()) {
    if (await zip.has(path)) paths.push(path)
    else {
      // The zip reader lists a second entry of the same name with the suffix ` (2)`.
      const first = path.replace(/ \(2\)$/, '')
      const isSecond = first !== path && (await zip.has(first))
      leftOut.push({ path: isSecond ? first : path, why: isSecond ? 'repeatedName' : 'link' })
    }
  }
  return { paths, leftOut, read: (path, most) => zip.read(path, most), close: () => zip.close() }
}

function openFolder(files: { path: string; at: string }[], leftOut: LeftOut = []): Opened {
  const places = new Map(files.map(({ path, at }) => [path, at]))
  return {
    paths: [...places.keys()],
    leftOut,
    async *read(path, most) {
      const at = places.get(path)
      if (at === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      yield* capped(fileBytes(at), most)
    },
    close: () => {},
  }
}

const counted = (most: number) => (chunks: AsyncIterable<Buffer>) => capped(Readable.from(chunks), most)

/**
 * Unpacks the plain files of a tar under generated names. Skips links and devices. If several files have the same name,
 * the last one is used.
 */
async function unpackTar(stream: Readable, folder: string, most: number): Promise<Opened> {
  const files: { path: string; at: string }[] = []
  const leftOut: LeftOut = []
  let left = most
  const entries = extract()
  const feeding = pipeline(stream, entries)
  const failed = feeding.then(
    () => undefined,
    (error: unknown) => error,
  )
  try {
    for await (const entry of entries) {
      const { name, type = 'file' } = entry.header
      const path = name.replace(/^(?:\.\/)+/, '')
      const isLitterOrFolder =
        type === 'directory' || path.endsWith('/') || isLitter(path.split('/').at(-1) ?? '')
      if (type !== 'file' && !isLitterOrFolder) leftOut.push({ path, why: 'link' })
      if (type !== 'file' || isLitterOrFolder) entry.resume()
      else {
        if (files.length + leftOut.length >= mostFiles) throw new TooManyBytes()
        const at = join(folder, `tar-${files.length}`)
        await pipeline(
          entry as unknown as Readable,
          async function* (chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              left -= chunk.length
              if (left < 0) throw new TooManyBytes()
              yield chunk
            }
          },
          createWriteStream(at),
        )
        files.push({ path, at })
      }
    }
  } finally {
    stream.destroy()
  }
  const error = await failed
  if (error) throw error
  return openFolder(files, leftOut)
}
