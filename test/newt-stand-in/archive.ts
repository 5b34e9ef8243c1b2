import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rescue } from '#rescue/run/rescue.ts'
import { optionsFor, recorder, temporaryFolder } from '#rescue/testing/helpers.ts'
import { quadrants } from '../pictures.ts'
import { ids, lostPictures, sampleSpace } from './sample-space.ts'
import { type StandInOptions, startStandIn } from './server.ts'
import type { StoredSpace } from './space.ts'

/** Returns the sample space of the stand-in, as saved by `npm run rescue -- --zip`. */
export async function sampleArchive(): Promise<Buffer> {
  return rescuedFrom(await picturedSpace())
}

/** Returns the sample space with real pictures and PDF files. */
export async function picturedSpace(): Promise<StoredSpace> {
  const source = sampleSpace()
  // The pictures have the size that the sample declares.
  for (const asset of source.assets.values()) {
    if (asset.fileType === 'image/png') {
      asset.bytes = await quadrants(640, 480)
      asset.fileType = 'image/png'
    }
    if (asset.fileName === 'cover.png') asset.bytes = await quadrants(64, 48)
    if (asset.fileType === 'application/pdf') asset.bytes = Buffer.from('%PDF-1.4\n%%EOF\n')
  }
  const everything = source.models.get('article')?.get(ids.everything)
  if (everything)
    everything.draft.markdown = {
      $html: `<p>本文<br><img src="${lostPictures[1]}"></p>`,
      source: `本文\n![](${lostPictures[1]})`,
    }
  return source
}

/** Returns a space as saved by `npm run rescue -- --zip`. */
export async function rescuedFrom(
  source: StoredSpace,
  change: Parameters<typeof optionsFor>[2] = {},
  options: StandInOptions = {},
): Promise<Buffer> {
  const standIn = await startStandIn(source, options)
  const folder = await temporaryFolder()
  try {
    const { reporter, text } = recorder()
    const out = join(folder.path, 'archive')
    await rescue(optionsFor(standIn, out, { zip: true, ...change }), reporter, text)
    return await readFile(`${out}.zip`)
  } finally {
    await folder.remove()
    await standIn.close()
  }
}
