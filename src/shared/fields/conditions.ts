import type { Condition } from './field-type.ts'

/*
 * Conditional visibility of fields in the form (docs/decisions/0038), shared by the form and the server, which does not
 * check hidden fields. It does not depend on field types, so that the form need not load them.
 */

/** The parts of a field that conditions use. */
export interface ConditionalField {
  uid: string
  condition?: Condition | null | undefined
}

/**
 * Whether this field is shown in the form. `beside` are the fields of the same document or item, `valueIn` reads their
 * values. A field whose condition refers to a hidden field is hidden; one whose condition refers to a removed field is
 * shown.
 */
export function isShown<F extends ConditionalField>(
  field: F,
  beside: readonly F[],
  valueIn: (field: F) => unknown,
): boolean {
  return subjectsOf(field, beside).every(({ condition, subject }) => holds(condition, valueIn(subject)))
}

/** The fields that this field's visibility depends on, each with the condition on it; nearest first. */
export function subjectsOf<F extends ConditionalField>(
  field: F,
  beside: readonly F[],
): { condition: Condition; subject: F }[] {
  const found: { condition: Condition; subject: F }[] = []
  // Cycles are refused when fields are saved; the bound on the length protects against them anyway.
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

/** Whether the value is unset, emptied or unchecked. */
function isNothing(item: unknown): boolean {
  if (item === undefined || item === null || item === '' || item === false) return true
  return typeof item === 'object' && Object.keys(item).length === 0
}
