import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { documentsKey } from '#admin/fields/reference/reference-queries.ts'
import { api } from '#admin/lib/api.ts'
import { customTypesQuery, modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Document } from '#shared/contract/documents.ts'

/** The uids of space, app and model. */
export interface ModelPlace {
  p: string
  a: string
  m: string
}

/** Rows per page of a list. */
export const pageSize = 50

export const pageQuery = (place: ModelPlace, query: string, page: number) =>
  queryOptions({
    queryKey: [...documentsKey(place, place.m), 'page', query, page],
    queryFn: ({ signal }) => {
      const search = new URLSearchParams(query)
      search.set('limit', String(pageSize))
      search.set('skip', String(page * pageSize))
      return api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
        params: { ...place },
        query: search,
        signal,
      })
    },
  })

export const documentQuery = (place: ModelPlace, id: string) =>
  queryOptions({
    queryKey: [...documentsKey(place, place.m), 'one', id],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}', { params: { ...place, id }, signal }))
        .document,
  })

/** Loads the document as sites receive it, drafts included. `depth`: levels of references to resolve. */
export const previewQuery = (place: ModelPlace, id: string, depth: number) =>
  queryOptions({
    queryKey: [...documentsKey(place, place.m), 'api', id, depth],
    queryFn: async ({ signal }) =>
      (
        await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/api', {
          params: { ...place, id },
          query: { depth },
          signal,
        })
      ).document,
    staleTime: 0,
  })

/** Number of history entries per request. */
const revisionsAtOnce = 20

/**
 * Loads the history, newest first. `version`: the document's current version. It is part of the key, because each new
 * version adds an entry.
 */
export const revisionsQuery = (place: ModelPlace, id: string, version: number) =>
  infiniteQueryOptions({
    queryKey: [...documentsKey(place, place.m), 'revisions', id, version],
    queryFn: async ({ signal, pageParam }) =>
      (
        await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/revisions', {
          params: { ...place, id },
          query: { limit: revisionsAtOnce, ...(pageParam === null ? {} : { before: pageParam }) },
          signal,
        })
      ).revisions,
    initialPageParam: null as number | null,
    getNextPageParam: (last) => {
      const oldest = last.at(-1)
      return oldest && last.length === revisionsAtOnce && oldest.version > 1 ? oldest.version : undefined
    },
  })

/** Loads the accounts that changed these fields after version `since`. */
export const changeAuthorsQuery = (place: ModelPlace, id: string, since: number, fields: readonly string[]) =>
  queryOptions({
    // The key is not below `documentsKey`: later saves must not reload the authors of changes that were merged before.
    queryKey: ['changeAuthors', place, id, since, fields],
    queryFn: async ({ signal }) =>
      (
        await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/changeAuthors', {
          params: { ...place, id },
          query: { since, fields: fields.join(',') },
          signal,
        })
      ).authors,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Loads one version with its values, in the shape of the current model. */
export const revisionQuery = (place: ModelPlace, id: string, version: number) =>
  queryOptions({
    queryKey: [...documentsKey(place, place.m), 'revision', id, version],
    queryFn: async ({ signal }) =>
      (
        await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/revision/{revision}', {
          params: { ...place, id, revision: String(version) },
          signal,
        })
      ).revision,
    staleTime: 0,
  })

/** Loads the model's trash, page by page. */
export const trashQuery = (place: ModelPlace) =>
  infiniteQueryOptions({
    queryKey: [...documentsKey(place, place.m), 'trash'],
    queryFn: ({ signal, pageParam }) =>
      api('GET /api/project/{p}/app/{a}/model/{m}/doc/trash', {
        params: { ...place },
        query: { limit: pageSize, skip: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.documents.length === pageSize ? pages.length * pageSize : undefined,
  })

/**
 * Invalidates lists, references and counts after documents of the model changed. Queries that are not shown now reload
 * when they are next shown. `known`: a document as the server has just returned it.
 */
export function documentsChanged(place: ModelPlace, known?: Document): void {
  if (known) queryClient.setQueryData(documentQuery(place, known._id).queryKey, known)
  const one = known && JSON.stringify(documentQuery(place, known._id).queryKey)
  void queryClient.invalidateQueries({
    queryKey: documentsKey(place, place.m),
    predicate: (query) => JSON.stringify(query.queryKey) !== one,
  })
  void queryClient.invalidateQueries({
    queryKey: modelQuery(place.p, place.a, place.m).queryKey,
    exact: true,
  })
  void queryClient.invalidateQueries({ queryKey: modelsQuery(place.p, place.a).queryKey })
}

/** Updates one row of the cached lists after a change. The row keeps its position until the list is reloaded. */
export function rowChanged(place: ModelPlace, document: Document): void {
  const key = documentsKey(place, place.m)
  void queryClient.invalidateQueries({ queryKey: key, refetchType: 'none' })
  queryClient.setQueryData(documentQuery(place, document._id).queryKey, document)
  queryClient.setQueriesData<{ documents: Document[] }>({ queryKey: [...key, 'page'] }, (page) =>
    page?.documents.some(({ _id }) => _id === document._id)
      ? { ...page, documents: page.documents.map((one) => (one._id === document._id ? document : one)) }
      : page,
  )
}

/** Returns the custom types of the app if they are cached, or an empty list. */
export function knownCustomTypes({ p, a }: ModelPlace): readonly CustomType[] {
  return queryClient.getQueryData(customTypesQuery(p, a).queryKey) ?? []
}

/** Invalidates the model and the custom types of its app. */
export async function formMayHaveChanged({ p, a, m }: ModelPlace): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: modelQuery(p, a, m).queryKey, exact: true }),
    queryClient.invalidateQueries({ queryKey: customTypesQuery(p, a).queryKey }),
  ])
}
