import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AssetFinder, createAssetFinder } from '#archive/asset-urls.ts'
import { type AssetLine, assetLineSchema, type Manifest } from '#archive/format.ts'
import { isAsset, isContent, isRecord } from '#archive/shapes.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { ElsewhereFile } from '#server/db/tables.ts'
import type { ImportedAsset } from '#server/features/assets/asset-imports.service.ts'
import { jobSlice, Pace } from '#server/lib/pace.ts'
import { idPattern } from '#shared/identifiers.ts'
import { ArchiveIndex, eachObject } from './moves.index.ts'
import { IndexedLines, linesOf } from './moves.lines.ts'
import { contentOf, parseContent, type ReceivedContent } from './moves.received.ts'

/** What must be known of a whole archive before any part of it can be imported. */
export interface Survey {
  finder: AssetFinder
  /** What values name, as the plan was made with it. */
  index: ArchiveIndex
  /** Files that are in the archive, as they are to be in the library, by `_id`. */
  assets: (ImportedAsset & { urls: string[]; sha256: string })[]
  models: Map<string, ModelSurvey>
  /** What is published in any model, by `_id`; null: the archive does not say. */
  published: Published | null
  close(): Promise<void>
}

/** Knows `_id`s. */
export type Published = Pick<ReadonlySet<string>, 'has'>

/** What is published of a model, and the texts of its fields, as far as the archive has them. */
export interface ModelSurvey {
  cdn: IndexedLines | null
  texts: { api: IndexedLines | null; cdn: IndexedLines | null }
  /** Contents of a model that has no lines of its own; undefined of others. */
  copies?: Map<string, ReceivedContent>
}

