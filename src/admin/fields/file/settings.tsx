import { TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '../field-props.ts'

/** The setting for the accepted file types. An empty text accepts all files. */
export function FileSettingsForm(props: FieldSettingsProps<'FILE'>) {
  const t = useTranslations('models.settings')
  return (
    <TextInput
      label={t('accept')}
      description={t('acceptHint')}
      placeholder={t('anyFile')}
      value={props.field.accept}
      error={props.problem('accept')}
      readOnly={props.readOnly}
      maxLength={1000}
      onChange={(event) => props.onChange({ accept: event.currentTarget.value })}
      onBlur={() => props.onBlur('accept')}
    />
  )
}
