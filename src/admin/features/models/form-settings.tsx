import { Autocomplete } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { ChoiceSetting } from '#admin/fields/settings-inputs.tsx'
import { tabOf, tabsOf } from '#admin/fields/tabs.ts'
import { ConditionSetting, type ConditionSettingProps } from './condition-setting.tsx'

interface FormSettingsProps extends ConditionSettingProps {
  hasTabs: boolean
  onBlur: (property: string) => void
}

/** The settings for a field's width, tab and condition in the form. */
export function FormSettings(props: FormSettingsProps) {
  const { field, fields, readOnly, onEdit, onBlur, problem } = props
  const t = useTranslations('models.layout')
  return (
    <>
      <ChoiceSetting
        label={t('width')}
        value={field.width ?? 'full'}
        choices={[
          { value: 'full', label: t('full') },
          { value: 'half', label: t('half') },
        ]}
        onChange={(width) => onEdit({ width: width === 'full' ? null : width })}
        readOnly={readOnly}
      />
      {props.hasTabs && (
        <Autocomplete
          label={t('tab')}
          description={t('tabHint')}
          placeholder={t('tabPlaceholder')}
          data={tabsOf(fields.filter((other) => other !== field)).flatMap(({ name }) => name ?? [])}
          value={field.tab ?? ''}
          error={problem('tab')}
          readOnly={readOnly}
          maxLength={50}
          onChange={(tab) => onEdit({ tab: tab || null })}
          onBlur={() => {
            if (field.tab && field.tab !== tabOf(field)) onEdit({ tab: tabOf(field) })
            onBlur('tab')
          }}
        />
      )}
      <ConditionSetting {...props} />
    </>
  )
}
