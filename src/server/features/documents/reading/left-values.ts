import type { StoredValues, ValueModel } from '#shared/fields/document.ts'

/** A value of a revision that fits the current fields only partly or not at all. */
export interface LeftValue {
  /** The field's uid; null if it was removed. */
  field: string | null
  value: unknown
}

/**
 * Returns the values of a revision (`written`) that were lost, partly or completely, by the conversion to the current
 * fields (`read`).
 */
export function leftValues(
  { fields }: Pick<ValueModel, 'fields'>,
  written: StoredValues,
  read: StoredValues,
): LeftValue[] {
  const left: LeftValue[] = fields
    .filter(({ _id }) => countLeaves(read[_id]) < countLeaves(written[_id]))
    .map(({ _id, uid }) => ({ field: uid, value: written[_id] }))
  const ids = new Set(fields.map(({ _id }) => _id))
  for (const [id, value] of Object.entries(written)) if (!ids.has(id)) left.push({ field: null, value })
  return left
}

/**
 * Returns the number of texts, numbers and booleans in a value, at any depth. A conversion to another field keeps or
 * drops each of them.
 */
function countLeaves(value: unknown): number {
  if (value === undefined || value === null) return 0
  if (typeof value !== 'object') return 1
  return Object.values(value).reduce((sum: number, inner) => sum + countLeaves(inner), 0)
}
