import {
  IconAlertOctagon,
  IconCircleCheck,
  IconCircleDot,
  IconProgress,
  type TablerIcon,
} from '@tabler/icons-react'
import { useFormatter } from 'use-intl'
import { spaceZone } from '#admin/base/space-zone.ts'
import { countedSubmissions, type Submission } from '#shared/contract/form-submissions.ts'
import type { SubmissionState } from '#shared/forms/fields.ts'

/** The colour and icon of each state. */
export const stateLooks: Record<SubmissionState, { color: string; icon: TablerIcon }> = {
  new: { color: 'orange', icon: IconCircleDot },
  inProgress: { color: 'blue', icon: IconProgress },
  done: { color: 'mizu', icon: IconCircleCheck },
  spam: { color: 'gray', icon: IconAlertOctagon },
}

/** Returns the parts of a row: the first value, the e-mail address unless it is the first value, and other values. */
export function summaryOf({ preview, email }: Pick<Submission, 'preview' | 'email'>) {
  const isEmail = (value: string) => email !== null && value.trim().toLowerCase() === email
  const [first, ...rest] = preview
  const title = first?.value ?? email ?? ''
  return {
    title,
    email: email !== null && !isEmail(title) ? email : null,
    rest: rest.map(({ value }) => value).filter((value) => !isEmail(value)),
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
