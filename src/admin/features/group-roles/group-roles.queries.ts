import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Loads the group mappings: the roles of the directory's groups. */
export const groupRolesQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'groupRoles'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/groupRoles', { params: { p }, signal }),
  })
