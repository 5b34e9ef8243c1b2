import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { SsoConnection } from '#shared/contract/sso.ts'

/** Loads the SSO connection of the space. */
export const ssoQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'sso'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/sso', { params: { p }, signal }),
  })

/** Caches the connection from a response. The cached values for the identity provider stay. */
export function putSso(queryClient: QueryClient, p: string, sso: SsoConnection | null): void {
  queryClient.setQueryData(ssoQuery(p).queryKey, (before) => before && { ...before, sso })
}

/** Loads the latest refused sign-ins by SSO. */
export const ssoRefusalsQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'ssoRefusals'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/sso/refusal', { params: { p }, signal })).refusals,
  })
