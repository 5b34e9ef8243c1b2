import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { PortableAsset, PortablePicture } from '#archive/app-format.ts'
import { signaturePath, signManifest } from '#archive/signature.ts'
import { writeApp } from '#archive/write-app.ts'
import { packZip } from '#archive/zip.ts'
import type { AppContext } from '#server/access/context.ts'
import type { Config, Secrets } from '#server/config.ts'
import {
  type InApp,
  inApp,
  liveApp,
  type PortableSource,
  signingKey,
} from '#server/features/portable-apps/portable-apps.service.ts'
import type { Storages } from '#server/storage/index.ts'
import type { ExportOptions } from '#shared/contract/app-exports.ts'
import { AppError } from '#shared/errors.ts'
import { exportPath, makeWorkFolder } from './app-exports.files.ts'
import { writePlain } from './app-exports.plain.ts'

interface Writing extends InApp {
  exportId: string
  options: ExportOptions
  config: Config
  secrets: Secrets
  storages: Storages
  signal: AbortSignal
  progress(done: number, total?: number | null): Promise<void>
}

/** Writes an app as a zip that appears when it is whole. Nothing of a run that was cut off is used again. */
export async function writeExport(writing: Writing): Promise<{ fileSize: number; missing: number }> {
  const { scope, exportId, options, config, storages, signal, progress } = writing
  const { format, assets, revisions } = options
  const addresses = format === 'archive' ? 'portable' : 'kept'
  const source = await liveApp({
    ...writing,
    storages,
    signal,
    addresses,
    revisions: revisions && format === 'archive',
  })
  const { space, total } = await inApp(writing, countDocuments)
  const folder = await makeWorkFolder(config.dataDir, scope.spaceId, exportId)
  const target = exportPath(config.dataDir, scope.spaceId, exportId)
  const onProgress = (documents: number) => progress(documents, total)
  try {
    if (format === 'archive')
      return await writeArchive(
        writing,
        { source: assets ? source : withoutFiles(source), space },
        folder,
        target,
        onProgress,
      )
    const files = await writePlain(folder, source, format, onProgress)
    const fileSize = await packZip(files, (path) => createReadStream(join(folder, path)), target)
    return { fileSize, missing: 0 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function countDocuments({ db, scope, space }: AppContext): Promise<{ space: string; total: number }> {
  const { documents } = await db
    .selectFrom('model')
    .innerJoin('model_stat', 'model_stat.model_id', 'model.id')
    .select((select) => select.fn.coalesce(select.fn.sum<number>('documents'), select.lit(0)).as('documents'))
    .where('model.space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { space: space.uid, total: Number(documents) }
}

/** The archive of an app, signed. */
async function writeArchive(
  { db, secrets, config, options, signal }: Writing,
  { source, space }: { source: PortableSource; space: string },
  folder: string,
  target: string,
  onProgress: (documents: number) => Promise<void>,
): Promise<{ fileSize: number; missing: number }> {
  const about = {
    generator: 'imori',
    finishedAt: new Date().toISOString(),
    source: { kind: 'imori', space, app: source.app.app.uid, origin: config.url },
  } as const
  const { manifest, elsewhere, missing } = await writeApp(folder, source, about, onProgress)
  const text = await readFile(join(folder, 'manifest.json'))
  await writeFile(join(folder, signaturePath), signManifest(text, await signingKey(db, secrets)))
  const beside = ['manifest.json', signaturePath].map(async (path) => ({
    path,
    bytes: (await stat(join(folder, path))).size,
  }))
  const open = (path: string) => {
    const file = elsewhere.get(path)
    return file ? Readable.from(bytesOf(source, file, signal)) : createReadStream(join(folder, path))
  }
  const fileSize = await packZip([...(await Promise.all(beside)), ...manifest.files], open, target)
  return { fileSize, missing: options.assets ? missing : 0 }
}

/** The same app, its assets without their files. */
const withoutFiles = (source: PortableSource): PortableSource => ({
  ...source,
  async *assets() {
    for await (const asset of source.assets()) yield { ...asset, path: null }
  },
})

/** The bytes of a file, which must be those that the manifest names. Throws `FileIsDamaged`. */
async function* bytesOf(
  source: PortableSource,
  file: PortableAsset | PortablePicture,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  const bytes = 'type' in file ? [await source.picture(file)] : source.bytes(file)
  for await (const chunk of bytes) {
    signal.throwIfAborted()
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== file.sha256) throw new AppError('FileIsDamaged')
}
