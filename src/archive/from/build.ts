import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { type AssetFinder, createAssetFinder } from '../asset-urls.ts'
import { inspect, readContent, titleOf } from '../content.ts'
import {
  type Gap,
  type Manifest,
  mayStillCome,
  mostUsesListed,
  type SourceKind,
  type Use,
} from '../format.ts'
import { type HintsInput, hintsPath } from '../hints.ts'
import { contentsPath, textsPath } from '../names.ts'
import { ArchiveWriter, type StoredAsset } from '../write.ts'
import { type Collector, uploadHost } from './collected.ts'
import { readExact, writeExact } from './exact-values.ts'
import { FetchedFiles, type FetchFile, NotFetched } from './fetched-files.ts'
import type { LinesOnDisk } from './lines-on-disk.ts'
import type { SourceFiles } from './source-files.ts'
import { isGeneralName, isRecord, plainName, typeOfName } from './values.ts'

interface BuildOptions {
  kind: SourceKind
  files: SourceFiles
  /** Working folder; the archive is created in its subfolder `archive`. */
  folder: string
  startedAt: Date
  fetchFile: FetchFile
  onProgress(done: number, total: number): void | Promise<void>
}

interface Uses {
  uses: number
  usedBy: Use[]
}

/**
 * Creates an archive from collected contents: finds files and references, fetches files on the web, and writes the
 * manifest last.
 */
