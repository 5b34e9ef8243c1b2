import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** The spaces whose SSO the person's own account is linked to. */
export const identitiesQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id, 'identities'],
    queryFn: ({ signal }) => api('GET /api/account/{id}/identity', { params: { id }, signal }),
  })

/** The sessions of the person's own account, and the pending change of its e-mail address. */
export const accountSecurityQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id, 'security'],
    queryFn: ({ signal }) => api('GET /api/account/{id}/security', { params: { id }, signal }),
    staleTime: 0,
  })
