import { randomBytes } from 'node:crypto'
import { createReadStream, type Dirent } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, statfs, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkedBytes } from './checked-bytes.ts'
import {
  type Bytes,
  type StorageDriver,
  StorageFull,
  StorageNotFound,
  type StoredObject,
  type WriteOptions,
} from './driver.ts'
import { isStorageKey, requireStorageKey, requireStoragePrefix } from './keys.ts'

const gigabyte = 1024 ** 3

/**
 * Returns the number of bytes to keep free on a disk of that size. PostgreSQL may share the disk and cannot run on a
 * full disk.
 */
export const usualReserve = (diskSize: number) => Math.max(gigabyte, diskSize / 20)

/**
 * Folder of incomplete writes, on the same file system as their targets. No key starts with a dot, so no stored object
 * is in this folder.
 */
const incoming = '.incoming'

export interface LocalStorage extends StorageDriver {
  /** Removes files of interrupted writes `minutes` after their last byte. Returns the number of removed files. */
  removeLeftovers(minutes: number): Promise<number>
}

/**
 * Creates a storage of files below a folder, by key. `reserve` returns the bytes to keep free on a disk of a given
 * size.
 */
export function createLocalStorage(
  folder: string,
  reserve: (diskSize: number) => number = usualReserve,
): LocalStorage {
  const pathOf = (key: string) => {
    requireStorageKey(key)
    return join(folder, ...key.split('/'))
  }

  async function statFile(key: string): Promise<StoredObject | undefined> {
    const found = await stat(pathOf(key)).catch(ignoreMissing)
    return found?.isFile() ? { key, size: found.size, modifiedAt: found.mtime } : undefined
  }

  async function checkSpace(size: number): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(folder)
    if (bavail * bsize - size < reserve(blocks * bsize)) throw new StorageFull()
  }

  /** Creates a folder with its parents and syncs them, so that they survive a power failure. */
  async function makeFolder(path: string): Promise<void> {
    const first = await mkdir(path, { recursive: true })
    if (first === undefined) return
    for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
  }

  async function write(key: string, bytes: Bytes, options: WriteOptions): Promise<void> {
    const path = pathOf(key)
    const draft = join(folder, incoming, randomBytes(12).toString('hex'))
    try {
      await makeFolder(join(folder, incoming))
      await checkSpace(options.size)
      const file = await open(draft, 'wx', 0o600)
      try {
        for await (const chunk of checkedBytes(bytes, options)) {
          options.signal?.throwIfAborted()
          await file.writeFile(chunk)
        }
        await file.sync()
      } finally {
        await file.close()
      }
      options.signal?.throwIfAborted()
      await makeFolder(dirname(path))
      await rename(draft, path)
      await syncFolder(dirname(path))
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {})
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOSPC' || code === 'EDQUOT') throw new StorageFull(error)
      throw error
    }
  }

  async function* read(
    key: string,
    size: number,
    range: { start: number; end: number } | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    if (size === 0) return
    try {
      yield* createReadStream(pathOf(key), { ...range, ...(signal ? { signal } : {}) })
    } catch (error) {
      if (isMissing(error)) throw new StorageNotFound()
      throw error
    }
  }

  async function* listBelow(parts: string[], prefix: string): AsyncGenerator<StoredObject> {
    const entries =
      (await readdir(join(folder, ...parts), { withFileTypes: true }).catch(ignoreMissing)) ?? []
    // The slash sorts folders like the keys in them: entries below `a` come after `a-`.
    const named = entries.map((entry) => ({
      entry,
      name: entry.isDirectory() ? `${entry.name}/` : entry.name,
    }))
    for (const { entry, name } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = [...parts, entry.name]
      const key = [...parts, name].join('/')
      if (!isOurs(entry, below) || !(key.startsWith(prefix) || prefix.startsWith(key))) continue
      if (entry.isDirectory()) yield* listBelow(below, prefix)
      else {
        const found = key.startsWith(prefix) && (await statFile(key))
        if (found) yield found
      }
    }
  }

  return {
    kind: 'local',
    async read(key, range, signal) {
      const found = await statFile(key)
      if (!found || (range && range.start >= found.size)) throw new StorageNotFound()
      return read(key, found.size, range, signal)
    },
    pathOf,
    write,
    async delete(key) {
      await unlink(pathOf(key)).catch(ignoreMissing)
    },
    stat: statFile,
    async copy(from, to) {
      const found = await statFile(from)
      if (!found) throw new StorageNotFound()
      await write(to, read(from, found.size, undefined, undefined), { type: '', size: found.size })
    },
    async *list(prefix) {
      requireStoragePrefix(prefix)
      yield* listBelow([], prefix)
    },
    signPut: async () => null,
    async removeLeftovers(minutes) {
      let removed = 0
      for (const name of (await readdir(join(folder, incoming)).catch(ignoreMissing)) ?? []) {
        const path = join(folder, incoming, name)
        const found = await stat(path).catch(ignoreMissing)
        if (!found || Date.now() - found.mtimeMs < minutes * 60_000) continue
        await rm(path, { force: true })
        removed++
      }
      return removed
    },
  }
}

const isOurs = (entry: Dirent, parts: string[]) =>
  (entry.isDirectory() || entry.isFile()) && isStorageKey(parts.join('/'))

const isMissing = (error: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

/** Syncs the entries of a folder. Windows has no such operation. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
