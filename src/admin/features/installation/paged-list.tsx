import { Group, Pagination, Select, Text } from '@mantine/core'
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { SearchBox } from '#admin/ui/search-box.tsx'
import { ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import { type ListQuery, pageSize } from './installation.queries.ts'
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
  const [query, setQuery] = useState<ListQuery>({ search: '', sort: 'newest', page: 1 })
  const { data, error, refetch, isPlaceholderData } = useQuery(props.query(query))
  const pages = data ? Math.ceil(data.total / pageSize) : 1
  return (
    <>
      <div className={classes.filters}>
        <SearchBox
          className={classes.search ?? ''}
          label={props.searchLabel}
          value={query.search}
          onSearch={(search) => setQuery((before) => ({ ...before, search, page: 1 }))}
        />
        <Select
          aria-label={t('sort')}
          data={(['newest', 'name'] as const).map((value) => ({ value, label: t(value) }))}
          value={query.sort}
          onChange={(sort) => setQuery((before) => ({ ...before, sort: sort ?? before.sort, page: 1 }))}
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
        <Group justify="center" mt="lg">
          <Pagination
            aria-label={t('pages')}
            total={pages}
            value={query.page}
            onChange={(page) => setQuery((before) => ({ ...before, page }))}
            getControlProps={(control) => ({ 'aria-label': control })}
          />
        </Group>
      )}
    </>
  )
}
