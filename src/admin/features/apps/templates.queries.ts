import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Loads the templates from which apps of the space can be created. */
export const templatesQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'templates'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/appTemplate', { params: { p }, signal })).appTemplates,
    // Another member may have saved a template in the meantime.
    staleTime: 0,
  })

/** Polling interval for a version that is being saved, in milliseconds. */
const lookEvery = 800

/** Loads the versions of an app's template, newest first, including versions that are being saved or have failed. */
export const versionsQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'template'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/template', { params: { p, a }, signal })).templates,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ state }) => state === 'saving') ? lookEvery : false,
  })

/**
 * Loads the template that an app was created from, the changes that its newest version would make, and the update that
 * can be undone.
 */
export const templateUpdateQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'templateUpdate'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/app/{a}/templateUpdate', { params: { p, a }, signal }),
    staleTime: 0,
  })

/** Invalidates everything cached about an app. */
export const forgetApp = (queryClient: QueryClient, p: string, a: string) =>
  queryClient.invalidateQueries({ queryKey: ['space', p, 'app', a] })
