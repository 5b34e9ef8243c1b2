import { TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'

/** A day to compare with: of a date field, or of a time that every document has. */
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
