import { Button, Menu } from '@mantine/core'
import { IconBraces, IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { FormField } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import classes from './mail.module.css'

interface PlaceholderMenuProps {
  fields: readonly FormField[]
  /** Returns the label of the input that receives the placeholder. */
  labelOf: () => string
  onInsert: (placeholder: string) => void
}

/** Inserts a placeholder for the value of a field. */
export function PlaceholderMenu({ fields, labelOf, onInsert }: PlaceholderMenuProps) {
  const t = useTranslations('forms.mail.reply')
  const language = useLocale()
  const [target, setTarget] = useState('')
  return (
    <Menu position="bottom-start" width={320} returnFocus={false} onOpen={() => setTarget(labelOf())}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconBraces size={15} />}
          rightSection={<IconChevronDown size={13} />}
        >
          {t('insert')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.placeholders ?? ''}>
        <Menu.Label>{t('insertInto', { target })}</Menu.Label>
        {fields.map(({ name, label }) => (
          // The menu moves the focus when it closes, so the input receives it afterwards.
          <Menu.Item key={name} onClick={() => setTimeout(() => onInsert(`{{${name}}}`))}>
            <span className={classes.placeholderLabel}>{textIn(label, language) || name}</span>
            <span className={classes.placeholder}>{`{{${name}}}`}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
