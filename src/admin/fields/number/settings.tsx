import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '../field-props.ts'
import { BoundsSetting, NumberSetting, SwitchSetting } from '../settings-inputs.tsx'

/** Settings: bounds, step, whole numbers only, default. */
export function NumberSettingsForm(props: FieldSettingsProps<'NUMBER'>) {
  const { field, onChange, onBlur, problem, readOnly } = props
  const t = useTranslations('models.settings')
  return (
    <>
      <SwitchSetting
        label={t('integer')}
        checked={field.integer}
        onChange={(integer) => onChange({ integer })}
        readOnly={readOnly}
      />
      <BoundsSetting
        names={['min', 'max']}
        labels={[t('min'), t('max')]}
        placeholder={t('noLimit')}
        settings={field}
        onChange={onChange}
        onBlur={onBlur}
        problem={problem}
        readOnly={readOnly}
      />
      <NumberSetting
        label={t('step')}
        description={t('stepHint')}
        placeholder={t('noLimit')}
        value={field.step}
        onChange={(step) => onChange({ step })}
        onBlur={() => onBlur('step')}
        error={problem('step')}
        readOnly={readOnly}
      />
      <NumberSetting
        label={t('defaultValue')}
        description={t('defaultValueHint')}
        value={field.defaultValue}
        onChange={(defaultValue) => onChange({ defaultValue })}
        onBlur={() => onBlur('defaultValue')}
        error={problem('defaultValue')}
        readOnly={readOnly}
      />
    </>
  )
}
