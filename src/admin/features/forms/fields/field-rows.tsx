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
import { textIn } from '#shared/forms/localized.ts'
import type { Language } from '#shared/languages.ts'
import classes from '../forms.module.css'
import { type FieldDraft, hasRoom } from './field-drafts.ts'
import { fieldIcons } from './field-icons.ts'

interface FieldRowsProps {
  drafts: readonly FieldDraft[]
  language: Language
  /** Keys of the fields with issues. */
  broken: ReadonlySet<string>
  openKey: string | null
  readOnly: boolean
  onOpen: (key: string) => void
  onMove: (from: number, to: number) => void
  onDuplicate: (key: string) => void
  onRemove: (key: string) => void
}

/** The fields of a form in order. Handles move them, and a row opens its settings. */
export function FieldRows(props: FieldRowsProps) {
  const { drafts, language, broken, openKey, readOnly, onOpen, onMove, onDuplicate, onRemove } = props
  const t = useTranslations('forms.fields')
  const types = useTranslations('forms.types')
  const labels = useSortableLabels()
  const nameOf = ({ field }: FieldDraft) => textIn(field.label, language) || field.name || t('unnamed')

  function renderItem(draft: FieldDraft, index: number, handle: ReactNode) {
    const { key, field } = draft
    const name = nameOf(draft)
    const Icon = fieldIcons[field.type]
    const isBroken = broken.has(key)
    return (
      <div
        className={classes.field}
        data-open={openKey === key || undefined}
        data-broken={isBroken || undefined}
      >
        {handle}
        <UnstyledButton
          className={classes.openField}
          data-field-key={key}
          aria-haspopup="dialog"
          onClick={() => onOpen(key)}
        >
          <span className={classes.tile}>
            <Icon size={18} aria-hidden="true" />
          </span>
          <span className={classes.fieldWords}>
            <span className={classes.fieldName}>{name}</span>
            <Text component="span" size="xs" c="dimmed">
              <code>{field.name || '—'}</code> · {types(`${field.type}.name`)}
            </Text>
          </span>
          {isBroken && (
            <span className={classes.mark} data-broken>
              <IconAlertTriangle size={12} aria-hidden="true" /> {t('problem')}
            </span>
          )}
          {field.required && <span className={classes.mark}>{t('required')}</span>}
        </UnstyledButton>
        {!readOnly && (
          <Menu position="bottom-end" width={190}>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={t('actionsOf', { name })}>
                <IconDots size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconSettings size={16} />} onClick={() => onOpen(key)}>
                {t('edit')}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconCopy size={16} />}
                disabled={!hasRoom(drafts)}
                onClick={() => onDuplicate(key)}
              >
                {t('duplicate')}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconArrowUp size={16} />}
                disabled={index === 0}
                onClick={() => onMove(index, index - 1)}
              >
                {t('up')}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconArrowDown size={16} />}
                disabled={index === drafts.length - 1}
                onClick={() => onMove(index, index + 1)}
              >
                {t('down')}
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item
                color="var(--mantine-color-error)"
                leftSection={<IconTrash size={16} />}
                onClick={() => onRemove(key)}
              >
                {t('remove')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
    )
  }

  return (
    <SortableList
      items={drafts}
      getId={({ key }) => key}
      getName={nameOf}
      onMove={onMove}
      labels={labels}
      fixed={readOnly}
      className={classes.fields ?? ''}
      renderItem={renderItem}
    />
  )
}
