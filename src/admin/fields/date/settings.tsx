import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '../field-props.ts'
import { ChoiceSetting, SwitchSetting } from '../settings-inputs.tsx'

/** Settings: the kind of value, and whether it starts with the current time. */
export function DateSettingsForm({ field, onChange, readOnly }: FieldSettingsProps<'DATE'>) {
  const t = useTranslations('models.settings')
  return (
    <>
      <ChoiceSetting
        label={t('dateType')}
        value={field.inputType}
        choices={[
          { value: 'datetime', label: t('datetime') },
          { value: 'date', label: t('date') },
          { value: 'time', label: t('time') },
        ]}
        onChange={(inputType) => onChange({ inputType })}
        readOnly={readOnly}
      />
      <SwitchSetting
        label={t('startsNow')}
        checked={field.startsNow}
        onChange={(startsNow) => onChange({ startsNow })}
        readOnly={readOnly}
      />
    </>
  )
}
