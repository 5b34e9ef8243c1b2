import { issueText } from '#admin/lib/errors.ts'
import type { Issue } from '#shared/errors.ts'

/** Returns a text about an issue of a custom body, with the position if it is known. */
export function bodyIssueText(issue: Issue, body: string): string {
  const { line, column } = issue.params ?? {}
  if (typeof line !== 'number' || typeof column !== 'number') return issueText(issue)
  return `${issueText(issue)} ${around(body, line, column)}`
}

/** Returns the part of a line around a position, with a mark at the position. `line` and `column` start at 1. */
function around(text: string, line: number, column: number): string {
  const whole = text.split('\n')[line - 1] ?? ''
  const at = column - 1
  const before = whole.slice(Math.max(0, at - 16), at)
  const after = whole.slice(at, at + 16)
  return `${at > 16 ? '…' : ''}${before}▸${after}${whole.length > at + 16 ? '…' : ''}`.trim()
}
