import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import { askedTogether } from '#admin/lib/asked-together.ts'
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
    queryFn: () => loadTogether({ place: { p: place.p, a: place.a }, m }, id),
    staleTime: 30_000,
  })

const loadTogether = askedTogether(batchSize, async ({ place, m }: { place: Place; m: string }, ids) => {
  const { documents } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
    params: { ...place, m },
    query: new URLSearchParams({ '_id[in]': ids.join(','), limit: String(ids.length) }),
  })
  return new Map(documents.map((document) => [document._id, document]))
})

/** What a document is called: its title, or its `_id` when it has none. */
export function titleOfDocument(model: Pick<Model, 'fields' | 'titleField'>, document: Document): string {
  const field = model.fields.find((candidate) => candidate._id === model.titleField)
  const value = field && document[field.uid]
  const title = Array.isArray(value) ? value[0] : value
  return typeof title === 'string' && title.trim() !== '' ? title : document._id
}
