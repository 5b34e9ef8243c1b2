import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** How the members of the space sign in by SSO. */
export const ssoQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'sso'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/sso', { params: { p }, signal }),
  })
