import { lstat, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { messagesFor, sentenceFor } from '#rescue/messages/messages.ts'
import {
  optionsFor,
  rescueAndVerify,
  snapshot,
  temporaryFolder,
  writeTestZip,
} from '#rescue/testing/helpers.ts'
import { leastCpuTime } from '#test/growth.ts'
import { sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { startStandIn } from '#test/newt-stand-in/server.ts'
import { verifyArchive } from './verify.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let out: string
let files: Map<string, string>

beforeAll(async () => {
  folder = await temporaryFolder()
  out = join(folder.path, 'archive')
  const standIn = await startStandIn(sampleSpace())
  const models = ['article', 'author', 'category', 'staff-member', 'empty']
  await rescueAndVerify(optionsFor(standIn, out, { models, zip: true }))
  await standIn.close()
  files = await snapshot(out)
})
afterAll(() => folder.remove())

const zipOf = (entries: Iterable<[string, string | Buffer]>) => writeTestZip(folder.path, entries)
const verify = async (path: string) => verifyArchive(path)
const kinds = async (path: string) => (await verify(path)).problems.map(({ kind }) => kind)

it('verifyArchive returns the same result for a zip as for its folder', async () => {
  const result = await verify(`${out}.zip`)
  expect(result).toEqual(await verify(out))
  expect(result.problems).toEqual([])
})

it('verifyArchive accepts a zip whose files are in a folder, with files added by macOS', async () => {
  const again = [...files].map(([name, text]): [string, string] => [`archive/${name}`, text])
  const litter = [
    '__MACOSX/archive/._app.json',
    'archive/.DS_Store',
    'archive/._manifest.json',
    'archive/assets/._x',
  ]
  const path = await zipOf([...again, ...litter.map((name): [string, string] => [name, 'x'])])
  expect((await verify(path)).problems).toEqual([])
})

it('verifyArchive ignores the working folder of a run, at the top level of the zip and in a folder', async () => {
  const working = ['.rescue/journal.ndjson', '.rescue-done/x'].map((name): [string, string] => [name, 'x'])
  const inFolder = (entries: [string, string | Buffer][]) =>
    entries.map(([name, text]): [string, string | Buffer] => [`archive/${name}`, text])
  expect(await kinds(await zipOf([...files, ...working]))).toEqual([])
  expect(await kinds(await zipOf(inFolder([...files, ...working])))).toEqual([])
})

it('verifyArchive reports missing, unexpected, changed and duplicate files', async () => {
  const [asset = ''] = [...files.keys()].filter((name) => name.startsWith('assets/'))
  const without = [...files].filter(([name]) => name !== asset)
  expect(await kinds(await zipOf(without))).toEqual(['lost'])
  expect(await kinds(await zipOf([...files, ['stray.txt', 'x']]))).toEqual(['extra'])
  expect(await kinds(await zipOf([...files, [asset, 'x']]))).toEqual(['extra'])
  expect(await kinds(await zipOf([...without, [asset, `${files.get(asset)}x`]]))).toEqual(['size'])
  expect(await kinds(await zipOf([...without, [asset, 'y'.repeat(files.get(asset)?.length ?? 0)]]))).toEqual([
    'hash',
  ])
  const names = (await verify(await zipOf([...files, ['x\u001b[2J', 'x']]))).problems
  expect(names).toHaveLength(1)
})

it('verifyArchive stops inflating a file that is larger than its size in the manifest', {
  tags: ['full'],
}, async () => {
  const [asset = ''] = [...files.keys()].filter((name) => name.startsWith('assets/'))
  const bomb = Buffer.alloc(300_000_000)
  const deflated = deflateRawSync(bomb, { level: 1 })
  const path = await zipOf([...[...files].filter(([name]) => name !== asset), [asset, bomb]])
  // The size in the headers of the zip is changed to match the manifest.
  const bytes = await readFile(path)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(bomb.length)
  const small = Buffer.alloc(4)
  small.writeUInt32LE(files.get(asset)?.length ?? 0)
  let changed = 0
  for (let at = bytes.indexOf(size); at >= 0; at = bytes.indexOf(size, at + 4)) {
    small.copy(bytes, at)
    changed += 1
  }
  expect(changed).toBeGreaterThanOrEqual(1)
  await writeFile(path, bytes)
  const start = process.memoryUsage().rss
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3; attempt++) {
    const begun = process.cpuUsage()
    expect(await kinds(path)).toEqual(['size'])
    least = Math.min(least, process.cpuUsage(begun).user / 1000)
  }
  expect(process.memoryUsage().rss - start).toBeLessThan(100_000_000)
  const inflated = leastCpuTime(() => inflateRawSync(deflated), 2)
  expect(least).toBeLessThan(inflated)
})

it('verifyArchive ignores files that macOS creates next to other files of a folder', async () => {
  const litter = ['._app.json', '.DS_Store', 'contents/._api', 'contents/api/._article.ndjson']
  for (const name of litter) await writeFile(join(out, name), 'x')
  expect((await verify(out)).problems).toEqual([])
  for (const name of litter) await rm(join(out, name))
})

it('verifyArchive reports truncated and invalid zips as damaged, but not a missing file', async () => {
  const whole = await readFile(`${out}.zip`)
  const path = join(folder.path, 'broken.zip')
  for (const bytes of [whole.subarray(0, whole.length / 2), whole.subarray(0, -10), 'PK', 'no zip', '']) {
    await writeFile(path, bytes)
    const error: unknown = await verify(path).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ reason: 'unopenable_file' })
    expect(sentenceFor(error, messagesFor('ja'))).toContain('zip が壊れているか、途中で切れています')
  }
  const nothing: unknown = await verify(join(folder.path, 'nothing')).catch((thrown: unknown) => thrown)
  expect(nothing).toMatchObject({ reason: 'other' })
  expect(sentenceFor(nothing, messagesFor('ja'))).not.toContain('壊れている')
})

it('verifyArchive reports a file as missing if a symbolic link is in its place', async () => {
  const app = join(out, 'app.json')
  await rename(app, join(folder.path, 'app.json'))
  await symlink(join(folder.path, 'app.json'), app)
  expect((await lstat(app)).isSymbolicLink()).toBe(true)
  expect(await kinds(out)).toContain('lost')
  await rm(app)
  await rename(join(folder.path, 'app.json'), app)
})
