import { usePageWindow } from '#admin/lib/use-page-window.ts'
import { assetPageQuery, assetPageSize } from './assets.queries.ts'

/** The assets that a filter (as text, see `filterText`) finds, as a window onto the server's pages. */
export function useAssetWindow(p: string, filter: string, visible: { from: number; to: number }) {
  return usePageWindow({
    query: filter,
    pageSize: assetPageSize,
    pageQuery: (text, page) => assetPageQuery(p, text, page),
    read: ({ assets, total }) => ({ rows: assets, total }),
    visible,
  })
}
