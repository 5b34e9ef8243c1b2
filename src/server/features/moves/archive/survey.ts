import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AssetFinder, createAssetFinder, uidInAddress } from '#archive/asset-urls.ts'
import { inspect } from '#archive/content.ts'
import { type AssetLine, assetLineSchema, type Manifest } from '#archive/format.ts'
import { isAsset, isContent, isRecord } from '#archive/shapes.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { ElsewhereFile } from '#server/db/tables.ts'
import type { ImportedAsset } from '#server/features/assets/asset-imports.service.ts'
import { jobSlice, Pace } from '#server/lib/pace.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { PublicationChoice } from '#shared/publication-states.ts'
import { ArchiveIndex, eachObject } from './archive-index.ts'
import type { ArchivedSys } from './archive-lines.ts'
import { IndexedLines, linesOf } from './indexed-lines.ts'
import { contentOf, parseContent, type ReceivedContent } from './received-contents.ts'
import type { StateChoices } from './state-choices.ts'

/** Data about the whole archive that the import requires before it imports any part. */
export interface Survey {
  finder: AssetFinder
  /** The contents and files that values can refer to. */
  index: ArchiveIndex
  /** Files that the archive contains or mentions, as the library stores them, ordered by `_id`. */
  assets: (ImportedAsset & { urls: string[]; sha256: string })[]
  models: Map<string, ModelSurvey>
  /** `_id`s of the published contents of all models. null: the archive does not list all of them. */
  published: Published | null
  close(): Promise<void>
}

export type Published = Pick<ReadonlySet<string>, 'has'>

/** The published contents of a model and the texts of its fields. null: not in the archive. */
export interface ModelSurvey {
  cdn: IndexedLines | null
  texts: { api: IndexedLines | null; cdn: IndexedLines | null }
  /** Returns the choice for a content; undefined: the views of the archive decide whether it is published. */
  choiceOf(sys: ArchivedSys): PublicationChoice | undefined
  /**
   * Contents of a model that has no lines in the archive, by `_id`. They are collected from the contents that refer to
   * them.
   */
  copies?: Map<string, ReceivedContent>
}

interface SurveyOptions {
  /** Folder for the temporary files that provide random access. */
  folder: string
  /** Seed of the ids that are derived for files without an `_id`. */
  owner: string
  choices: StateChoices
}

/**
 * Reads the archive once, or twice if some contents exist only as copies. Contents that are left out count as missing.
 * Files that are used only by left-out contents are not listed.
 */
