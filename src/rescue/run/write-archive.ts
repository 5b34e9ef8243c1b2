import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { AssetFinder } from '#archive/asset-urls.ts'
import { readContent, type View } from '#archive/content.ts'
import { HashedFile, readLines } from '#archive/files.ts'
import { type AssetLine, formatVersion, type Gap, type Manifest, manifestSchema } from '#archive/format.ts'
import { assetPath, type Unreached } from './download-assets.ts'
import { GapList } from './gaps.ts'
import type { Inventory } from './inventory.ts'
import { SizeTrust } from './judge-asset.ts'
import { safeFileName, type Workspace } from './workspace.ts'

export interface ArchiveInput {
  workspace: Workspace
  inventory: Inventory
  finder: AssetFinder
  unreached: Unreached
  /** `view/model` → contents the server counted but did not give. */
  short: ReadonlyMap<string, number>
  /** The views this run can read; an earlier one may have read more. */
  reads: readonly View[]
  /** `view/model` → why its reading did not come to its end. */
  troubles: ReadonlyMap<string, string>
  source: { space: string; app: string; origin: string | undefined }
  asked: { models: string[]; views: View[]; assetHosts: string[] }
  /** Where assets lie besides, learnt from asset objects. */
  learntHosts: string[]
  /** Named and found models. */
  models: string[]
  writeReport: (manifest: Omit<Manifest, 'files'>, gaps: Gap[]) => string
}

export interface ArchiveResult {
  manifest: Manifest
  gaps: Gap[]
}

type FileList = Manifest['files']

/**
 * Writes the archive's own files from what the workspace holds, in an order that depends on the contents alone;
 * the manifest comes last, so an archive that has one is whole.
 */
export async function writeArchive(input: ArchiveInput): Promise<ArchiveResult> {
  const { workspace, inventory, finder, source, asked } = input
  const files: FileList = []
  const missing = new Map([...workspace.missing, ...input.unreached])
  let isPartial = input.unreached.size > 0
  for (const url of inventory.assets) {
    if (workspace.assets.has(url) || missing.has(url)) continue
    missing.set(url, 'not_tried')
    isPartial = true
  }
  for (const url of workspace.assets.keys()) missing.delete(url)
  const gaps = new GapList(finder, missing, inventory.missingIds(), differingAssets(workspace, inventory))

  const app = workspace.appBody ?? '{}'
  gaps.lookAtApp(app)
  await addFile(workspace.dir, 'app.json', files, async (file) => file.write(app))
  const models: Manifest['models'] = []
  for (const uid of [...input.models].sort()) {
    const api = await writeContents(input, 'api', uid, files, gaps)
    // Without the token now, a model not begun with it is not in that view at all.
    const hasCdn = input.reads.includes('cdn') || workspace.streams.has(`cdn/${uid}`)
    const cdn =
      asked.views.includes('cdn') && hasCdn ? await writeContents(input, 'cdn', uid, files, gaps) : null
    const texts = await writeTexts(workspace, uid, files, gaps)
    models.push({ uid, foundBy: workspace.found.get(uid) ?? null, api, cdn, texts })
  }
  const assets = await writeAssetList(workspace, files)
  const gapLines = gaps.toLines()
  if (gapLines.some(mayStillCome)) isPartial = true
  await addFile(workspace.dir, 'gaps.ndjson', files, async (file) => {
    for (const gap of gapLines) await file.write(`${JSON.stringify(gap)}\n`)
  })

  const countGaps = (kind: Gap['kind']) => gapLines.filter((gap) => gap.kind === kind).length
  const sum = (view: View) => models.reduce((total, model) => total + (model[view]?.count ?? 0), 0)
  const body: Omit<Manifest, 'files'> = {
    format: 'imori-archive',
    formatVersion,
    generator: 'imori rescue',
    status: isPartial ? 'partial' : gapLines.length > 0 ? 'gaps' : 'complete',
    startedAt: workspace.startedAt,
    finishedAt: new Date().toISOString(),
    source: { kind: 'newt', space: source.space, app: source.app, origin: source.origin ?? null },
    asked: { models: asked.models, views: asked.views, depth: 1, assetHosts: asked.assetHosts },
    learntHosts: input.learntHosts,
    foreignImages: gaps.foreignImages(),
    models,
    counts: {
      contents: { api: sum('api'), cdn: sum('cdn') },
      assets,
      gaps: {
        assets: countGaps('asset'),
        references: countGaps('reference'),
        contents: countGaps('content') + countGaps('count') + countGaps('unread'),
      },
    },
  }
  const report = input.writeReport(body, gapLines)
  await addFile(workspace.dir, 'report.md', files, async (file) => file.write(report))
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  const manifest = manifestSchema.parse({ ...body, files })
  const file = await HashedFile.create(join(workspace.dir, 'manifest.json'))
  await file.write(`${JSON.stringify(manifest, null, 1)}\n`)
  await file.close()
  return { manifest, gaps: gapLines }
}

