import type pg from 'pg'
import { showsAssets } from '#server/content/assets.ts'
import { usesOf } from '#server/content/field-indexes/uses.ts'
import { type ContentApp, type ContentModel, type ContentSpace, targetsOf } from '#server/content/model.ts'
import { expandedFields, maximumAnswer, type Presented, presentDocuments } from '#server/content/present.ts'
import { deliveryList, isExpensive, oneDocument, parseQuery } from '#server/content/query/parse.ts'
import { modelsBehind, type ParsedQuery } from '#server/content/query/tree.ts'
import { AnswerTooLarge, type Handle, selectDocuments } from '#server/content/read.ts'
import { createTotalsCache } from '#server/content/totals.ts'
import type { Versions } from '#server/content/versions.ts'
import type { FieldIndex, KnownIndexes } from '#server/db/field-indexes.ts'
import { hasState } from '#server/db/sql-states.ts'
import { createGate } from '#server/lib/gate.ts'
import { presentAppIcon, presentAppImage } from '#shared/app-pictures.ts'
import { type AssetHost, assetAddress } from '#shared/asset-address.ts'
import { allFields } from '#shared/fields/walk.ts'
import { idPattern } from '#shared/identifiers.ts'
import { type AnswerCache, createAnswerCache, type Sources } from './answer-cache.ts'
import type { Answer } from './answers.ts'
import { holdsBytes } from './byte-pool.ts'
import { notIndexedYet, overloaded } from './errors.ts'
import { type ReadOne, readingTogether, sharingReferences } from './together.ts'

type Kind = Answer['kind']
const stageOf = { cdn: 'published', api: 'current' } as const

/**
 * Maximum number of contents or assets with one tag each. Above it, tags name their models or their media library,
 * because clients limit the size of headers.
 */
const maximumContentTags = 50
/** Limits of concurrent expensive queries. The remaining capacity of the database is for other queries. */
const expensive = { active: 2, waiting: 4, refusal: overloaded }

export interface Reader {
  list(model: ContentModel, kind: Kind, rawQuery: string): Promise<Answer>
  /** Returns one content; undefined if this API has no such content. */
  one(model: ContentModel, kind: Kind, id: string, rawQuery: string): Promise<Answer | undefined>
  app(app: ContentApp, kind: Kind): Answer
}

interface Opened {
  handle: Handle
  readOne: ReadOne
  cache: AnswerCache
}

/**
 * Creates the reader that builds the response bodies of the delivery API. `pool` comes from byte-pool.ts. `versions`
 * validate cached responses, `host` is the host of assets, and `fieldIndexes` records the fields that lists filter and
 * sort by.
 */
