import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeDriver, keysBelow, put } from '#test/storage-suite.ts'
import { StorageFull } from './driver.ts'
import { createLocalStorage, type LocalStorage, usualReserve } from './local.ts'

let folder: string
let driver: LocalStorage
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-local-storage-'))
  driver = createLocalStorage(join(folder, 'assets'), () => 0)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the local disk', () => {
  describeDriver(() => driver)

  it('leaves no temporary files after failed writes', async () => {
    expect(await readdir(join(folder, 'assets/.incoming'))).toEqual([])
  })

  it('lists only files with valid keys', async () => {
    const root = join(folder, 'strangers')
    const storage = createLocalStorage(root, () => 0)
    await put(storage, '1/aa/aa00', Buffer.from('ours'))
    await mkdir(join(root, '1/lost+found'))
    await writeFile(join(root, '1/aa/日本 語.txt'), 'x')
    await writeFile(join(root, '1/.DS_Store'), 'x')
    await writeFile(join(root, '.incoming/abc'), 'x')
    expect(await keysBelow(storage, '')).toEqual(['1/aa/aa00'])
  })

  it('throws StorageFull if a write would use the reserved space', async () => {
    expect(usualReserve(1000 ** 4)).toBe(50 * 1000 ** 3)
    expect(usualReserve(1000 ** 3)).toBe(1024 ** 3)
    const full = createLocalStorage(join(folder, 'full'), (diskSize) => diskSize)
    await expect(put(full, '1/x', Buffer.from('x'))).rejects.toBeInstanceOf(StorageFull)
    expect(await keysBelow(full, '')).toEqual([])
  })

  it('throws StorageFull on a full disk, and keeps the existing file', async ({ skip }) => {
    const disk = await mkdtemp(join(folder, 'disk-'))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' })
    } catch {
      skip('mounting is not allowed here')
    }
    try {
      const storage = createLocalStorage(disk, () => Number.NEGATIVE_INFINITY)
      await put(storage, '1/small', Buffer.alloc(100_000, 1))
      await expect(put(storage, '1/small', Buffer.alloc(2_000_000))).rejects.toBeInstanceOf(StorageFull)
      expect(await storage.stat('1/small')).toMatchObject({ size: 100_000 })
      expect(await readdir(join(disk, '.incoming'))).toEqual([])
      await put(storage, '1/other', Buffer.alloc(100_000))
    } finally {
      execFileSync('umount', [disk])
    }
  })

  it('leaves only a temporary file if the process is killed during a write, and removes that file later', async () => {
    const root = join(folder, 'killed')
    const script = `
      import { createLocalStorage } from ${JSON.stringify(fileURLToPath(new URL('./local.ts', import.meta.url)))}
      const slowly = (async function* () {
        yield Buffer.alloc(500_000, 1)
        process.stdout.write('half')
        await new Promise((resolve) => setTimeout(resolve, 60_000))
      })()
      await createLocalStorage(${JSON.stringify(root)}, () => 0).write('1/whole', slowly, { type: 'x/y', size: 1_000_000 })`
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = once(child, 'exit')
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await exit
    const storage = createLocalStorage(root, () => 0)
    expect(await keysBelow(storage, '')).toEqual([])
    const left = await readdir(join(root, '.incoming'))
    expect(left).toHaveLength(1)
    expect(await storage.removeLeftovers(60)).toBe(0)
    const longAgo = new Date(Date.now() - 61 * 60_000)
    await utimes(join(root, '.incoming', left[0] ?? ''), longAgo, longAgo)
    expect(await storage.removeLeftovers(60)).toBe(1)
    expect(await readdir(join(root, '.incoming'))).toEqual([])
  })
})
