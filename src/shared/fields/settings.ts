import { z } from 'zod'
import type { Issue } from '../errors.ts'
import { carriedUidProblem, uidProblem } from '../identifiers.ts'
import { boundsIssues } from './bounds.ts'
import type { SettingsEnvironment } from './field-type.ts'
import { type Field, type FieldTypeName, typeOf } from './index.ts'
import { typesIn } from './references.ts'
import { isSameValue } from './same-value.ts'

/**
 * Returns the issues of a field's settings that `fieldSchema` does not check: an invalid uid, unsupported `multiple` or
 * `unique`, bounds that exclude each other, and issues that the field type reports. Paths are relative to the field.
 */
export function fieldIssues(field: Field, environment: SettingsEnvironment): Issue[] {
  const issues: Issue[] = []
  const type = typeOf(field)
  const problem = environment.carried
    ? carriedUidProblem('field', field.uid)
    : uidProblem('field', field.uid, environment.uid)
  if (problem) issues.push({ path: 'uid', code: problem })
  if (field.multiple && !type.canBeMultiple) issues.push({ path: 'multiple', code: 'InvalidValue' })
  if (field.unique && !type.canBeUnique) issues.push({ path: 'unique', code: 'InvalidValue' })
  issues.push(...boundsIssues('maxItems', field.minItems, field.maxItems))
  // `typesIn` returns the field's own type and the types that its settings declare. Their paths begin with the index 0.
  for (const { type: declared, path } of typesIn([field])) {
    const found = typeOf(declared).settingsIssues?.(declared, environment) ?? []
    for (const issue of found) issues.push({ ...issue, path: `${path}.${issue.path}`.slice(2) })
  }
  return issues
}

/**
 * Returns the issues of the conditions of these sibling fields: missing fields, impossible values, cycles. Paths are
 * relative to the list (`2.condition.field`).
 */
export function conditionIssues(fields: readonly Field[]): Issue[] {
  const byUid = new Map(fields.map((field) => [field.uid, field]))
  return fields.flatMap((field, index): Issue[] => {
    const { condition } = field
    if (!condition) return []
    const path = `${index}.condition`
    const subject = byUid.get(condition.field)
    if (!subject) return [{ path: `${path}.field`, code: 'InvalidValue' }]
    const circle = circleOf(field, byUid)
    if (circle) return [{ path: `${path}.field`, code: 'CircularCondition', params: { circle } }]
    if (condition.is !== 'oneOf') return []
    const { comparison, parse } = typeOf(subject)
    if (comparison(subject) === 'none') return [{ path: `${path}.is`, code: 'InvalidValue' }]
    if (condition.values.length === 0) return [{ path: `${path}.values`, code: 'Required' }]
    return condition.values.flatMap((value, at): Issue[] => {
      const read = parse(value, subject)
      return read.ok && isSameValue(read.value, value)
        ? []
        : [{ path: `${path}.values.${at}`, code: 'InvalidValue' }]
    })
  })
}

/** Returns the path by which a field's condition depends on itself: `a → b → a`. `null` without a cycle. */
function circleOf(field: Field, byUid: ReadonlyMap<string, Field>): string | null {
  const way = [field.uid]
  for (let next = field; next.condition; ) {
    const subject = byUid.get(next.condition.field)
    if (!subject) return null
    way.push(subject.uid)
    if (subject === field) return way.join(' → ')
    // A cycle that does not contain this field is reported for the fields in the cycle.
    if (way.indexOf(subject.uid) < way.length - 1) return null
    next = subject
  }
  return null
}

/** Returns the default settings of a type, referring to the given model or custom type. */
export function defaultSettings(
  type: FieldTypeName,
  { modelUid = '', customType = '' }: { modelUid?: string; customType?: string } = {},
): Record<string, unknown> {
  const descriptor = typeOf({ type })
  const pointing = {
    ...descriptor.reference?.pointTo([modelUid]),
    ...descriptor.customType?.pointTo(customType),
  }
  return z.object(descriptor.settings).parse(pointing)
}
