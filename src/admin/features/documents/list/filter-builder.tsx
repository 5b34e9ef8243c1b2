import { ActionIcon, Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconPlus, IconSquarePlus, IconX } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { filterList } from '#admin/fields/list-look.ts'
import type { FilterOperator } from '#shared/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { useFilterNames } from './filter-names.ts'
import { FilterValue } from './filter-value.tsx'
import classes from './list.module.css'
import { type ListModel, useSurroundings } from './list-fields.ts'
import { needsValue, operatorsOf } from './list-query.ts'
import type { Filter, FilterNode } from './list-search.ts'

interface FilterBuilderProps {
  model: ListModel
  place: ModelPlace
  filters: readonly FilterNode[]
  onChange: (filters: FilterNode[]) => void
  /** How the conditions are joined. true: by OR, and by AND within a group. false (default): the reverse. */
  any?: boolean
  onAny?: (any: boolean) => void
}

type Keyed = Filter & { key: number }
type KeyedNode = Keyed | { key: number; group: Keyed[] }

let lastKey = 0
const keyed = (filter: Filter): Keyed => ({ ...filter, key: ++lastKey })
const keyedNode = (node: FilterNode): KeyedNode =>
  'group' in node ? { key: ++lastKey, group: node.group.map(keyed) } : keyed(node)

const isWhole = ({ op, value }: Filter) => !needsValue(op) || value.trim() !== ''
const plain = ({ key: _, ...filter }: Keyed): Filter => filter

function asked(rows: readonly KeyedNode[]): FilterNode[] {
  return rows.flatMap((row): FilterNode[] => {
    if (!('group' in row)) return isWhole(row) ? [plain(row)] : []
    const group = row.group.filter(isWhole).map(plain)
    return group.length > 0 ? [{ group }] : []
  })
}

/**
 * An editor for conditions joined by AND or OR, and for groups that use the other operator. `onChange` receives the
 * complete conditions.
 */
