import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Made } from './transform-file.ts'

/** A cached result on disk: `size` bytes from `start` of the file. */
export interface Kept {
  path: string
  start: number
  size: number
  mediaType: string
}

/**
 * Cache of transform results in a folder, by hex keys. It persists across restarts and may be shared by processes.
 * Damaged entries count as missing. Above the cap, the least recently used entries are removed.
 */
export interface TransformCache {
  find(key: string): Promise<Kept | undefined>
  keep(key: string, made: Made): Promise<void>
  /** Removes an entry whose file is damaged or missing. */
  forget(key: string): Promise<void>
  /** Waits for pending updates of the last use and for a running clean-up. */
  close(): Promise<void>
}

/** Length in bytes of the header before the content: format mark, hash, size and media type, padded with spaces. */
const headBytes = 128
const mark = 'imori-1'
/** Minimum number of milliseconds between two updates of an entry's last use. */
const touchEvery = 3_600_000
/** Share of the cap that remains after a clean-up, and the age in ms at which an unfinished file is removed. */
const fillTo = 0.9
const leftoverAge = 3_600_000
const maximumKnown = 20_000

export function createTransformCache(folder: string, cap: number): TransformCache {
  /** Entries whose content was verified, with the time at which their use was last recorded. */
  const known = new Map<string, { kept: Kept; touched: number }>()
  let used: number | undefined
  let clearing: Promise<void> | undefined
  const pending = new Set<Promise<unknown>>()

  const pathOf = (key: string) => join(folder, key.slice(0, 2), key)

  function remember(key: string, kept: Kept): Kept {
    if (known.size >= maximumKnown) known.clear()
    known.set(key, { kept, touched: performance.now() })
    return kept
  }

  function later(work: Promise<unknown>): void {
    const watched = work.catch(() => {}).finally(() => pending.delete(watched))
    pending.add(watched)
  }

  async function clear(): Promise<void> {
    const files: { path: string; size: number; at: number }[] = []
    let sum = 0
    for (const part of await namesIn(folder))
      for (const name of await namesIn(join(folder, part))) {
        const path = join(folder, part, name)
        const found = await stat(path).catch(() => undefined)
        if (!found?.isFile()) continue
        const isLeftover = name.endsWith('.tmp')
        if (isLeftover && Date.now() - found.mtimeMs > leftoverAge) await rm(path, { force: true })
        if (isLeftover) continue
        files.push({ path, size: found.size, at: found.mtimeMs })
        sum += found.size
      }
    if (sum > cap)
      for (const { path, size } of files.sort((a, b) => a.at - b.at)) {
        if (sum <= cap * fillTo) break
        await rm(path, { force: true })
        known.delete(basename(path))
        sum -= size
      }
    used = sum
  }

  return {
    async find(key) {
      const entry = known.get(key)
      if (entry) {
        if (performance.now() - entry.touched > touchEvery) {
          entry.touched = performance.now()
          later(utimes(entry.kept.path, new Date(), new Date()))
        }
        return entry.kept
      }
      const path = pathOf(key)
      const bytes = await readFile(path).catch(() => undefined)
      if (!bytes) return undefined
      const mediaType = checkedType(bytes)
      if (mediaType === undefined) {
        await rm(path, { force: true })
        return undefined
      }
      later(utimes(path, new Date(), new Date()))
      return remember(key, { path, start: headBytes, size: bytes.length - headBytes, mediaType })
    },
    async keep(key, { bytes, mediaType }) {
      const path = pathOf(key)
      const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
      await mkdir(join(folder, key.slice(0, 2)), { recursive: true })
      try {
        const file = await open(draft, 'wx', 0o600)
        try {
          await file.writev([headOf(bytes, mediaType), bytes])
        } finally {
          await file.close()
        }
        await rename(draft, path)
      } catch (error) {
        await rm(draft, { force: true }).catch(() => {})
        throw error
      }
      remember(key, { path, start: headBytes, size: bytes.length, mediaType })
      if (used !== undefined) used += bytes.length + headBytes
      if (used === undefined || used > cap) {
        clearing ??= clear().finally(() => {
          clearing = undefined
        })
        later(clearing)
      }
    },
    async forget(key) {
      known.delete(key)
      await rm(pathOf(key), { force: true })
    },
    async close() {
      await Promise.all(pending)
    },
  }
}

/** Returns the names in a folder. Empty if the folder does not exist or cannot be read. */
const namesIn = (folder: string) => readdir(folder).catch(() => [])

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function headOf(bytes: Uint8Array, mediaType: string): Buffer {
  return Buffer.from(
    `${mark} ${sumOf(bytes)} ${bytes.length} ${mediaType}`.padEnd(headBytes - 1).concat('\n'),
  )
}

/** Returns the media type of a cached file. `undefined` if its content is damaged. */
function checkedType(file: Buffer): string | undefined {
  const [written, sum, size, mediaType] = file.toString('latin1', 0, headBytes).split(/\s+/)
  const body = file.subarray(headBytes)
  const isWhole = written === mark && Number(size) === body.length && sumOf(body) === sum
  return isWhole ? mediaType : undefined
}
