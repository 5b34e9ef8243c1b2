import { useFormatter } from 'use-intl'
import type { DateSettings } from '#shared/fields/date.ts'
import { timeOf } from './date-values.ts'

/**
 * Returns a function that formats stored values of DATE fields as a day, a time of day or both. Instants are shown in
 * the space's time zone. The function returns null for values that are not dates.
 */
export function useDateText() {
  const format = useFormatter()
  return (value: unknown, inputType: DateSettings['inputType']): string | null => {
    if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) return null
    if (inputType === 'time') return timeOf(value, 'time')
    return format.dateTime(
      new Date(value),
      inputType === 'date'
        ? { dateStyle: 'medium', timeZone: 'UTC' }
        : { dateStyle: 'medium', timeStyle: 'short' },
    )
  }
}
