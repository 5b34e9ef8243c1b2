import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Entry } from 'yauzl'
import { UnsafeName } from './errors.ts'
import { fileBytes } from './files.ts'
import { finishedWorkingFolder, isLitter, workingFolder } from './names.ts'
import { type OpenedZip, openZipFile } from './zip-entries.ts'

/** An archive to read: a folder, or a zip with the same files. Paths are relative, with forward slashes. */
export interface ArchiveSource {
  /** Yields all files, except working files and files that operating systems create. */
  list(): AsyncIterable<string>
  /** Returns false if there is no plain file with that path. */
  has(path: string): Promise<boolean>
  /**
   * Yields the bytes of a file. Throws `ENOENT` if it is missing, and `TooManyBytes` after `most` bytes, regardless of
   * the size in a header.
   */
  read(path: string, most: number): AsyncIterable<Buffer>
  close(): void
}

export class TooManyBytes extends Error {}

/**
 * Opens a folder or a zip file. Throws if the path does not exist, or if the file is not a zip. `part`: the subfolder
 * that contains the archive if there are several; `''`: everything at the top level.
 */
export async function openArchive(path: string, part?: string): Promise<ArchiveSource> {
  const found = await lstat(path)
  return found.isFile() ? openZip(path, part) : folderSource(part ? join(path, part) : path)
}

function folderSource(dir: string): ArchiveSource {
  async function* walk(prefix: string): AsyncGenerator<string> {
    for (const entry of await readdir(join(dir, prefix), { withFileTypes: true })) {
      const path = prefix ? `${prefix}/${entry.name}` : entry.name
      // The working folder of an unfinished run is not part of the archive.
      if ([workingFolder, finishedWorkingFolder].includes(path) || isLitter(entry.name)) continue
      if (entry.isDirectory()) yield* walk(path)
      else yield path
    }
  }
  return {
    list: () => walk(''),
    // Links are not accepted, because their targets may be outside the archive.
    has: async (path) => (await lstat(join(dir, path)).catch(() => undefined))?.isFile() ?? false,
    read: (path, most) => capped(fileBytes(join(dir, path)), most),
    close: () => {},
  }
}

/**
 * Returns whether an entry is a regular file. Links are refused because their targets may be outside the archive.
 * Devices and other special entries have no content.
 */
function isPlain({ externalFileAttributes }: Entry): boolean {
  const kind = (externalFileAttributes >>> 16) & 0o170000
  return kind === 0 || kind === 0o100000
}

const isFile = (entry: Entry | undefined): entry is Entry => entry !== undefined && isPlain(entry)

async function openZip(path: string, part?: string): Promise<ArchiveSource> {
  const zip = await openZipFile(path)
  try {
    const { entries, doubles } = await readEntries(zip, part)
    return {
      async *list() {
        yield* entries.keys()
        // Duplicate names are listed as additional files, because zip readers disagree on which entry is valid.
        for (const name of doubles) yield `${name} (2)`
      },
      has: async (name) => isFile(entries.get(name)),
      async *read(name, most) {
        const entry = entries.get(name)
        if (!isFile(entry)) throw Object.assign(new Error('no such entry'), { code: 'ENOENT' })
        yield* capped(await zip.read(entry), most)
      },
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    const { fileName } = unsafeName.exec((error as Error).message)?.groups ?? {}
    throw fileName === undefined ? error : new UnsafeName(fileName, { cause: error })
  }
}

/** Messages of the zip library for names that contain a backslash, or lead to a parent folder, the root or a drive. */
const unsafeName =
  /^(?:invalid relative path|absolute path|invalid characters in fileName): (?<fileName>.*)$/s

/**
 * Returns a copy of an entry with only the fields needed to read it. It takes a third of the memory; an archive has one
 * entry for each file.
 */
function light(entry: Entry): Entry {
  const { generalPurposeBitFlag, compressionMethod, compressedSize, uncompressedSize } = entry
  const { relativeOffsetOfLocalHeader, externalFileAttributes } = entry
  return Object.assign(Object.create(Entry.prototype) as Entry, {
    generalPurposeBitFlag,
    compressionMethod,
    compressedSize,
    uncompressedSize,
    relativeOffsetOfLocalHeader,
    externalFileAttributes,
  })
}

/**
 * Returns the files of a zip, or of the subfolder `part`, by name. If the archive is in a subfolder, as in zips of
 * Explorer and Finder, the names are relative to it.
 */
async function readEntries(
  zip: OpenedZip,
  part: string | undefined,
): Promise<{ entries: Map<string, Entry>; doubles: string[] }> {
  const all = new Map<string, Entry>()
  const doubles: string[] = []
  for await (const entry of zip.entries()) {
    const name = entry.fileName
    const last = name.slice(name.lastIndexOf('/') + 1)
    if (last === '' || isLitter(last) || name.startsWith('__MACOSX/')) continue
    if (all.has(name)) doubles.push(name)
    else all.set(name, light(entry))
  }
  const readable = (entries: Iterable<[string, Entry]>) =>
    new Map([...entries].filter(([name]) => !isWorking(name)))
  if (part === '' || (part === undefined && all.has('manifest.json')))
    return { entries: readable(all), doubles: doubles.filter((name) => !isWorking(name)) }
  const folder = part ?? [...all.keys()].find((name) => /^[^/]+\/manifest\.json$/.test(name))?.split('/')[0]
  if (folder === undefined) return { entries: all, doubles }
  const isInside = (name: string) => name.startsWith(`${folder}/`)
  const inside = (name: string) => (isInside(name) ? name.slice(folder.length + 1) : name)
  // If the zip contains one archive, other files are unexpected and listed. If it contains several, they belong to
  // other archives.
  const isOwn = (name: string) => part === undefined || isInside(name)
  const entries = [...all].flatMap(([name, entry]): [string, Entry][] =>
    isOwn(name) ? [[inside(name), entry]] : [],
  )
  const own = doubles.filter(isOwn).map(inside)
  return { entries: readable(entries), doubles: own.filter((name) => !isWorking(name)) }
}

const isWorking = (name: string) =>
  name.startsWith(`${workingFolder}/`) || name.startsWith(`${finishedWorkingFolder}/`)

/** Yields the chunks. Throws `TooManyBytes` after `most` bytes. */
export async function* capped(chunks: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > most) throw new TooManyBytes()
    yield chunk
  }
}
