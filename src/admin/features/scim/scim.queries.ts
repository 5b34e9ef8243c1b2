import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** How a directory provisions members of the space; null: not at all. */
export const scimQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'scim'],
    queryFn: async ({ signal }) => (await api('GET /api/project/{p}/scim', { params: { p }, signal })).scim,
  })
