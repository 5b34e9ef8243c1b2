import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { NotAnArchive } from './errors.ts'
import { formatVersion, type Manifest, manifestSchema } from './format.ts'
import { workingFolder } from './names.ts'
import { isRecord } from './shapes.ts'
import type { ArchiveSource } from './source.ts'

/** A manifest for millions of files is smaller. */
const largestManifest = 256_000_000

/** The manifest of the archive at `path`; throws NotAnArchive, `newer` for one of a later version of the format. */
export async function readManifest(source: ArchiveSource, path: string): Promise<Manifest> {
  let found: unknown
  try {
    const chunks: Buffer[] = []
    for await (const chunk of source.read('manifest.json', largestManifest)) chunks.push(chunk)
    found = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return manifestSchema.parse(found)
  } catch {
    if (isNewer(found)) throw new NotAnArchive(path, 'newer')
    const isRunning = await stat(join(path, workingFolder)).catch(() => undefined)
    throw new NotAnArchive(path, isRunning ? 'not_finished' : 'other')
  }
}

function isNewer(manifest: unknown): boolean {
  if (!isRecord(manifest) || manifest.format !== 'imori-archive') return false
  return typeof manifest.formatVersion === 'number' && manifest.formatVersion > formatVersion
}
