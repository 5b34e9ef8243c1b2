import { Select } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { FieldFilterProps } from '../field-props.ts'
import { filterList } from '../list-look.ts'

/** A filter for checked or unchecked values. */
export function CheckboxFilter({ value, onChange }: FieldFilterProps<'CHECKBOX'>) {
  const t = useTranslations('fields.filter')
  return (
    <Select
      {...filterList}
      aria-label={t('value')}
      data={[
        { value: 'true', label: t('on') },
        { value: 'false', label: t('off') },
      ]}
      value={value || null}
      allowDeselect={false}
      onChange={(next) => onChange(next ?? '')}
    />
  )
}
