import { issueText } from '#admin/lib/errors.ts'
import type { Issue } from '#shared/errors.ts'

/** What is wrong with an own body, with the place in it. */
export function bodyIssueText(issue: Issue, body: string): string {
  const { line, column } = issue.params ?? {}
  if (typeof line !== 'number' || typeof column !== 'number') return issueText(issue)
  return `${issueText(issue)} ${around(body, line, column)}`
}

/** The part of a line around a place, which is marked; `line` and `column` start at 1. */
function around(text: string, line: number, column: number): string {
  const whole = text.split('\n')[line - 1] ?? ''
  const at = column - 1
  const before = whole.slice(Math.max(0, at - 16), at)
  const after = whole.slice(at, at + 16)
  return `${at > 16 ? '…' : ''}${before}▸${after}${whole.length > at + 16 ? '…' : ''}`.trim()
}
