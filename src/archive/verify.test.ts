import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  optionsFor,
  rescueAndVerify,
  snapshot,
  temporaryFolder,
  writeTestZip,
} from '#rescue/testing/helpers.ts'
import { sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { startStandIn } from '#test/newt-stand-in/server.ts'
import type { Gap, Manifest } from './format.ts'
import { verifyArchive } from './verify.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let saved: Map<string, string>

beforeAll(async () => {
  folder = await temporaryFolder()
  const out = join(folder.path, 'archive')
  const standIn = await startStandIn(sampleSpace())
  // `author` and `category` are discovered through references.
  const { verification } = await rescueAndVerify(
    optionsFor(standIn, out, { models: ['article', 'staff-member', 'empty'] }),
  )
  await standIn.close()
  expect(verification.problems).toEqual([])
  saved = await snapshot(out)
})
afterAll(() => folder.remove())

/** Returns the problems of an archive that was modified and whose hashes were updated. */
async function problemsAfter(change: (manifest: Manifest, files: Map<string, string>) => unknown) {
  const files = new Map(saved)
  const manifest = JSON.parse(Buffer.from(files.get('manifest.json') ?? '', 'latin1').toString())
  change(manifest, files)
  for (const file of manifest.files) {
    const bytes = Buffer.from(files.get(file.path) ?? '', 'latin1')
    file.bytes = bytes.length
    file.sha256 = createHash('sha256').update(bytes).digest('hex')
  }
  files.set('manifest.json', Buffer.from(JSON.stringify(manifest)).toString('latin1'))
  const path = await writeTestZip(folder.path, files)
  return (await verifyArchive(path)).problems
}

const modelIn = (manifest: Manifest, uid: string) => {
  const model = manifest.models.find((one) => one.uid === uid)
  if (!model) throw new Error(uid)
  return model
}

function drop(manifest: Manifest, files: Map<string, string>, path: RegExp): void {
  for (const name of [...files.keys()]) if (path.test(name)) files.delete(name)
  manifest.files = manifest.files.filter((file) => !path.test(file.path))
}

function swapFiles(
  manifest: Manifest,
  files: Map<string, string>,
  [one, other]: [string, string],
  views: ('api' | 'cdn')[],
): void {
  for (const view of views) {
    const [a, b] = [one, other].map((uid) => modelIn(manifest, uid)[view])
    if (!a || !b) throw new Error(view)
    const text = files.get(a.path) ?? ''
    files.set(a.path, files.get(b.path) ?? '')
    files.set(b.path, text)
    ;[a.count, b.count] = [b.count, a.count]
  }
}

function listGap(gap: Gap) {
  return ({ counts }: Manifest, files: Map<string, string>) => {
    files.set('gaps.ndjson', `${files.get('gaps.ndjson')}${JSON.stringify(gap)}\n`)
    counts.gaps.contents += 1
  }
}

it('verifyArchive reports no problem when a gap lists a content that was saved in part', async () => {
  const gap = { kind: 'content', view: 'api', model: 'article', id: 'f'.repeat(24), saved: true } as const
  expect(await problemsAfter(listGap(gap))).toEqual([])
})

it('verifyArchive reports no problem when only the hashes were recomputed', async () => {
  expect(await problemsAfter(() => {})).toEqual([])
})

it.each<[string, string, (manifest: Manifest, files: Map<string, string>) => unknown]>([
  [
    'a wrong sum of contents',
    'count',
    ({ counts }) => Object.assign(counts.contents, { api: counts.contents.api + 1 }),
  ],
  [
    'a wrong sum of published contents',
    'count',
    ({ counts }) => Object.assign(counts.contents, { cdn: counts.contents.cdn - 1 }),
  ],
  [
    'a wrong count of addresses',
    'count',
    ({ counts }) => Object.assign(counts.assets, { urls: counts.assets.urls + 1 }),
  ],
  [
    'a wrong count of files',
    'count',
    ({ counts }) => Object.assign(counts.assets, { files: counts.assets.files + 1 }),
  ],
  [
    'a wrong count of bytes',
    'count',
    ({ counts }) => Object.assign(counts.assets, { bytes: counts.assets.bytes + 1 }),
  ],
  ['a wrong count of gaps', 'count', ({ counts }) => Object.assign(counts.gaps, { assets: 0 })],
  [
    'the status `complete` with gaps',
    'manifest',
    (manifest) => Object.assign(manifest, { status: 'complete' }),
  ],
  [
    'deleted gaps with the status `gaps`',
    'manifest',
    ({ counts }, files) => {
      counts.gaps = { assets: 0, references: 0, contents: 0 }
      files.set('gaps.ndjson', '')
    },
  ],
  [
    'the status `gaps` with contents that the server counted but did not return',
    'manifest',
    listGap({ kind: 'count', view: 'api', model: 'article', missing: 1 }),
  ],
  [
    'the status `gaps` with a content that was not saved',
    'manifest',
    listGap({ kind: 'content', view: 'api', model: 'article', id: 'f'.repeat(24), saved: false }),
  ],
  [
    'the removal of a requested model',
    'manifest',
    (manifest, files) => {
      manifest.counts.contents.api -= modelIn(manifest, 'staff-member').api.count
      manifest.counts.contents.cdn -= modelIn(manifest, 'staff-member').cdn?.count ?? 0
      manifest.models = manifest.models.filter(({ uid }) => uid !== 'staff-member')
      drop(manifest, files, /staff-member/)
    },
  ],
  [
    'the removal of a model from the list only',
    'extra',
    (manifest) => {
      manifest.models = manifest.models.filter(({ uid }) => uid !== 'empty')
      manifest.asked.models = manifest.asked.models.filter((uid) => uid !== 'empty')
    },
  ],
  [
    'a model listed twice',
    'manifest',
    ({ models }) => models.push(...models.filter(({ uid }) => uid === 'empty')),
  ],
  ['a file listed twice', 'manifest', ({ files }) => files.push(...files.slice(0, 1))],
  [
    'a file missing from the archive and its list',
    'manifest',
    (manifest, files) => drop(manifest, files, /^contents\/api\/empty/),
  ],
  [
    'the paths of two models exchanged',
    'manifest',
    (manifest) => {
      const [author, category] = [modelIn(manifest, 'author'), modelIn(manifest, 'category')]
      ;[author.api, category.api] = [category.api, author.api]
      ;[author.cdn, category.cdn] = [category.cdn, author.cdn]
    },
  ],
  [
    'the files of two models exchanged in one view',
    'model',
    (manifest, files) => swapFiles(manifest, files, ['staff-member', 'category'], ['api']),
  ],
  [
    'the files of two models exchanged in both views',
    'model',
    (manifest, files) => swapFiles(manifest, files, ['staff-member', 'author'], ['api', 'cdn']),
  ],
  [
    'the removal of the published contents',
    'manifest',
    (manifest, files) => {
      for (const model of manifest.models) model.cdn = null
      manifest.counts.contents.cdn = 0
      drop(manifest, files, /^contents\/cdn/)
    },
  ],
  [
    'an asset under a name that is not its hash',
    'name',
    (manifest, files) => {
      const file = manifest.files.find(({ path }) => path.startsWith('assets/'))
      if (!file) throw new Error('no asset')
      const renamed = file.path.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
      files.set(renamed, files.get(file.path) ?? '')
      files.delete(file.path)
      files.set('assets.ndjson', (files.get('assets.ndjson') ?? '').replaceAll(file.path, renamed))
      file.path = renamed
    },
  ],
  [
    'an address listed twice',
    'repeated',
    ({ counts }, files) => {
      const [line] = (files.get('assets.ndjson') ?? '').split('\n')
      files.set('assets.ndjson', `${line}\n${files.get('assets.ndjson')}`)
      counts.assets.urls += 1
    },
  ],
])('verifyArchive reports %s as a problem of the kind `%s`', async (_, kind, change) => {
  const problems = await problemsAfter(change)
  expect(problems.map((problem) => problem.kind)).toContain(kind)
})
