import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTransformCache, type Kept, type TransformCache } from './transform-cache.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-cache-'))
})
afterEach(() => rm(folder, { recursive: true }))

const made = (bytes: Buffer) => ({ bytes, mediaType: 'image/webp', width: 1, height: 1 })
const bytesOf = async ({ path, start, size }: Kept) => (await readFile(path)).subarray(start, start + size)
const keyOf = (number: number) => number.toString(16).padStart(40, '0')
const names = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

async function using<T>(cap: number, work: (cache: TransformCache) => Promise<T>): Promise<T> {
  const cache = createTransformCache(folder, cap)
  const result = await work(cache)
  await cache.close()
  return result
}

it('the cache keeps a result, even after the cache is closed and created again', async () => {
  const bytes = Buffer.from('a picture')
  await using(1_000_000, async (cache) => {
    expect(await cache.find(keyOf(1))).toBeUndefined()
    await cache.keep(keyOf(1), made(bytes))
    const kept = await cache.find(keyOf(1))
    expect(kept && (await bytesOf(kept))).toEqual(bytes)
  })
  const kept = await using(1_000_000, (cache) => cache.find(keyOf(1)))
  expect(kept).toMatchObject({ size: bytes.length, mediaType: 'image/webp' })
  expect(kept && (await bytesOf(kept))).toEqual(bytes)
})

it('a new cache treats a damaged entry as missing and deletes it', async () => {
  const kept = await using(1_000_000, async (cache) => {
    await cache.keep(keyOf(1), made(Buffer.from('a picture')))
    return cache.find(keyOf(1))
  })
  const path = String(kept?.path)
  const right = await readFile(path)
  const flipped = Buffer.from(right)
  flipped[130] = (flipped[130] ?? 0) ^ 1
  for (const wrong of [
    right.subarray(0, -1),
    Buffer.concat([right, right]),
    flipped,
    Buffer.alloc(0),
    right.subarray(128),
  ]) {
    await writeFile(path, wrong)
    expect(await using(1_000_000, (cache) => cache.find(keyOf(1)))).toBeUndefined()
    expect(await names()).toEqual([])
  }
})

it('the cache removes old unfinished files, and the least recently used entries above its size limit', async () => {
  const hour = 3_600_000
  const body = Buffer.alloc(10_000)
  await using(1_000_000, async (cache) => {
    for (let number = 0; number < 10; number++) {
      await cache.keep(keyOf(number), made(body))
      const path = String((await cache.find(keyOf(number)))?.path)
      const then = new Date(Date.now() - (number === 3 ? 0 : 20 - number) * hour)
      await utimes(path, then, then)
    }
  })
  const leftover = join(folder, '00', `${keyOf(3)}.abc.tmp`)
  await writeFile(leftover, 'half')
  await utimes(leftover, new Date(0), new Date(0))
  await using(50_000, (cache) => cache.keep(keyOf(10), made(body)))
  const left = await names()
  expect(left).toHaveLength(4)
  expect(left).toEqual(expect.arrayContaining([keyOf(3), keyOf(10), keyOf(9)]))
})
