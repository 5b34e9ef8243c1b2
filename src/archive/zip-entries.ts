import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'

/** More entries than any archive has; all of them are held in memory. */
const mostEntries = 1_000_000

/**
 * What the library reads a zip through. Its own reader of files ends the process when a stream is destroyed while its read still
 * waits, and when the zip names a place in the file that is no safe integer.
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
      // Also what the library throws while it looks at the bytes: it hears of it as of a read that failed.
      .catch(callback)
  }

  override close(callback: (error: Error | null) => void): void {
    // Nothing was written: an error of closing says nothing about the archive.
    this.#file.close().then(
      () => callback(null),
      () => callback(null),
    )
  }
}

/** A zip whose entries are read from its file. All errors are thrown to who asks for an entry. */
export interface OpenedZip {
  /** To be asked for once. */
  entries(): AsyncIterable<Entry>
  /** The bytes of an entry as they were packed. Throws for one that is encrypted, or packed in a way that nobody uses. */
  read(entry: Entry): Promise<AsyncIterable<Buffer>>
  close(): void
}

/** Opens a zip. Sizes in its own lists are not believed; who reads counts what really comes. */
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
/** Bytes that are inflated at once: a quarter of the work that the usual 16 KB take, each with a turn of a thread. */
const inflatedAtOnce = 1 << 18
/** Bytes of the file that are read at once. */
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
  // Who reads hears of errors, and ends the reading of the file when it stops early.
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