export async function survey(
  source: ArchiveSource,
  manifest: Manifest,
  { folder, owner, choices }: SurveyOptions,
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
    const files = choices.hasLeftOut ? new UsedFiles(finder) : undefined
    for (const { uid, cdn, texts } of manifest.models) {
      const visit = ({ id, sys, values }: ReceivedContent) => {
        const isLeftOut = choices.isLeftOut(uid, sys)
        files?.add(values, isLeftOut)
        if (isLeftOut) {
          index.missing.add(id)
          return
        }
        index.addDocument(uid, id)
        index.addValues(values)
        findAssets(values, known)
      }
      for await (const content of contentsOf(source, manifest, uid)) visit(content)
      models.set(uid, {
        cdn: await open(cdn?.path, visit),
        texts: { api: await open(texts?.api?.path), cdn: await open(texts?.cdn?.path) },
        choiceOf: (sys) => choices.choiceFor(uid, sys),
      })
    }
    const views = [...models.values()].map(({ cdn }) => cdn)
    // In archives of other sources, the published view contains only the contents that have newer edits.
    const published =
      manifest.source.kind !== 'newt' || views.every((cdn) => cdn === null)
        ? null
        : { has: (id: string) => views.some((cdn) => cdn?.has(id)) }
    const lacking = index.settleCopies((uid) => models.has(uid))
    if (lacking.length > 0) await findCopies(source, manifest, { index, lacking, models, choices })
    const lines = (await assetLinesOf(source, manifest)).filter(({ url }) => !files?.isLeftOut(url))
    for (const line of lines) index.addListedAsset(line)
    const assets = listAssets(source, lines, finder, known, owner)
    // Otherwise the closure of `close` keeps the map in memory as long as the survey is used.
    known.clear()
    return { finder, index, assets, models, published, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Collects the files that contents use, to find files that are used only by contents that are left out. */
class UsedFiles {
  readonly #finder: AssetFinder
  readonly #kept = new Set<string>()
  readonly #leftOut = new Set<string>()

  constructor(finder: AssetFinder) {
    this.#finder = finder
  }

  add(values: Record<string, unknown>, isLeftOut: boolean): void {
    const into = isLeftOut ? this.#leftOut : this.#kept
    for (const url of inspect(values, this.#finder).assets) into.add(url)
  }

  isLeftOut(url: string): boolean {
    return this.#leftOut.has(url) && !this.#kept.has(url)
  }
}

/** Returns the contents of a model in the API view, in the order of the archive. */
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

/** Collects the contents of models that are missing in the archive from the contents that refer to them. */
async function findCopies(
  source: ArchiveSource,
  manifest: Manifest,
  {
    index,
    lacking,
    models,
    choices,
  }: Pick<Survey, 'index' | 'models'> & { lacking: readonly string[]; choices: StateChoices },
): Promise<void> {
  for (const uid of lacking)
    models.set(uid, {
      cdn: null,
      texts: { api: null, cdn: null },
      choiceOf: () => choices.choiceForCopies,
      copies: new Map(),
    })
  for (const { uid } of manifest.models)
    for await (const { values } of contentsOf(source, manifest, uid))
      eachObject(values, (_key, value) => {
        const found = isContent(value) ? index.document(value) : undefined
        const copies = found && models.get(found.model)?.copies
        if (copies && !copies.has(found.id)) copies.set(found.id, contentOf(value))
      })
}

/** Returns a finder for URLs of this archive's files in texts. */
export const finderOf = ({ asked, learntHosts, source }: Manifest): AssetFinder =>
  createAssetFinder({ assetHosts: asked.assetHosts, learnt: learntHosts, origin: source.origin ?? undefined })

/**
 * Properties of a file, as stated in a content. Memory contains one object per file, so only the properties that are
 * used are kept.
 */
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

async function assetLinesOf(source: ArchiveSource, manifest: Manifest): Promise<AssetLine[]> {
  const lines: AssetLine[] = []
  for await (const { text } of linesOf(source, manifest, 'assets.ndjson'))
    lines.push(assetLineSchema.parse(JSON.parse(text.toString('utf8'))))
  return lines
}

function listAssets(
  source: ArchiveSource,
  listed: readonly AssetLine[],
  finder: AssetFinder,
  known: KnownAssets,
  moveId: string,
): Survey['assets'] {
  const lines = new Map(listed.map((line) => [line.url, line]))
  const taken = new Set<string>()
  const assets = [...known].flatMap(([id, said]) => {
    const url = finder.ofSource(said.src)
    const line = url === undefined ? undefined : lines.get(url)
    if (!line) return missingAsset(id, said)
    taken.add(line.url)
    return assetOf(source, line, id, said)
  })
  // Files that only texts mention have no further properties.
  const ids = new Set(assets.map(({ id }) => id))
  for (const line of lines.values()) {
    if (taken.has(line.url)) continue
    const named = uidInAddress(line.url)
    const id = named !== null && idPattern.test(named) && !ids.has(named) ? named : madeId(moveId, line.url)
    ids.add(id)
    assets.push(assetOf(source, line, id))
  }
  return assets.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Returns a deterministic id, so that a retry finds the files that the interrupted run created. */
const madeId = (moveId: string, url: string) =>
  createHash('sha256').update(`${moveId} ${url}`).digest('hex').slice(0, 24)

function assetOf(source: ArchiveSource, line: AssetLine, id: string, said?: KnownAsset) {
  const { url, path, bytes, sha256, fileName, contentType } = line
  const uid = uidInAddress(url)
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

/**
 * Returns an asset without bytes for a file that contents mention and the archive lacks. Returns no asset if the file's
 * URL is not http(s) or is too long.
 */
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

/** Returns the properties of a file as the delivery API of the source returned them. */
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
