import { queryOptions } from '@tanstack/react-query'
import { type ApiOptions, api } from '#admin/lib/api.ts'
import { askedTogether } from '#admin/lib/asked-together.ts'
import { spaceQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { Asset } from '#shared/contract/assets.ts'

type ListQuery = NonNullable<ApiOptions<'GET /api/project/{p}/assets'>['query']>
/** The filter and order of a list of assets. */
export type AssetFilter = Omit<ListQuery, 'page' | 'limit'>

/** Assets per page of a request. */
export const assetPageSize = 100

const assetsKey = (p: string) => [...spaceQuery(p).queryKey, 'assets'] as const

/** Returns a filter as a canonical string. Equal filters have equal strings. */
export function filterText(filter: AssetFilter): string {
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '')
  return new URLSearchParams(entries.sort(([a], [b]) => a.localeCompare(b)) as [string, string][]).toString()
}

/** One page of the assets that match a filter string. Pages count from 0. */
export const assetPageQuery = (p: string, filter: string, page: number) =>
  queryOptions({
    queryKey: [...assetsKey(p), 'page', filter, page],
    queryFn: ({ signal }) =>
      api('GET /api/project/{p}/assets', {
        params: { p },
        query: {
          ...(Object.fromEntries(new URLSearchParams(filter)) as AssetFilter),
          page: page + 1,
          limit: assetPageSize,
        },
        signal,
      }),
  })

export const assetQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...assetsKey(p), 'one', id],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/assets/{id}', { params: { p, id }, signal })).asset,
  })

/** One asset that a document uses; null if it does not exist. Requests are batched. */
export const shownAssetQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...assetsKey(p), 'shown', id],
    queryFn: () => loadShown(p, id),
    staleTime: 30_000,
  })

const loadShown = askedTogether(assetPageSize, async (p: string, ids) => {
  const { assets } = await api('GET /api/project/{p}/assets', {
    params: { p },
    query: { ids: ids.join(','), limit: assetPageSize },
  })
  return new Map(assets.map((asset) => [asset._id, asset]))
})

/** At most 50 of the documents that use an asset, and their total number. */
export const assetReferencesQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...assetsKey(p), 'references', id],
    queryFn: ({ signal }) =>
      api('GET /api/project/{p}/asset/{id}/references', { params: { p, id }, query: { limit: 50 }, signal }),
  })

export const tagsQuery = (p: string) =>
  queryOptions({
    queryKey: [...assetsKey(p), 'tags'],
    queryFn: async ({ signal }) => (await api('GET /api/project/{p}/tags', { params: { p }, signal })).tags,
  })

export const assetFoldersQuery = (p: string) =>
  queryOptions({
    queryKey: [...assetsKey(p), 'folders'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/assetFolders', { params: { p }, signal })).assetFolders,
  })

/**
 * Invalidates the cached assets of the space after a change. Stores `known`, an asset that the server has just
 * returned, in the cache.
 */
export function assetsChanged(p: string, known?: Asset): Promise<void> {
  if (known) queryClient.setQueryData(assetQuery(p, known._id).queryKey, known)
  const one = known && JSON.stringify(assetQuery(p, known._id).queryKey)
  return queryClient.invalidateQueries({
    queryKey: assetsKey(p),
    predicate: (query) => JSON.stringify(query.queryKey) !== one,
  })
}
