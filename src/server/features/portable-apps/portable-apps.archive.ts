import { type AppManifest, filePath } from '#archive/app-format.ts'
import { AppLines } from '#archive/app-lines.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { Pace } from '#server/lib/pace.ts'
import type { PortableSource } from './portable-apps.source.ts'

/** An app in an archive of format version 2. Throws InvalidLine, also while it is read. */
export async function archivedApp(source: ArchiveSource, manifest: AppManifest): Promise<PortableSource> {
  const lines = new AppLines(source, manifest)
  return {
    app: await lines.app(),
    async *documents(model, after) {
      const pace = new Pace()
      for await (const document of lines.documents(model)) {
        if (after === null || document._id > after) yield document
        await pace.giveWay()
      }
    },
    assets: () => lines.assets(),
    bytes: (asset) => lines.read(filePath(asset)),
    async picture(picture) {
      const chunks: Buffer[] = []
      for await (const chunk of lines.read(filePath(picture))) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
  }
}
