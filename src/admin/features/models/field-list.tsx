import { ActionIcon, Menu, Text, UnstyledButton } from '@mantine/core'
import { useCallbackRef } from '@mantine/hooks'
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconCopy,
  IconDots,
  IconSettings,
  IconTrash,
} from '@tabler/icons-react'
import { memo, type ReactNode, useCallback, useMemo } from 'react'
import { useTranslations } from 'use-intl'
import { useSortableLabels } from '#admin/fields/sortable-labels.ts'
import { SortableList } from '#admin/ui/sortable.tsx'
import type { FieldDraft } from './draft.ts'
import classes from './field-list.module.css'
import { isTabRow, type Row, rowsOf } from './field-rows.ts'
import { FieldTypeIcon } from './field-types.tsx'
import { TabHeading } from './tab-heading.tsx'

interface FieldListProps extends FieldActions {
  onRenameTab: (from: string | null, to: string | null) => void
  fields: readonly FieldDraft[]
  titleField: string | null
  /** Keys of the fields with visible issues. */
  broken: ReadonlySet<string>
  /** Keys of the saved fields with unsaved changes of their settings. */
  changed: ReadonlySet<string>
  /** The key of the field whose settings are open. null: none. */
  openKey: string | null
  readOnly: boolean
  full: boolean
}

interface FieldActions {
  onOpen: (key: string) => void
  /** Called with row indexes. Rows are fields and tab headings. */
  onMove: (from: number, to: number) => void
  onDuplicate: (key: string) => void
  onRemove: (key: string) => void
}

/** The fields in order. Rows are memoised, because a model may have two hundred fields. */
export function FieldList(props: FieldListProps) {
  const { fields, titleField, broken, changed, openKey, readOnly, full } = props
  const t = useTranslations('models.fields')
  const layout = useTranslations('models.layout')
  const labels = useSortableLabels()
  const actions: FieldActions = {
    onOpen: useCallbackRef(props.onOpen),
    onMove: useCallbackRef(props.onMove),
    onDuplicate: useCallbackRef(props.onDuplicate),
    onRemove: useCallbackRef(props.onRemove),
  }
  const { onOpen, onMove, onDuplicate, onRemove } = actions
  const onRenameTab = useCallbackRef(props.onRenameTab)
  const rows = useMemo(() => rowsOf(fields), [fields])
  const last = rows.length - 1
  const renderItem = useCallback(
    (row: Row, index: number, handle: ReactNode) =>
      isTabRow(row) ? (
        <div className={classes.heading}>
          {handle}
          <TabHeading
            name={row.tabName}
            readOnly={readOnly}
            onRename={(to) => onRenameTab(row.tabName, to)}
          />
        </div>
      ) : (
        <div
          className={classes.row}
          data-open={openKey === row.key || undefined}
          data-broken={broken.has(row.key) || undefined}
        >
          {handle}
          <FieldRow
            field={row}
            index={index}
            isLast={index === last}
            isTitle={titleField === row.key}
            broken={broken.has(row.key)}
            changed={changed.has(row.key)}
            readOnly={readOnly}
            full={full}
            onOpen={onOpen}
            onMove={onMove}
            onDuplicate={onDuplicate}
            onRemove={onRemove}
          />
        </div>
      ),
    [
      titleField,
      broken,
      changed,
      openKey,
      readOnly,
      full,
      last,
      onOpen,
      onMove,
      onDuplicate,
      onRemove,
      onRenameTab,
    ],
  )
  return (
    <SortableList
      items={rows}
      getId={(row) => row.key}
      getName={(row) =>
        isTabRow(row) ? layout('tabOf', { name: row.tabName ?? layout('noTab') }) : row.name || t('unnamed')
      }
      onMove={onMove}
      labels={labels}
      fixed={readOnly}
      className={classes.list ?? ''}
      renderItem={renderItem}
    />
  )
}

interface FieldRowProps extends FieldActions {
  field: FieldDraft
  index: number
  isLast: boolean
  isTitle: boolean
  broken: boolean
  changed: boolean
  readOnly: boolean
  full: boolean
}

const FieldRow = memo(function FieldRow({ field, index, ...props }: FieldRowProps) {
  const t = useTranslations('models.fields')
  const types = useTranslations('models.types')
  const name = field.name || t('unnamed')
  return (
    <>
      <UnstyledButton
        className={classes.open}
        data-field-key={field.key}
        aria-haspopup="dialog"
        onClick={() => props.onOpen(field.key)}
      >
        <FieldTypeIcon type={field.type} />
        <span className={classes.words}>
          <span className={classes.name}>{name}</span>
          <Text component="span" size="xs" c="dimmed" className={classes.about}>
            <code>{field.uid || '—'}</code>
            <span>{types(`${field.type}.name`)}</span>
          </Text>
        </span>
        <span className={classes.badges}>
          {props.broken && (
            <span className={classes.mark} data-broken>
              <IconAlertTriangle size={12} aria-hidden="true" /> {t('problem')}
            </span>
          )}
          {props.isTitle && <Mark label={t('title')} strong />}
          {field.required && <Mark label={t('required')} />}
          {field.unique && <Mark label={t('unique')} />}
          {field.multiple && <Mark label={t('multiple')} />}
          {field.condition && <Mark label={t('conditional')} />}
          {props.changed && <Mark label={t('isChanged')} strong />}
          {!field._id && <Mark label={t('isNew')} />}
        </span>
      </UnstyledButton>
      {!props.readOnly && (
        <Menu position="bottom-end" width={190}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={t('more', { name })}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconSettings size={16} />} onClick={() => props.onOpen(field.key)}>
              {t('settings')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconCopy size={16} />}
              disabled={props.full}
              onClick={() => props.onDuplicate(field.key)}
            >
              {t('duplicate')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconArrowUp size={16} />}
              disabled={index === 0}
              onClick={() => props.onMove(index, index - 1)}
            >
              {t('up')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconArrowDown size={16} />}
              disabled={props.isLast}
              onClick={() => props.onMove(index, index + 1)}
            >
              {t('down')}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              color="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} />}
              onClick={() => props.onRemove(field.key)}
            >
              {t('remove')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  )
})

function Mark({ label, strong = false }: { label: string; strong?: boolean }) {
  return (
    <span className={classes.mark} data-strong={strong || undefined}>
      {label}
    </span>
  )
}
