import { isDeepStrictEqual } from 'node:util'
import type { StoredValues } from '#shared/fields/document.ts'

/** What a save sends: fields by `_id`, undefined for one that is emptied. Fields it does not name stay. */
export type GivenValues = Map<string, unknown>

export interface Merge {
  values: StoredValues
  /** Fields that changed since the base. */
  theirs: string[]
  /** Fields that both sides changed, to different values: then `values` must not be used. */
  conflicts: string[]
}

/** `current` with the given fields written over it. */
export function applyValues(current: StoredValues, given: GivenValues): StoredValues {
  const values = { ...current }
  for (const [field, value] of given) {
    if (value === undefined) delete values[field]
    else values[field] = value
  }
  return values
}

/**
 * Three-way merge by whole fields (a list or a text is one value). What the given values leave as it was in the base
 * is no change of ours, so theirs stays; both sides may make the same change. Pure.
 */
export function mergeValues(base: StoredValues, current: StoredValues, given: GivenValues): Merge {
  const changed = (values: StoredValues, field: string) => !isDeepStrictEqual(values[field], base[field])
  const ids = new Set([...Object.keys(base), ...Object.keys(current)])
  const theirs = [...ids].filter((field) => changed(current, field))
  const ours = new Map([...given].filter(([field, value]) => !isDeepStrictEqual(value, base[field])))
  const conflicts = theirs.filter(
    (field) => ours.has(field) && !isDeepStrictEqual(ours.get(field), current[field]),
  )
  return { values: applyValues(current, ours), theirs, conflicts }
}
