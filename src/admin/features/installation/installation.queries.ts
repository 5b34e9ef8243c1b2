import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

export const installationSettingsQuery = () =>
  queryOptions({
    queryKey: ['installation', 'settings'],
    queryFn: async ({ signal }) => (await api('GET /api/admin/settings', { signal })).settings,
  })

/** Mails that were kept because no mail server is configured. */
export const keptMailsQuery = () =>
  queryOptions({
    queryKey: ['installation', 'mails'],
    queryFn: ({ signal }) => api('GET /api/admin/mails', { signal }),
    staleTime: 0,
    refetchInterval: 10_000,
    refetchIntervalInBackground: false,
  })
