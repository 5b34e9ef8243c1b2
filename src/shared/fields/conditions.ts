import type { Condition } from './field-type.ts'

/*
 * Conditional visibility of fields in the form (docs/decisions/0038), shared by the form and the server. The server
 * does not check the values of hidden fields. This module does not import the field types.
 */

export interface ConditionalField {
  uid: string
  condition?: Condition | null | undefined
}

/**
 * Returns whether this field is shown in the form. `beside` contains the fields of the same document or item, `valueIn`
 * reads their values. A field whose condition refers to a hidden field is hidden. A field whose condition refers to a
 * removed field is shown.
 */
export function isShown<F extends ConditionalField>(
  field: F,
  beside: readonly F[],
  valueIn: (field: F) => unknown,
): boolean {
  return subjectsOf(field, beside).every(({ condition, subject }) => holds(condition, valueIn(subject)))
}

/**
 * Returns the fields that the visibility of this field depends on, each with the condition on it, the nearest field
 * first.
 */
export function subjectsOf<F extends ConditionalField>(
  field: F,
  beside: readonly F[],
): { condition: Condition; subject: F }[] {
  const found: { condition: Condition; subject: F }[] = []
  // Cycles are refused when fields are saved. The limit on the length prevents an endless loop in any case.
  for (let next: F | undefined = field; next?.condition && found.length < beside.length; ) {
    const { condition }: ConditionalField = next
    const subject: F | undefined = beside.find(({ uid }) => uid === condition?.field)
    if (condition && subject) found.push({ condition, subject })
    next = subject
  }
  return found
}

function holds(condition: Condition, value: unknown): boolean {
  const items = (Array.isArray(value) ? value : [value]).filter((item) => !isNothing(item))
  if (condition.is === 'oneOf') return items.some((item) => condition.values.includes(item))
  return condition.is === 'filled' ? items.length > 0 : items.length === 0
}

/** Returns whether the value is unset, emptied or unchecked. */
function isNothing(item: unknown): boolean {
  if (item === undefined || item === null || item === '' || item === false) return true
  return typeof item === 'object' && Object.keys(item).length === 0
}
