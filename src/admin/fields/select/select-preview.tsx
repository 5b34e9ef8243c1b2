import { useTranslations } from 'use-intl'
import type { FieldPreviewProps } from '../field-props.ts'
import { chosenValues, selectOptions } from './select-options.ts'

/** The labels of the selected options. */
export function SelectPreview({ field, value }: FieldPreviewProps<'SELECT'>) {
  const t = useTranslations('fields')
  const chosen = chosenValues(value)
  return selectOptions(field, chosen)
    .filter((option) => chosen.includes(option.value))
    .map((option) => option.label)
    .join(t('separator'))
}
