import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeApp } from '#archive/write-app.ts'
import { packZip } from '#archive/zip.ts'
import type { AppContext } from '#server/access/context.ts'
import {
  type InApp,
  inApp,
  liveApp,
  type PortableSource,
  signingKey,
} from '#server/features/portable-apps/portable-apps.service.ts'
import type { ExportOptions } from '#shared/contract/app-exports.ts'
import { exportPath, makeWorkFolder } from './app-exports.files.ts'
import { packArchive, withoutFiles } from './app-exports.pack.ts'
import { writePlain } from './app-exports.plain.ts'
import { countStoredDocuments } from './app-exports.repository.ts'

export interface Writing extends Omit<InApp, 'appId'> {
  exportId: string
  options: ExportOptions
  signal: AbortSignal
  progress(done: number, total?: number | null): Promise<void>
}

/**
 * Writes an app as a zip. The file appears at its path when it is complete. No part of an interrupted run is reused.
 */
export async function writeExport(
  writing: Writing & Pick<InApp, 'appId'>,
): Promise<{ fileSize: number; missing: number }> {
  const {
    scope,
    exportId,
    options,
    services: { config },
    progress,
  } = writing
  const { format, assets, revisions } = options
  const addresses = format === 'archive' ? 'portable' : 'kept'
  const source = await liveApp({
    ...writing,
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
  return { space: space.uid, total: await countStoredDocuments(db, scope) }
}

async function writeArchive(
  { db, services, options, signal }: Writing,
  { source, space }: { source: PortableSource; space: string },
  folder: string,
  target: string,
  onProgress: (documents: number) => Promise<void>,
): Promise<{ fileSize: number; missing: number }> {
  const about = {
    generator: 'imori',
    finishedAt: new Date().toISOString(),
    source: { kind: 'imori', space, app: source.app.app.uid, origin: services.config.url },
  } as const
  const written = await writeApp(folder, source, about, onProgress)
  const elsewhere = (path: string) => {
    const file = written.elsewhere.get(path)
    return file && { source, file }
  }
  const { files } = written.manifest
  const key = await signingKey({ db, services })
  const fileSize = await packArchive({ folder, files, elsewhere, key, signal }, target)
  return { fileSize, missing: options.assets ? written.missing : 0 }
}
