import type { View } from '#archive/content.ts'
import { isRecord } from '#archive/shapes.ts'
import type { Expected, Query } from './expected.ts'

export type Call = { view: View; model: string } & (
  | { method: 'getContents' | 'getFirstContent'; query: Query }
  | { method: 'getContent'; contentId: string; query: Query }
  /** Reads the app itself. `model` is `''`. */
  | { method: 'getApp'; query: Query }
)

const pageSize = 100
/** Maximum number of pages of a model that are read, in addition to its last page. */
const mostPages = 50

/**
 * Yields typical calls of sites for every model and view of an archive: lists, single contents, first contents,
 * filters, depths, orders.
 */
export function* defaultCalls(expected: Expected, views: readonly View[]): Generator<Call> {
  for (const view of views) {
    if (expected.app) yield { view, model: '', method: 'getApp', query: {} }
    for (const { uid: model, [view]: part } of expected.manifest.models) {
      if (!part) continue
      const ids = expected.ids(view, model)
      const list = (query: Query): Call => ({ view, model, method: 'getContents', query })
      const pages = Math.max(1, Math.ceil(ids.length / pageSize))
      for (let page = 0; page < pages; page++)
        if (page < mostPages || page === pages - 1) yield list({ skip: page * pageSize, limit: pageSize })
      for (const depth of [0, 2]) yield list({ depth, limit: 20 })
      yield list({ order: ['_sys.createdAt'], limit: 20 })
      yield list({ order: ['-_sys.updatedAt'], limit: 20 })
      yield list({ select: ['_sys'], skip: 3, limit: 5 })
      for (const id of new Set([ids[0], ids[ids.length >> 1], ids.at(-1)])) {
        if (id === undefined) continue
        for (const depth of [0, 1, 2])
          yield { view, model, method: 'getContent', contentId: id, query: { depth } }
        yield* filters(expected, view, model, id)
      }
    }
  }
}

function* filters(expected: Expected, view: View, model: string, id: string): Generator<Call> {
  const { _sys, ...fields } = expected.raw(view, model, id) ?? {}
  const list = (query: Query): Call => ({
    view,
    model,
    method: 'getContents',
    query: { limit: 20, ...query },
  })
  yield list({ _id: id })
  const createdAt = isRecord(_sys) ? _sys.createdAt : undefined
  if (typeof createdAt === 'string') {
    yield list({ '_sys.createdAt': { gte: createdAt } })
    yield list({ '_sys.createdAt': { lt: createdAt }, order: ['-_sys.createdAt'] })
  }
  const slug = fields.slug
  if (typeof slug === 'string' && slug !== '') {
    yield { view, model, method: 'getFirstContent', query: { slug } }
    yield list({ slug: { ne: slug }, limit: 5 })
  }
}

/** Parses a file of calls: a list of `{api, modelUid, method, query, contentId}`. Throws if it is invalid. */
export function readCalls(text: string): Call[] {
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new TypeError('not a list')
  return list.map((entry: unknown) => {
    if (!isRecord(entry)) throw new TypeError('not an object')
    const { api: view = 'cdn', modelUid: model, method = 'getContents', query = {}, contentId } = entry
    if ((view !== 'api' && view !== 'cdn') || typeof model !== 'string' || !isRecord(query))
      throw new TypeError(JSON.stringify(entry))
    if (method === 'getContent' && typeof contentId === 'string')
      return { view, model, method, contentId, query: query as Query }
    if (method !== 'getContents' && method !== 'getFirstContent') throw new TypeError(JSON.stringify(entry))
    return { view, model, method, query: query as Query }
  })
}