/** Goes through the archive once, or twice where it has contents as copies only; `folder` takes what must be jumped about in. */
export async function survey(
  source: ArchiveSource,
  manifest: Manifest,
  folder: string,
  moveId: string,
): Promise<Survey> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const finder = finderOf(manifest)
  const index = new ArchiveIndex()
  const known: KnownAssets = new Map()
  const models: Survey['models'] = new Map()
  const opened: IndexedLines[] = []
  const open = async (path: string | undefined, visit?: (content: ReceivedContent) => void) => {
    if (path === undefined) return null
    const lines = await IndexedLines.open(
      join(folder, `${opened.length}`),
      linesOf(source, manifest, path),
      visit,
    )
    opened.push(lines)
    return lines
  }
  const close = async () => {
    for (const lines of opened) await lines.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    for (const { uid, cdn, texts } of manifest.models) {
      const visit = ({ id, values }: ReceivedContent) => {
        index.addDocument(uid, id)
        index.addValues(values)
        findAssets(values, known)
      }
      for await (const content of contentsOf(source, manifest, uid)) visit(content)
      models.set(uid, {
        cdn: await open(cdn?.path, visit),
        texts: { api: await open(texts?.api?.path), cdn: await open(texts?.cdn?.path) },
      })
    }
    const views = [...models.values()].map(({ cdn }) => cdn)
    const published = views.every((cdn) => cdn === null)
      ? null
      : { has: (id: string) => views.some((cdn) => cdn?.has(id)) }
    const lacking = index.settleCopies((uid) => models.has(uid))
    if (lacking.length > 0) await findCopies(source, manifest, index, lacking, models)
    const assets = await listAssets(source, manifest, finder, known, moveId)
    // `close` would hold it as long as the survey is used.
    known.clear()
    return { finder, index, assets, models, published, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The contents of a model as the API showed them, in the order of the archive. */
export async function* contentsOf(
  source: ArchiveSource,
  manifest: Manifest,
  model: string,
): AsyncGenerator<ReceivedContent> {
  const pace = new Pace(jobSlice)
  const path = manifest.models.find(({ uid }) => uid === model)?.api.path
  if (path === undefined) return
  for await (const { text } of linesOf(source, manifest, path)) {
    const content = parseContent(text)
    if (content) yield content
    await pace.giveWay()
  }
}

/** Takes contents of models that are not in the archive out of those that refer to them. */
async function findCopies(
  source: ArchiveSource,
  manifest: Manifest,
  index: ArchiveIndex,
  lacking: readonly string[],
  models: Survey['models'],
): Promise<void> {
  for (const uid of lacking)
    models.set(uid, { cdn: null, texts: { api: null, cdn: null }, copies: new Map() })
  for (const { uid } of manifest.models)
    for await (const { values } of contentsOf(source, manifest, uid))
      eachObject(values, (_key, value) => {
        const found = isContent(value) ? index.document(value) : undefined
        const copies = found && models.get(found.model)?.copies
        if (copies && !copies.has(found.id)) copies.set(found.id, contentOf(value))
      })
}

/** What finds addresses of this archive's files. */
export const finderOf = ({ asked, learntHosts, source }: Manifest): AssetFinder =>
  createAssetFinder({ assetHosts: asked.assetHosts, learnt: learntHosts, origin: source.origin ?? undefined })

/** What a content says of a file: archives have as many as files, so no more of it is kept than is used. */
interface KnownAsset {
  src: string
  fileName: string
  fileType: string
  fileSize: number
  width: number | null
  height: number | null
  title: string
  description: string
  altText: string
  metadata: Record<string, unknown>
}
type KnownAssets = Map<string, KnownAsset>

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const size = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
const nothing = Object.freeze({})

function readAsset(said: Record<string, unknown>): KnownAsset {
  const { src, fileName, fileType, fileSize, width, height, title, description, altText, metadata } = said
  return {
    src: String(src),
    fileName: text(fileName),
    fileType: text(fileType),
    fileSize: size(fileSize) ?? 0,
    width: size(width),
    height: size(height),
    title: text(title),
    description: text(description),
    altText: text(altText),
    metadata: isRecord(metadata) && Object.keys(metadata).length > 0 ? metadata : nothing,
  }
}

function findAssets(value: unknown, known: KnownAssets): void {
  if (Array.isArray(value)) for (const item of value) findAssets(item, known)
  else if (isAsset(value)) {
    if (idPattern.test(value._id) && !known.has(value._id)) known.set(value._id, readAsset(value))
  } else if (isRecord(value)) for (const item of Object.values(value)) findAssets(item, known)
}

async function listAssets(
  source: ArchiveSource,
  manifest: Manifest,
  finder: AssetFinder,
  known: KnownAssets,
  moveId: string,
): Promise<Survey['assets']> {
  const lines = new Map<string, AssetLine>()
  for await (const { text } of linesOf(source, manifest, 'assets.ndjson')) {
    const line = assetLineSchema.parse(JSON.parse(text.toString('utf8')))
    lines.set(line.url, line)
  }
  const taken = new Set<string>()
  const assets = [...known].flatMap(([id, said]) => {
    const url = finder.ofSource(said.src)
    const line = url === undefined ? undefined : lines.get(url)
    if (!line) return missingAsset(id, said)
    taken.add(line.url)
    return assetOf(source, line, id, said)
  })
  // Files that only texts show have no object that would say more of them.
  const ids = new Set(assets.map(({ id }) => id))
  for (const line of lines.values()) {
    if (taken.has(line.url)) continue
    const named = uidIn(line.url)
    const id = named !== null && idPattern.test(named) && !ids.has(named) ? named : madeId(moveId, line.url)
    ids.add(id)
    assets.push(assetOf(source, line, id))
  }
  return assets.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The same each time, so that a run that was cut off finds what it made. */
const madeId = (moveId: string, url: string) =>
  createHash('sha256').update(`${moveId} ${url}`).digest('hex').slice(0, 24)

/** `…/v1/{uid}/{name}`, `…/p_{space}/{uid}/{name}`: by what a file is known in its address. */
const uidIn = (url: string): string | null =>
  /\/(?:v1|p_[^/]+)\/([\w-]{1,100})\/[^/]+$/.exec(url)?.[1] ?? null

function assetOf(source: ArchiveSource, line: AssetLine, id: string, said?: KnownAsset) {
  const { url, path, bytes, sha256, fileName, contentType } = line
  const uid = uidIn(url)
  return {
    id,
    urls: [url],
    fileName: said?.fileName || fileName,
    fileType: said?.fileType || contentType,
    title: said?.title ?? '',
    description: said?.description ?? '',
    altText: said?.altText ?? '',
    metadata: said?.metadata ?? nothing,
    formerUid: uid !== null && uid !== id ? uid : null,
    size: bytes,
    sha256,
    bytes: () => source.read(path, bytes),
    elsewhere: said
      ? elsewhereOf(said)
      : { src: url, fileType: contentType, fileSize: bytes, width: null, height: null },
  }
}

const longestAddress = 4_096

/** A file that only contents tell of. */
function missingAsset(id: string, said: KnownAsset): Survey['assets'] {
  if (!/^https?:\/\//i.test(said.src) || said.src.length > longestAddress) return []
  const { fileName, fileType, title, description, altText, metadata } = said
  const about = { id, fileName: fileName || 'file', fileType, title, description, altText, metadata }
  const none = async function* (): AsyncGenerator<Uint8Array> {}
  const elsewhere = elsewhereOf(said)
  return [
    { ...about, urls: [], sha256: '', formerUid: null, size: 0, bytes: none, elsewhere, isMissing: true },
  ]
}

/** What sites were told of a file. */
function elsewhereOf({ src, fileType, fileSize, width, height }: KnownAsset): ElsewhereFile {
  const clean = (value: string) => value.replaceAll('\u0000', '').toWellFormed()
  return {
    src: clean(src).slice(0, longestAddress),
    fileType: clean(fileType).slice(0, 200),
    fileSize,
    width,
    height,
  }
}
