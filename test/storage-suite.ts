import { createHash, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type StorageDriver, StorageMismatch, StorageNotFound } from '#server/storage/driver.ts'

/** Yields the bytes in chunks, as from a network or a disk. */
export async function* inPieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function readAll(driver: StorageDriver, key: string, range?: { start: number; end: number }) {
  const chunks: Uint8Array[] = []
  for await (const chunk of await driver.read(key, range)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export async function keysBelow(driver: StorageDriver, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of driver.list(prefix)) keys.push(key)
  return keys
}

const type = 'application/octet-stream'

export const put = (driver: StorageDriver, key: string, bytes: Uint8Array) =>
  driver.write(key, inPieces(bytes), { type, size: bytes.length })

/**
 * Defines the tests of the contract of every driver. The code that uses a driver ensures that no key is a folder of
 * another key. Each test has its own prefix.
 */
export function describeDriver(open: () => StorageDriver): void {
  const prefixes = (function* () {
    for (let n = 1; ; n++) yield `${n}-${randomBytes(4).toString('hex')}`
  })()
  const newPrefix = () => prefixes.next().value as string

  it('returns the bytes and the size of a written file, including an empty file', async () => {
    const driver = open()
    const prefix = newPrefix()
    for (const size of [0, 1, 65_536, 3_000_001]) {
      const bytes = randomBytes(size)
      const key = `${prefix}/${size}`
      await put(driver, key, bytes)
      expect((await readAll(driver, key)).equals(bytes)).toBe(true)
      const found = await driver.stat(key)
      expect(found).toEqual({ key, size, modifiedAt: expect.any(Date) })
      expect(Math.abs((found?.modifiedAt.getTime() ?? 0) - Date.now())).toBeLessThan(120_000)
    }
  })

  it('reads byte ranges, and throws StorageNotFound for a range after the end of the file', async () => {
    const driver = open()
    const key = `${newPrefix()}/ranges`
    const bytes = randomBytes(1000)
    await put(driver, key, bytes)
    for (const [start, end] of [
      [0, 0],
      [10, 19],
      [999, 999],
      [0, 999],
      [990, 5000],
    ] as const)
      expect((await readAll(driver, key, { start, end })).equals(bytes.subarray(start, end + 1))).toBe(true)
    await expect(readAll(driver, key, { start: 1000, end: 1001 })).rejects.toBeInstanceOf(StorageNotFound)
  })

  it('throws StorageNotFound for reading or copying an unknown key, but not for deleting it', async () => {
    const driver = open()
    const key = `${newPrefix()}/nothing`
    expect(await driver.stat(key)).toBeUndefined()
    await expect(driver.read(key)).rejects.toBeInstanceOf(StorageNotFound)
    await expect(driver.copy(key, `${key}-copy`)).rejects.toBeInstanceOf(StorageNotFound)
    await driver.delete(key)
  })

  it('replaces, copies and deletes files', async () => {
    const driver = open()
    const prefix = newPrefix()
    await put(driver, `${prefix}/a`, Buffer.from('first'))
    await put(driver, `${prefix}/a`, Buffer.from('second'))
    await driver.copy(`${prefix}/a`, `${prefix}/deep/er/b`)
    await driver.delete(`${prefix}/a`)
    expect(await driver.stat(`${prefix}/a`)).toBeUndefined()
    expect((await readAll(driver, `${prefix}/deep/er/b`)).toString()).toBe('second')
  })

  it('lists the keys that start with a prefix, in byte order', async () => {
    const driver = open()
    const prefix = newPrefix()
    const keys = ['a-b', 'a.b/c', 'a/b', 'a0', 'b/c/d', 'b/c/e', 'bc'].map((name) => `${prefix}/${name}`)
    for (const key of keys.toReversed()) await put(driver, key, Buffer.from(key))
    await put(driver, `${prefix}0/other`, Buffer.from('x'))
    expect(await keysBelow(driver, `${prefix}/`)).toEqual(keys)
    expect(await keysBelow(driver, `${prefix}/b/`)).toEqual(keys.filter((key) => key.includes('/b/c/')))
    expect(await keysBelow(driver, `${prefix}/a`)).toEqual(keys.slice(0, 4))
    expect(await keysBelow(driver, `${prefix}/none/`)).toEqual([])
  })

  it('stores nothing if the size or hash is wrong, the body fails, or the write is aborted', async () => {
    const driver = open()
    const key = `${newPrefix()}/lies`
    const bytes = randomBytes(200_000)
    const sha256 = hashOf(bytes)
    const write = (options: { size: number; sha256?: string }, body: AsyncIterable<Uint8Array>) =>
      driver.write(key, body, { type, ...options })
    await expect(write({ size: bytes.length + 1 }, inPieces(bytes))).rejects.toBeInstanceOf(StorageMismatch)
    await expect(write({ size: bytes.length - 1 }, inPieces(bytes))).rejects.toBeInstanceOf(StorageMismatch)
    const other = Buffer.from(bytes)
    other[100] = (other[100] ?? 0) ^ 1
    await expect(write({ size: bytes.length, sha256 }, inPieces(other))).rejects.toBeInstanceOf(
      StorageMismatch,
    )
    const broken = (async function* () {
      yield bytes.subarray(0, 100_000)
      throw new Error('the sender has gone')
    })()
    await expect(write({ size: bytes.length }, broken)).rejects.toThrow('the sender has gone')
    const stop = new AbortController()
    const stopped = (async function* () {
      yield bytes.subarray(0, 100_000)
      stop.abort()
      yield bytes.subarray(100_000)
    })()
    await expect(
      driver.write(key, stopped, { type, size: bytes.length, signal: stop.signal }),
    ).rejects.toThrow()
    expect(await driver.stat(key)).toBeUndefined()
    await write({ size: bytes.length, sha256 }, inPieces(bytes))
    expect((await readAll(driver, key)).equals(bytes)).toBe(true)
  })

  it('stores nothing if a stream with the wrong hash or size ends late', async () => {
    const driver = open()
    const key = `${newPrefix()}/late`
    const bytes = randomBytes(1000)
    const late = (end: Uint8Array[] = []) =>
      async function* () {
        yield bytes
        await setTimeout(100)
        yield* end
      }
    const sha256 = hashOf(Buffer.from('other bytes'))
    const wrong = driver.write(key, late(), { type, size: bytes.length, sha256 })
    await expect(wrong).rejects.toBeInstanceOf(StorageMismatch)
    const tooMany = driver.write(key, late([Buffer.from('x')]), { type, size: bytes.length })
    await expect(tooMany).rejects.toBeInstanceOf(StorageMismatch)
    expect(await driver.stat(key)).toBeUndefined()
    await driver.write(key, late(), { type, size: bytes.length })
    expect((await readAll(driver, key)).equals(bytes)).toBe(true)
  })

  it('accepts a function that returns the body', async () => {
    const driver = open()
    const key = `${newPrefix()}/again`
    const bytes = randomBytes(100_000)
    await driver.write(key, () => inPieces(bytes), { type, size: bytes.length, sha256: hashOf(bytes) })
    expect((await readAll(driver, key)).equals(bytes)).toBe(true)
  })

  it('stores one complete body when a key is written several times concurrently', async () => {
    const driver = open()
    const key = `${newPrefix()}/at-once`
    const contents = Array.from({ length: 8 }, (_, n) => Buffer.alloc(100_000, n))
    await Promise.all(contents.map((bytes) => put(driver, key, bytes)))
    const kept = await readAll(driver, key)
    expect(contents.some((bytes) => bytes.equals(kept))).toBe(true)
  })

  it('rejects invalid keys', async () => {
    const driver = open()
    for (const key of [
      '',
      '/',
      '../x',
      'a/../b',
      'a//b',
      '/etc/passwd',
      'a/',
      '.incoming/x',
      'a/.b',
      'a\\b',
      'a\0b',
      '写真',
      'x'.repeat(600),
    ]) {
      await expect(put(driver, key, Buffer.from('x')), key).rejects.toBeInstanceOf(RangeError)
      await expect(driver.read(key), key).rejects.toBeInstanceOf(RangeError)
      await expect(driver.stat(key), key).rejects.toBeInstanceOf(RangeError)
      await expect(driver.delete(key), key).rejects.toBeInstanceOf(RangeError)
      await expect(driver.copy('a', key), key).rejects.toThrow()
    }
  })
}
