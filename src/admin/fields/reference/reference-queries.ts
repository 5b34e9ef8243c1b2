import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Place } from '../field-props.ts'

/** How many documents the picker asks for at a time. */
const pageSize = 30
/** How many `_id`s one request may ask for, so that its address stays short. */
const batchSize = 100

/** Everything cached about the documents of a model lies below this key. */
export function documentsKey({ p, a }: Place, m: string) {
  return [...modelQuery(p, a, m).queryKey, 'documents'] as const
}

/** Pages of a model's documents for choosing, the newest first or those that match. */
export const choicesQuery = (place: Place, m: string, search: string) =>
  infiniteQueryOptions({
    queryKey: [...documentsKey(place, m), 'choices', search],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: String(pageSize), skip: String(pageParam) })
      if (search) query.set('search', search)
      return api('GET /api/project/{p}/app/{a}/model/{m}/doc', { params: { ...place, m }, query, signal })
    },
    getNextPageParam: (last) => {
      const next = last.skip + last.documents.length
      return last.documents.length > 0 && next < last.total ? next : undefined
    },
  })

/** One document that something refers to; null when it does not exist (any more). Asked for together with others. */
export const targetQuery = (place: Place, m: string, id: string) =>
  queryOptions({
    queryKey: [...documentsKey(place, m), 'target', id],
    queryFn: () => loadTogether(place, m, id),
    staleTime: 30_000,
  })

interface Waiting {
  ids: Map<string, Array<{ resolve: (document: Document | null) => void; reject: (error: unknown) => void }>>
}
const waiting = new Map<string, Waiting>()

/** Collects the `_id`s that are asked for at the same moment, one request for all. */
function loadTogether(place: Place, m: string, id: string): Promise<Document | null> {
  const key = JSON.stringify([place.p, place.a, m])
  return new Promise((resolve, reject) => {
    let group = waiting.get(key)
    if (!group) {
      group = { ids: new Map() }
      waiting.set(key, group)
      setTimeout(() => {
        const due = waiting.get(key)
        waiting.delete(key)
        if (due) void load(place, m, due)
      }, 10)
    }
    group.ids.set(id, [...(group.ids.get(id) ?? []), { resolve, reject }])
  })
}

async function load(place: Place, m: string, { ids }: Waiting): Promise<void> {
  const all = [...ids.keys()]
  for (let start = 0; start < all.length; start += batchSize) {
    const batch = all.slice(start, start + batchSize)
    try {
      const { documents } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
        params: { ...place, m },
        query: new URLSearchParams({ '_id[in]': batch.join(','), limit: String(batch.length) }),
      })
      const found = new Map(documents.map((document) => [document._id, document]))
      for (const id of batch) for (const { resolve } of ids.get(id) ?? []) resolve(found.get(id) ?? null)
    } catch (error) {
      for (const id of batch) for (const { reject } of ids.get(id) ?? []) reject(error)
    }
  }
}

/** What a document is called: its title, or its `_id` when it has none. */
export function titleOfDocument(model: Pick<Model, 'fields' | 'titleField'>, document: Document): string {
  const field = model.fields.find((candidate) => candidate._id === model.titleField)
  const value = field && document[field.uid]
  const title = Array.isArray(value) ? value[0] : value
  return typeof title === 'string' && title.trim() !== '' ? title : document._id
}
