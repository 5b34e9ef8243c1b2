import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder, writeTestZip } from '#rescue/testing/helpers.ts'
import { rescueThreeApps, zipOfApps } from '#test/newt-stand-in/three-apps.ts'
import { type Fault, withFault } from '#test/read-faults.ts'
import { sourceFixture, tarred, zipped } from '#test/source-fixtures.ts'
import { convertSource } from './from/convert.ts'
import { archivesIn } from './several.ts'
import { openArchive } from './source.ts'
import { verifyArchive } from './verify.ts'
import { writeFolderZip } from './zip.ts'

/*
 * If a read fails or a reader stops, the error must reach the reader. An unhandled error would end the process and all
 * its other work.
 */

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (...path: string[]) => join(folder.path, ...path)
let appFolder: string
let severalApps: string

beforeAll(async () => {
  folder = await temporaryFolder()
  await mkdir(at('apps'))
  await rescueThreeApps(at('apps'))
  severalApps = at('apps.zip')
  await writeFile(severalApps, await zipOfApps(at('apps')))
  const [first = ''] = await archivesIn(at('apps'))
  appFolder = at('apps', first)
  await writeFolderZip(appFolder, at('app.zip'))
})
afterAll(() => folder.remove())

/** The reads to fail: the first eight, and a sample of the others. */
const some = (reads: number) =>
  Array.from({ length: reads }, (_, read) => read).filter(
    (read) => read < 8 || read % Math.ceil(reads / 8) === 0,
  )

/** Runs the work once per selected read and fault, making that read fail. Returns the total number of reads. */
async function failEverywhere(work: () => Promise<unknown>): Promise<number> {
  const whole = await withFault(work)
  expect({ status: whole.outcome.status, uncaught: whole.uncaught }).toEqual({
    status: 'fulfilled',
    uncaught: [],
  })
  for (const read of some(whole.reads))
    for (const fault of ['error', 'end'] satisfies Fault[])
      expect({ read, fault, uncaught: (await withFault(work, read, fault)).uncaught }).toEqual({
        read,
        fault,
        uncaught: [],
      })
  return whole.reads
}

describe('a failed read', () => {
  it.each([
    ['checking a zip', () => verifyArchive(at('app.zip'))],
    ['checking a folder', () => verifyArchive(appFolder)],
    ['listing the apps in a zip', () => archivesIn(severalApps)],
    [
      'checking one of several apps',
      async () => verifyArchive(severalApps, { part: (await archivesIn(at('apps')))[1] }),
    ],
    ['packing a folder', () => writeFolderZip(appFolder, at('packed.zip'))],
  ])('causes no uncaught error when %s', { tags: ['full'] }, async (_, work) => {
    expect(await failEverywhere(work)).toBeGreaterThan(5)
  })

  it('makes the packing of a folder fail, and leaves no partial zip', async () => {
    const pack = () => writeFolderZip(appFolder, at('half.zip'))
    await rm(at('half.zip'), { force: true })
    const { outcome } = await withFault(pack, 1)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'EIO' } })
    expect((await readdir(folder.path)).filter((name) => name.startsWith('half'))).toEqual([])
  })

  it.each(['wordpress', 'markdown', 'csv'])(
    'causes no uncaught error when converting a %s upload',
    { tags: ['full'] },
    async (source) => {
      const files = await sourceFixture(source)
      const [[name, alone] = ['', Buffer.alloc(0)]] = files
      const uploads = { zip: await zipped(files), 'tar.gz': await tarred(files), [name]: alone }
      for (const [kind, bytes] of Object.entries(uploads)) {
        await writeFile(at('upload'), bytes)
        const work = async () => {
          await rm(at('work'), { recursive: true, force: true })
          // An unsupported upload is refused, which also ends reading early.
          return convertSource(at('upload'), {
            name: `x.${kind}`,
            folder: at('work'),
            zone: 'Z',
            renderMarkdown: (text) => text,
            fetchFile: async () => Promise.reject(new Error('not asked for')),
            onProgress: () => {},
          }).catch((error: unknown) => error)
        }
        expect(await failEverywhere(work)).toBeGreaterThan(0)
      }
    },
  )
})

describe('reading an archive', () => {
  it('causes no error when three readers of a zip stop after one, two or three chunks of each entry', async () => {
    // The content is incompressible, so that each entry takes several reads.
    const noise = Buffer.concat(
      Array.from({ length: 10_000 }, (_, index) => createHash('sha256').update(`${index}`).digest()),
    )
    const entries = Array.from({ length: 12 }, (_, index): [string, Buffer] => [`${index}.bin`, noise])
    const path = await writeTestZip(folder.path, entries)
    for (const after of [0, 1, 2]) {
      const { outcome, uncaught } = await withFault(async () => {
        const source = await openArchive(path)
        const names = entries.map(([name]) => name)
        // Several readers at the same time, as when one app is checked while another is imported.
        const readAll = async () => {
          for (const name of names) {
            let chunks = 0
            for await (const _ of source.read(name, 1_000_000)) if (++chunks > after) break
          }
        }
        await Promise.all([readAll(), readAll(), readAll()])
        source.close()
      })
      expect(uncaught).toEqual([])
      expect(outcome.status).toBe('fulfilled')
    }
  })

  it('causes no uncaught error when the zip is closed during reads or a requested file is missing', async () => {
    const { uncaught, outcome } = await withFault(async () => {
      const source = await openArchive(severalApps, '')
      const names: string[] = []
      for await (const name of source.list()) names.push(name)
      const reads = names.slice(0, 20).map(async (name) => {
        for await (const _ of source.read(name, 1_000_000));
      })
      await new Promise((resolve) => setImmediate(resolve))
      source.close()
      await Promise.allSettled(reads)
      const inFolder = await openArchive(appFolder)
      const missing = inFolder.read('nothing-of-that-name', 10)[Symbol.asyncIterator]()
      // This takes longer than opening a missing file.
      for (let turns = 0; turns < 3; turns++) await readdir(appFolder)
      await expect(missing.next()).rejects.toMatchObject({ code: 'ENOENT' })
    })
    expect(uncaught).toEqual([])
    expect(outcome.status).toBe('fulfilled')
  })

  it('fails without an uncaught error for a zip with an offset beyond the end of the file', async () => {
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    const locator = Buffer.alloc(20)
    locator.writeUInt32LE(0x07064b50, 0)
    locator.writeBigUInt64LE(2n ** 63n, 8)
    await writeFile(at('beyond.zip'), Buffer.concat([Buffer.alloc(100), locator, end]))
    const { outcome, uncaught } = await withFault(() => openArchive(at('beyond.zip')))
    expect(uncaught).toEqual([])
    expect(outcome.status).toBe('rejected')
  })
})
