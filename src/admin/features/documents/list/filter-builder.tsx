import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { FilterOperator } from '#admin/fields/field-props.ts'
import { listLook } from '#admin/fields/list-look.ts'
import { readNumber } from '#admin/fields/number/exact-number.ts'
import { choicesQuery, targetQuery, titleOfDocument } from '#admin/fields/reference/reference-queries.ts'
import { useSettledSearch } from '#admin/fields/use-settled-search.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from '../documents.queries.ts'
import classes from './list.module.css'
import { systemKey } from './list-columns.ts'
import { isSystemTime, needsValue, operatorsOf, systemTimes } from './list-query.ts'
import type { Filter } from './list-search.ts'

interface FilterBuilderProps {
  model: Model
  place: ModelPlace
  filters: readonly Filter[]
  onChange: (filters: Filter[]) => void
}

// A list elsewhere in the page would count as a click outside of the window of filters, and close it.
const inside = { withinPortal: false }

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
            comboboxProps={inside}
            {...listLook}
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
            comboboxProps={inside}
            {...listLook}
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
  const t = useTranslations('documents.filters')
  const field = model.fields.find((candidate) => candidate.uid === filter.field)
  if (isSystemTime(filter.field) || field?.type === 'DATE')
    return (
      <TextInput
        type="date"
        aria-label={t('value')}
        value={filter.value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  if (field?.type === 'CHECKBOX')
    return (
      <Select
        comboboxProps={inside}
        {...listLook}
        aria-label={t('value')}
        data={[
          { value: 'true', label: t('on') },
          { value: 'false', label: t('off') },
        ]}
        value={filter.value || null}
        allowDeselect={false}
        onChange={(value) => onChange(value ?? '')}
      />
    )
  if (field?.type === 'SELECT')
    return (
      <Select
        comboboxProps={inside}
        {...listLook}
        aria-label={t('value')}
        data={field.options.map((option) => ({
          value: String(option.value),
          label: option.label || String(option.value),
        }))}
        value={filter.value || null}
        searchable
        onChange={(value) => onChange(value ?? '')}
      />
    )
  if (field?.type === 'REFERENCE')
    return <TargetSelect place={place} modelUid={field.modelUid} value={filter.value} onChange={onChange} />
  return <TypedValue number={field?.type === 'NUMBER'} value={filter.value} onChange={onChange} />
}

/** The list follows when the typing rests. */
function TypedValue({
  number,
  value,
  onChange,
}: {
  number: boolean
  value: string
  onChange: (value: string) => void
}) {
  const t = useTranslations('documents.filters')
  const [typed, setTyped] = useState(value)
  const settled = useSettledSearch(typed)
  const read = number ? readNumber(settled.text) : null
  const usable = read === null ? settled.text : read.kind === 'number' ? String(read.value) : ''

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed here is told.
  useEffect(() => {
    if (usable !== value) onChange(usable)
  }, [usable])

  return (
    <TextInput
      aria-label={t('value')}
      inputMode={number ? 'decimal' : 'text'}
      error={read?.kind === 'bad'}
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.currentTarget.value)}
      {...settled.composition}
    />
  )
}

/** Chooses a document of another model by searching for it. */
function TargetSelect({
  place,
  modelUid,
  value,
  onChange,
}: {
  place: ModelPlace
  modelUid: string
  value: string
  onChange: (value: string) => void
}) {
  const t = useTranslations('documents.filters')
  const [typed, setTyped] = useState('')
  const settled = useSettledSearch(typed)
  const { data: model } = useQuery(modelQuery(place.p, place.a, modelUid))
  const choices = useInfiniteQuery(choicesQuery(place, modelUid, settled.text))
  const chosen = useQuery({ ...targetQuery(place, modelUid, value), enabled: value !== '' })
  const documents = [
    ...(chosen.data ? [chosen.data] : []),
    ...(choices.data?.pages[0]?.documents.filter((document) => document._id !== value) ?? []),
  ]
  return (
    <Select
      comboboxProps={inside}
      {...listLook}
      aria-label={t('value')}
      data={model ? documents.map((one) => ({ value: one._id, label: titleOfDocument(model, one) })) : []}
      value={value || null}
      searchable
      // The server has searched already, in kana and kanji alike.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      nothingFoundMessage={t('nothingFound')}
      onChange={(next) => onChange(next ?? '')}
      {...settled.composition}
    />
  )
}
