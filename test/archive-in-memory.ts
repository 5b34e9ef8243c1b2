import { createHash } from 'node:crypto'
import type { Manifest } from '#archive/format.ts'
import { contentsPath, textsPath } from '#archive/names.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { View } from './newt-stand-in/query.ts'
import { renderContent } from './newt-stand-in/render.ts'
import type { StoredContent, StoredSpace } from './newt-stand-in/space.ts'

/**
 * Returns the archive, in memory and without assets, that a rescue of this space would write. `lines` may change the
 * lines of a file. `models`: the included models, by default all.
 */
export function archiveOf(
  space: StoredSpace,
  options: {
    models?: string[]
    depth?: number
    gaps?: object[]
    lines?: (path: string, lines: string[]) => string[]
    manifest?: (manifest: Manifest) => object
  } = {},
): ArchiveSource {
  const { models = [...space.models.keys()], depth = 2, gaps = [], lines = (_path, all) => all } = options
  const files = new Map<string, Buffer>()
  const write = (path: string, all: string[]) => {
    const changed = lines(path, all)
    files.set(path, Buffer.from(changed.map((line) => `${line}\n`).join('')))
    return { path, count: changed.length }
  }
  const described = models.map((uid) => {
    const contents = [...(space.models.get(uid)?.values() ?? [])].sort(byCreation)
    const html = htmlFields(space, contents)
    const inView = (view: View) => contents.filter(({ published }) => view === 'api' || published)
    const part = (view: View) =>
      write(
        contentsPath(view, uid),
        inView(view).map((content) => renderContent(space, content, view, depth)),
      )
    const text = (view: View) =>
      write(
        textsPath(view, uid),
        inView(view).map((content) =>
          renderContent(space, content, view, 0, { select: ['_id', '_sys', ...html], asText: new Set(html) }),
        ),
      )
    return {
      uid,
      foundBy: null,
      api: part('api'),
      cdn: part('cdn'),
      texts: html.length > 0 ? { fields: html, api: text('api'), cdn: text('cdn') } : null,
    }
  })
  write('app.json', [JSON.stringify({ name: space.app.name, uid: space.app.uid })])
  write(
    'gaps.ndjson',
    gaps.map((gap) => JSON.stringify(gap)),
  )
  const sum = (view: View) => described.reduce((total, model) => total + model[view].count, 0)
  const manifest: Manifest = {
    format: 'imori-archive',
    formatVersion: 1,
    generator: 'test',
    status: gaps.length > 0 ? 'gaps' : 'complete',
    startedAt: '2026-11-20T00:00:00.000Z',
    finishedAt: '2026-11-20T00:10:00.000Z',
    source: { kind: 'newt', space: space.uid, app: space.app.uid, origin: null },
    asked: { models, views: ['api', 'cdn'], depth: 1, assetHosts: [] },
    learntHosts: [],
    foreignImages: [],
    models: described,
    counts: {
      contents: { api: sum('api'), cdn: sum('cdn') },
      assets: { urls: space.assets.size, files: space.assets.size, bytes: 1_000 * space.assets.size },
      gaps: { assets: 0, references: 0, contents: 0 },
    },
    files: [...files].map(([path, bytes]) => ({
      path,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
  }
  files.set('manifest.json', Buffer.from(JSON.stringify(options.manifest?.(manifest) ?? manifest)))
  return {
    async *list() {
      yield* files.keys()
    },
    has: async (path) => files.has(path),
    async *read(path) {
      const bytes = files.get(path)
      if (!bytes) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      yield bytes
    },
    close: () => {},
  }
}

const byCreation = (a: StoredContent, b: StoredContent) =>
  `${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? -1 : 1

/** Returns the fields with values that look like HTML. A rescue also reads these as text. */
function htmlFields(space: StoredSpace, contents: StoredContent[]): string[] {
  const found = new Set<string>()
  for (const content of contents)
    for (const [key, value] of Object.entries(JSON.parse(renderContent(space, content, 'api', 0))))
      if (typeof value === 'string' && /^\s*<[a-z!]/i.test(value)) found.add(key)
  return [...found].sort()
}
