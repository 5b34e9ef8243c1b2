import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'

/** Maximum number of entries, which are all kept in memory. */
const mostEntries = 1_000_000

/**
 * Reader for the zip library. The library's own file reader ends the process if a stream is destroyed during a read, or
 * if an offset in the zip is not a safe integer.
 */
class FileReader extends RandomAccessReader {
  readonly #file: FileHandle

  constructor(file: FileHandle) {
    super()
    this.#file = file
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#file
      .read(buffer, offset, length, position)
      .then(({ bytesRead }) => callback(null, bytesRead))
      // This also catches exceptions of the library's callback and reports them as a failed read.
      .catch(callback)
  }

  override close(callback: (error: Error | null) => void): void {
    // The file was only read, so an error on closing can be ignored.
    this.#file.close().then(
      () => callback(null),
      () => callback(null),
    )
  }
}

/** A zip whose entries are read from its file. */
export interface OpenedZip {
  /** Yields the entries. Can be called only once. */
  entries(): AsyncIterable<Entry>
  /** Returns the unpacked bytes of an entry. Throws for encrypted entries and unsupported compression methods. */
  read(entry: Entry): Promise<AsyncIterable<Buffer>>
  close(): void
}

/** Opens a zip. The sizes in its headers are not trusted, so readers must count the actual bytes. */
export async function openZipFile(path: string): Promise<OpenedZip> {
  const file = await open(path)
  let zip: ZipFile
  try {
    const options = { autoClose: false, lazyEntries: true, validateEntrySizes: false }
    zip = await fromRandomAccessReaderPromise(new FileReader(file), (await file.stat()).size, options)
    if (zip.entryCount > mostEntries) throw new Error('too many entries')
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
  return {
    entries: () => zip.eachEntry(),
    read: (entry) => readEntry(zip, file, entry),
    close: () => zip.close(),
  }
}

const stored = 0
const deflated = 8
/**
 * Maximum size of a chunk of unpacked data in bytes. With the default of 16 KB, unpacking takes four times as long,
 * because each chunk takes a turn in the thread pool.
 */
const inflatedAtOnce = 1 << 18
/** Maximum size of one read in bytes. */
const readAtOnce = 1 << 16

async function readEntry(zip: ZipFile, file: FileHandle, entry: Entry): Promise<AsyncIterable<Buffer>> {
  const { compressionMethod, compressedSize, uncompressedSize } = entry
  if (entry.isEncrypted()) throw new Error('encrypted entry')
  if (compressionMethod !== stored && compressionMethod !== deflated)
    throw new Error(`unsupported compression method ${compressionMethod}`)
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
  const packed = bytesOf(file, fileDataStart, compressedSize)
  if (compressionMethod === stored) return packed
  const chunkSize = Math.min(Math.max(uncompressedSize, 4096), inflatedAtOnce)
  // Errors reach the reader through the stream, and stopping early also ends reading the file.
  return pipeline(packed, createInflateRaw({ chunkSize }), () => {})
}

async function* bytesOf(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; ) {
    const buffer = Buffer.allocUnsafe(Math.min(length - done, readAtOnce))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start + done)
    if (bytesRead === 0) throw new Error('unexpected end of data')
    yield buffer.subarray(0, bytesRead)
    done += bytesRead
  }
}
