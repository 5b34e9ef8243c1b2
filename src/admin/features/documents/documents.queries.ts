import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { documentsKey } from '#admin/fields/reference/reference-queries.ts'
import { api } from '#admin/lib/api.ts'
import { customTypesQuery, modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Document } from '#shared/contract/documents.ts'

/** Space, app and model uid: where documents live. */
export interface ModelPlace {
  p: string
  a: string
  m: string
}

/** Rows of a list are asked for in pages of this size. */
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

/** The document as sites read it, drafts included. */
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

/** `version` is the document's: a newer one has a longer history. */
export const revisionsQuery = (place: ModelPlace, id: string, version: number) =>
  queryOptions({
    queryKey: [...documentsKey(place, place.m), 'revisions', id, version],
    queryFn: async ({ signal }) =>
      (
        await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/revisions', {
          params: { ...place, id },
          query: { limit: 50 },
          signal,
        })
      ).revisions,
  })

/** The model's trash, page by page. */
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
 * Documents of the model were changed: lists, references and counts are asked for again when they are next seen.
 * `known` is the state of a document that the server has just answered.
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

/**
 * A document was changed in a list that stays as it is: the row shows what is new, and keeps its place until the list is
 * asked for again.
 */
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

/** The custom types of the app, as far as they are known here already. */
export function knownCustomTypes({ p, a }: ModelPlace): readonly CustomType[] {
  return queryClient.getQueryData(customTypesQuery(p, a).queryKey) ?? []
}

/** Somebody has changed the custom types of the app: they are read again where they are shown. */
export function customTypesChanged({ p, a }: ModelPlace): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: customTypesQuery(p, a).queryKey })
}
