import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Loads the spaces whose SSO is linked to the user's own account. */
export const identitiesQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id, 'identities'],
    queryFn: ({ signal }) => api('GET /api/account/{id}/identity', { params: { id }, signal }),
  })

/** Loads the sessions of the user's own account, and the pending change of its email address. */
export const accountSecurityQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id, 'security'],
    queryFn: ({ signal }) => api('GET /api/account/{id}/security', { params: { id }, signal }),
    staleTime: 0,
  })
