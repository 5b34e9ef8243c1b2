import { translator } from '#admin/i18n/messages.ts'
import { issueText } from '#admin/lib/errors.ts'
import type { Issue } from '#shared/errors.ts'
import type { Field } from '#shared/fields/index.ts'

/**
 * What to tell about a value of this field: the words of its type (`fields.issue.{type}.{code}`) where there are some,
 * else those of the code.
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
 * What to tell about a setting of a field of this type: the words of its type, or of all types, for that setting
 * (`fields.settingIssue.{type}.{setting}.{code}`); null where the code's own words do.
 */
export function settingIssueText(
  type: Field['type'],
  { property, code }: { property: string; code: Issue['code'] },
): string | null {
  const t = translator()
  // `options.2.value`: of any option.
  const setting = property.replace(/\.\d+(?=\.|$)/g, '')
  for (const room of [type, 'any']) {
    const key =
      `fields.settingIssue.${room}.${setting}.${code}` as 'fields.settingIssue.any.unique.DuplicatedValue'
    if (t.has(key)) return t(key)
  }
  return null
}
