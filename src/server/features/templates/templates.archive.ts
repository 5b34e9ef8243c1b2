import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type AppManifest, appManifestSchema, type PortableAsset } from '#archive/app-format.ts'
import { fileBytes } from '#archive/files.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { writeApp } from '#archive/write-app.ts'
import { archivedApp, type PortableSource } from '#server/features/portable-apps/portable-apps.service.ts'
import type { StorageDriver } from '#server/storage/driver.ts'
import type { TemplateKey } from './templates.repository.ts'

/*
 * The archive (format version 2) of a template. Its files are stored separately, so that the archive need not be
 * unpacked.
 */

const root = 'templates'

/** Returns the path of a template's archive, unique among all spaces. */
export const placeOf = (spaceId: number, { id, version }: TemplateKey): string =>
  `${spaceId}/${id}/${version}`

interface Writing {
  driver: StorageDriver
  place: string
  /** Local folder for files whose size is not known in advance. */
  dataDir: string
  about: Pick<AppManifest, 'generator' | 'finishedAt' | 'source'>
  signal: AbortSignal
  progress(done: number): Promise<void>
}

/** Writes the archive. A repeated run writes the same files again. */
export async function writeArchive(
  source: PortableSource,
  { driver, place, dataDir, about, signal, progress }: Writing,
): Promise<AppManifest> {
  const folder = join(dataDir, root, place.replaceAll('/', '-'))
  await rm(folder, { recursive: true, force: true })
  try {
    const { manifest, elsewhere } = await writeApp(folder, source, about, progress)
    const keep = (path: string, size: number, bytes: () => AsyncIterable<Uint8Array>, sha256?: string) =>
      driver.write(`${root}/${place}/${path}`, bytes, {
        type: 'application/octet-stream',
        size,
        signal,
        ...(sha256 ? { sha256 } : {}),
      })
    const onDisk = (path: string) => () => fileBytes(join(folder, path))
    for (const { path, bytes, sha256 } of manifest.files) {
      const file = elsewhere.get(path)
      const read = !file
        ? onDisk(path)
        : '_id' in file
          ? () => source.bytes(file as PortableAsset)
          : () => inOnePiece(source.picture(file))
      await keep(path, bytes, read, sha256)
    }
    // Written last: an archive with a manifest is complete.
    const { size } = await stat(join(folder, 'manifest.json'))
    await keep('manifest.json', size, onDisk('manifest.json'))
    return manifest
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function* inOnePiece(bytes: Promise<Buffer>) {
  yield await bytes
}

/** Returns the portable app in the archive at `place`. Throws `StorageNotFound`. */
export async function openArchiveAt(
  driver: StorageDriver,
  place: string,
  signal: AbortSignal | undefined,
): Promise<PortableSource> {
  const archive: Pick<ArchiveSource, 'read'> = {
    async *read(path) {
      for await (const chunk of await driver.read(`${root}/${place}/${path}`, undefined, signal))
        yield Buffer.from(chunk)
    },
  }
  const chunks: Buffer[] = []
  for await (const chunk of archive.read('manifest.json', 0)) chunks.push(chunk)
  const manifest = appManifestSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  return archivedApp(archive as ArchiveSource, manifest)
}

/** Returns the bytes of a file of the archive. Throws `StorageNotFound`. */
export const readFileAt = (driver: StorageDriver, place: string, path: string) =>
  driver.read(`${root}/${place}/${path}`)

/**
 * Deletes the archives of deleted templates. `known` returns the paths that are in use. Returns the number of deleted
 * files.
 */
export async function sweepArchives(
  driver: StorageDriver,
  known: (places: string[]) => Promise<ReadonlySet<string>>,
  progress: (swept: number) => Promise<void>,
): Promise<number> {
  const kept = new Map<string, boolean>()
  let swept = 0
  for await (const { key } of driver.list(`${root}/`)) {
    const [, place] = /^templates\/(\d+\/[0-9a-f]{24}\/\d+)\//.exec(key) ?? []
    if (place === undefined) continue
    if (!kept.has(place)) kept.set(place, (await known([place])).has(place))
    if (kept.get(place)) continue
    await driver.delete(key)
    swept += 1
    await progress(swept)
  }
  return swept
}
