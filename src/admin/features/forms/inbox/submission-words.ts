import {
  IconAlertOctagon,
  IconCircleCheck,
  IconCircleDot,
  IconProgress,
  type TablerIcon,
} from '@tabler/icons-react'
import { useFormatter, useLocale } from 'use-intl'
import { spaceZone } from '#admin/base/space-zone.ts'
import { countedSubmissions, type Submission } from '#shared/contract/form-submissions.ts'
import type { FormField, SubmissionState } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import type { Language } from '#shared/languages.ts'

/** The colour and icon of each state. */
export const stateLooks: Record<SubmissionState, { color: string; icon: TablerIcon }> = {
  new: { color: 'orange', icon: IconCircleDot },
  inProgress: { color: 'blue', icon: IconProgress },
  done: { color: 'mizu', icon: IconCircleCheck },
  spam: { color: 'gray', icon: IconAlertOctagon },
}

/** Returns a previewed value with the labels of its options. The values of check boxes are joined by commas. */
function previewOf(value: string, field: FormField | undefined, language: Language): string {
  if (field?.type !== 'choice' && field?.type !== 'checkboxes') return value
  const labels = new Map(field.options.map((option) => [option.value, textIn(option.label, language)]))
  const labelOf = (part: string) => labels.get(part) || part
  return labels.has(value) ? labelOf(value) : value.split(', ').map(labelOf).join(', ')
}

/** Returns a function that summarizes submissions of a form with these fields. See {@link summaryOf}. */
export function useSummary(fields: readonly FormField[]) {
  const language = useLocale()
  return (submission: Summarized) => summaryOf(submission, fields, language)
}

type Summarized = Pick<Submission, 'preview' | 'email'>

/**
 * Returns the parts of a row: the first value, the e-mail address unless it is the first value, and other values.
 * Consents are omitted, and options have their labels.
 */
export function summaryOf({ preview, email }: Summarized, fields: readonly FormField[], language: Language) {
  const fieldOf = (name: string) => fields.find((field) => field.name === name)
  const shown = preview
    .filter(({ name }) => fieldOf(name)?.type !== 'consent')
    .map(({ name, value }) => previewOf(value, fieldOf(name), language))
  const isEmail = (value: string) => email !== null && value.trim().toLowerCase() === email
  const [first, ...rest] = shown
  const title = first ?? email ?? ''
  return {
    title,
    email: email !== null && !isEmail(title) ? email : null,
    rest: rest.filter((value) => !isEmail(value)),
  }
}

/** Returns a function that formats a number of submissions, which the server counts up to 1,000. */
export function useCount(): (count: number) => string {
  const format = useFormatter()
  return (count) => (count >= countedSubmissions ? `${countedSubmissions - 1}+` : format.number(count))
}

/** Returns a function that formats a time for a row: the time for today, otherwise the date. */
export function useShortTime(): (at: string) => string {
  const format = useFormatter()
  const dayOf = (time: Date) => time.toLocaleDateString('en', { timeZone: spaceZone() })
  return (at) => {
    const time = new Date(at)
    const now = new Date()
    if (dayOf(time) === dayOf(now)) return format.dateTime(time, { hour: 'numeric', minute: '2-digit' })
    const isThisYear = time.getFullYear() === now.getFullYear()
    return format.dateTime(time, {
      ...(isThisYear ? {} : { year: 'numeric' }),
      month: 'short',
      day: 'numeric',
    })
  }
}
