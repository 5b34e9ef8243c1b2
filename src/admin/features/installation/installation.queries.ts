import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

export const installationSettingsQuery = () =>
  queryOptions({
    queryKey: ['installation', 'settings'],
    queryFn: async ({ signal }) => (await api('GET /api/admin/settings', { signal })).settings,
  })

export const pageSize = 25

/** Search, order and page of a list. `page` counts from 1. */
export interface ListQuery {
  search: string
  sort: 'newest' | 'name'
  page: number
}

/** Parses the URL of a list, which may contain anything. Invalid parts get their defaults. */
export function readListQuery({ search, sort, page }: Record<string, unknown>): ListQuery {
  const number = Number(page)
  return {
    search: typeof search === 'string' ? search.slice(0, 200) : '',
    sort: sort === 'name' ? 'name' : 'newest',
    page: Number.isInteger(number) && number > 0 && number <= 100_000 ? number : 1,
  }
}

/** Returns the query string of a list, without default values. */
export const toListSearch = ({ search, sort, page }: ListQuery) => ({
  ...(search ? { search } : {}),
  ...(sort === 'newest' ? {} : { sort }),
  ...(page === 1 ? {} : { page }),
})

const queryOf = ({ search, sort, page }: ListQuery) => ({
  ...(search ? { search } : {}),
  sort,
  skip: (page - 1) * pageSize,
  limit: pageSize,
})

/** Loads one page of all spaces of the installation. */
export const allSpacesQuery = (query: ListQuery) =>
  queryOptions({
    queryKey: ['installation', 'spaces', query] as const,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { spaces, total } = await api('GET /api/admin/spaces', { query: queryOf(query), signal })
      return { rows: spaces, total }
    },
  })

export const accountsKey = ['installation', 'accounts'] as const

/** Loads one page of all accounts of the installation. */
export const allAccountsQuery = (query: ListQuery) =>
  queryOptions({
    queryKey: [...accountsKey, query] as const,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { accounts, total } = await api('GET /api/admin/accounts', { query: queryOf(query), signal })
      return { rows: accounts, total }
    },
  })

/**
 * Loads the mails that are kept because no mail server is configured. With a mail server, loads the numbers of mails
 * that could not be sent, and the latest error.
 */
export const keptMailsQuery = () =>
  queryOptions({
    queryKey: ['installation', 'mails'],
    queryFn: ({ signal }) => api('GET /api/admin/mails', { signal }),
    staleTime: 0,
    refetchInterval: 10_000,
    refetchIntervalInBackground: false,
  })
