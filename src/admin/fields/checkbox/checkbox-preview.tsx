import { IconCheck, IconMinus } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import type { FieldPreviewProps } from '../field-props.ts'

/** A check mark or a dash, with a text for screen readers. */
export function CheckboxPreview({ value }: FieldPreviewProps<'CHECKBOX'>) {
  const t = useTranslations('fields.checkbox')
  return value === true ? (
    <IconCheck size={16} role="img" aria-label={t('yes')} />
  ) : (
    <IconMinus size={16} role="img" aria-label={t('no')} color="var(--mantine-color-dimmed)" />
  )
}
