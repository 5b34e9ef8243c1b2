import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { assetLineSchema, type Gap, gapSchema, type Manifest, manifestSchema } from './archive-format.ts'
import { type ArchiveSource, openArchive, TooManyBytes } from './archive-source.ts'
import { createAssetFinder } from './asset-urls.ts'
import { inspect, inspectApp, readContent } from './content.ts'
import { RescueFailure } from './failure.ts'
import { hashOf, linesIn } from './files.ts'
import { checkDepth } from './json-slices.ts'
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
  /** The first thousand. */
  problems: Problem[]
  /** How many there are. */
  found: number
  /** Missing things the archive itself lists. */
  listed: number
  files: number
  contents: number
}

/** Problems kept one by one; a ruined archive would have millions. */
const mostProblems = 1_000

/** A manifest for millions of files is smaller. */
const largestManifest = 256_000_000

/**
 * Re-reads an archive, a folder or a zip: every file's hash and size, every count, every reference and every
 * asset in use; what cannot be resolved must be listed in gaps.ndjson. Throws `not_an_archive`, `not_finished`.
 */
export async function verifyArchive(path: string, reporter: Reporter): Promise<Verification> {
  const source = await openArchive(path).catch(() => {
    throw new RescueFailure('not_an_archive', { dir: path })
  })
  try {
    const manifest = await readManifest(source, path)
    const problems: Problem[] = []
    let found = 0
    const report = (kind: ProblemKind, what: string) => {
      found += 1
      if (found <= mostProblems) problems.push({ kind, what })
    }
    await verifyFiles(source, manifest, report, reporter)
    const listed = new Map(manifest.files.map((file) => [file.path, file]))
    const files: Files = { source, bytesOf: (name) => listed.get(name)?.bytes ?? 0, report }

    const gaps = await readTyped(files, 'gaps.ndjson', (line) => gapSchema.parse(line))
    const assets = await readTyped(files, 'assets.ndjson', (line) => assetLineSchema.parse(line))
    const saved = new Set<string>()
    for (const { url, path: place, sha256, bytes } of assets) {
      const file = listed.get(place)
      if (file?.sha256 === sha256 && file.bytes === bytes) saved.add(url)
      else report('asset', url)
    }
    if (assets.length !== manifest.counts.assets.urls) report('count', 'assets.ndjson')

    const contents = await verifyContents(files, manifest, gaps, saved)
    const { status } = manifest
    return { status, problems, found, listed: gaps.length, files: manifest.files.length, contents }
  } finally {
    reporter.end()
    source.close()
  }
}

/** Where to read from, and where to complain. */
interface Files {
  source: ArchiveSource
  /** Size by the manifest: no file is read further. */
  bytesOf: (path: string) => number
  report: Report
}

async function readManifest(source: ArchiveSource, path: string): Promise<Manifest> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of source.read('manifest.json', largestManifest)) chunks.push(chunk)
    return manifestSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  } catch {
    const isRunning = await stat(join(path, '.rescue')).catch(() => undefined)
    throw new RescueFailure(isRunning ? 'not_finished' : 'not_an_archive', { dir: path })
  }
}

type Report = (kind: ProblemKind, what: string) => void

async function verifyFiles(
  source: ArchiveSource,
  manifest: Manifest,
  report: Report,
  reporter: Reporter,
): Promise<void> {
  let done = 0
  for (const { path, bytes, sha256 } of manifest.files) {
    if (!(await source.has(path))) report('lost', path)
    else {
      try {
        const found = await hashOf(source.read(path, bytes))
        if (found.bytes !== bytes) report('size', path)
        else if (found.sha256 !== sha256) report('hash', path)
      } catch (error) {
        report(error instanceof TooManyBytes ? 'size' : 'lost', path)
      }
    }
    done += 1
    reporter.step('verifying', done, manifest.files.length)
  }
  const listed = new Set(['manifest.json', ...manifest.files.map(({ path }) => path)])
  for await (const path of source.list()) if (!listed.has(path)) report('extra', path)
}

async function verifyContents(
  files: Files,
  manifest: Manifest,
  gaps: readonly Gap[],
  saved: ReadonlySet<string>,
): Promise<number> {
  const { source, bytesOf, report } = files
  const parts = manifest.models.flatMap(({ uid, api, cdn }) => [
    { place: `api/${uid}`, ...api },
    ...(cdn ? [{ place: `cdn/${uid}`, ...cdn }] : []),
  ])
  const ids = new Set<string>()
  let contents = 0
  const finder = createAssetFinder({
    assetHosts: manifest.asked.assetHosts,
    learnt: manifest.learntHosts,
    origin: manifest.source.origin ?? undefined,
  })
  for (const { place, count, path } of parts) {
    const here = new Set<string>()
    await eachContent(files, path, (id, fields) => {
      for (const assetId of inspect(fields, finder).assetIds) ids.add(assetId)
      if (here.has(id)) report('repeated', `${place}/${id}`)
      here.add(id)
      ids.add(id)
    })
    if (here.size !== count) report('count', `${path}: ${here.size} ≠ ${count}`)
    contents += here.size
  }
  for (const { api, cdn } of manifest.models.flatMap(({ texts }) => texts ?? [])) {
    for (const part of [api, cdn]) {
      const here = new Set<string>()
      if (part) await eachContent(files, part.path, (id) => here.add(id))
      if (part && here.size !== part.count) report('count', `${part.path}: ${here.size} ≠ ${part.count}`)
    }
  }
  const missingIds = new Set(gaps.flatMap((gap) => (gap.kind === 'reference' ? [gap.id] : [])))
  const missingUrls = new Set(gaps.flatMap((gap) => (gap.kind === 'asset' ? [gap.url] : [])))
  const checkAsset = (url: string, user: string) => {
    if (!saved.has(url) && !missingUrls.has(url)) report('asset', `${url} (${user})`)
  }
  for (const { place, path } of parts) {
    await eachContent({ ...files, report: () => {} }, path, (id, fields) => {
      const { references, assets } = inspect(fields, finder)
      for (const { id: target, field } of references) {
        if (!ids.has(target) && !missingIds.has(target))
          report('reference', `${target} (${place}/${id} ${field})`)
      }
      for (const url of assets) checkAsset(url, `${place}/${id}`)
    })
  }
  try {
    const chunks: Buffer[] = []
    for await (const chunk of source.read('app.json', bytesOf('app.json'))) chunks.push(chunk)
    for (const url of inspectApp(Buffer.concat(chunks).toString('utf8'), finder)) checkAsset(url, 'app.json')
  } catch {
    report('line', 'app.json')
  }
  return contents
}

async function eachContent(
  { source, bytesOf, report }: Files,
  path: string,
  visit: (id: string, fields: Record<string, unknown>) => void,
): Promise<void> {
  try {
    for await (const { text, offset } of linesIn(source.read(path, bytesOf(path)))) {
      try {
        checkDepth(text)
        const content = readContent(text)
        if (content) visit(content.id, content.fields)
        else report('line', `${path} @${offset}`)
      } catch {
        report('line', `${path} @${offset}`)
      }
    }
  } catch {
    report('line', path)
  }
}

async function readTyped<Line>(
  { source, bytesOf, report }: Files,
  path: string,
  parse: (line: unknown) => Line,
): Promise<Line[]> {
  const lines: Line[] = []
  try {
    for await (const { text, offset } of linesIn(source.read(path, bytesOf(path)))) {
      try {
        lines.push(parse(JSON.parse(text.toString('utf8'))))
      } catch {
        report('line', `${path} @${offset}`)
      }
    }
  } catch {
    report('line', path)
  }
  return lines
}
