import { z } from 'zod'
import { type AppManifest, appFormatVersion, appManifestSchema } from './app-format.ts'
import { path } from './format.ts'
import { assetsFolder, safeFileName } from './names.ts'
import type { ArchiveSource } from './source.ts'

/*
 * All apps of a space in one archive of format version 2: each is in its own folder like a single app, and shared
 * assets are stored once.
 */

const { format, formatVersion, generator, finishedAt, source, models, counts, files } =
  appManifestSchema.shape

/** Maximum number of apps in one archive. */
export const mostApps = 1000

export const spaceManifestSchema = z.strictObject({
  format,
  formatVersion,
  generator,
  finishedAt,
  source: source.omit({ app: true }),
  /** Apps in the order of the space. The paths in `models` are relative to `folder`. */
  apps: z
    .array(z.strictObject({ uid: source.shape.app, folder: path, models, counts }))
    .min(1)
    .max(mostApps),
  /** Totals of all apps. A file that several apps use counts once. */
  counts,
  files,
})
export type SpaceManifest = z.infer<typeof spaceManifestSchema>

/** Returns the folder of an app in the archive of its space. */
export const memberFolder = (uid: string): string => `apps/${safeFileName(uid)}`

/** An app in the archive of its space, presented as a separate archive. */
export interface Member {
  uid: string
  folder: string
  source: ArchiveSource
  manifest: AppManifest
}

/** Returns the apps of the archive, in order. */
export function membersOf(space: ArchiveSource, manifest: SpaceManifest): Member[] {
  const { generator, finishedAt, source } = manifest
  const shared = new Map<string, number>()
  const owned = new Map<string, AppManifest['files']>(manifest.apps.map(({ folder }) => [folder, []]))
  for (const file of manifest.files) {
    const [first = '', second = ''] = file.path.split('/', 2)
    const folder = `${first}/${second}`
    if (file.path.startsWith(assetsFolder)) shared.set(file.path, file.bytes)
    else owned.get(folder)?.push({ ...file, path: file.path.slice(folder.length + 1) })
  }
  return manifest.apps.map(({ uid, folder, models: ownModels, counts: ownCounts }) => {
    const own = owned.get(folder) ?? []
    const placeOf = (name: string) => (name.startsWith(assetsFolder) ? name : `${folder}/${name}`)
    return {
      uid,
      folder,
      source: {
        async *list() {
          for (const { path: name } of own) yield name
        },
        has: (name) => space.has(placeOf(name)),
        // The size of a shared file is in the manifest of the space.
        read: (name, most) => space.read(placeOf(name), shared.get(name) ?? most),
        close: () => {},
      },
      manifest: {
        format: 'imori-archive',
        formatVersion: appFormatVersion,
        generator,
        finishedAt,
        source: { ...source, app: uid },
        models: ownModels,
        counts: ownCounts,
        files: own,
      },
    }
  })
}