export async function buildArchive(collector: Collector, options: BuildOptions): Promise<Manifest> {
  const { folder, kind, files, startedAt } = options
  const dir = join(folder, 'archive')
  for (const part of ['contents/api', 'contents/cdn', 'texts/api', 'texts/cdn', 'assets'])
    await mkdir(join(dir, part), { recursive: true })
  const learntHosts = [...collector.places].sort()
  const finder = createAssetFinder({ assetHosts: [uploadHost], learnt: learntHosts })
  const used = await findUses(collector, finder)
  const gaps: Gap[] = [...collector.gaps, ...collector.missingPages(), ...used.missing()]
  const assets = await bringFiles(collector, used.files, gaps, dir, options)

  const writer = new ArchiveWriter(dir)
  const models: Manifest['models'] = []
  for (const [uid, model] of collector.models) {
    const { published, contradicted } = model
    const api = await addLines(writer, contentsPath('api', uid), model.contents, (line) => {
      const state = contradicted.get(idIn(line))
      return state === undefined ? line : unpublished(line, state)
    })
    const cdn =
      published &&
      (await addLines(writer, contentsPath('cdn', uid), published.contents, (line) =>
        contradicted.has(idIn(line)) ? null : line,
      ))
    const texts = {
      fields: [...model.textKeys].sort(),
      api: model.texts.count > 0 ? await addLines(writer, textsPath('api', uid), model.texts) : null,
      cdn: published?.texts.count ? await addLines(writer, textsPath('cdn', uid), published.texts) : null,
    }
    models.push({ uid, foundBy: null, api, cdn, texts: texts.api || texts.cdn ? texts : null })
  }
  const { appName, folderName } = collector
  const uploadName = isGeneralName(files.name) ? '' : files.name
  const app = [uploadName, folderName, files.name].map(plainName).find((uid) => uid !== '') ?? kind
  // Without this, a name that starts like a URL would be treated as the URL of an asset.
  const name = (appName || uploadName || folderName || files.name).replace(/^(?:https?:)?\/\//i, '')
  await writer.add('app.json', (file) =>
    file.write(`${JSON.stringify({ name: name.slice(0, 1_000), uid: app })}\n`),
  )
  const hints: HintsInput = {
    models: [...collector.models.values()].map(({ hints, states }) => ({
      ...hints,
      states: [...states.values()],
    })),
    leftOut: collector.leftOut,
    isGeneric: collector.isGeneric,
  }
  await writer.add(hintsPath, (file) => file.write(`${JSON.stringify(hints)}\n`))
  const cdnCount = models.reduce((sum, { cdn }) => sum + (cdn?.count ?? 0), 0)
  const counts = { assets: await writer.addAssetList(assets) }
  await writer.addGaps(gaps)
  await writer.add('report.md', (file) => file.write(reportOf(kind, models, gaps)))
  const count = (...kinds: Gap['kind'][]) => gaps.filter((gap) => kinds.includes(gap.kind)).length
  return writer.finish({
    format: 'imori-archive',
    formatVersion: 1,
    generator: `imori convert ${kind}`,
    status: gaps.length === 0 ? 'complete' : gaps.some(mayStillCome) ? 'partial' : 'gaps',
    startedAt: startedAt.toISOString(),
    finishedAt: new Date().toISOString(),
    source: { kind, space: files.name, app, origin: null },
    asked: {
      models: models.map(({ uid }) => uid),
      views: [...(models.length > 0 ? ['api' as const] : []), ...(cdnCount > 0 ? ['cdn' as const] : [])],
      depth: 1,
      assetHosts: [uploadHost],
    },
    learntHosts,
    foreignImages: [...used.foreignImages].map(([host, images]) => ({ host, images })),
    models,
    counts: {
      contents: { api: models.reduce((sum, { api }) => sum + api.count, 0), cdn: cdnCount },
      assets: counts.assets,
      gaps: {
        assets: count('asset'),
        references: count('reference'),
        contents: count('content', 'count', 'unread'),
      },
    },
  })
}

/** Writes lines to a file of the archive. `change` returns null for a line to omit. */
async function addLines(
  writer: ArchiveWriter,
  path: string,
  lines: LinesOnDisk,
  change: (line: Buffer) => Buffer | string | null = (line) => line,
) {
  let count = 0
  await writer.add(path, async (file) => {
    for await (const line of lines.read()) {
      const changed = change(line)
      if (changed === null) continue
      count += 1
      await file.write(changed)
      await file.write('\n')
    }
  })
  return { count, path }
}

const lineStart = '{"_id":"'
const idIn = (line: Buffer): string => line.toString('latin1', lineStart.length, lineStart.length + 24)

function unpublished(line: Buffer, state: string): string | Buffer {
  const content = readExact(line)
  if (!isRecord(content) || !isRecord(content._sys)) return line
  const raw = isRecord(content._sys.raw) ? content._sys.raw : {}
  const sys = { ...content._sys, state, isChanged: false, raw: { ...raw, publishedAt: null } }
  return writeExact({ ...content, _sys: sys })
}

/** Finds the uses of files, and the references to contents that do not exist. */
async function findUses(collector: Collector, finder: AssetFinder) {
  const files = new Map<string, Uses>()
  const references = new Map<string, Uses>()
  const foreignImages = new Map<string, number>()
  const assetIds = new Set<string>()
  const use = (into: Map<string, Uses>, key: string, by: Use) => {
    const known = into.get(key) ?? { uses: 0, usedBy: [] }
    into.set(key, known)
    known.uses += 1
    if (known.usedBy.length < mostUsesListed) known.usedBy.push(by)
  }
  const models = [...collector.models.values()]
  const isThere = (id: string) => models.some(({ known }) => known.has(id))
  let looked = 0
  const views = [...collector.models].flatMap(([model, { contents, published }]) => [
    { view: 'api', model, lines: contents },
    ...(published ? [{ view: 'cdn', model, lines: published.contents }] : []),
  ])
  for (const { view, model, lines } of views)
    for await (const line of lines.read()) {
      if (++looked % 100 === 0) await breathe()
      const content = readContent(line)
      if (!content) continue
      const found = inspect(content.fields, finder)
      const { _id, _sys, ...fields } = content.fields
      const by = { view, model, content: content.id, title: titleOf(fields) }
      for (const id of found.assetIds) assetIds.add(id)
      for (const url of found.assets) use(files, url, by)
      for (const { id, field } of found.references) if (!isThere(id)) use(references, id, { ...by, field })
      for (const url of found.foreignImages) {
        const { host } = new URL(url)
        foreignImages.set(host, (foreignImages.get(host) ?? 0) + 1)
      }
    }
  return {
    files,
    foreignImages,
    missing: () =>
      [...references]
        .filter(([id]) => !assetIds.has(id))
        .map(([id, uses]): Gap => ({ kind: 'reference', id, ...uses })),
  }
}

/**
 * Stores the files that contents use, and the collected files, in the archive. Files that are missing or cannot be
 * fetched become gaps.
 */
async function bringFiles(
  collector: Collector,
  uses: ReadonlyMap<string, Uses>,
  gaps: Gap[],
  dir: string,
  { folder, files, fetchFile, onProgress }: BuildOptions,
): Promise<Map<string, StoredAsset>> {
  const assets = new Map<string, StoredAsset>()
  const store = await FetchedFiles.open(dir, join(folder, 'fetched.ndjson'))
  const miss = (url: string, reason: string) =>
    gaps.push({ kind: 'asset', url, reason, ...(uses.get(url) ?? { uses: 0, usedBy: [] }) })
  const remote: string[] = []
  const urls = new Set([...uses.keys(), ...collector.wanted, ...collector.uploaded.keys()])
  let done = 0
  for (const url of urls) {
    const file = collector.uploaded.get(url)
    if (file) {
      assets.set(url, await store.keep(files.read(file), typeOfName(file.path)))
      await onProgress(++done, urls.size)
    } else if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) miss(url, 'bad_url')
    else if (new URL(url).host === uploadHost) miss(url, 'not_found')
    else remote.push(url)
  }
  await store.fetch(remote, fetchFile, async (url, result) => {
    if (result instanceof NotFetched) miss(url, result.reason)
    else assets.set(url, result)
    await onProgress(++done, urls.size)
  })
  return assets
}

function reportOf(kind: string, models: Manifest['models'], gaps: readonly Gap[]): string {
  const lines = models.map(({ uid, api }) => `- ${uid}: ${api.count}`)
  const missing = gaps.slice(0, 1_000).map((gap) => {
    const what = 'url' in gap ? gap.url : 'id' in gap ? gap.id : gap.model
    return `- ${gap.kind}: ${what}${'reason' in gap ? ` (${gap.reason})` : ''}`
  })
  return [`# ${kind}`, '', ...lines, '', ...missing, ''].join('\n')
}
