import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Made } from './transform-file.ts'

/** What was made before, on the disk: `size` bytes from `start` of the file. */
export interface Kept {
  path: string
  start: number
  size: number
  mediaType: string
}

/**
 * Results of transforms in a folder, by keys of hex digits. They outlive the process; several processes may share the
 * folder. What is damaged counts as not there. When there is more than the cap, the least recently used goes.
 */
export interface TransformCache {
  find(key: string): Promise<Kept | undefined>
  keep(key: string, made: Made): Promise<void>
  /** It was not as it should be, or is gone. */
  forget(key: string): Promise<void>
  /** Waits for what is still being written or removed. */
  close(): Promise<void>
}

/** In front of the bytes: who wrote it, the sum and number of the bytes, their type; filled up with spaces. */
const headBytes = 128
const mark = 'imori-1'
/** Milliseconds between notes of an entry's use. */
const touchEvery = 3_600_000
/** What is left when room was made, and how old a file must be that nobody finished. */
const fillTo = 0.9
const leftoverAge = 3_600_000
const maximumKnown = 20_000

export function createTransformCache(folder: string, cap: number): TransformCache {
  /** Entries whose bytes were seen to be right, with when their use was last noted. */
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

/** Names in a folder; none if there is no such folder. */
const namesIn = (folder: string) => readdir(folder).catch(() => [])

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function headOf(bytes: Uint8Array, mediaType: string): Buffer {
  return Buffer.from(
    `${mark} ${sumOf(bytes)} ${bytes.length} ${mediaType}`.padEnd(headBytes - 1).concat('\n'),
  )
}

/** The type of what a file holds; undefined when it is not what was written. */
function checkedType(file: Buffer): string | undefined {
  const [written, sum, size, mediaType] = file.toString('latin1', 0, headBytes).split(/\s+/)
  const body = file.subarray(headBytes)
  const isWhole = written === mark && Number(size) === body.length && sumOf(body) === sum
  return isWhole ? mediaType : undefined
}
