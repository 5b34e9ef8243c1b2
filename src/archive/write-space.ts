import { appFormatVersion, type PortableAsset, type PortablePicture } from './app-format.ts'
import { memberFolder, type SpaceManifest, spaceManifestSchema } from './space-format.ts'
import { ArchiveWriter } from './write.ts'
import { AppWriter, type WrittenApp } from './write-app.ts'

/**
 * Writes the archive of a space into a folder, app by app, except the files of pictures and assets. The same apps yield
 * the same bytes, except for the values in `about`. Returns in `elsewhere` the files that were not written, by path,
 * each with the app that provides its bytes.
 */
export async function writeSpace<App extends WrittenApp>(
  dir: string,
  apps: AsyncIterable<App>,
  about: Pick<SpaceManifest, 'generator' | 'finishedAt' | 'source'>,
  onProgress: (documents: number) => Promise<void> = async () => {},
) {
  const writer = new ArchiveWriter(dir)
  const said = new Map<string, PortableAsset>()
  const elsewhere = new Map<string, { source: App; file: PortableAsset | PortablePicture }>()
  const members: SpaceManifest['apps'] = []
  const used = new Set<string>()
  const total: SpaceManifest['counts'] = { documents: 0, assets: { all: 0, files: 0, bytes: 0 } }
  let missing = 0
  for await (const app of apps) {
    const { uid } = app.app.app
    const folder = memberFolder(uid)
    if (members.some((other) => other.folder === folder)) throw new Error(`two apps are called ${uid}`)
    const before = total.documents
    const written = await new AppWriter(writer, dir, `${folder}/`, said).write(app, (done) =>
      onProgress(before + done),
    )
    const { models, counts } = written
    members.push({ uid, folder, models, counts })
    total.documents += counts.documents
    if (counts.revisions !== undefined) total.revisions = (total.revisions ?? 0) + counts.revisions
    for (const [path, file] of written.elsewhere) {
      if (!elsewhere.has(path)) elsewhere.set(path, { source: app, file })
      if (!('_id' in file) || used.has(path)) continue
      used.add(path)
      total.assets.files += 1
      total.assets.bytes += file.bytes
    }
  }
  for (const { path } of said.values()) if (path === null) missing += 1
  total.assets.all = said.size
  for (const [path, { file }] of elsewhere)
    writer.addElsewhere({ path, bytes: file.bytes, sha256: file.sha256 })
  const manifest = await writer.finishAs(spaceManifestSchema, {
    format: 'imori-archive',
    formatVersion: appFormatVersion,
    ...about,
    apps: members,
    counts: total,
  })
  return { manifest, elsewhere, missing }
}
