import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Loads the second factors of the user's own account. */
export const secondFactorQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id, 'secondFactor'],
    queryFn: ({ signal }) => api('GET /api/account/{id}/secondFactor', { params: { id }, signal }),
  })
