import { Select, type SelectProps, Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { DayFilter } from '#admin/fields/date/day-filter.tsx'
import { adminFieldType } from '#admin/fields/index.ts'
import { filterList } from '#admin/fields/list-look.ts'
import { TypedFilter } from '#admin/fields/typed-filter.tsx'
import { usePeople } from '#admin/lib/use-people.ts'
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

/** The input of a condition's value, depending on its field and operator. */
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

type ChoiceProps = ValueProps &
  Omit<SelectProps, keyof ValueProps> & { data: { value: string; label: string }[] }

function Choice({ value, onChange, data, ...search }: ChoiceProps) {
  const t = useTranslations('fields.filter')
  return (
    <Select
      {...filterList}
      aria-label={t('value')}
      data={data}
      value={value || null}
      searchable={data.length > 10}
      {...search}
      onChange={(next) => onChange(next ?? '')}
    />
  )
}

function PeriodFilter(props: ValueProps) {
  const t = useTranslations('documents.filters.periods')
  return <Choice {...props} data={periods.map((value) => ({ value, label: t(value) }))} />
}

/** The current user, or a member of the space. */
function PersonFilter({ place, ...props }: ValueProps & { place: ModelPlace }) {
  const t = useTranslations('documents.filters')
  const people = usePeople(place.p, props.value === me ? null : props.value)
  return <Choice {...props} {...people.select} data={[{ value: me, label: t('me') }, ...people.data]} />
}

function StatusValue(props: ValueProps) {
  const t = useTranslations('documents.status')
  const statuses = ['draft', 'published', 'changed'] as const
  return <Choice {...props} data={statuses.map((value) => ({ value, label: t(value) }))} />
}
