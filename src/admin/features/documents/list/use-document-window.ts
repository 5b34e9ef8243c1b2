import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Document } from '#shared/contract/documents.ts'
import { type ModelPlace, pageQuery, pageSize } from '../documents.queries.ts'

/** So many rows make a page as tall as browsers can scroll; who has more narrows the list. */
export const maximumRows = 100_000

/**
 * The rows of a list as a window onto pages of the server: only pages in sight are asked for. While a changed query
 * is on its way the rows of the one before stay. Row indexes of pages that are not there yet are undefined.
 */
export function useDocumentWindow(place: ModelPlace, query: string, visible: { from: number; to: number }) {
  const first = useQuery(pageQuery(place, query, 0))
  const [shown, setShown] = useState(query)
  // Not an effect: the first rows of the new query are on the screen in the same render as its total.
  if (first.data && shown !== query) setShown(query)

  const firstShown = useQuery({
    ...pageQuery(place, shown, 0),
    enabled: first.data !== undefined || shown === query,
  })
  const total = firstShown.data?.total ?? 0
  const count = Math.min(total, maximumRows)
  const lastPage = Math.max(0, Math.ceil(count / pageSize) - 1)
  const from = Math.min(lastPage, Math.floor(visible.from / pageSize))
  const to = Math.min(lastPage, Math.floor(visible.to / pageSize))
  const wanted = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index).filter(
    (page) => page > 0,
  )
  const others = useQueries({ queries: wanted.map((page) => pageQuery(place, shown, page)) })

  const pages = new Map<number, Document[]>()
  if (firstShown.data) pages.set(0, firstShown.data.documents)
  wanted.forEach((page, index) => {
    const documents = others[index]?.data?.documents
    if (documents) pages.set(page, documents)
  })

  return {
    total,
    count,
    rowAt: (index: number): Document | undefined =>
      pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    /** The rows around this one that are here without a gap: the first one's index, and their `_id`s. */
    runAround: (index: number): { first: number; ids: string[] } => {
      let page = Math.floor(index / pageSize)
      while (pages.has(page - 1)) page--
      const first = page * pageSize
      const ids: string[] = []
      for (; pages.has(page); page++) ids.push(...(pages.get(page) ?? []).map(({ _id }) => _id))
      return { first, ids }
    },
    /** Rows that are here, by their index. */
    loaded: [...pages.entries()].sort(([a], [b]) => a - b).flatMap(([, documents]) => documents),
    /** Nothing to show yet. */
    pending: firstShown.data === undefined && first.error === null,
    /** The rows on the screen belong to an older query. */
    stale: shown !== query,
    error: first.error ?? others.find((page) => page.error)?.error ?? null,
    retry: () => {
      void first.refetch()
      for (const page of others) if (page.error) void page.refetch()
    },
  }
}