/** Contents that are there but did not come: the next run asks for them again. */
function mayStillCome(gap: Gap): boolean {
  return gap.kind === 'unread' || gap.kind === 'count' || (gap.kind === 'content' && !gap.saved)
}

/** Files of a size no asset object names, with the largest that is named; none where no size was ever right. */
function differingAssets({ assets }: Workspace, { expected }: Inventory) {
  const differing = new Map<string, { bytes: number; said: number }>()
  const trust = new SizeTrust()
  for (const [url, { bytes }] of assets) {
    const sizes = expected.get(url)?.sizes ?? []
    if (sizes.length === 0) continue
    const isRight = sizes.includes(bytes)
    trust.count(isRight)
    if (!isRight) differing.set(url, { bytes, said: Math.max(...sizes) })
  }
  return trust.isLost ? new Map<string, never>() : differing
}

async function addFile(
  dir: string,
  path: string,
  files: FileList,
  fill: (file: HashedFile) => Promise<void>,
): Promise<void> {
  const file = await HashedFile.create(join(dir, path))
  try {
    await fill(file)
  } catch (error) {
    await file.abandon()
    throw error
  }
  files.push({ path, ...(await file.close()) })
}

/** One model of one view, oldest first, each content in its newest version, byte for byte as received. */
async function writeContents(
  { workspace, short, troubles }: ArchiveInput,
  view: View,
  model: string,
  files: FileList,
  gaps: GapList,
): Promise<{ count: number; path: string }> {
  const stream = workspace.stream(view, model)
  const source = workspace.dataPath(stream)
  const newest = await newestLines(source, stream.bytes)
  const missing = short.get(`${view}/${model}`) ?? 0
  if (missing > 0) gaps.addShortCount(view, model, missing)
  const trouble = troubles.get(`${view}/${model}`) ?? (stream.next ? 'stopped' : undefined)
  if (trouble !== undefined) gaps.addUnread(view, model, trouble, newest.size)
  for (const id of stream.tooLarge) gaps.addContent(view, model, id, newest.has(id), stream.lacks.get(id))
  const path = `contents/${view}/${safeFileName(model)}.ndjson`
  await workspace.folder('contents', view)
  await addFile(workspace.dir, path, files, (file) =>
    copyLines(source, newest, file, (id, line) => {
      const content = gaps.hasWork || line.includes('<img') ? readContent(line) : undefined
      if (content) gaps.look(view, model, id, content.fields)
    }),
  )
  return { count: newest.size, path }
}

