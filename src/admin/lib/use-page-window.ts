import { type FetchQueryOptions, type QueryKey, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

/** The most rows that fit the height browsers can scroll; longer lists have to be narrowed by a search. */
const maximumRows = 100_000

/** One page of a list on the server. */
export interface WindowPage<Row> {
  rows: readonly Row[]
  /** The number of rows in the whole list. */
  total: number
  /** The server stopped counting at `total`; there may be more rows. */
  isMore?: boolean
}

interface WindowOptions<Row, Answer, Key extends QueryKey> {
  /** The query without the page; a different text is a different list. */
  query: string
  pageSize: number
  /** The query of one page, counted from 0. */
  pageQuery: (query: string, page: number) => FetchQueryOptions<Answer, Error, Answer, Key>
  read: (answer: Answer) => WindowPage<Row>
  /** The indexes of the visible rows. */
  visible: { from: number; to: number }
}

/**
 * The rows of a list as a window over pages of the server: only visible pages are fetched. While a changed query is
 * loading, the previous rows stay. Rows of pages that are not loaded are undefined.
 */
export function usePageWindow<Row, Answer, Key extends QueryKey>(options: WindowOptions<Row, Answer, Key>) {
  const { query, pageSize, pageQuery, read, visible } = options
  const first = useQuery(pageQuery(query, 0))
  const [shown, setShown] = useState(query)
  // Set during render, not in an effect, so that the first rows of the new query render together with its total.
  if (first.data && shown !== query) setShown(query)

  const firstShown = useQuery({
    ...pageQuery(shown, 0),
    enabled: first.data !== undefined || shown === query,
  })
  const firstPage = firstShown.data && read(firstShown.data)
  const total = firstPage?.total ?? 0
  const count = Math.min(total, maximumRows)
  const lastPage = Math.max(0, Math.ceil(count / pageSize) - 1)
  const from = Math.min(lastPage, Math.floor(visible.from / pageSize))
  const to = Math.min(lastPage, Math.floor(visible.to / pageSize))
  const wanted = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index).filter(
    (page) => page > 0,
  )
  const others = useQueries({ queries: wanted.map((page) => pageQuery(shown, page)) })

  const pages = new Map<number, readonly Row[]>()
  if (firstPage) pages.set(0, firstPage.rows)
  wanted.forEach((page, index) => {
    const answer = others[index]?.data
    if (answer) pages.set(page, read(answer).rows)
  })

  return {
    total,
    isMore: firstPage?.isMore ?? false,
    count,
    rowAt: (index: number): Row | undefined => pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    /** The loaded rows around this index without a gap, and the index of the first. */
    runAround: (index: number): { first: number; rows: Row[] } => {
      let page = Math.floor(index / pageSize)
      while (pages.has(page - 1)) page--
      const first = page * pageSize
      const rows: Row[] = []
      for (; pages.has(page); page++) rows.push(...(pages.get(page) ?? []))
      return { first, rows }
    },
    /** The loaded rows in order of their index. */
    loaded: [...pages.entries()].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows),
    /** No rows have been loaded yet. */
    pending: firstShown.data === undefined && first.error === null,
    /** The rows shown belong to the previous query. */
    stale: shown !== query,
    error: first.error ?? others.find((page) => page.error)?.error ?? null,
    retry: () => {
      void first.refetch()
      for (const page of others) if (page.error) void page.refetch()
    },
  }
}

export type PageWindow<Row> = ReturnType<typeof usePageWindow<Row, unknown, QueryKey>>
