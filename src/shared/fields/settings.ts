import type { Issue } from '../errors.ts'
import { uidProblem } from '../identifiers.ts'
import { type Field, typeOf } from './index.ts'

/** What the check of a field's settings needs from its surroundings. */
export interface SettingsEnvironment {
  /** Is this a regular expression that the server can run in linear time? */
  compiles(pattern: string): boolean
  /** The uid the field has already; undefined for a new one. */
  uid?: string | undefined
}

/**
 * What is wrong with a field's settings beyond their shape, which `fieldSchema` checks: switches its type does not
 * have, bounds that exclude each other, options that repeat. Paths are relative to the field.
 */
export function fieldIssues(field: Field, environment: SettingsEnvironment): Issue[] {
  const issues: Issue[] = []
  const type = typeOf(field)
  const problem = uidProblem('field', field.uid, environment.uid)
  if (problem) issues.push({ path: 'uid', code: problem })
  if (field.multiple && !type.canBeMultiple) issues.push({ path: 'multiple', code: 'InvalidValue' })
  if (field.unique && !type.canBeUnique) issues.push({ path: 'unique', code: 'InvalidValue' })
  const bounds: [string, number | null | undefined, number | null | undefined][] = [
    ['maxItems', field.minItems, field.maxItems],
  ]
  if ('maxLength' in field || 'minLength' in field)
    bounds.push(['maxLength', field.minLength, field.maxLength])
  if (field.type === 'NUMBER') bounds.push(['max', field.min, field.max])
  for (const [path, lower, upper] of bounds)
    if (lower != null && upper != null && lower > upper)
      issues.push({ path, code: 'TooSmallValue', params: { minimum: lower } })
  if (field.type === 'TEXT' && field.pattern && !environment.compiles(field.pattern))
    issues.push({ path: 'pattern', code: 'InvalidFormat' })
  if (field.type === 'SELECT') issues.push(...optionIssues(field))
  return issues
}

function optionIssues({ options, valueType }: Extract<Field, { type: 'SELECT' }>): Issue[] {
  const issues: Issue[] = []
  const seen = new Set<string | number>()
  options.forEach(({ value }, index) => {
    const path = `options.${index}.value`
    if (typeof value !== (valueType === 'number' ? 'number' : 'string'))
      issues.push({ path, code: 'InvalidType' })
    else if (seen.has(value)) issues.push({ path, code: 'DuplicatedValue' })
    seen.add(value)
  })
  return issues
}
