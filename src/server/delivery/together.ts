import { assetStatement } from '#server/content/assets.ts'
import type { ContentModel, ContentSpace } from '#server/content/model.ts'
import { maximumReferred } from '#server/content/present.ts'
import { referredStatement, type Stage } from '#server/content/query/sql.ts'
import type { Step } from '#server/content/query/tree.ts'
import {
  AnswerTooLarge,
  type DocumentRow,
  type Handle,
  type Referred,
  selectWithReferences,
  type Wanted,
} from '#server/content/read.ts'
import { batching } from '#server/lib/batching.ts'

/*
 * Batches concurrent reads of documents by `_id` into one statement. A site is built page by page, and its pages refer
 * to the same few authors and categories. An additional statement costs more than an additional document.
 */

/**
 * Maximum number of concurrent statements per batch function. The next statement is sent while a result is being read.
 */
const atOnce = 2
/** Maximum number of references or assets in a batched request. Larger requests would delay the others. */
const fewReferred = 50

/** Maximum number of batched combinations of stage and expanded fields (`select`) per model. */
const fewChoices = 20

type Found = { rows: DocumentRow[]; referred: Referred }

/** Returns a handle that batches concurrent reads of references and assets into one statement. */
export function sharingReferences(handle: Handle): Handle {
  const ask = async (stage: Stage, wanted: Wanted[]) => {
    const { text, values } = referredStatement(stage, wanted)
    return (await handle.query(text, values)).rows
  }
  const shared = {
    published: batching((all: Wanted[][]) => ask('published', united(all)), atOnce),
    current: batching((all: Wanted[][]) => ask('current', united(all)), atOnce),
  }
  const assetsOf = async (space: ContentSpace, ids: string[]) => {
    const { text, values } = assetStatement(space.id, ids)
    return (await handle.query(text, values)).rows
  }
  const sharedAssets = new WeakMap<ContentSpace, ReturnType<typeof assetBatch>>()
  const assetBatch = (space: ContentSpace) => {
    const batch = batching((all: string[][]) => assetsOf(space, [...new Set(all.flat())]), atOnce)
    sharedAssets.set(space, batch)
    return batch
  }
  return {
    ...handle,
    async assets(space, ids) {
      if (ids.length > fewReferred) return assetsOf(space, ids)
      return (sharedAssets.get(space) ?? assetBatch(space))(ids)
    },
    async referred(stage, wanted) {
      if (wanted.reduce((sum, { ids }) => sum + ids.length, 0) > fewReferred) return ask(stage, wanted)
      const rows = await shared[stage](wanted)
      return rows.some(isUnread) ? ask(stage, wanted) : rows
    },
  }
}

/**
 * Checks whether a row was not read because the rows of a batch were too large together. The rows of each single
 * request may be small enough.
 */
const isUnread = (row: Record<string, unknown>) => row.json === null

/** Merges the requests. Each model occurs once and in a fixed order, so that the same statements recur. */
function united(all: Wanted[][]): Wanted[] {
  const models = new Map<ContentModel, Set<string>>()
  for (const { model, ids } of all.flat()) {
    const known = models.get(model) ?? new Set()
    models.set(model, known)
    for (const id of ids) known.add(id)
  }
  return [...models].map(([model, ids]) => ({ model, ids: [...ids] })).sort((a, b) => a.model.id - b.model.id)
}

/**
 * Reads one document and the contents that `expand` leads to. `referred` may also contain references of other
 * documents.
 */
export type ReadOne = (
  of: { model: ContentModel; stage: Stage; id: string },
  expand: Step[],
) => Promise<{ row: DocumentRow | undefined; referred: Referred }>

/** Returns a function that batches concurrent reads of documents of one model with the same stage and `expand`. */
export function readingTogether(handle: Handle): ReadOne {
  const batches = new WeakMap<ContentModel, Map<string, (id: string) => Promise<Found>>>()

  function batchOf(model: ContentModel, stage: Stage, expand: Step[]): (id: string) => Promise<Found> {
    const own = batches.get(model) ?? new Map()
    batches.set(model, own)
    const key = [stage, ...expand.map(({ field }) => field._id)].join()
    const known = own.get(key)
    if (known) return known
    if (own.size >= fewChoices) return (id) => select(model, stage, [id], expand)
    const batch = batching((ids: string[]) => select(model, stage, [...new Set(ids)], expand), atOnce)
    own.set(key, batch)
    return batch
  }

  const select = (model: ContentModel, stage: Stage, ids: string[], expand: Step[]) =>
    selectWithReferences(handle, { model, stage, ids }, expand, maximumReferred + 1)

  return async ({ model, stage, id }, expand) => {
    const batch = batchOf(model, stage, expand)
    const found = await batch(id).catch((error: unknown) => {
      if (!(error instanceof AnswerTooLarge)) throw error
      return select(model, stage, [id], expand) // the document may be small enough alone
    })
    return { row: found.rows.find((row) => row.id === id), referred: found.referred }
  }
}
