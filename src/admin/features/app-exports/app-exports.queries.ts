import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Milliseconds between two looks at an export that is written; else its address is renewed before it is good no more. */
const every = { writing: 1_500, ready: 5 * 60_000 }

/** The latest export of an app, and where its file is fetched. */
export const appExportQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'export'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/app/{a}/export', { params: { p, a }, signal }),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data?.export?.state === 'writing' || data?.export?.state === 'ready' ? every[data.export.state] : false,
  })
