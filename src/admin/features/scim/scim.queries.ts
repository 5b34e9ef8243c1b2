import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Loads the SCIM connection by which a directory provisions members. null: no connection. */
export const scimQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'scim'],
    queryFn: async ({ signal }) => (await api('GET /api/project/{p}/scim', { params: { p }, signal })).scim,
  })
