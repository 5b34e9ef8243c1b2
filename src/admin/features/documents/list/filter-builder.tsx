import { ActionIcon, Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { Suspense, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { DayFilter } from '#admin/fields/date/day-filter.tsx'
import type { FilterOperator } from '#admin/fields/field-props.ts'
import { adminFieldType } from '#admin/fields/index.ts'
import { filterList } from '#admin/fields/list-look.ts'
import { TypedFilter } from '#admin/fields/typed-filter.tsx'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from '../documents.queries.ts'
import classes from './list.module.css'
import { systemKey } from './list-columns.ts'
import { needsValue, operatorsOf, systemTimes } from './list-query.ts'
import type { Filter } from './list-search.ts'

interface FilterBuilderProps {
  model: Model
  place: ModelPlace
  filters: readonly Filter[]
  onChange: (filters: Filter[]) => void
}

let lastKey = 0
const keyed = (filter: Filter) => ({ ...filter, key: ++lastKey })

/** Conditions that all must hold. The list follows each of them as soon as it is whole. */
export function FilterBuilder({ model, place, filters, onChange }: FilterBuilderProps) {
  const t = useTranslations('documents.filters')
  const columns = useTranslations('documents.list.columnNames')
  const [rows, setRows] = useState(() => filters.map(keyed))
  const addButton = useRef<HTMLButtonElement>(null)
  /** The row that was added here: its first input takes the focus. */
  const [added, setAdded] = useState<number | null>(null)
  const names = [
    ...model.fields
      .filter((field) => operatorsOf(model, field.uid).length > 0)
      .map((field) => ({ value: field.uid, label: field.name })),
    ...systemTimes.map((name) => ({ value: name as string, label: columns(systemKey(name)) })),
  ]

  function change(next: typeof rows) {
    setRows(next)
    onChange(
      next.filter((row) => !needsValue(row.op) || row.value.trim() !== '').map(({ key: _, ...row }) => row),
    )
  }

  function setRow(key: number, part: Partial<Filter>) {
    change(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  }

  function add() {
    const field = names[0]?.value ?? ''
    const row = keyed({ field, op: operatorsOf(model, field)[0] ?? 'eq', value: '' })
    setRows([...rows, row])
    setAdded(row.key)
  }

  /** The button that was pressed goes away with its row: the focus stays in the window. */
  function remove(left: typeof rows) {
    change(left)
    addButton.current?.focus()
  }

  return (
    <Stack gap="sm">
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('none')}
        </Text>
      )}
      {rows.map((row, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as the row is.
        <div
          key={row.key}
          className={classes.filter}
          role="group"
          aria-label={t('condition', { number: index + 1 })}
        >
          <Select
            {...filterList}
            aria-label={t('field')}
            autoFocus={row.key === added}
            data={names}
            value={row.field}
            searchable={names.length > 10}
            allowDeselect={false}
            onChange={(field) =>
              field && setRow(row.key, { field, op: operatorsOf(model, field)[0] ?? 'eq', value: '' })
            }
          />
          <Select
            {...filterList}
            aria-label={t('operator')}
            data={operatorsOf(model, row.field).map((op) => ({ value: op, label: t(`operators.${op}`) }))}
            value={row.op}
            allowDeselect={false}
            onChange={(op) => op && setRow(row.key, { op: op as FilterOperator })}
          />
          <div className={classes.filterValue}>
            {needsValue(row.op) && (
              <FilterValue
                model={model}
                place={place}
                filter={row}
                onChange={(value) => setRow(row.key, { value })}
              />
            )}
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('remove', { number: index + 1 })}
            onClick={() => remove(rows.filter((one) => one.key !== row.key))}
          >
            <IconX size={16} />
          </ActionIcon>
        </div>
      ))}
      <Group justify="space-between">
        <Button
          ref={addButton}
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          onClick={add}
          data-autofocus
        >
          {t('add')}
        </Button>
        {rows.length > 0 && (
          <Button variant="subtle" color="gray" size="xs" onClick={() => remove([])}>
            {t('clear')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

interface FilterValueProps {
  model: Model
  place: ModelPlace
  filter: Filter
  onChange: (value: string) => void
}

function FilterValue({ model, place, filter, onChange }: FilterValueProps) {
  const field = model.fields.find((candidate) => candidate.uid === filter.field)
  if (!field) return <DayFilter value={filter.value} onChange={onChange} />
  const TypeFilter = adminFieldType(field).filter ?? TypedFilter
  return (
    <Suspense fallback={<Skeleton height={36} />}>
      <TypeFilter key={field.uid} field={field} place={place} value={filter.value} onChange={onChange} />
    </Suspense>
  )
}
