import { Select, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { DayFilter } from '#admin/fields/date/day-filter.tsx'
import { adminFieldType } from '#admin/fields/index.ts'
import { filterList } from '#admin/fields/list-look.ts'
import { TypedFilter } from '#admin/fields/typed-filter.tsx'
import { membersQuery } from '#admin/lib/queries.ts'
import { me, periods } from '#shared/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import type { ListModel } from './list-fields.ts'
import { comparedField, isSystemPerson, isSystemTime } from './list-query.ts'
import type { Filter } from './list-search.ts'

interface FilterValueProps {
  model: ListModel
  place: ModelPlace
  filter: Filter
  onChange: (value: string) => void
}

/** What a condition compares with, chosen or typed as its field and operator ask. */
export function FilterValue({ model, place, filter, onChange }: FilterValueProps) {
  const value = { value: filter.value, onChange }
  if (filter.op === 'within') return <PeriodFilter {...value} />
  if (isSystemPerson(filter.field)) return <PersonFilter place={place} {...value} />
  if (filter.field === '_sys.status') return <StatusValue {...value} />
  if (isSystemTime(filter.field)) return <DayFilter {...value} />
  const field = comparedField(model, filter)
  if (!field) return null
  const TypeFilter = adminFieldType(field).filter ?? TypedFilter
  return (
    <Suspense fallback={<Skeleton height={36} />}>
      <TypeFilter key={filter.field} field={field} place={place} {...value} />
    </Suspense>
  )
}

interface ValueProps {
  value: string
  onChange: (value: string) => void
}

function Choice({ value, onChange, data }: ValueProps & { data: { value: string; label: string }[] }) {
  const t = useTranslations('fields.filter')
  return (
    <Select
      {...filterList}
      aria-label={t('value')}
      data={data}
      value={value || null}
      searchable={data.length > 10}
      onChange={(next) => onChange(next ?? '')}
    />
  )
}

/** Days around today. */
function PeriodFilter(props: ValueProps) {
  const t = useTranslations('documents.filters.periods')
  return <Choice {...props} data={periods.map((value) => ({ value, label: t(value) }))} />
}

/** Whoever looks, or a member of the space. */
function PersonFilter({ place, ...props }: ValueProps & { place: ModelPlace }) {
  const t = useTranslations('documents.filters')
  const { data: members = [] } = useQuery(membersQuery(place.p))
  const people = members.map(({ accountId, name, email }) => ({ value: accountId, label: name || email }))
  return <Choice {...props} data={[{ value: me, label: t('me') }, ...people]} />
}

function StatusValue(props: ValueProps) {
  const t = useTranslations('documents.status')
  const statuses = ['draft', 'published', 'changed'] as const
  return <Choice {...props} data={statuses.map((value) => ({ value, label: t(value) }))} />
}
