import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** What the space asks of who comes in, and from where this browser does. */
export const securityQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'security'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/security', { params: { p }, signal }),
  })
