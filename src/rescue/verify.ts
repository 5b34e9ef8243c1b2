import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { assetLineSchema, type Gap, gapSchema, type Manifest, manifestSchema } from './archive-format.ts'
import { createAssetFinder } from './asset-urls.ts'
import { inspect, inspectApp, readContent } from './content.ts'
import { RescueFailure } from './failure.ts'
import { hashFile, readLines } from './files.ts'
import type { Reporter } from './progress.ts'

export type ProblemKind =
  | 'lost'
  | 'size'
  | 'hash'
  | 'extra'
  | 'count'
  | 'line'
  | 'repeated'
  | 'reference'
  | 'asset'

export interface Problem {
  kind: ProblemKind
  /** A path, id or address, and where it is used. */
  what: string
}

export interface Verification {
  status: Manifest['status']
  problems: Problem[]
  /** Missing things the archive itself lists. */
  listed: number
  files: number
  contents: number
}

/** Problems kept one by one; a ruined archive would have millions. */
const mostProblems = 1_000

/**
 * Re-reads an archive: every file's hash and size, every count, every reference and every asset in use; what
 * cannot be resolved must be listed in gaps.ndjson. Throws `not_an_archive`, `not_finished`, `zip_given`.
 */
export async function verifyArchive(dir: string, reporter: Reporter): Promise<Verification> {
  const manifest = await readManifest(dir)
  const problems: Problem[] = []
  const report = (kind: ProblemKind, what: string) => {
    if (problems.length < mostProblems) problems.push({ kind, what })
  }
  await verifyFiles(dir, manifest, report, reporter)

  const gaps = await readTyped(join(dir, 'gaps.ndjson'), (line) => gapSchema.parse(line), report)
  const assets = await readTyped(join(dir, 'assets.ndjson'), (line) => assetLineSchema.parse(line), report)
  const listedFiles = new Map(manifest.files.map((file) => [file.path, file]))
  const saved = new Set<string>()
  for (const { url, path, sha256, bytes } of assets) {
    const file = listedFiles.get(path)
    if (file?.sha256 === sha256 && file.bytes === bytes) saved.add(url)
    else report('asset', url)
  }
  if (assets.length !== manifest.counts.assets.urls) report('count', 'assets.ndjson')

  const contents = await verifyContents(dir, manifest, gaps, saved, report)
  reporter.end()
  return { status: manifest.status, problems, listed: gaps.length, files: manifest.files.length, contents }
}

async function readManifest(dir: string): Promise<Manifest> {
  const found = await stat(dir).catch(() => undefined)
  if (found?.isFile() && /\.zip$/i.test(dir)) throw new RescueFailure('zip_given', { dir })
  try {
    return manifestSchema.parse(JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8')))
  } catch {
    const isRunning = await stat(join(dir, '.rescue')).catch(() => undefined)
    throw new RescueFailure(isRunning ? 'not_finished' : 'not_an_archive', { dir })
  }
}

type Report = (kind: ProblemKind, what: string) => void

async function verifyFiles(
  dir: string,
  manifest: Manifest,
  report: Report,
  reporter: Reporter,
): Promise<void> {
  let done = 0
  for (const { path, bytes, sha256 } of manifest.files) {
    const found = await stat(join(dir, path)).catch(() => undefined)
    if (!found?.isFile()) report('lost', path)
    else if (found.size !== bytes) report('size', path)
    else if ((await hashFile(join(dir, path))).sha256 !== sha256) report('hash', path)
    done += 1
    reporter.step('verifying', done, manifest.files.length)
  }
  const listed = new Set(['manifest.json', ...manifest.files.map(({ path }) => path)])
  for await (const path of walk(dir, '')) if (!listed.has(path)) report('extra', path)
}

async function* walk(dir: string, prefix: string): AsyncGenerator<string> {
  for (const entry of await readdir(join(dir, prefix), { withFileTypes: true })) {
    const path = prefix ? `${prefix}/${entry.name}` : entry.name
    // The working folder of an unfinished run is not part of the archive.
    if (['.rescue', '.rescue-done', '.DS_Store'].includes(path)) continue
    if (entry.isDirectory()) yield* walk(dir, path)
    else yield path
  }
}

async function verifyContents(
  dir: string,
  manifest: Manifest,
  gaps: readonly Gap[],
  saved: ReadonlySet<string>,
  report: Report,
): Promise<number> {
  const parts = manifest.models.flatMap(({ uid, api, cdn }) => [
    { place: `api/${uid}`, ...api },
    ...(cdn ? [{ place: `cdn/${uid}`, ...cdn }] : []),
  ])
  const ids = new Set<string>()
  let contents = 0
  const finder = createAssetFinder({
    assetHosts: manifest.asked.assetHosts,
    origin: manifest.source.origin ?? undefined,
  })
  for (const { place, count, path } of parts) {
    const here = new Set<string>()
    await eachContent(join(dir, path), report, (id, fields) => {
      for (const assetId of inspect(fields, finder).assetIds) ids.add(assetId)
      if (here.has(id)) report('repeated', `${place}/${id}`)
      here.add(id)
      ids.add(id)
    })
    if (here.size !== count) report('count', `${path}: ${here.size} ≠ ${count}`)
    contents += here.size
  }
  const missingIds = new Set(gaps.flatMap((gap) => (gap.kind === 'reference' ? [gap.id] : [])))
  const missingUrls = new Set(gaps.flatMap((gap) => (gap.kind === 'asset' ? [gap.url] : [])))
  const checkAsset = (url: string, user: string) => {
    if (!saved.has(url) && !missingUrls.has(url)) report('asset', `${url} (${user})`)
  }
  for (const { place, path } of parts) {
    await eachContent(
      join(dir, path),
      () => {},
      (id, fields) => {
        const { references, assets } = inspect(fields, finder)
        for (const { id: target, field } of references) {
          if (!ids.has(target) && !missingIds.has(target))
            report('reference', `${target} (${place}/${id} ${field})`)
        }
        for (const url of assets) checkAsset(url, `${place}/${id}`)
      },
    )
  }
  const app = await readFile(join(dir, 'app.json'), 'utf8').catch(() => '{}')
  for (const url of inspectApp(app, finder)) checkAsset(url, 'app.json')
  return contents
}

async function eachContent(
  path: string,
  report: Report,
  visit: (id: string, fields: Record<string, unknown>) => void,
): Promise<void> {
  try {
    for await (const { text, offset } of readLines(path)) {
      try {
        const content = readContent(text)
        if (content) visit(content.id, content.fields)
        else report('line', `${path} @${offset}`)
      } catch {
        report('line', `${path} @${offset}`)
      }
    }
  } catch {
    report('lost', path)
  }
}

async function readTyped<Line>(
  path: string,
  parse: (line: unknown) => Line,
  report: Report,
): Promise<Line[]> {
  const lines: Line[] = []
  try {
    for await (const { text, offset } of readLines(path)) {
      try {
        lines.push(parse(JSON.parse(text.toString('utf8'))))
      } catch {
        report('line', `${path} @${offset}`)
      }
    }
  } catch {
    report('lost', path)
  }
  return lines
}
