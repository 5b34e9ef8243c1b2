import { TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'

/** A filter that compares a date field or a timestamp of documents with a day. */
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
