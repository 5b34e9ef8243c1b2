import { readContent } from '#archive/content.ts'
import { manifestSchema } from '#archive/format.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { MovePlan } from '#shared/contract/moves.ts'
import { linesOf } from './moves.lines.ts'

/** Stand-in. */
export async function planArchive(
  source: ArchiveSource,
  _options: { db: Db; scope: SpaceScope; onProgress: (done: number, total: number) => Promise<void> },
): Promise<MovePlan> {
  const chunks: Buffer[] = []
  for await (const chunk of source.read('manifest.json', 1e8)) chunks.push(chunk)
  const manifest = manifestSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  const models: MovePlan['models'] = []
  for (const { uid, api } of manifest.models) {
    const keys = new Set<string>()
    for await (const { text } of linesOf(source, manifest, api.path))
      for (const [key, value] of Object.entries(readContent(text)?.fields ?? {}))
        if (typeof value === 'string' && !key.startsWith('_')) keys.add(key)
    models.push({
      from: uid,
      uid,
      name: uid,
      description: '',
      fields: [...keys].map((key) => ({
        from: key,
        field: { uid: key === 'select' ? 'choice' : key, name: key, type: 'TEXT' },
        choices: [],
        samples: [],
        filled: 0,
        allows: { required: false, unique: false },
      })),
      titleField: [...keys][0] ?? null,
      foundBy: null,
      source: 'contents',
      documents: { draft: api.count, published: 0, changed: 0, unpublished: 0 },
    })
  }
  return {
    source: {
      kind: 'newt',
      space: manifest.source.space,
      app: manifest.source.app,
      status: manifest.status,
      finishedAt: manifest.finishedAt,
    },
    app: { uid: manifest.source.app, name: manifest.source.app },
    models,
    customTypes: [],
    counts: { documents: 0, assets: 0, bytes: 0 },
    problems: [],
  }
}
