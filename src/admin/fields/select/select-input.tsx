import { Button, Checkbox, Group, MultiSelect, Radio, Select, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { insideLandmark, listLook } from '../list-look.ts'
import { chosenValues, selectOptions } from './select-options.ts'

/** A dropdown, radio buttons or checkboxes, depending on the field's settings. */
export function SelectFieldInput(props: FieldInputProps<'SELECT'>) {
  const { field, onChange, onBlur, readOnly, id, labelId, describedBy } = props
  const t = useTranslations('fields')
  const chosen = chosenValues(props.value)
  const options = selectOptions(field, chosen).map((option) => ({
    ...option,
    label: option.gone ? t('select.gone', { label: option.label }) : option.label,
  }))
  const keys = options.filter((option) => chosen.includes(option.value)).map((option) => option.key)

  function choose(nextKeys: readonly string[]) {
    const values = options.filter((option) => nextKeys.includes(option.key)).map((option) => option.value)
    onChange(field.multiple ? values : values.at(-1))
  }

  if (field.inputType === 'none') {
    const common = {
      ...inputAria(props),
      ...listLook,
      comboboxProps: { portalProps: insideLandmark },
      data: options.map(({ key, label }) => ({ value: key, label })),
      onBlur,
      readOnly,
      error: props.issues.length > 0,
      clearable: !readOnly,
      nothingFoundMessage: t('select.nothingFound'),
      clearButtonProps: { 'aria-label': t('clear'), 'aria-hidden': false, tabIndex: 0 },
    }
    return field.multiple ? (
      <MultiSelect
        {...common}
        searchable
        value={keys}
        onChange={choose}
        placeholder={keys.length === 0 ? t('select.placeholder') : ''}
      />
    ) : (
      <Select
        {...common}
        searchable={options.length > 8}
        value={keys[0] ?? null}
        onChange={(key) => choose(key === null ? [] : [key])}
        placeholder={t('select.placeholder')}
      />
    )
  }

  const bare = field.inputType === 'radio' && !field.multiple
  const group = {
    role: bare ? 'radiogroup' : 'group',
    'aria-labelledby': labelId,
    'aria-describedby': describedBy,
    'aria-required': (bare && field.required) || undefined,
  }
  return (
    <Stack gap="xs" {...group} onBlur={onBlur}>
      <Group gap="xs" style={{ columnGap: 20 }}>
        {options.map((option, index) => {
          const common = {
            id: index === 0 ? id : `${id}-${option.key}`,
            label: option.label,
            checked: keys.includes(option.key),
            disabled: readOnly,
          }
          return bare ? (
            <Radio key={option.key} {...common} name={id} onChange={() => choose([option.key])} />
          ) : (
            <Checkbox
              key={option.key}
              {...common}
              onChange={(event) => {
                const others = field.multiple ? keys.filter((key) => key !== option.key) : []
                choose(event.currentTarget.checked ? [...others, option.key] : others)
              }}
            />
          )
        })}
      </Group>
      {options.length === 0 && t('select.noOptions')}
      {bare && keys.length > 0 && !readOnly && !field.required && (
        <div>
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => choose([])}>
            {t('select.clearChoice')}
          </Button>
        </div>
      )}
    </Stack>
  )
}
