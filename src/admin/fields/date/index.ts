import { IconCalendar } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { DateInput } from './date-input.tsx'
import { DatePreview } from './date-preview.tsx'
import { dayOf, dayValue, instantValue, timeOf, valueOfNow } from './date-values.ts'

export const date: AdminFieldType<'DATE'> = {
  icon: IconCalendar,
  input: DateInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).DateSettingsForm),
  preview: DatePreview,
  column: ({ inputType }) => ({ width: inputType === 'datetime' ? 200 : 150, grows: false }),
  sortable: true,
  inCell: () => true,
  // Time fields have only the operators `filled` and `empty`, because a time of day has no day to compare with.
  operators: ({ inputType }) =>
    inputType === 'time' ? ['filled', 'empty'] : ['on', 'since', 'before', 'within', 'filled', 'empty'],
  filter: lazyPart(async () => (await import('./day-filter.tsx')).DayFilter),
  day: ({ inputType }) =>
    inputType === 'time'
      ? null
      : {
          of: (value) => dayOf(value, inputType),
          on: (value, day) =>
            inputType === 'date' ? dayValue(day) : instantValue(day, timeOf(value, inputType)),
        },
  initial: ({ inputType, startsNow }) => (startsNow ? valueOfNow(inputType, new Date()) : undefined),
  daysInUtc: ({ inputType }) => inputType === 'date',
}
