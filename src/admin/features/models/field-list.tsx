import { ActionIcon, Menu, Text, UnstyledButton } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconCopy,
  IconDots,
  IconSettings,
  IconTrash,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useSortableLabels } from '#admin/fields/sortable-labels.ts'
import { SortableList } from '#admin/ui/sortable.tsx'
import type { FieldDraft } from './draft.ts'
import classes from './field-list.module.css'
import { FieldTypeIcon } from './field-types.tsx'

interface FieldListProps {
  fields: readonly FieldDraft[]
  titleField: string | null
  /** Keys of the fields that something is wrong with, once it is time to say so. */
  broken: ReadonlySet<string>
  /** The field whose settings are open. */
  openKey: string | null
  readOnly: boolean
  full: boolean
  onOpen: (key: string) => void
  onMove: (from: number, to: number) => void
  onDuplicate: (key: string) => void
  onRemove: (key: string) => void
}

/** The fields in their order. */
export function FieldList(props: FieldListProps) {
  const { fields, readOnly, onMove } = props
  const t = useTranslations('models.fields')
  const labels = useSortableLabels()
  return (
    <SortableList
      items={fields}
      getId={(field) => field.key}
      getName={(field) => field.name || t('unnamed')}
      onMove={onMove}
      labels={labels}
      fixed={readOnly}
      className={classes.list ?? ''}
      renderItem={(field, index, handle) => (
        <FieldRow {...props} field={field} index={index} handle={handle} />
      )}
    />
  )
}

interface FieldRowProps extends FieldListProps {
  field: FieldDraft
  index: number
  handle: ReactNode
}

function FieldRow({ field, index, handle, ...props }: FieldRowProps) {
  const t = useTranslations('models.fields')
  const types = useTranslations('models.types')
  const name = field.name || t('unnamed')
  const broken = props.broken.has(field.key)
  return (
    <div
      className={classes.row}
      data-open={props.openKey === field.key || undefined}
      data-broken={broken || undefined}
    >
      {handle}
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
          {broken && (
            <span className={classes.mark} data-broken>
              <IconAlertTriangle size={12} aria-hidden="true" /> {t('problem')}
            </span>
          )}
          {props.titleField === field.key && <Mark label={t('title')} strong />}
          {field.required && <Mark label={t('required')} />}
          {field.unique && <Mark label={t('unique')} />}
          {field.multiple && <Mark label={t('multiple')} />}
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
              disabled={index === props.fields.length - 1}
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
    </div>
  )
}

function Mark({ label, strong = false }: { label: string; strong?: boolean }) {
  return (
    <span className={classes.mark} data-strong={strong || undefined}>
      {label}
    </span>
  )
}
