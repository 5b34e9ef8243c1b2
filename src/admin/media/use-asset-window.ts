import { useCallback, useState } from 'react'
import { usePageWindow } from '#admin/lib/use-page-window.ts'
import { assetPageQuery, assetPageSize } from './assets.queries.ts'

/**
 * Returns the assets that match a filter string (see `filterText`), as a window over the server's pages. `initialPage`
 * (from 0) is visible first. `onVisible` must be called with the indexes of the visible tiles.
 */
export function useAssetWindow(p: string, filter: string, initialPage = 0) {
  const [pages, setPages] = useState({ first: initialPage, last: initialPage })
  const rows = usePageWindow({
    query: filter,
    pageSize: assetPageSize,
    pageQuery: (text, page) => assetPageQuery(p, text, page),
    read: ({ assets, total, isMore }) => ({ rows: assets, total, isMore }),
    visible: { from: pages.first * assetPageSize, to: pages.last * assetPageSize },
  })
  const onVisible = useCallback((from: number, to: number) => {
    const [first, last] = [Math.floor(from / assetPageSize), Math.floor(to / assetPageSize)]
    setPages((before) => (before.first === first && before.last === last ? before : { first, last }))
  }, [])
  return { rows, page: pages.first, onVisible }
}
