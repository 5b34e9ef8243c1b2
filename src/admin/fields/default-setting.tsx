import { Text } from '@mantine/core'
import { type ComponentType, useId } from 'react'
import { useTranslations } from 'use-intl'
import type { FieldInputProps, FieldOf, FieldSettingsProps } from './field-props.ts'

type Long = 'RICH_TEXT' | 'MARKDOWN'

type DefaultSettingProps<T extends Long> = Pick<
  FieldSettingsProps<T>,
  'field' | 'onChange' | 'onBlur' | 'problem' | 'readOnly' | 'place'
> & {
  input: ComponentType<FieldInputProps<T>>
}

/** The setting for a default value, edited with the field's own input. */
export function DefaultSetting<T extends Long>({ field, input: Input, ...props }: DefaultSettingProps<T>) {
  const { onChange, onBlur, problem, readOnly, place } = props
  const t = useTranslations('models.settings')
  const id = useId()
  const wrong = problem('defaultValue')
  return (
    <div>
      <Text size="sm" fw={600} id={`${id}-label`}>
        {t('defaultValue')}
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        {t('defaultValueHint')}
      </Text>
      <Input
        // The length limits are omitted, because the input would show them. A default value that violates them is
        // reported below the input.
        field={
          {
            ...field,
            _id: '',
            name: t('defaultValue'),
            minLength: null,
            maxLength: null,
          } as unknown as FieldOf<T>
        }
        value={field.defaultValue ?? undefined}
        onChange={(value) => onChange({ defaultValue: value || null })}
        onBlur={() => onBlur('defaultValue')}
        readOnly={readOnly}
        issues={wrong ? [{ path: '', code: 'InvalidValue' }] : []}
        id={id}
        labelId={`${id}-label`}
        describedBy={`${id}-help`}
        place={place}
      />
      <Text size="xs" c="var(--mantine-color-error)" id={`${id}-help`}>
        {wrong}
      </Text>
    </div>
  )
}
