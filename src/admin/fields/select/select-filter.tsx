import { Select } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { FieldFilterProps } from '../field-props.ts'
import { filterList } from '../list-look.ts'

/** A filter that chooses one of the options. */
export function SelectFilter({ field, value, onChange }: FieldFilterProps<'SELECT'>) {
  const t = useTranslations('fields.filter')
  return (
    <Select
      {...filterList}
      aria-label={t('value')}
      data={field.options.map((option) => ({
        value: String(option.value),
        label: option.label || String(option.value),
      }))}
      value={value || null}
      searchable
      onChange={(next) => onChange(next ?? '')}
    />
  )
}
