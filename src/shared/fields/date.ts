import { z } from 'zod'
import { type FieldType, parsed, refused } from './field-type.ts'

const settings = {
  inputType: z.enum(['datetime', 'date', 'time']).default('datetime'),
  /** Whether new documents start with the current time. */
  startsNow: z.boolean().default(false),
}
const settingsSchema = z.object(settings)
export type DateSettings = z.infer<typeof settingsSchema>

const dateOnly = /^\d{4}-\d{2}-\d{2}$/
const timeOnly = /^(?:[01]\d|2[0-3]):\d{2}(?::\d{2})?$/
/** Digits beyond milliseconds would be lost, so only zeros are accepted there. */
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3}0{0,6})?)?(?:Z|[+-]\d{2}:\d{2})$/

const offset = /[+-]\d{2}:\d{2}$/

/**
 * Reads `text` as an instant. Returns `null` for other texts, for dates that `Date` would silently roll over (February
 * 30), and for years outside 1 to 9999.
 */
function toInstant(text: string): Date | null {
  const date = new Date(text)
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) return null
  const day = Number(text.slice(8, 10))
  const daysInMonth = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
  return day <= daysInMonth ? date : null
}

/**
 * A date is stored as an ISO 8601 instant in UTC with milliseconds, so that texts sort by time. A day is stored as its
 * midnight in UTC, a time of day as an instant on 1970-01-01 (docs/decisions/0006).
 */
export const date = {
  type: 'DATE' as const,
  settings,
  canBeMultiple: false,
  canBeUnique: true,
  canBeTitle: false,
  comparison: () => 'date',
  searchable: false,
  empty: null,
  typeScript: () => 'string',
  parse(value, { inputType }) {
    if (value == null || value === '') return parsed<string>(undefined)
    if (typeof value !== 'string') return refused()
    const whole =
      inputType === 'time' && timeOnly.test(value)
        ? `1970-01-01T${value.length === 5 ? `${value}:00` : value}Z`
        : dateOnly.test(value)
          ? `${value}T00:00:00Z`
          : value
    const date = instant.test(whole) ? toInstant(whole) : null
    if (!date) return refused('InvalidValue')
    if (inputType === 'datetime') return parsed(date.toISOString())
    // Days and times of day keep the written local value, so the offset is ignored.
    const written = new Date(whole.replace(offset, 'Z')).toISOString()
    return parsed(
      inputType === 'time' ? `1970-01-01${written.slice(10)}` : `${written.slice(0, 10)}T00:00:00.000Z`,
    )
  },
  rules: () => [],
  text: (value) => value,
  moment: ({ inputType }) => (inputType === 'time' ? null : inputType),
  from: { TEXT: (item) => ({ item }) },
} satisfies FieldType<DateSettings, string>
