import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** What apps of the space can be made of. */
export const templatesQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'templates'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/appTemplate', { params: { p }, signal })).appTemplates,
    // Somebody else may have saved one meanwhile.
    staleTime: 0,
  })

/** Milliseconds between two looks at a version that is being saved. */
const lookEvery = 800

/** What was saved of an app as a template. */
export const versionsQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'template'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/template', { params: { p, a }, signal })).templates,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ state }) => state === 'saving') ? lookEvery : false,
  })
