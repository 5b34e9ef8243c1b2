import type { OptionsFilter } from '@mantine/core'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Member } from '#shared/contract/members.ts'
import { api } from './api.ts'
import { useSettledSearch } from './use-settled-search.ts'

/** Somebody to choose: the `_id` of their account, and what they are called. */
interface Person {
  value: string
  label: string
}

/** So many are offered; who is looking for somebody else types more of their name. */
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
      // Without `select` they are whole.
      return (answer.members as Member[]).map(toPerson)
    },
  })

/**
 * Members of the space for a `Select` that is searched on the server: spread it. `chosen` is among them too, wherever in the
 * list they are; `undefined` as their name until it is known, and for who is no member any more. With `p` null nobody is
 * asked for.
 */
export function usePeople(p: string | null, chosen: string | null | undefined) {
  const t = useTranslations('common')
  const [typed, setTyped] = useState('')
  const { text, composition } = useSettledSearch(typed)
  const space = p ?? ''
  // The name of who is chosen stands in the box, and is not looked for.
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
      // The server has looked already, also in addresses that are shown and in the other kana.
      filter: everything,
      ...composition,
    },
  }
}
