import { rm } from 'node:fs/promises'
import { writeSpace } from '#archive/write-space.ts'
import { inTransaction } from '#server/db/scope.ts'
import {
  liveApp,
  type PortableSource,
  signingKey,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { exportPath, makeWorkFolder } from './app-exports.files.ts'
import { packArchive, withoutFiles } from './app-exports.pack.ts'
import { findSpaceUid, listExportedApps } from './app-exports.repository.ts'
import type { Writing } from './app-exports.write.ts'

/**
 * Writes all apps of a space into one archive, one after the other, each in its state when it is read. The run fails if
 * an app is deleted or its fields change meanwhile. The next run starts from the beginning.
 */
export async function writeSpaceExport(writing: Writing): Promise<{ fileSize: number; missing: number }> {
  const { db, scope, exportId, options, services, signal, progress } = writing
  const { config } = services
  const { assets, revisions } = options
  const { space, apps } = await inTransaction(db, async (tx) => ({
    space: await findSpaceUid(tx, scope),
    apps: await listExportedApps(tx, scope),
  }))
  const total = apps.reduce((sum, { documents }) => sum + documents, 0)
  async function* sources(): AsyncGenerator<PortableSource> {
    for (const { id: appId } of apps) {
      const source = await liveApp({ ...writing, appId, addresses: 'portable', revisions })
      yield assets ? source : withoutFiles(source)
    }
  }
  const folder = await makeWorkFolder(config.dataDir, scope.spaceId, exportId)
  try {
    const about = {
      generator: 'imori',
      finishedAt: new Date().toISOString(),
      source: { kind: 'imori', space, origin: config.url },
    } as const
    const written = await writeSpace(folder, sources(), about, (documents) => progress(documents, total))
    const { manifest, elsewhere, missing } = written
    const packing = {
      folder,
      files: manifest.files,
      elsewhere: (path: string) => elsewhere.get(path),
      key: await signingKey({ db, services }),
      signal,
    }
    const fileSize = await packArchive(packing, exportPath(config.dataDir, scope.spaceId, exportId))
    return { fileSize, missing: assets ? missing : 0 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
