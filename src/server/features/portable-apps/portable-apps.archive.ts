import { type AppManifest, filePath, type PortableApp } from '#archive/app-format.ts'
import { AppLines } from '#archive/app-lines.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { Pace } from '#server/lib/pace.ts'
import { withShownNames } from './portable-apps.names.ts'
import type { PortableSource } from './portable-apps.source.ts'

/** Returns `app.json` of an archive, with names that can be shown. Throws `InvalidLine`. */
export const appInArchive = async (source: ArchiveSource, manifest: AppManifest): Promise<PortableApp> =>
  withShownNames(await new AppLines(source, manifest).app())

/** Returns the app in an archive of format version 2. Throws `InvalidLine`, also while the source is read. */
export async function archivedApp(source: ArchiveSource, manifest: AppManifest): Promise<PortableSource> {
  const lines = new AppLines(source, manifest)
  return {
    app: await appInArchive(source, manifest),
    documents: (model, after) => behind(lines.documents(model), after),
    ...(manifest.counts.revisions === undefined
      ? {}
      : { revisions: (model: string, after: string | null) => behind(lines.revisions(model), after) }),
    assets: () => lines.assets(),
    bytes: (asset) => lines.read(filePath(asset)),
    async picture(picture) {
      const chunks: Buffer[] = []
      for await (const chunk of lines.read(filePath(picture))) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
  }
}

async function* behind<Line extends { _id: string }>(
  lines: AsyncIterable<Line>,
  after: string | null,
): AsyncGenerator<Line> {
  const pace = new Pace()
  for await (const line of lines) {
    if (after === null || line._id > after) yield line
    await pace.giveWay()
  }
}
