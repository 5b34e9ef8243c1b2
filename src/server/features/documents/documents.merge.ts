import type { StoredValues } from '#shared/fields/document.ts'

/** What a save sends: fields by `_id`, undefined for one that is emptied. Fields it does not name stay. */
export type GivenValues = Map<string, unknown>

/** `current` with the given fields written over it. */
export function applyValues(current: StoredValues, given: GivenValues): StoredValues {
  const values = { ...current }
  for (const [field, value] of given) {
    if (value === undefined) delete values[field]
    else values[field] = value
  }
  return values
}
