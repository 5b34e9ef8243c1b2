import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** The second factors of the person's own account. */
export const secondFactorQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id, 'secondFactor'],
    queryFn: ({ signal }) => api('GET /api/account/{id}/secondFactor', { params: { id }, signal }),
  })
