import { Button, Menu, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { type FormFieldType, formFieldTypes } from '#shared/forms/fields.ts'
import classes from '../forms.module.css'
import { fieldIcons } from './field-icons.ts'

/** A menu with the types of fields, each with its purpose. */
export function AddField({ disabled, onAdd }: { disabled: boolean; onAdd: (type: FormFieldType) => void }) {
  const t = useTranslations('forms.fields')
  const types = useTranslations('forms.types')
  return (
    <Menu width={320} returnFocus={false}>
      <Menu.Target>
        <Button variant="light" leftSection={<IconPlus size={16} />} disabled={disabled}>
          {t('add')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.types ?? ''}>
        {formFieldTypes.map((type) => {
          const Icon = fieldIcons[type]
          return (
            <Menu.Item
              key={type}
              leftSection={<Icon size={18} aria-hidden="true" />}
              onClick={() => onAdd(type)}
            >
              <span>{types(`${type}.name`)}</span>
              <Text component="span" display="block" size="xs" c="dimmed">
                {types(`${type}.text`)}
              </Text>
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
