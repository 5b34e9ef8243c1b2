import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** What apps of the space can be made of. */
export const templatesQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'templates'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/appTemplate', { params: { p }, signal })).appTemplates,
  })
