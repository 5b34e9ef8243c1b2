import { convertValue, needsConversion } from '#shared/fields/convert.ts'
import { parseValue, valuesByUid } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { sameValue, sentValue, type Values } from './values.ts'

/** A value that no longer fits any field of the model, with the former name of its field. */
export interface LeftValue {
  name: string
  value: unknown
}

interface Carried {
  /** Values by current field uid. */
  values: Values
  left: LeftValue[]
}

/**
 * Moves values typed into the fields `before` to the fields `after`, matched by `_id`, or by uid if `before` lacks the
 * field. Custom types must be resolved in both. `left`: values that have no field or do not fit completely, unchanged.
 * Empty values without a field are omitted.
 */
export function carryValues(values: Values, before: readonly Field[], after: readonly Field[]): Carried {
  const carried: Carried = { values: {}, left: [] }
  for (const [uid, value] of Object.entries(values)) {
    const from = before.find((field) => field.uid === uid)
    const to = from ? after.find(({ _id }) => _id === from._id) : after.find((field) => field.uid === uid)
    const fitted = to && (from ? fitting(from, to, value) : { value })
    if (to && fitted) carried.values[to.uid] = fitted.value
    else if (!sameValue(value, undefined)) carried.left.push({ name: from?.name ?? uid, value })
  }
  return carried
}

/**
 * Converts a value for the field `to`. null: the conversion would lose data, or the value is valid in neither field.
 */
function fitting(from: Field, to: Field, value: unknown): { value: unknown } | null {
  // An empty value empties the field, whatever its type.
  if (sameValue(value, undefined)) return { value: undefined }
  if (!typeOf(to).nesting && !needsConversion(from, to)) return { value }
  const stored = parseValue(from, sentValue(value))
  if (stored.issues.length > 0) return reads(to, value) ? { value } : null
  const converted = convertValue(from, to, stored.value)
  if (converted.lost) return null
  const { [to.uid]: shown } = valuesByUid({ fields: [to], titleField: null }, { [to._id]: converted.value })
  return { value: shown }
}

const reads = (field: Field, value: unknown) => parseValue(field, sentValue(value)).issues.length === 0
