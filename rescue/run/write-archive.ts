import type { AssetFinder } from '#archive/asset-urls.ts'
import { readContent, type View } from '#archive/content.ts'
import { formatVersion, type Gap, type Manifest, mayStillCome } from '#archive/format.ts'
import { contentsPath, textsPath } from '#archive/names.ts'
import { ArchiveWriter } from '#archive/write.ts'
import type { Unreached } from './download-assets.ts'
import { GapList } from './gaps.ts'
import type { Inventory } from './inventory.ts'
import { SizeTrust } from './judge-asset.ts'
import { copyLines, newestLines } from './newest-lines.ts'
import type { Workspace } from './workspace.ts'

export interface ArchiveInput {
  workspace: Workspace
  inventory: Inventory
  finder: AssetFinder
  unreached: Unreached
  /** `view/model` → number of contents that the server counted but did not return. */
  short: ReadonlyMap<string, number>
  /** The views that this run can read. An earlier run may have read more. */
  reads: readonly View[]
  /** `view/model` → code of the failure of reading it. */
  troubles: ReadonlyMap<string, string>
  source: { space: string; app: string; origin: string | undefined }
  asked: { models: string[]; views: View[]; assetHosts: string[] }
  /** Further hosts of assets that were learnt from asset objects. */
  learntHosts: string[]
  /** Models that the user named or that were discovered. */
  models: string[]
  writeReport: (manifest: Omit<Manifest, 'files'>, gaps: Gap[]) => string
}

export interface ArchiveResult {
  manifest: Manifest
  gaps: Gap[]
}

/**
 * Writes the archive's files from the workspace, in an order that depends only on the contents. The manifest is written
 * last, so that it only lists files that are written.
 */
export async function writeArchive(input: ArchiveInput): Promise<ArchiveResult> {
  const { workspace, inventory, finder, source, asked } = input
  const writer = new ArchiveWriter(workspace.dir)
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
  await writer.add('app.json', async (file) => file.write(app))
  const models: Manifest['models'] = []
  for (const uid of [...input.models].sort()) {
    const api = await writeContents(input, 'api', uid, writer, gaps)
    // Without a CDN token in this run, a model that was never read with one has no `cdn` view.
    const hasCdn = input.reads.includes('cdn') || workspace.streams.has(`cdn/${uid}`)
    const cdn =
      asked.views.includes('cdn') && hasCdn ? await writeContents(input, 'cdn', uid, writer, gaps) : null
    const texts = await writeTexts(workspace, uid, writer, gaps)
    models.push({ uid, foundBy: workspace.found.get(uid) ?? null, api, cdn, texts })
  }
  const assets = await writer.addAssetList(workspace.assets)
  const gapLines = gaps.toLines()
  if (gapLines.some(mayStillCome)) isPartial = true
  await writer.addGaps(gapLines)

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
  await writer.add('report.md', async (file) => file.write(report))
  const manifest = await writer.finish(body)
  return { manifest, gaps: gapLines }
}

/**
 * Returns files whose size differs from all sizes that asset objects state, with the largest stated size. Returns none
 * if at least 20 stated sizes are wrong and none is correct.
 */
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

/**
 * Writes one model of one view, oldest content first. Each content is in its newest version, byte for byte as received.
 */
async function writeContents(
  { workspace, short, troubles }: ArchiveInput,
  view: View,
  model: string,
  writer: ArchiveWriter,
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
  const path = contentsPath(view, model)
  await workspace.folder('contents', view)
  await writer.add(path, (file) =>
    copyLines(source, newest, file, (id, line) => {
      const content = gaps.hasWork || line.includes('<img') ? readContent(line) : undefined
      if (content) gaps.look(view, model, id, content.fields)
    }),
  )
  return { count: newest.size, path }
}

/** Writes the result of the second pass over a model. Returns null if no field was read. */
async function writeTexts(
  workspace: Workspace,
  model: string,
  writer: ArchiveWriter,
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
    const path = textsPath(view, model)
    await workspace.folder('texts', view)
    await writer.add(path, (file) => copyLines(workspace.textPath(state), newest, file))
    parts[view] = { count: newest.size, path }
  }
  return fields.size > 0 ? { fields: [...fields].sort(), ...parts } : null
}
