import type { OptionsFilter } from '@mantine/core'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Member } from '#shared/contract/members.ts'
import { api } from './api.ts'
import { useSettledSearch } from './use-settled-search.ts'

/** An account to select, by `_id`. */
interface Person {
  value: string
  label: string
}

/** Maximum number of members that are offered. */
const offered = 30

const everything: OptionsFilter = ({ options }) => options

const toPerson = ({ accountId, name, email }: Member): Person => ({
  value: accountId,
  label: name || email || '',
})

const peopleQuery = (p: string, query: { search?: string; account?: string }) =>
  queryOptions({
    queryKey: ['space', p, 'members', 'choice', query],
    queryFn: async ({ signal }) => {
      const answer = await api('GET /api/project/{p}/members', {
        params: { p },
        query: { ...query, limit: offered },
        signal,
      })
      // Without `select` the server returns complete members.
      return (answer.members as Member[]).map(toPerson)
    },
  })

/**
 * Returns props for a `Select` of the space's members that searches on the server. The options include `chosen` even if
 * it is not among the results. `isKnown` is true if `chosen` has been loaded and is a member. If `p` is null, nothing
 * is fetched.
 */
export function usePeople(p: string | null, chosen: string | null | undefined) {
  const t = useTranslations('common')
  const [typed, setTyped] = useState('')
  const { text, composition } = useSettledSearch(typed)
  const space = p ?? ''
  // The input shows the name of the selected member, which is not a search text.
  const own = useQuery({
    ...peopleQuery(space, { account: chosen ?? '' }),
    enabled: p !== null && /^[0-9a-f]{24}$/.test(chosen ?? ''),
  }).data?.[0]
  const wanted = text === own?.label ? '' : text
  const found = useQuery({
    ...peopleQuery(space, wanted ? { search: wanted } : {}),
    enabled: p !== null,
    placeholderData: keepPreviousData,
  })
  const named = (person: Person) => (person.label ? person : { ...person, label: t('nameless') })
  const people = (found.data ?? []).map(named)
  const data = own && !people.some(({ value }) => value === own.value) ? [named(own), ...people] : people
  return {
    data,
    isKnown: own !== undefined,
    select: {
      searchable: true,
      searchValue: typed,
      onSearchChange: setTyped,
      // The server has already filtered the members.
      filter: everything,
      ...composition,
    },
  }
}
