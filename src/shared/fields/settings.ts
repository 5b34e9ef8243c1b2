import type { Issue } from '../errors.ts'
import { uidProblem } from '../identifiers.ts'
import { boundsIssues } from './bounds.ts'
import type { SettingsEnvironment } from './field-type.ts'
import { type Field, typeOf } from './index.ts'

/**
 * What is wrong with a field's settings beyond their shape, which `fieldSchema` checks: switches its type does not
 * have, bounds that exclude each other, and what its type finds. Paths are relative to the field.
 */
export function fieldIssues(field: Field, environment: SettingsEnvironment): Issue[] {
  const issues: Issue[] = []
  const type = typeOf(field)
  const problem = uidProblem('field', field.uid, environment.uid)
  if (problem) issues.push({ path: 'uid', code: problem })
  if (field.multiple && !type.canBeMultiple) issues.push({ path: 'multiple', code: 'InvalidValue' })
  if (field.unique && !type.canBeUnique) issues.push({ path: 'unique', code: 'InvalidValue' })
  issues.push(...boundsIssues('maxItems', field.minItems, field.maxItems))
  issues.push(...(type.settingsIssues?.(field, environment) ?? []))
  return issues
}
