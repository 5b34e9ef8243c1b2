import { Badge, Button, Checkbox, Menu, Popover, Select } from '@mantine/core'
import { IconColumns3, IconFilter } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { SearchBox } from '#admin/ui/search-box.tsx'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { FilterBuilder } from './filter-builder.tsx'
import classes from './list.module.css'
import { type SystemColumn, systemKey, type useColumns } from './list-columns.ts'
import type { ListSearch, StatusFilter } from './list-search.ts'

interface ListToolbarProps {
  model: Model
  place: ModelPlace
  search: ListSearch
  onChange: (search: ListSearch) => void
  columns: ReturnType<typeof useColumns>
  compact: boolean
}

/** Search box, status, mine, filters, columns. */
export function ListToolbar({ model, place, search, onChange, columns, compact }: ListToolbarProps) {
  const t = useTranslations('documents.list')
  const status = useTranslations('documents.status')
  const [filtering, setFiltering] = useState(false)
  const filters = search.filters?.length ?? 0

  return (
    <div className={classes.toolbar}>
      <SearchBox
        label={t('search')}
        className={classes.search ?? ''}
        value={search.q ?? ''}
        onSearch={(q) => {
          const { q: _, ...rest } = search
          onChange(q ? { ...rest, q } : rest)
        }}
      />
      <Select
        aria-label={t('status')}
        className={classes.statusSelect}
        data={[
          { value: 'all', label: t('allStatuses') },
          ...(['draft', 'published', 'changed'] as const).map((value) => ({ value, label: status(value) })),
        ]}
        value={search.status ?? 'all'}
        allowDeselect={false}
        comboboxProps={{ width: 260, position: 'bottom-start' }}
        onChange={(value) => {
          const { status: _, ...rest } = search
          onChange(value === null || value === 'all' ? rest : { ...rest, status: value as StatusFilter })
        }}
      />
      <Popover
        opened={filtering}
        onChange={setFiltering}
        position="bottom-start"
        shadow="md"
        width={compact ? 'calc(100vw - 32px)' : 620}
        trapFocus
        returnFocus
        withinPortal
        closeOnEscape={false}
      >
        <Popover.Target>
          <Button
            variant="default"
            leftSection={<IconFilter size={16} />}
            rightSection={
              filters > 0 ? (
                <Badge size="sm" circle aria-label={t('filterCount', { count: filters })}>
                  {filters}
                </Badge>
              ) : null
            }
            aria-haspopup="dialog"
            onClick={() => setFiltering(!filtering)}
          >
            {t('filters')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown
          aria-label={t('filters')}
          onKeyDown={(event) => {
            // Escape in an open list of options is for that list.
            const list = (event.target as HTMLElement).getAttribute('aria-expanded') === 'true'
            if (event.key === 'Escape' && !list && !isComposing(event)) setFiltering(false)
          }}
        >
          <FilterBuilder
            model={model}
            place={place}
            filters={search.filters ?? []}
            onChange={(next) => {
              const { filters: _, ...rest } = search
              onChange(next.length > 0 ? { ...rest, filters: next } : rest)
            }}
          />
        </Popover.Dropdown>
      </Popover>
      <Checkbox
        label={t('mine')}
        checked={search.mine ?? false}
        onChange={(event) => {
          const { mine: _, ...rest } = search
          onChange(event.currentTarget.checked ? { ...rest, mine: true } : rest)
        }}
      />
      {!compact && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" ml="auto" leftSection={<IconColumns3 size={16} />}>
              {t('columns')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown className={classes.columnsMenu}>
            <Menu.Label>{t('columns')}</Menu.Label>
            {columns.all.map((column) => (
              <Menu.CheckboxItem
                key={column.id}
                checked={columns.shown.includes(column)}
                onChange={() => columns.toggle(column.id)}
              >
                {column.field?.name ?? t(`columnNames.${systemKey(column.id as SystemColumn)}`)}
              </Menu.CheckboxItem>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  )
}
