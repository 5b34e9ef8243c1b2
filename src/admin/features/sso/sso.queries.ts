import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { SsoConnection } from '#shared/contract/sso.ts'

/** How the members of the space sign in by SSO. */
export const ssoQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'sso'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/sso', { params: { p }, signal }),
  })

/** Shows the connection that a call has answered; what the identity provider is told of us stays. */
export function putSso(queryClient: QueryClient, p: string, sso: SsoConnection | null): void {
  queryClient.setQueryData(ssoQuery(p).queryKey, (before) => before && { ...before, sso })
}

/** The newest sign-ins by SSO that were refused. */
export const ssoRefusalsQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'ssoRefusals'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/sso/refusal', { params: { p }, signal })).refusals,
  })
