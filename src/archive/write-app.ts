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

/** An app to be written, as it is read. */
export interface WrittenApp {
  readonly app: PortableApp
  documents(model: string, after: string | null): AsyncIterable<PortableDocument>
  /** Asked when the documents were read; left out: they are not to be in the archive. */
  revisions?(model: string, after: string | null): AsyncIterable<PortableRevision>
  /** Asked when the documents and their revisions were read. */
  assets(): AsyncIterable<PortableAsset>
}

interface AppArchive {
  manifest: AppManifest
  /** Files of the manifest that were not written, by path: their bytes are still where they come from. */
  elsewhere: Map<string, PortableAsset | PortablePicture>
  /** Assets without a file. */
  missing: number
}

/**
 * Writes the archive of an app into a folder, but for the files of its pictures and assets, which the manifest names too. The
 * same app is the same bytes, `about` aside.
 */
export async function writeApp(
  dir: string,
  source: WrittenApp,
  about: Pick<AppManifest, 'generator' | 'finishedAt' | 'source'>,
  onProgress: (documents: number) => Promise<void> = async () => {},
): Promise<AppArchive> {
  await mkdir(join(dir, 'documents'), { recursive: true })
  const writer = new ArchiveWriter(dir)
  const { app } = source
  await writer.add('app.json', (file) => file.write(`${JSON.stringify(app, null, 1)}\n`))
  const elsewhere: AppArchive['elsewhere'] = new Map()
  const models: AppManifest['models'] = []
  let documents = 0
  for (const { uid } of app.models) {
    const path = documentsPath(uid)
    let count = 0
    await writer.add(path, async (file) => {
      for await (const document of source.documents(uid, null)) {
        await file.write(`${JSON.stringify(document)}\n`)
        count += 1
        await onProgress(documents + count)
      }
    })
    models.push({ uid, documents: { count, path } })
    documents += count
  }
  let revisions = 0
  if (source.revisions) {
    await mkdir(join(dir, 'revisions'), { recursive: true })
    for (const model of models) {
      model.revisions = await writeRevisions(writer, model.uid, source.revisions(model.uid, null))
      revisions += model.revisions.count
    }
  }
  const assets = { all: 0, files: 0, bytes: 0 }
  let missing = 0
  await writer.add('assets.ndjson', async (file) => {
    for await (const asset of source.assets()) {
      await file.write(`${JSON.stringify(asset)}\n`)
      assets.all += 1
      if (asset.path === null) missing += 1
      if (asset.path === null || elsewhere.has(asset.path)) continue
      elsewhere.set(asset.path, asset)
      assets.files += 1
      assets.bytes += asset.bytes
    }
  })
  for (const picture of [app.app.icon, app.app.cover])
    if (picture?.type === 'image') elsewhere.set(filePath(picture), picture)
  for (const [path, { bytes, sha256 }] of elsewhere) writer.addElsewhere({ path, bytes, sha256 })
  const manifest = await writer.finishAs(appManifestSchema, {
    format: 'imori-archive',
    formatVersion: appFormatVersion,
    ...about,
    models,
    counts: { documents, ...(source.revisions ? { revisions } : {}), assets },
  })
  return { manifest, elsewhere, missing }
}

async function writeRevisions(
  writer: ArchiveWriter,
  model: string,
  revisions: AsyncIterable<PortableRevision>,
): Promise<{ count: number; path: string }> {
  const path = revisionsPath(model)
  let count = 0
  await writer.add(path, async (file) => {
    for await (const revision of revisions) {
      await file.write(`${JSON.stringify(revision)}\n`)
      count += 1
    }
  })
  return { count, path }
}
