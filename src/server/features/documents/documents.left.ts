import type { StoredValues, ValueModel } from '#shared/fields/document.ts'

/** A value of a revision that the current fields hold only in part or not at all. */
export interface LeftValue {
  /** The field's uid; null if it was removed. */
  field: string | null
  /** As stored. */
  value: unknown
}

/** What the values `written` of a revision lost when they were read for the current fields as `read`. */
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

/** The number of texts, numbers and the like in a value: reading it for another field keeps each or drops it. */
function countLeaves(value: unknown): number {
  if (value === undefined || value === null) return 0
  if (typeof value !== 'object') return 1
  return Object.values(value).reduce((sum: number, inner) => sum + countLeaves(inner), 0)
}
