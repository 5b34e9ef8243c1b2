import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Which role comes with which group of the directory. */
export const groupRolesQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'groupRoles'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/groupRoles', { params: { p }, signal }),
  })
