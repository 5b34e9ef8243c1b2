import type { Issue } from '../errors.ts'
import { uidProblem } from '../identifiers.ts'
import { boundsIssues } from './bounds.ts'
import type { SettingsEnvironment } from './field-type.ts'
import { type Field, typeOf } from './index.ts'
import { typesIn } from './references.ts'

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
  // Of the type itself (its path is the field's), and of those that it declares.
  for (const { type: declared, path } of typesIn([field])) {
    const found = typeOf(declared).settingsIssues?.(declared, environment) ?? []
    for (const issue of found) issues.push({ ...issue, path: `${path}.${issue.path}`.slice(2) })
  }
  return issues
}
