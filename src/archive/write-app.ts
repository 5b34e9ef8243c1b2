import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AppManifest,
  appFormatVersion,
  appManifestSchema,
  documentsPath,
  filePath,
  type PortableApp,
  type PortableAsset,
  type PortableDocument,
  type PortablePicture,
  type PortableRevision,
  revisionsPath,
} from './app-format.ts'
import { ArchiveWriter } from './write.ts'

/** An app to export. Its parts are read in this order. */
export interface WrittenApp {
  readonly app: PortableApp
  documents(model: string, after: string | null): AsyncIterable<PortableDocument>
  /** Called after the documents were read. Absent if no revisions are exported. */
  revisions?(model: string, after: string | null): AsyncIterable<PortableRevision>
  /** Called after the documents and revisions were read. */
  assets(): AsyncIterable<PortableAsset>
}

/** Files in the manifest that were not written into the folder, by path. Their bytes remain at their origin. */
type Elsewhere = Map<string, PortableAsset | PortablePicture>

interface AppArchive {
  manifest: AppManifest
  elsewhere: Elsewhere
  missing: number
}

/**
 * Writes the archive of an app into a folder. The files of pictures and assets are not written, only listed in the
 * manifest. The same app yields the same bytes, except for the values in `about`.
 */
export async function writeApp(
  dir: string,
  source: WrittenApp,
  about: Pick<AppManifest, 'generator' | 'finishedAt' | 'source'>,
  onProgress: (documents: number) => Promise<void> = async () => {},
): Promise<AppArchive> {
  const writer = new ArchiveWriter(dir)
  const { models, counts, elsewhere, missing } = await new AppWriter(writer, dir, '', new Map()).write(
    source,
    onProgress,
  )
  for (const [path, { bytes, sha256 }] of elsewhere) writer.addElsewhere({ path, bytes, sha256 })
  const manifest = await writer.finishAs(appManifestSchema, {
    format: 'imori-archive',
    formatVersion: appFormatVersion,
    ...about,
    models,
    counts,
  })
  return { manifest, elsewhere, missing }
}

/** Writes one app into an archive, below `folder` (`''`, or with a trailing slash). */
export class AppWriter {
  readonly #writer: ArchiveWriter
  readonly #dir: string
  readonly #folder: string
  readonly #said: Map<string, PortableAsset>

  /** `said`: assets that other apps have already written to this archive, by `_id`. The writer adds to it. */
  constructor(writer: ArchiveWriter, dir: string, folder: string, said: Map<string, PortableAsset>) {
    this.#writer = writer
    this.#dir = dir
    this.#folder = folder
    this.#said = said
  }

  async write(source: WrittenApp, onProgress: (documents: number) => Promise<void>) {
    const { app } = source
    await mkdir(join(this.#dir, this.#folder, 'documents'), { recursive: true })
    await this.#add('app.json', (file) => file.write(`${JSON.stringify(app, null, 1)}\n`))
    const models: AppManifest['models'] = []
    let documents = 0
    for (const { uid } of app.models) {
      const path = documentsPath(uid)
      const before = documents
      const count = await this.#lines(path, source.documents(uid, null), (done) => onProgress(before + done))
      models.push({ uid, documents: { count, path } })
      documents += count
    }
    let revisions = 0
    if (source.revisions) {
      await mkdir(join(this.#dir, this.#folder, 'revisions'), { recursive: true })
      for (const model of models) {
        const path = revisionsPath(model.uid)
        const count = await this.#lines(path, source.revisions(model.uid, null))
        model.revisions = { count, path }
        revisions += count
      }
    }
    const { elsewhere, missing, ...assets } = await this.#assets(source)
    const counts: AppManifest['counts'] = {
      documents,
      ...(source.revisions ? { revisions } : {}),
      assets,
    }
    return { models, counts, elsewhere, missing }
  }

  #add(path: string, fill: Parameters<ArchiveWriter['add']>[1]): Promise<void> {
    return this.#writer.add(this.#folder + path, fill)
  }

  /** Writes one line per item. Returns the number of lines. */
  async #lines(
    path: string,
    lines: AsyncIterable<object>,
    onLine?: (done: number) => Promise<void>,
  ): Promise<number> {
    let count = 0
    await this.#add(path, async (file) => {
      for await (const line of lines) {
        await file.write(`${JSON.stringify(line)}\n`)
        count += 1
        await onLine?.(count)
      }
    })
    return count
  }

  async #assets(source: WrittenApp) {
    const elsewhere: Elsewhere = new Map()
    let [all, bytes, missing] = [0, 0, 0]
    await this.#add('assets.ndjson', async (file) => {
      for await (const found of source.assets()) {
        // The asset may have changed since another app wrote it, but shared assets must be identical.
        const asset = this.#said.get(found._id) ?? found
        this.#said.set(asset._id, asset)
        await file.write(`${JSON.stringify(asset)}\n`)
        all += 1
        if (asset.path === null) missing += 1
        if (asset.path === null || elsewhere.has(asset.path)) continue
        elsewhere.set(asset.path, asset)
        bytes += asset.bytes
      }
    })
    const files = elsewhere.size
    const { icon, cover } = source.app.app
    for (const picture of [icon, cover])
      if (picture?.type === 'image' && !elsewhere.has(filePath(picture)))
        elsewhere.set(filePath(picture), picture)
    return { elsewhere, missing, all, files, bytes }
  }
}
