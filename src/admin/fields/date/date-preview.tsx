import { useFormatter } from 'use-intl'
import type { FieldPreviewProps } from '../field-props.ts'
import { timeOf } from './date-values.ts'

/** Day, time or both, in the space's zone where the value is an instant. */
export function DatePreview({ field, value }: FieldPreviewProps<'DATE'>) {
  const format = useFormatter()
  if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) return null
  if (field.inputType === 'time') return timeOf(value, 'time')
  return format.dateTime(
    new Date(value),
    field.inputType === 'date'
      ? { dateStyle: 'medium', timeZone: 'UTC' }
      : { dateStyle: 'medium', timeStyle: 'short' },
  )
}
