import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type AppManifest, appFormatVersion, appManifestSchema } from './app-format.ts'
import { NotAnArchive } from './errors.ts'
import { formatVersion, type Manifest, manifestSchema } from './format.ts'
import { parseLarge, parseLargeObject } from './large-json.ts'
import { workingFolder } from './names.ts'
import { isRecord } from './shapes.ts'
import type { ArchiveSource } from './source.ts'
import { mostApps, type SpaceManifest, spaceManifestSchema } from './space-format.ts'

/** Maximum size of a manifest in bytes; a manifest for 200,000 files is smaller. */
const largestManifest = 48_000_000
/** Maximum number of files in one archive; larger spaces are exported app by app. */
const mostFiles = 200_000
const mostModels = 10_000

const knownMembers = new Set(
  [manifestSchema, appManifestSchema, spaceManifestSchema].flatMap(({ shape }) => Object.keys(shape)),
)

/** Reads the manifest. Returns its bytes and the parsed JSON. Throws if it is missing, invalid or too large. */
export async function readManifestJson(source: ArchiveSource): Promise<{
  text: Buffer
  found: Record<string, unknown>
}> {
  const chunks: Buffer[] = []
  for await (const chunk of source.read('manifest.json', largestManifest)) chunks.push(chunk)
  const text = Buffer.concat(chunks)
  return { text, found: await parseLargeObject(text, knownMembers) }
}

const { files: ofContents, models } = manifestSchema.shape
const { files: ofApps } = appManifestSchema.shape
const { apps } = spaceManifestSchema.shape
const filesOfApps = { files: { item: ofApps.element, most: mostFiles } }

const readContents = (found: Record<string, unknown>): Promise<Manifest> =>
  parseLarge(manifestSchema, found, {
    files: { item: ofContents.element, most: mostFiles },
    models: { item: models.element, most: mostModels },
  })
const readApp = (found: Record<string, unknown>): Promise<AppManifest> =>
  parseLarge(appManifestSchema, found, filesOfApps)
const readSpace = (found: Record<string, unknown>): Promise<SpaceManifest> =>
  parseLarge(spaceManifestSchema, found, {
    ...filesOfApps,
    apps: { item: apps.element, least: 1, most: mostApps },
  })

/** A manifest of either version. A manifest of version 2 describes one app, or all apps of a space. */
export type AnyManifest =
  | { version: typeof formatVersion; of: 'contents'; manifest: Manifest }
  | { version: typeof appFormatVersion; of: 'app'; manifest: AppManifest; text: Buffer }
  | { version: typeof appFormatVersion; of: 'space'; manifest: SpaceManifest; text: Buffer }

/**
 * Reads the manifest of the archive at `path`. Throws `NotAnArchive`, with the reason `newer` for later format
 * versions.
 */
export async function readAnyManifest(source: ArchiveSource, path: string): Promise<AnyManifest> {
  let found: Record<string, unknown> | undefined
  try {
    const read = await readManifestJson(source)
    found = read.found
    const { text } = read
    if (found.formatVersion !== appFormatVersion)
      return { version: formatVersion, of: 'contents', manifest: await readContents(found) }
    return 'apps' in found
      ? { version: appFormatVersion, of: 'space', manifest: await readSpace(found), text }
      : { version: appFormatVersion, of: 'app', manifest: await readApp(found), text }
  } catch {
    if (isNewer(found)) throw new NotAnArchive(path, 'newer')
    const isRunning = await stat(join(path, workingFolder)).catch(() => undefined)
    throw new NotAnArchive(path, isRunning ? 'not_finished' : 'other')
  }
}

/**
 * Reads a manifest for callers that support only archives of contents (version 1). Throws `NotAnArchive`, with the
 * reason `newer` for version 2 and later.
 */
export async function readManifest(source: ArchiveSource, path: string): Promise<Manifest> {
  const found = await readAnyManifest(source, path)
  if (found.version !== formatVersion) throw new NotAnArchive(path, 'newer')
  return found.manifest
}

function isNewer(manifest: unknown): boolean {
  if (!isRecord(manifest) || manifest.format !== 'imori-archive') return false
  return typeof manifest.formatVersion === 'number' && manifest.formatVersion > appFormatVersion
}
