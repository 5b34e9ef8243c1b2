import { usePageWindow } from '#admin/lib/use-page-window.ts'
import { type ModelPlace, pageQuery, pageSize } from '../documents.queries.ts'

/** The documents of a model as a window over the server's pages. */
export function useDocumentWindow(place: ModelPlace, query: string, visible: { from: number; to: number }) {
  return usePageWindow({
    query,
    pageSize,
    pageQuery: (text, page) => pageQuery(place, text, page),
    read: ({ documents, total, isMore }) => ({ rows: documents, total, isMore }),
    visible,
  })
}
