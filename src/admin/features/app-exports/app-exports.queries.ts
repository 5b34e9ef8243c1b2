import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/**
 * Polling intervals in milliseconds: while the export is written, and while its file is ready, to notice when it
 * expires.
 */
const every = { writing: 1_500, ready: 5 * 60_000 }

/** Loads the latest export of an app, or of all apps of a space, and its download URL. */
export const appExportQuery = ({ p, a }: { p: string; a?: string | undefined }) =>
  queryOptions({
    queryKey: ['space', p, ...(a === undefined ? [] : ['app', a]), 'export'],
    queryFn: ({ signal }) =>
      a === undefined
        ? api('GET /api/project/{p}/export', { params: { p }, signal })
        : api('GET /api/project/{p}/app/{a}/export', { params: { p, a }, query: { start: 'false' }, signal }),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data?.export?.state === 'writing' || data?.export?.state === 'ready' ? every[data.export.state] : false,
  })
