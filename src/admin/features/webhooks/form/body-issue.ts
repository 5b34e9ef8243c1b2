import { translator } from '#admin/i18n/messages.ts'
import { issueText } from '#admin/lib/errors.ts'
import type { Issue } from '#shared/errors.ts'

/** Returns a text about an issue of a custom body, with the part of the body around it if its position is known. */
export function bodyIssueText(issue: Issue, body: string): string {
  const { line, column } = issue.params ?? {}
  if (typeof line !== 'number' || typeof column !== 'number') return issueText(issue)
  const t = translator()
  const whole = body.split('\n')[line - 1] ?? ''
  const isUnclosed = issue.code === 'UnknownPlaceholder' && !isClosed(whole.slice(column - 1))
  const text = isUnclosed ? t('webhooks.form.body.unclosed', { line, column }) : issueText(issue)
  return t('webhooks.form.body.at', { text, part: around(whole, column) })
}

/** Returns whether the placeholder at the start of a text has closing braces before a quote or another placeholder. */
const isClosed = (text: string): boolean => /^\{\{[^{}"]*\}\}/.test(text)

/** Returns the part of a line around a column, with a mark at the column. Columns start at 1. */
function around(line: string, column: number): string {
  const at = column - 1
  const before = line.slice(Math.max(0, at - 16), at)
  const after = line.slice(at, at + 16)
  return `${at > 16 ? '…' : ''}${before}▸${after}${line.length > at + 16 ? '…' : ''}`.trim()
}
