import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Polling interval in milliseconds. It is short, because users wait for their site to appear. */
const lookEvery = 5_000

export const siteRequestsQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['siteRequests', p, a],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/siteRequest', { params: { p, a }, signal })).siteRequests,
    staleTime: 0,
    refetchInterval: lookEvery,
  })
