import type { StoredValues } from '#shared/fields/document.ts'

/** The fields in a request by `_id`, undefined for an emptied one. Fields not named stay. */
export type GivenValues = Map<string, unknown>

/** `current` overwritten with the given fields. */
export function applyValues(current: StoredValues, given: GivenValues): StoredValues {
  const values = { ...current }
  for (const [field, value] of given) {
    if (value === undefined) delete values[field]
    else values[field] = value
  }
  return values
}
