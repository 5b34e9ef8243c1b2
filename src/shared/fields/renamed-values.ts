import type { OtherNames } from './field-type.ts'
import { type Field, typeOf } from './index.ts'
import { mapValue, type StoredValues } from './walk.ts'

/**
 * Returns stored values with the `_id`s of documents and assets replaced, including nested values. The custom types of
 * the fields must be resolved.
 */
export function renamedValues(
  { fields }: { fields: Field[] },
  values: StoredValues,
  names: OtherNames,
): StoredValues {
  const result = { ...values }
  for (const field of fields) {
    if (values[field._id] === undefined) continue
    const renamed = mapValue(field, values[field._id], ({ field: inner, value }) => {
      const type = typeOf(inner)
      if (!type.renamed || value === undefined) return value
      const change = (item: unknown) => type.renamed?.(item, names)
      return Array.isArray(value) ? value.map(change) : change(value)
    })
    if (renamed === undefined) delete result[field._id]
    else result[field._id] = renamed
  }
  return result
}
