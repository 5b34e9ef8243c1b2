import type { Condition } from './field-type.ts'

/*
 * When a field is in the form (docs/decisions/0038): asked by the server, which does not check what nobody sees, and by
 * the form. It knows no types of fields, so that the form need not load them.
 */

/** As much of a field as its condition needs. */
export interface ConditionalField {
  uid: string
  condition?: Condition | null | undefined
}

/**
 * Is this field in the form? `beside` are the fields of the same document or item, `valueIn` what stands in them. A field
 * whose condition asks for one that is not shown is not shown either; one that asks for a field that is gone is.
 */
export function isShown<F extends ConditionalField>(
  field: F,
  beside: readonly F[],
  valueIn: (field: F) => unknown,
): boolean {
  return subjectsOf(field, beside).every(({ condition, subject }) => holds(condition, valueIn(subject)))
}

/** The fields on which it depends whether this one is shown, each with what is asked of it; the nearest first. */
export function subjectsOf<F extends ConditionalField>(
  field: F,
  beside: readonly F[],
): { condition: Condition; subject: F }[] {
  const found: { condition: Condition; subject: F }[] = []
  // A circle is refused where fields are saved; no chain is longer than the list.
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

/** Never set, emptied, not ticked. */
function isNothing(item: unknown): boolean {
  if (item === undefined || item === null || item === '' || item === false) return true
  return typeof item === 'object' && Object.keys(item).length === 0
}
