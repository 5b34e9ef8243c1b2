import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** The sessions of one's own account, and the change of its address that is under way. */
export const accountSecurityQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id, 'security'],
    queryFn: ({ signal }) => api('GET /api/account/{id}/security', { params: { id }, signal }),
    staleTime: 0,
  })
