import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Loads the space's security settings, and the IP address of this browser. */
export const securityQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'security'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/security', { params: { p }, signal }),
  })
