import { type FetchQueryOptions, type QueryKey, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

/**
 * Maximum number of rows, limited by the height that browsers can scroll. The user must narrow longer lists by a
 * search.
 */
const maximumRows = 100_000

export interface WindowPage<Row> {
  rows: readonly Row[]
  /** Number of rows in the whole list. */
  total: number
  /** Whether the server stopped counting at `total` and there may be more rows. */
  isMore?: boolean
}

interface WindowOptions<Row, Answer, Key extends QueryKey> {
  /** The query without the page. A different text is a different list. */
  query: string
  pageSize: number
  /** Returns the query of one page, counted from 0. */
  pageQuery: (query: string, page: number) => FetchQueryOptions<Answer, Error, Answer, Key>
  read: (answer: Answer) => WindowPage<Row>
  /** The indexes of the visible rows. */
  visible: { from: number; to: number }
}

/**
 * Returns the rows of a list as a window over pages of the server. Only visible pages and the first page are fetched.
 * While a changed query is loading, the previous rows stay. Rows of pages that are not loaded are undefined.
 */
export function usePageWindow<Row, Answer, Key extends QueryKey>(options: WindowOptions<Row, Answer, Key>) {
  const { query, pageSize, pageQuery, read, visible } = options
  const first = useQuery(pageQuery(query, 0))
  const [shown, setShown] = useState(query)
  // The state is set during render instead of in an effect, so that the first rows of the new query render together
  // with its total.
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
    /** Returns the loaded rows around this index without a gap, and the index of the first of them. */
    runAround: (index: number): { first: number; rows: Row[] } => {
      let page = Math.floor(index / pageSize)
      while (pages.has(page - 1)) page--
      const first = page * pageSize
      const rows: Row[] = []
      for (; pages.has(page); page++) rows.push(...(pages.get(page) ?? []))
      return { first, rows }
    },
    loaded: [...pages.entries()].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows),
    /** Whether the first rows are still loading. False after an error. */
    pending: firstShown.data === undefined && first.error === null,
    /** Whether the shown rows belong to the previous query. */
    stale: shown !== query,
    error: first.error ?? others.find((page) => page.error)?.error ?? null,
    retry: () => {
      void first.refetch()
      for (const page of others) if (page.error) void page.refetch()
    },
  }
}

export type PageWindow<Row> = ReturnType<typeof usePageWindow<Row, unknown, QueryKey>>
