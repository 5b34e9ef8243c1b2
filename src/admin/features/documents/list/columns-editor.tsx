import { ActionIcon, Button, Checkbox, Stack, Text } from '@mantine/core'
import { IconPin, IconPinFilled } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { useSortableLabels } from '#admin/fields/sortable-labels.ts'
import { SortableList } from '#admin/ui/sortable.tsx'
import type { SystemColumn } from '#shared/views.ts'
import classes from './list.module.css'
import { type ChosenColumn, type Column, type Columns, systemKey } from './list-columns.ts'

/** An editor for the columns of a list: which are shown, in which order, and which are sticky. */
export function ColumnsEditor({ columns }: { columns: Columns }) {
  const t = useTranslations('documents.list')
  const labels = useSortableLabels()
  const { all, shown, chosen, choose } = columns
  const nameOf = (column: Column) =>
    column.innerName ?? column.field?.name ?? t(`columnNames.${systemKey(column.id as SystemColumn)}`)
  /** The columns in display order: sticky columns come first. */
  const ordered = shown.flatMap(({ id }) => chosen.find((one) => one.id === id) ?? [])
  const replace = (id: string, next: ChosenColumn[]) =>
    choose(ordered.flatMap((one) => (one.id === id ? next : [one])))

  function move(from: number, to: number) {
    const next = [...ordered]
    next.splice(to, 0, ...next.splice(from, 1))
    choose(next)
  }

  return (
    <Stack gap="xs">
      <SortableList
        items={shown}
        getId={(column) => column.id}
        getName={nameOf}
        onMove={move}
        labels={labels}
        renderItem={(column, _index, handle) => (
          <div className={classes.columnRow}>
            {handle}
            <Checkbox
              className={classes.columnName ?? ''}
              label={nameOf(column)}
              checked
              onChange={() => replace(column.id, [])}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-pressed={column.sticky === true}
              aria-label={t('stick', { name: nameOf(column) })}
              onClick={() => {
                const { sticky, ...one } = ordered.find(({ id }) => id === column.id) ?? { id: column.id }
                replace(column.id, [sticky ? one : { ...one, sticky: true }])
              }}
            >
              {column.sticky ? <IconPinFilled size={15} /> : <IconPin size={15} />}
            </ActionIcon>
          </div>
        )}
      />
      <Text size="xs" c="dimmed">
        {t('hiddenColumns')}
      </Text>
      {all
        .filter(({ id }) => !shown.some((one) => one.id === id))
        .map((column) => (
          <Checkbox
            key={column.id}
            label={nameOf(column)}
            checked={false}
            onChange={() => choose([...ordered, { id: column.id }])}
          />
        ))}
      <Button variant="subtle" color="gray" size="xs" onClick={() => choose(undefined)}>
        {t('usualColumns')}
      </Button>
    </Stack>
  )
}
