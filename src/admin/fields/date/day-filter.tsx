import { TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'

/** A filter that compares with a day: for a date field, or a timestamp of documents. */
export function DayFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useTranslations('fields.filter')
  return (
    <TextInput
      type="date"
      aria-label={t('value')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
