import { type Gap, gapSchema } from '#archive/format.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { AppLink } from '#shared/contract/moves.ts'
import { idPattern } from '#shared/identifiers.ts'
import { withArchive } from '../archive/archive-files.ts'
import { ArchiveLines } from '../archive/archive-lines.ts'
import { appsOfDocuments } from '../store/clashes.repository.ts'

/*
 * In Newt and in Imori, a field can only reference models of its own app. If an app references an `_id` that it lacks
 * and another app has, this is reported as a link.
 */

const mostIds = 50_000
const mostLinks = 200
const mostExamples = 10
const idsAtATime = 5_000

/**
 * A field that references an `_id` which its app lacks. `uses`: number of contents with such a reference, plus the
 * number of references that the archive does not list individually.
 */
interface Wanted {
  app: string
  field: string
  uses: number
}

/**
 * Returns which fields of these archives' apps reference documents of another of these apps, or of an app of the space.
 * Considers at most `mostIds` `_id`s, and returns at most `mostLinks` links.
 */
export async function linksBetween(
  path: string,
  parts: readonly string[],
  { db, scope }: { db: Db; scope: SpaceScope },
): Promise<AppLink[]> {
  const wanted = new Map<string, Wanted[]>()
  for (const part of parts) await collectWanted(path, part, wanted)
  const links = new Map<string, AppLink>()
  const add = (id: string, to: AppLink['to']) => {
    for (const { app, field, uses } of wanted.get(id) ?? []) {
      if (app === to.app && !to.here) continue
      const key = JSON.stringify([app, field, to])
      const known = links.get(key) ?? { app, field, to, count: 0, examples: [] }
      known.count += uses
      if (known.examples.length < mostExamples) known.examples.push(id)
      if (links.size < mostLinks || links.has(key)) links.set(key, known)
    }
  }
  if (wanted.size === 0) return []
  const found = new Set<string>()
  for (const part of parts)
    await lookFor(path, part, (id, app) => {
      if (!wanted.has(id)) return
      found.add(id)
      add(id, { app, here: false })
    })
  const left = [...wanted.keys()].filter((id) => !found.has(id) && idPattern.test(id))
  for (let at = 0; at < left.length; at += idsAtATime)
    for (const { id, app } of await appsOfDocuments(db, scope, left.slice(at, at + idsAtATime)))
      add(id, { app, here: true })
  return [...links.values()]
}

/**
 * Returns for each field the number of contents that reference the `_id`. References that the archive does not list are
 * counted for the first field.
 */
function usesOf({ uses, usedBy }: Extract<Gap, { kind: 'reference' }>): [string, number][] {
  const contents = new Map<string, Set<string>>()
  for (const { model, field = '', content } of usedBy) {
    const key = `${model}.${field}`
    contents.set(key, (contents.get(key) ?? new Set()).add(content))
  }
  const unlisted = Math.max(0, uses - usedBy.length)
  return [...contents].map(([field, { size }], index) => [field, size + (index === 0 ? unlisted : 0)])
}

/** Adds the `_id`s that the archive references and lacks to `wanted`, until it contains `mostIds`. */
function collectWanted(path: string, part: string, wanted: Map<string, Wanted[]>): Promise<void> {
  return withArchive(
    path,
    async (source, read) => {
      if (read.of !== 'contents') return
      const lines = new ArchiveLines(source, read.manifest)
      const { app } = read.manifest.source
      for await (const gap of lines.typed('gaps.ndjson', (line) => gapSchema.safeParse(line).data)) {
        if (gap.kind !== 'reference' || wanted.size >= mostIds) continue
        const uses = usesOf(gap).map(([field, count]) => ({ app, field, uses: count }))
        wanted.set(gap.id, [...(wanted.get(gap.id) ?? []), ...uses])
      }
    },
    part,
  )
}

/** Calls `visit` with the `_id` of each content and the uid of its app. Does nothing for an app exported by Imori. */
function lookFor(path: string, part: string, visit: (id: string, app: string) => void): Promise<void> {
  return withArchive(
    path,
    async (source, read) => {
      if (read.of !== 'contents') return
      const lines = new ArchiveLines(source, read.manifest)
      for (const model of read.manifest.models)
        for await (const content of lines.contents(model, 'api'))
          if (content) visit(content.id, read.manifest.source.app)
    },
    part,
  )
}