export function createReader(
  pool: pg.Pool,
  versions: Versions,
  host: AssetHost,
  fieldIndexes?: KnownIndexes,
): Reader {
  const totals = createTotalsCache()
  const gate = createGate(expensive)
  let opening: Promise<Opened> | undefined

  function open() {
    opening ??= holdsBytes(pool).then((bytes) => {
      const handle = sharingReferences({ bytes, query: (text, values) => pool.query(text, values) })
      return { handle, readOne: readingTogether(handle), cache: createAnswerCache(versions) }
    })
    opening.catch(() => {
      opening = undefined // the check of the pool failed: the next request repeats it
    })
    return opening
  }

  async function list(handle: Handle, model: ContentModel, kind: Kind, query: ParsedQuery): Promise<Answer> {
    const stage = stageOf[kind]
    const uses = usesOf(model, stage, query)
    fieldIndexes?.note(uses)
    const options = { model, stage, query, totals, indexes: fieldIndexes }
    const { rows, total } = await selectDocuments(handle, options).catch((error: unknown) => {
      const missing = uses.filter((use) => fieldIndexes?.has(use) === false)
      throw missing.length > 0 && hasState(error, 'queryCanceled')
        ? notIndexedYet(fieldsOf(missing, [model, ...modelsBehind(query.where)]))
        : error
    })
    const presented = await presentDocuments(handle, rows, { model, stage, query, host })
    const { skip, limit } = query
    const text = `{"skip":${skip},"limit":${limit},"total":${total},"items":[${presented.texts.join(',')}]}`
    const models = [model, ...modelsBehind(query.where)].map(({ publicId }) => `model:${publicId}`)
    const tags = [
      `space:${model.app.space.uid}`,
      ...models,
      ...referredTags(model.app.space, presented, false),
    ]
    return { body: bodyOf(text, handle), kind, tags: [...new Set(tags)] }
  }

  async function one(
    { handle, readOne }: Opened,
    model: ContentModel,
    kind: Kind,
    id: string,
    query: ParsedQuery,
  ): Promise<Answer | undefined> {
    const stage = stageOf[kind]
    const expand = expandedFields(handle, { model, query })
    const { row, referred } = await readOne({ model, stage, id }, expand)
    if (!row) return undefined
    const presented = await presentDocuments(handle, [row], { model, stage, query, host }, referred)
    const tags = [
      `space:${model.app.space.uid}`,
      `content:${id}`,
      ...referredTags(model.app.space, presented, true),
    ]
    return { body: bodyOf(presented.texts[0] ?? '', handle), kind, tags }
  }

  return {
    async list(model, kind, rawQuery) {
      const { handle, cache } = await open()
      const answer = await cache.answer(model, `${kind}?${rawQuery}`, () => {
        const query = parseQuery(rawQuery, model, deliveryList)
        const sources = () => sourcesOf(model, query.depth, modelsBehind(query.where))
        const make = () => list(handle, model, kind, query)
        if (!isExpensive(query)) return { sources, make }
        return { sources, make: () => gate.run({ line: model.app.space.id }, make) }
      })
      if (!answer) throw new TypeError('a list is never without an answer')
      return answer
    },
    async one(model, kind, id, rawQuery) {
      if (!idPattern.test(id)) return undefined
      const opened = await open()
      return opened.cache.answer(model, `${kind}/${id}?${rawQuery}`, () => {
        const query = parseQuery(rawQuery, model, oneDocument)
        return {
          sources: () => sourcesOf(model, query.depth),
          make: () => one(opened, model, kind, id, query),
        }
      })
    },
    app({ name, uid, icon, cover, space }, kind) {
      const addressOf = (id: string, fileName: string) => assetAddress(host, space.uid, id, fileName)
      const text = JSON.stringify({
        name,
        uid,
        ...(icon && { icon: presentAppIcon(icon, addressOf) }),
        ...(cover && { cover: presentAppImage(cover, addressOf) }),
      })
      return { body: Buffer.from(text), kind, tags: [`space:${space.uid}`] }
    },
  }
}

/**
 * Returns the data that a response for this model depends on. `behind`: the models that its filters reach through
 * references.
 */
function sourcesOf(model: ContentModel, depth: number, behind: Iterable<ContentModel> = []): Sources {
  const models = reachable(model, depth)
  return { models: [...behind, ...models], assets: depth > 0 && [...models].some(showsAssets) }
}

/**
 * Returns the model and all models that its references lead to in at most `depth` steps, including references in nested
 * fields.
 */
function reachable(model: ContentModel, depth: number): Set<ContentModel> {
  const found = new Set([model])
  let level = [model]
  for (let left = depth; left > 0 && level.length > 0; left--) {
    level = level
      .flatMap((from) => allFields(from.fields).flatMap((field) => targetsOf(from, field) ?? []))
      .filter((target) => !found.has(target) && found.add(target))
  }
  return found
}

function fieldsOf(indexes: FieldIndex[], models: ContentModel[]): string[] {
  const ids = new Set(indexes.map(({ fieldId }) => fieldId))
  const fields = models.flatMap((model) => model.fields.filter(({ _id }) => ids.has(_id)))
  return [...new Set(fields.map(({ uid }) => uid))]
}

function bodyOf(text: string, handle: Handle): Buffer {
  const body = Buffer.from(text, handle.bytes ? 'latin1' : 'utf8')
  if (body.length >= maximumAnswer) throw new AnswerTooLarge()
  return body
}

function referredTags(
  space: ContentSpace,
  { referred, missing, assets }: Presented,
  single: boolean,
): string[] {
  const ids = [...referred.values()].flat()
  const byId = single && ids.length <= maximumContentTags
  const models = new Set([...missing, ...(byId ? [] : referred.keys())])
  return [
    ...(byId ? ids.map((id) => `content:${id}`) : []),
    ...[...models].map((model) => `model:${model.publicId}`),
    ...(assets.length <= maximumContentTags ? assets.map((id) => `asset:${id}`) : [`assets:${space.uid}`]),
  ]
}
