import { Select, Text } from '@mantine/core'
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { PageLinks } from '#admin/ui/page-links.tsx'
import { SearchBox } from '#admin/ui/search-box.tsx'
import { ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import { type ListQuery, pageSize, readListQuery, toListSearch } from './installation.queries.ts'
import classes from './lists.module.css'

interface Rows<Row> {
  rows: Row[]
  total: number
}

interface PagedListProps<Row, Key extends QueryKey> {
  query: (query: ListQuery) => UseQueryOptions<Rows<Row>, Error, Rows<Row>, Key>
  searchLabel: string
  count: (total: number) => string
  /** Shown instead of the rows if there are none. */
  empty: (isSearch: boolean) => ReactNode
  children: (rows: Row[]) => ReactNode
}

/** A list that the server searches, sorts and divides into pages. */
export function PagedList<Row, Key extends QueryKey>(props: PagedListProps<Row, Key>) {
  const t = useTranslations('installation.list')
  const query = readListQuery(useSearch({ strict: false }) as Record<string, unknown>)
  const navigate = useNavigate()
  // The router scrolls to the top after each change. A search does not scroll, because the user is typing in the search
  // box at the top.
  const change = (next: ListQuery, options?: { replace: true; resetScroll: false }) =>
    void navigate({ to: '.', search: toListSearch(next) as never, ...options })
  const { data, error, refetch, isPlaceholderData } = useQuery(props.query(query))
  const pages = data ? Math.ceil(data.total / pageSize) : 1
  return (
    <>
      <div className={classes.filters}>
        <SearchBox
          className={classes.search ?? ''}
          label={props.searchLabel}
          value={query.search}
          onSearch={(search) => change({ ...query, search, page: 1 }, { replace: true, resetScroll: false })}
        />
        <Select
          aria-label={t('sort')}
          data={(['newest', 'name'] as const).map((value) => ({ value, label: t(value) }))}
          value={query.sort}
          onChange={(sort) => change({ ...query, sort: sort ?? query.sort, page: 1 })}
          allowDeselect={false}
          w={150}
        />
        <Text size="sm" c="dimmed" role="status">
          {data && props.count(data.total)}
        </Text>
      </div>
      {!data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {data && <LoadProblem error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonList />}
      {data?.total === 0 && props.empty(query.search !== '')}
      {data && data.rows.length > 0 && (
        <div className={classes.list} data-stale={isPlaceholderData || undefined}>
          {props.children(data.rows)}
        </div>
      )}
      {pages > 1 && (
        <PageLinks
          label={t('pages')}
          total={pages}
          value={query.page}
          onChange={(page) => change({ ...query, page })}
        />
      )}
    </>
  )
}
