import { usePageWindow } from '#admin/lib/use-page-window.ts'
import { type ModelPlace, pageQuery, pageSize } from '../documents.queries.ts'

/** Returns the visible documents of a model, loaded page by page. */
export function useDocumentWindow(place: ModelPlace, query: string, visible: { from: number; to: number }) {
  return usePageWindow({
    query,
    pageSize,
    pageQuery: (text, page) => pageQuery(place, text, page),
    read: ({ documents, total, isMore }) => ({ rows: documents, total, isMore }),
    visible,
  })
}
