import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Loads the settings for delivering the space's pictures. */
export const imageSettingsQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'imageSettings'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/imageSettings', { params: { p }, signal })).imageSettings,
  })

/** Loads up to 50 pictures that match a search, for choosing a watermark. */
export const picturesQuery = (p: string, search: string) =>
  queryOptions({
    queryKey: ['space', p, 'assets', 'pictures', search],
    queryFn: async ({ signal }) => {
      const query = { accept: 'image/*', limit: 50, ...(search && { search }) }
      return (await api('GET /api/project/{p}/assets', { params: { p }, query, signal })).assets
    },
  })

/** Loads one file of the library. */
export const pictureQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: ['space', p, 'assets', 'one', id],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/assets/{id}', { params: { p, id }, signal })).asset,
    retry: false,
  })
