import { type QueryClient, queryOptions } from '@tanstack/react-query'
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

/** The template that an app was made of, and what its newest version would change. */
export const templateUpdateQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'templateUpdate'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/app/{a}/templateUpdate', { params: { p, a }, signal }),
    staleTime: 0,
  })

/** Everything that is known of an app is asked for again: its models, its views and its documents are others. */
export const forgetApp = (queryClient: QueryClient, p: string, a: string) =>
  queryClient.invalidateQueries({ queryKey: ['space', p, 'app', a] })