/** What the second pass over a model brought; null when there was nothing for it to do. */
async function writeTexts(
  workspace: Workspace,
  model: string,
  files: FileList,
  gaps: GapList,
): Promise<Manifest['models'][number]['texts']> {
  const parts: { api: { count: number; path: string } | null; cdn: { count: number; path: string } | null } =
    {
      api: null,
      cdn: null,
    }
  const fields = new Set<string>()
  for (const view of ['api', 'cdn'] as const) {
    const state = workspace.texts.get(`${view}/${model}`)
    if (!state) continue
    if (state.asked.length === 0) gaps.addUnread(`${view}-text`, model, 'server_trouble', 0)
    if (state.fields.length === 0) continue
    for (const field of state.fields) fields.add(field)
    const newest = await newestLines(workspace.textPath(state), state.bytes)
    if (state.next) gaps.addUnread(`${view}-text`, model, 'stopped', newest.size)
    const path = `texts/${view}/${safeFileName(model)}.ndjson`
    await workspace.folder('texts', view)
    await addFile(workspace.dir, path, files, (file) => copyLines(workspace.textPath(state), newest, file))
    parts[view] = { count: newest.size, path }
  }
  return fields.size > 0 ? { fields: [...fields].sort(), ...parts } : null
}

interface Place {
  order: string
  offset: number
  length: number
}

/** Where the last version of each content stands in a working file. */
async function newestLines(source: string, bytes: number): Promise<Map<string, Place>> {
  const newest = new Map<string, Place>()
  if (bytes === 0) return newest
  for await (const { text, offset } of readLines(source, 0, bytes)) {
    const content = readContent(text)
    if (!content) continue
    newest.set(content.id, { order: `${content.createdAt} ${content.id}`, offset, length: text.length + 1 })
  }
  return newest
}

/** Copies them, oldest first. */
async function copyLines(
  source: string,
  newest: ReadonlyMap<string, Place>,
  file: HashedFile,
  visit: (id: string, line: Buffer) => void = () => {},
): Promise<void> {
  if (newest.size === 0) return
  const places = [...newest].sort(([, a], [, b]) => (a.order < b.order ? -1 : 1))
  const reader = await WindowReader.open(source)
  try {
    for (const [id, { offset, length }] of places) {
      const line = await reader.read(offset, length)
      await file.write(line)
      visit(id, line)
    }
  } finally {
    await reader.close()
  }
}

async function writeAssetList(workspace: Workspace, files: FileList): Promise<Manifest['counts']['assets']> {
  const urls = [...workspace.assets].sort(([a], [b]) => (a < b ? -1 : 1))
  const distinct = new Map<string, number>()
  await addFile(workspace.dir, 'assets.ndjson', files, async (file) => {
    for (const [url, { sha256, bytes, type }] of urls) {
      const path = assetPath(sha256)
      if (!distinct.has(sha256)) files.push({ path, bytes, sha256 })
      distinct.set(sha256, bytes)
      const line: AssetLine = { url, path, sha256, bytes, contentType: type, fileName: lastPart(url) }
      await file.write(`${JSON.stringify(line)}\n`)
    }
  })
  let bytes = 0
  for (const size of distinct.values()) bytes += size
  return { urls: urls.length, files: distinct.size, bytes }
}

function lastPart(url: string): string {
  const name = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** Reads pieces of a file that mostly follow each other, a few megabytes at a time. */
class WindowReader {
  readonly #handle: Awaited<ReturnType<typeof open>>
  #window = Buffer.alloc(0)
  #start = 0

  private constructor(handle: Awaited<ReturnType<typeof open>>) {
    this.#handle = handle
  }

  static async open(path: string): Promise<WindowReader> {
    return new WindowReader(await open(path, 'r'))
  }

  async read(offset: number, length: number): Promise<Buffer> {
    if (offset < this.#start || offset + length > this.#start + this.#window.length) {
      const window = Buffer.alloc(Math.max(length, 2 << 20))
      const { bytesRead } = await this.#handle.read(window, 0, window.length, offset)
      this.#window = window.subarray(0, bytesRead)
      this.#start = offset
    }
    const piece = this.#window.subarray(offset - this.#start, offset - this.#start + length)
    if (piece.length < length) throw new Error('a working file was cut short')
    return piece
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}
