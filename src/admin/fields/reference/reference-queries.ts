import { infiniteQueryOptions, queryOptions, type UseQueryResult, useQueries } from '@tanstack/react-query'
import { ApiError, api } from '#admin/lib/api.ts'
import { askedTogether } from '#admin/lib/asked-together.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Place } from '../field-props.ts'

const pageSize = 30
/** Maximum number of `_id`s per request, which keeps the URL short. */
const batchSize = 100

function loadChoices(
  { p, a }: Place,
  m: string,
  { search, skip, signal }: { search: string; skip: number; signal: AbortSignal },
) {
  const query = new URLSearchParams({ limit: String(pageSize), skip: String(skip) })
  if (search) query.set('search', search)
  return api('GET /api/project/{p}/app/{a}/model/{m}/doc', { params: { p, a, m }, query, signal })
}

/** Returns the key prefix of all cached queries about a model's documents. */
export function documentsKey({ p, a }: Place, m: string) {
  return [...modelQuery(p, a, m).queryKey, 'documents'] as const
}

/** Pages of a model's documents to choose from, filtered by `search` unless it is empty. */
export const choicesQuery = (place: Place, m: string, search: string) =>
  infiniteQueryOptions({
    queryKey: [...documentsKey(place, m), 'choices', search],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => loadChoices(place, m, { search, skip: pageParam, signal }),
    getNextPageParam: (last) => {
      const next = last.skip + last.documents.length
      return last.documents.length > 0 && next < last.total ? next : undefined
    },
  })

/** The first page of {@link choicesQuery}. */
export const firstChoicesQuery = (place: Place, m: string, search: string) =>
  queryOptions({
    queryKey: [...documentsKey(place, m), 'firstChoices', search],
    queryFn: ({ signal }) => loadChoices(place, m, { search, skip: 0, signal }),
  })

/** One referenced document; null if it does not exist. Requests are batched. */
export const targetQuery = (place: Place, m: string, id: string) =>
  queryOptions({
    queryKey: [...documentsKey(place, m), 'target', id],
    queryFn: () => loadTogether({ place: { p: place.p, a: place.a }, m }, id),
    staleTime: 30_000,
  })

/** The result of a search for one document in several models. */
export interface FoundTarget {
  /** Null: no model contains the document, or loading has failed (`isError`). Undefined: still loading. */
  document: Document | null | undefined
  modelUid: string | undefined
  isPending: boolean
  isError: boolean
}

/** Combines the results of {@link targetQuery} for each model. At most one model contains the document. */
export function foundTarget(
  uids: readonly string[],
  answers: readonly Pick<UseQueryResult<Document | null>, 'data' | 'isPending' | 'isError'>[],
): FoundTarget {
  const at = answers.findIndex(({ data }) => data)
  const isPending = at < 0 && answers.some((answer) => answer.isPending)
  const isError = at < 0 && answers.some((answer) => answer.isError)
  return {
    document: answers[at]?.data ?? (isPending ? undefined : null),
    modelUid: uids[at],
    isPending,
    isError,
  }
}

/** Returns {@link foundTarget} for one document. */
export function useTarget(place: Place, uids: readonly string[], id: string): FoundTarget {
  return useQueries({
    queries: uids.map((uid) => targetQuery(place, uid, id)),
    combine: (answers) => foundTarget(uids, answers),
  })
}

/**
 * Returns the document with its model, for use outside of components. Null if no model contains a document that the
 * caller may read.
 */
export async function findTarget(
  { p, a }: Place,
  uids: readonly string[],
  id: string,
): Promise<{ document: Document; model: Model } | null> {
  for (const uid of uids) {
    const document = await queryClient.fetchQuery(targetQuery({ p, a }, uid, id)).catch(whenNotFound)
    if (document) return { document, model: await queryClient.fetchQuery(modelQuery(p, a, uid)) }
  }
  return null
}

/** Returns null for the error of a model that does not exist or is hidden from this member. Rethrows other errors. */
function whenNotFound(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}

const loadTogether = askedTogether(batchSize, async ({ place, m }: { place: Place; m: string }, ids) => {
  const { documents } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
    params: { ...place, m },
    query: new URLSearchParams({ '_id[in]': ids.join(','), limit: String(ids.length) }),
  })
  return new Map(documents.map((document) => [document._id, document]))
})

/** Returns a document's title, or its `_id` if it has no title. */
export function titleOfDocument(model: Pick<Model, 'fields' | 'titleField'>, document: Document): string {
  const field = model.fields.find((candidate) => candidate._id === model.titleField)
  const value = field && document[field.uid]
  const title = Array.isArray(value) ? value[0] : value
  return typeof title === 'string' && title.trim() !== '' ? title : document._id
}
