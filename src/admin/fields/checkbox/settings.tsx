import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '../field-props.ts'
import { SwitchSetting } from '../settings-inputs.tsx'

/** The setting that decides whether the checkbox is checked in a new document. */
export function CheckboxSettingsForm({ field, onChange, readOnly }: FieldSettingsProps<'CHECKBOX'>) {
  const t = useTranslations('models.settings')
  return (
    <SwitchSetting
      label={t('checkedByDefault')}
      checked={field.defaultValue ?? false}
      onChange={(checked) => onChange({ defaultValue: checked || null })}
      readOnly={readOnly}
    />
  )
}
