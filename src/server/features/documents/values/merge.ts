import type { StoredValues } from '#shared/fields/document.ts'

/** The fields in a request, by `_id`. undefined: the field is emptied. Missing fields keep their values. */
export type GivenValues = Map<string, unknown>

/** Returns `current` overwritten with the fields of `given`. */
export function applyValues(current: StoredValues, given: GivenValues): StoredValues {
  const values = { ...current }
  for (const [field, value] of given) {
    if (value === undefined) delete values[field]
    else values[field] = value
  }
  return values
}
