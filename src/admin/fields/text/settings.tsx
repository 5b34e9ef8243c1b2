import { Select, Textarea, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '../field-props.ts'
import { BoundsSetting, ChoiceSetting } from '../settings-inputs.tsx'

/** Settings: single- or multi-line, length, pattern, source field of a slug, default. */
export function TextSettingsForm(props: FieldSettingsProps<'TEXT'>) {
  const { field, onChange, onBlur, problem, readOnly } = props
  const t = useTranslations('models.settings')
  const defaultProps = {
    label: t('defaultValue'),
    description: t('defaultValueHint'),
    value: field.defaultValue ?? '',
    error: problem('defaultValue'),
    readOnly,
    onBlur: () => onBlur('defaultValue'),
  }
  return (
    <>
      <ChoiceSetting
        label={t('inputType')}
        value={field.inputType}
        choices={[
          { value: 'inputText', label: t('singleLine') },
          { value: 'textarea', label: t('multiLine') },
        ]}
        onChange={(inputType) => onChange({ inputType })}
        readOnly={readOnly}
      />
      <BoundsSetting
        names={['minLength', 'maxLength']}
        labels={[t('minLength'), t('maxLength')]}
        placeholder={t('noLimit')}
        settings={field}
        onChange={onChange}
        onBlur={onBlur}
        problem={problem}
        readOnly={readOnly}
      />
      <TextInput
        label={t('pattern')}
        description={t('patternHint')}
        value={field.pattern ?? ''}
        error={problem('pattern')}
        readOnly={readOnly}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onChange={(event) => onChange({ pattern: event.currentTarget.value || null })}
        onBlur={() => onBlur('pattern')}
      />
      {field.inputType === 'inputText' && !field.multiple && (
        <Select
          label={t('slugOf')}
          description={t('slugOfHint')}
          placeholder={t('noDefault')}
          data={props.siblings
            .filter((sibling) => sibling.type === field.type)
            .map(({ _id, label }) => ({ value: _id, label }))}
          value={field.slugOf ?? null}
          readOnly={readOnly}
          clearable={!readOnly}
          onChange={(slugOf) => onChange({ slugOf })}
        />
      )}
      {field.inputType === 'textarea' ? (
        <Textarea
          {...defaultProps}
          autosize
          minRows={2}
          maxRows={8}
          onChange={(event) => onChange({ defaultValue: event.currentTarget.value || null })}
        />
      ) : (
        <TextInput
          {...defaultProps}
          onChange={(event) => onChange({ defaultValue: event.currentTarget.value || null })}
        />
      )}
    </>
  )
}
