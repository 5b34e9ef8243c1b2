import { ActionIcon, Badge, Button, Checkbox, Menu, Popover, Select, Skeleton, Tooltip } from '@mantine/core'
import { IconColumns3, IconDownload, IconFilter, IconSettings } from '@tabler/icons-react'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { SearchBox } from '#admin/ui/search-box.tsx'
import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { ViewType } from '#shared/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { FilterBuilder } from './filter-builder.tsx'
import classes from './list.module.css'
import type { Columns } from './list-columns.ts'
import type { ListFile } from './list-file.ts'
import type { StatusFilter } from './list-search.ts'

const ColumnsEditor = lazyPart(async () => (await import('./columns-editor.tsx')).ColumnsEditor)
const LayoutSettings = lazyPart(async () => (await import('../views/layout-settings.tsx')).LayoutSettings)

interface ListToolbarProps {
  model: Model
  place: ModelPlace
  type: ViewType
  settings: ViewSettings
  onChange: (settings: ViewSettings) => void
  columns: Columns
  compact: boolean
  /** Returns the URL that exports the list as a file. */
  exportUrl: (file: ListFile) => string
}

/** The toolbar of a list: search, status, mine, filters, columns or other settings of the view, and export. */
export function ListToolbar(props: ListToolbarProps) {
  const { model, place, type, settings, onChange, columns, compact, exportUrl } = props
  const t = useTranslations('documents.list')
  const status = useTranslations('documents.status')
  const filters = settings.filters?.length ?? 0

  return (
    <div className={classes.toolbar}>
      <SearchBox
        label={t('search')}
        className={classes.search ?? ''}
        value={settings.q ?? ''}
        onSearch={(q) => {
          const { q: _, ...rest } = settings
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
        value={settings.status ?? 'all'}
        allowDeselect={false}
        comboboxProps={{ width: 260, position: 'bottom-start' }}
        onChange={(value) => {
          const { status: _, ...rest } = settings
          onChange(value === null || value === 'all' ? rest : { ...rest, status: value as StatusFilter })
        }}
      />
      <ToolPopover
        label={t('filters')}
        icon={<IconFilter size={16} />}
        width={compact ? 'calc(100vw - 32px)' : 660}
        badge={
          filters > 0 ? (
            <Badge size="sm" circle aria-label={t('filterCount', { count: filters })}>
              {filters}
            </Badge>
          ) : null
        }
      >
        <FilterBuilder
          model={model}
          place={place}
          filters={settings.filters ?? []}
          onChange={(next) => {
            const { filters: _, ...rest } = settings
            onChange(next.length > 0 ? { ...rest, filters: next } : rest)
          }}
          any={settings.any ?? false}
          onAny={(any) => {
            const { any: _, ...rest } = settings
            onChange(any ? { ...rest, any } : rest)
          }}
        />
      </ToolPopover>
      <Checkbox
        label={t('mine')}
        checked={settings.mine ?? false}
        onChange={(event) => {
          const { mine: _, ...rest } = settings
          onChange(event.currentTarget.checked ? { ...rest, mine: true } : rest)
        }}
      />
      <div className={classes.tools}>
        {type === 'GALLERY' || type === 'CALENDAR' ? (
          <ToolPopover label={t('display')} icon={<IconSettings size={16} />} width={260}>
            <LayoutSettings model={model} type={type} settings={settings} onChange={onChange} />
          </ToolPopover>
        ) : (
          !compact && (
            <ToolPopover label={t('columns')} icon={<IconColumns3 size={16} />} width={320}>
              <ColumnsEditor columns={columns} />
            </ToolPopover>
          )
        )}
        <Menu position="bottom-end">
          <Menu.Target>
            <Tooltip label={t('export')}>
              <ActionIcon variant="default" size={36} aria-label={t('export')}>
                <IconDownload size={16} />
              </ActionIcon>
            </Tooltip>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{t('export')}</Menu.Label>
            <Menu.Item component="a" href={exportUrl('csv')} download>
              {t('exportCsv')}
            </Menu.Item>
            <Menu.Item component="a" href={exportUrl('csvWithUids')} download>
              {t('exportCsvWithUids')}
            </Menu.Item>
            <Menu.Item component="a" href={exportUrl('json')} download>
              {t('exportJson')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
    </div>
  )
}

interface ToolPopoverProps {
  label: string
  icon: ReactNode
  badge?: ReactNode
  width: number | string
  children: ReactNode
}

function ToolPopover({ label, icon, badge, width, children }: ToolPopoverProps) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      // If there is too little space on the right, the popover is shifted instead of flipped.
      middlewares={{ flip: { flipAlignment: false }, shift: { padding: 8 } }}
      shadow="md"
      width={width}
      trapFocus
      returnFocus
      withinPortal
      hideDetached={false}
      closeOnEscape={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={icon}
          rightSection={badge}
          aria-haspopup="dialog"
          onClick={() => setOpened(!opened)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown
        aria-label={label}
        className={classes.toolWindow}
        onKeyDown={(event) => {
          // Escape closes an open option list first.
          const list = (event.target as HTMLElement).getAttribute('aria-expanded') === 'true'
          if (event.key === 'Escape' && !list && !isComposing(event)) setOpened(false)
        }}
      >
        <Suspense fallback={<Skeleton height={120} />}>{children}</Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
