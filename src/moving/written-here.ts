import { titleOf, type View } from '#archive/content.ts'
import { isRecord } from '#archive/shapes.ts'
import type { Expected, Fields } from './expected.ts'
import type { Call } from './queries.ts'

/** A document that was edited or created on the server since the import. */
export interface WrittenHere {
  model: string
  id: string
  title: string
}

type Ask = (call: Call) => Promise<unknown>

const pageSize = 1000

/**
 * Finds documents that were edited on the server, and replaces their expected state by their state on the server. Such
 * documents have another time of change than in the archive, or are not in the archive. A missing document still counts
 * as a difference, because a deletion cannot be distinguished from a loss.
 */
export async function expectWrittenHere(
  expected: Expected,
  views: readonly View[],
  ask: Ask,
): Promise<WrittenHere[]> {
  const found = new Map<string, WrittenHere>()
  for (const view of views)
    for (const { uid: model, [view]: part } of expected.manifest.models) {
      if (!part) continue
      for (const id of await differing(expected, view, model, ask)) {
        const actual = await ask({ view, model, method: 'getContent', contentId: id, query: { depth: 1 } })
        if (!isRecord(actual)) continue
        expected.replace(view, model, id, actual)
        const { _id, _sys, ...values } = actual
        found.set(`${model} ${id}`, { model, id, title: titleOf(values) })
      }
    }
  return [...found.values()]
}

/** Returns the `_id`s of a model's documents that have another time of change, or exist only on the server. */
async function differing(expected: Expected, view: View, model: string, ask: Ask): Promise<string[]> {
  const ids: string[] = []
  for (let skip = 0; ; skip += pageSize) {
    const query = { select: ['_sys.updatedAt'], order: ['_sys.createdAt'], limit: pageSize, skip }
    const answer = await ask({ view, model, method: 'getContents', query })
    const items = isRecord(answer) && Array.isArray(answer.items) ? answer.items.filter(isRecord) : []
    for (const item of items) {
      const id = String(item._id)
      if (updatedAt(item) !== updatedAt(expected.raw(view, model, id))) ids.push(id)
    }
    if (items.length < pageSize) return ids
  }
}

const updatedAt = (fields: Fields | undefined): unknown =>
  isRecord(fields?._sys) ? Date.parse(String(fields._sys.updatedAt)) : undefined