export function FilterBuilder({ model: own, ...others }: FilterBuilderProps) {
  const { place, filters, onChange, any = false, onAny } = others
  const { surroundings } = useSurroundings(place, true)
  const model: ListModel = { ...own, surroundings }
  const props = { ...others, model }
  const t = useTranslations('documents.filters')
  const [rows, setRows] = useState(() => filters.map(keyedNode))
  const addButton = useRef<HTMLButtonElement>(null)
  /** Key of the row added last, whose first input takes the focus. */
  const [added, setAdded] = useState<number | null>(null)
  const first = useFilterNames(model)[0]?.value ?? ''

  function change(next: KeyedNode[]) {
    setRows(next)
    onChange(asked(next))
  }

  const newCondition = () => {
    const row = keyed({ field: first, op: operatorsOf(model, first)[0] ?? 'eq', value: '' })
    setAdded(row.key)
    return row
  }
  const replace = (key: number, node: KeyedNode) => change(rows.map((row) => (row.key === key ? node : row)))

  /**
   * Sets the rows that remain after one was removed. That row's button no longer exists, so the focus moves to the
   * button that adds a condition.
   */
  function remove(left: KeyedNode[]) {
    change(left)
    addButton.current?.focus()
  }
  const without = (key: number) => remove(rows.filter((row) => row.key !== key))

  return (
    <Stack gap="sm">
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('none')}
        </Text>
      )}
      {rows.length > 1 && onAny && (
        <Select
          {...filterList}
          aria-label={t('join')}
          data={[
            { value: 'all', label: t('joinAll') },
            { value: 'any', label: t('joinAny') },
          ]}
          value={any ? 'any' : 'all'}
          allowDeselect={false}
          onChange={(join) => onAny(join === 'any')}
        />
      )}
      {rows.map((row, index) =>
        'group' in row ? (
          <GroupRow
            key={row.key}
            {...props}
            rows={row.group}
            number={index + 1}
            added={added}
            onRows={(group) => (group.length > 0 ? replace(row.key, { ...row, group }) : without(row.key))}
            newCondition={newCondition}
          />
        ) : (
          <ConditionRow
            key={row.key}
            {...props}
            row={row}
            number={String(index + 1)}
            isNew={row.key === added}
            onRow={(next) => replace(row.key, next)}
            onRemove={() => without(row.key)}
          />
        ),
      )}
      <Group justify="space-between">
        <Group gap="xs">
          <Button
            ref={addButton}
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => setRows([...rows, newCondition()])}
            data-autofocus
          >
            {t('add')}
          </Button>
          {onAny && rows.length > 0 && (
            <Button
              variant="default"
              size="xs"
              leftSection={<IconSquarePlus size={14} />}
              onClick={() => setRows([...rows, { key: ++lastKey, group: [newCondition()] }])}
            >
              {t('addGroup')}
            </Button>
          )}
        </Group>
        {rows.length > 0 && (
          <Button variant="subtle" color="gray" size="xs" onClick={() => remove([])}>
            {t('clear')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

interface GroupRowProps extends Pick<FilterBuilderProps, 'model' | 'place' | 'any'> {
  rows: Keyed[]
  number: number
  added: number | null
  onRows: (rows: Keyed[]) => void
  newCondition: () => Keyed
}

function GroupRow({ rows, number, added, onRows, newCondition, any = false, ...props }: GroupRowProps) {
  const t = useTranslations('documents.filters')
  return (
    <Stack gap="xs" className={classes.filterGroup} role="group" aria-label={t('group', { number })}>
      <Text size="xs" c="dimmed">
        {any ? t('groupAll') : t('groupAny')}
      </Text>
      {rows.map((row, index) => (
        <ConditionRow
          key={row.key}
          {...props}
          row={row}
          number={`${number}-${index + 1}`}
          isNew={row.key === added}
          onRow={(next) => onRows(rows.map((one) => (one.key === row.key ? next : one)))}
          onRemove={() => onRows(rows.filter((one) => one.key !== row.key))}
        />
      ))}
      <Group>
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} />}
          aria-label={t('addTo', { number })}
          onClick={() => onRows([...rows, newCondition()])}
        >
          {t('add')}
        </Button>
      </Group>
    </Stack>
  )
}

interface ConditionRowProps extends Pick<FilterBuilderProps, 'model' | 'place'> {
  row: Keyed
  number: string
  isNew: boolean
  onRow: (row: Keyed) => void
  onRemove: () => void
}

function ConditionRow({ model, place, row, number, isNew, onRow, onRemove }: ConditionRowProps) {
  const t = useTranslations('documents.filters')
  const names = useFilterNames(model)
  /** Changes the operator. Days and periods are not interchangeable, so the value is cleared between them. */
  const withOperator = (op: FilterOperator): Keyed =>
    (op === 'within') === (row.op === 'within') ? { ...row, op } : { ...row, op, value: '' }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have the layout of the row.
    <div className={classes.filter} role="group" aria-label={t('condition', { number })}>
      <Select
        {...filterList}
        aria-label={t('field')}
        autoFocus={isNew}
        // If the list opened on focus, the input would reference it by a wrong id.
        openOnFocus={false}
        data={names}
        value={row.field}
        searchable={names.length > 10}
        limit={200}
        allowDeselect={false}
        onChange={(field) =>
          field && onRow({ ...row, field, op: operatorsOf(model, field)[0] ?? 'eq', value: '' })
        }
      />
      <Select
        {...filterList}
        aria-label={t('operator')}
        data={operatorsOf(model, row.field).map((op) => ({ value: op, label: t(`operators.${op}`) }))}
        value={row.op}
        allowDeselect={false}
        onChange={(op) => op && onRow(withOperator(op as FilterOperator))}
      />
      <div className={classes.filterValue}>
        {needsValue(row.op) && (
          <FilterValue
            model={model}
            place={place}
            filter={row}
            onChange={(value) => onRow({ ...row, value })}
          />
        )}
      </div>
      <ActionIcon variant="subtle" color="gray" aria-label={t('remove', { number })} onClick={onRemove}>
        <IconX size={16} />
      </ActionIcon>
    </div>
  )
}
