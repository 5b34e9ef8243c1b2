import { Select } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '../field-props.ts'
import { readNumber, writeNumber } from '../number/exact-number.ts'
import { ChoiceSetting } from '../settings-inputs.tsx'
import { OptionsSetting } from './options-setting.tsx'
import { chosenValues, selectOptions } from './select-options.ts'

/** Settings: the kind of input, the value type, the options and the default value. */
export function SelectSettingsForm(props: FieldSettingsProps<'SELECT'>) {
  const { field, onChange, onBlur, problem, readOnly } = props
  const t = useTranslations('models.settings')

  function changeValueType(valueType: 'text' | 'number') {
    const options = field.options.map(({ value, ...option }) => {
      if (valueType === 'text')
        return { ...option, value: typeof value === 'number' ? writeNumber(value) : value }
      const read = readNumber(String(value))
      return { ...option, value: read.kind === 'number' ? read.value : value }
    })
    const chosen = field.options.findIndex(({ value }) => value === field.defaultValue)
    onChange({ valueType, options, defaultValue: options[chosen]?.value ?? null })
  }

  // A default value that is no longer an option stays visible, and its problem is reported.
  const choices = selectOptions(
    { ...field, options: field.options.filter(({ value }) => value !== '') },
    chosenValues(field.defaultValue),
  )

  return (
    <>
      <ChoiceSetting
        label={t('appearance')}
        value={field.inputType}
        choices={[
          { value: 'none', label: t('dropdown') },
          { value: 'radio', label: t('radio') },
          { value: 'checkbox', label: t('checkboxes') },
        ]}
        onChange={(inputType) => onChange({ inputType })}
        readOnly={readOnly}
      />
      <ChoiceSetting
        label={t('valueType')}
        value={field.valueType}
        choices={[
          { value: 'text', label: t('valueText') },
          { value: 'number', label: t('valueNumber') },
        ]}
        onChange={changeValueType}
        readOnly={readOnly}
      />
      <OptionsSetting {...props} />
      <Select
        label={t('defaultValue')}
        description={t('defaultValueHint')}
        placeholder={t('noDefault')}
        data={choices.map(({ key, label }) => ({ value: key, label }))}
        value={choices.find(({ value }) => value === field.defaultValue)?.key ?? null}
        error={problem('defaultValue')}
        readOnly={readOnly}
        clearable={!readOnly}
        onChange={(key) =>
          onChange({ defaultValue: choices.find((choice) => choice.key === key)?.value ?? null })
        }
        onBlur={() => onBlur('defaultValue')}
      />
    </>
  )
}
