import { translator } from '#admin/i18n/messages.ts'
import { issueText } from '#admin/lib/errors.ts'
import type { Issue } from '#shared/errors.ts'
import type { Field } from '#shared/fields/index.ts'

/**
 * Returns the message for an issue of a field's value: `fields.issue.{type}.{code}`, or the general message of the
 * issue code if there is none.
 */
export function fieldIssueText(
  field: Pick<Field, 'type' | 'description'>,
  issue: Pick<Issue, 'code' | 'params'>,
): string {
  const t = translator()
  const key = `fields.issue.${field.type}.${issue.code}` as 'fields.issue.NUMBER.InvalidType'
  if (!t.has(key)) return issueText(issue)
  return t(key, {
    step: 'none',
    ...issue.params,
    integer: String('integer' in field && field.integer),
    hint: field.description.trim() || 'none',
  })
}

/**
 * Returns the message for an issue of a field setting: `fields.settingIssue.{type}.{setting}.{code}`, or the one for
 * the type `any`. Null if neither exists.
 */
export function settingIssueText(
  type: Field['type'],
  { property, code }: { property: string; code: Issue['code'] },
): string | null {
  const t = translator()
  // Removes indexes: `options.2.value` becomes `options.value`.
  const setting = property.replace(/\.\d+(?=\.|$)/g, '')
  for (const room of [type, 'any']) {
    const key =
      `fields.settingIssue.${room}.${setting}.${code}` as 'fields.settingIssue.any.unique.DuplicatedValue'
    if (t.has(key)) return t(key)
  }
  return null
}
