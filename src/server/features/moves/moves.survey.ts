import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AssetFinder, createAssetFinder } from '#archive/asset-urls.ts'
import { readContent } from '#archive/content.ts'
import { type AssetLine, assetLineSchema, type Manifest } from '#archive/format.ts'
import { isAsset, isRecord } from '#archive/shapes.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { ImportedAsset } from '#server/features/assets/asset-imports.service.ts'
import { Pace } from '#server/lib/pace.ts'
import { idPattern } from '#shared/identifiers.ts'
import { IndexedLines, linesOf } from './moves.lines.ts'

/** What must be known of a whole archive before any part of it can be imported. */
export interface Survey {
  finder: AssetFinder
  /** Files that are in the archive, as they are to be in the library, by `_id`. */
  assets: (ImportedAsset & { urls: string[] })[]
  /** What is published of each model, and the texts of its fields, as far as the archive has them. */
  models: Map<string, { cdn: IndexedLines | null; texts: Texts }>
  /** `_id`s of what is published in any model; null: the archive does not say. */
  published: ReadonlySet<string> | null
  close(): Promise<void>
}

interface Texts {
  api: IndexedLines | null
  cdn: IndexedLines | null
}

/** Goes through the archive once; `folder` takes what must be jumped about in. */
export async function survey(
  source: ArchiveSource,
  manifest: Manifest,
  folder: string,
  moveId: string,
): Promise<Survey> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const finder = finderOf(manifest)
  const known = new Map<string, Record<string, unknown>>()
  const visit = (fields: Record<string, unknown>) => findAssets(fields, known)
  const models: Survey['models'] = new Map()
  const opened: IndexedLines[] = []
  const index = async (path: string | undefined, see: typeof visit = () => {}) => {
    if (path === undefined) return null
    const lines = await IndexedLines.open(
      join(folder, `${opened.length}`),
      linesOf(source, manifest, path),
      see,
    )
    opened.push(lines)
    return lines
  }
  const close = async () => {
    for (const lines of opened) await lines.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const pace = new Pace()
    for (const { uid, api, cdn, texts } of manifest.models) {
      models.set(uid, {
        cdn: await index(cdn?.path, visit),
        texts: { api: await index(texts?.api?.path), cdn: await index(texts?.cdn?.path) },
      })
      for await (const { text } of linesOf(source, manifest, api.path)) {
        const content = readContent(text)
        if (content) visit(content.fields)
        await pace.giveWay()
      }
    }
    const views = [...models.values()].map(({ cdn }) => cdn)
    const published = views.every((cdn) => cdn === null)
      ? null
      : new Set(views.flatMap((cdn) => [...(cdn?.ids() ?? [])]))
    return {
      finder,
      assets: await listAssets(source, manifest, finder, known, moveId),
      models,
      published,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** What finds addresses of this archive's files. */
export const finderOf = ({ asked, learntHosts, source }: Manifest): AssetFinder =>
  createAssetFinder({ assetHosts: asked.assetHosts, learnt: learntHosts, origin: source.origin ?? undefined })

function findAssets(value: unknown, known: Map<string, Record<string, unknown>>): void {
  if (Array.isArray(value)) for (const item of value) findAssets(item, known)
  else if (isAsset(value)) {
    if (idPattern.test(value._id) && !known.has(value._id)) known.set(value._id, value)
  } else if (isRecord(value)) for (const item of Object.values(value)) findAssets(item, known)
}

async function listAssets(
  source: ArchiveSource,
  manifest: Manifest,
  finder: AssetFinder,
  known: Map<string, Record<string, unknown>>,
  moveId: string,
): Promise<Survey['assets']> {
  const lines = new Map<string, AssetLine>()
  for await (const { text } of linesOf(source, manifest, 'assets.ndjson')) {
    const line = assetLineSchema.parse(JSON.parse(text.toString('utf8')))
    lines.set(line.url, line)
  }
  const taken = new Set<string>()
  const assets = [...known].flatMap(([id, said]) => {
    const url = finder.ofSource(String(said.src))
    const line = url === undefined ? undefined : lines.get(url)
    if (!line) return []
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
    assets.push(assetOf(source, line, id, {}))
  }
  return assets.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The same each time, so that a run that was cut off finds what it made. */
const madeId = (moveId: string, url: string) =>
  createHash('sha256').update(`${moveId} ${url}`).digest('hex').slice(0, 24)

/** `…/v1/{uid}/{name}`, `…/p_{space}/{uid}/{name}`: by what a file is known in its address. */
const uidIn = (url: string): string | null =>
  /\/(?:v1|p_[^/]+)\/([\w-]{1,100})\/[^/]+$/.exec(url)?.[1] ?? null

function assetOf(source: ArchiveSource, line: AssetLine, id: string, said: Record<string, unknown>) {
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const uid = uidIn(line.url)
  return {
    id,
    urls: [line.url],
    fileName: text(said.fileName) || line.fileName,
    fileType: text(said.fileType) || line.contentType,
    title: text(said.title),
    description: text(said.description),
    altText: text(said.altText),
    metadata: isRecord(said.metadata) ? said.metadata : {},
    formerUid: uid !== null && uid !== id ? uid : null,
    size: line.bytes,
    bytes: () => source.read(line.path, line.bytes),
  }
}
