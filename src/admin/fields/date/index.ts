import { IconCalendar } from '@tabler/icons-react'
import type { AdminFieldType } from '../field-props.ts'
import { lazyPart } from '../lazy-part.ts'
import { DateInput } from './date-input.tsx'
import { DatePreview } from './date-preview.tsx'

export const date: AdminFieldType<'DATE'> = {
  icon: IconCalendar,
  input: DateInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).DateSettingsForm),
  preview: DatePreview,
  column: ({ inputType }) => ({ width: inputType === 'datetime' ? 200 : 150, grows: false }),
  sortable: true,
  // A time of day has no days to compare.
  operators: ({ inputType }) =>
    inputType === 'time' ? ['filled', 'empty'] : ['on', 'since', 'before', 'filled', 'empty'],
  filter: lazyPart(async () => (await import('./day-filter.tsx')).DayFilter),
  daysInUtc: ({ inputType }) => inputType === 'date',
}
