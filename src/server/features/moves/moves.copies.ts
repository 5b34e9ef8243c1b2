import type { Manifest } from '#archive/format.ts'
import { isContent } from '#archive/shapes.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { LongNumber } from '#server/content/fields/received.ts'
import { Pace } from '#server/lib/pace.ts'
import { ArchiveLines } from './moves.contents.ts'
import { ArchiveIndex, eachObject } from './moves.index.ts'

/**
 * The contents of a model that has no file, as lines: each is the first copy of it in those that refer to it. Always in the
 * same order. Goes through the whole archive twice.
 */
export async function* copiedLines(
  source: ArchiveSource,
  manifest: Manifest,
  model: string,
): AsyncGenerator<{ text: Buffer }> {
  const lines = new ArchiveLines(source, manifest)
  const index = new ArchiveIndex()
  const pace = new Pace()
  for await (const { uid, content } of lines.all()) {
    index.addDocument(uid, content.id)
    index.addValues(content.values)
    await pace.giveWay()
  }
  index.settleCopies((uid) => manifest.models.some((listed) => listed.uid === uid))
  const given = new Set<string>()
  for await (const { content } of lines.all()) {
    const found: Buffer[] = []
    eachObject(content.values, (_key, value) => {
      if (!isContent(value) || given.has(value._id) || index.document(value)?.model !== model) return
      given.add(value._id)
      found.push(Buffer.from(JSON.stringify(value, written)))
    })
    for (const text of found) yield { text }
    await pace.giveWay()
  }
}

const written = (_key: string, value: unknown) => (value instanceof LongNumber ? value.text : value)
