import { Select } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '../settings-props.ts'

/** Which model the reference points to. */
export function ReferenceSettingsForm(props: FieldSettingsProps<'REFERENCE'>) {
  const { field, onChange, onBlur, problem, readOnly, models } = props
  const t = useTranslations('models.settings')
  return (
    <Select
      label={t('model')}
      description={t('modelHint')}
      placeholder={t('modelPlaceholder')}
      nothingFoundMessage={t('noModels')}
      data={models.map(({ uid, label }) => ({ value: uid, label }))}
      value={field.modelUid || null}
      error={problem('modelUid')}
      readOnly={readOnly}
      searchable={models.length > 7}
      allowDeselect={false}
      withAsterisk
      onChange={(uid) => onChange({ modelUid: uid ?? '' })}
      onBlur={() => onBlur('modelUid')}
    />
  )
}
