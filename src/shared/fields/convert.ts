import type { StoredValues } from './document.ts'
import type { ConversionEnvironment } from './field-type.ts'
import { type Field, isMultiple, typeOf } from './index.ts'
import { number } from './number.ts'
import { text } from './text.ts'

export type { ConversionEnvironment } from './field-type.ts'

/** How a value fared when its field changed. */
export interface Conversion {
  /** The value in the field's new shape; undefined when nothing is left of it. */
  value: unknown
  /** Why something of it was lost, if anything was. */
  lost: 'removed' | 'typeChanged' | 'multipleOff' | null
}

/** A field whose stored values do not fit any more; `to` is null when it is removed. */
export interface FieldChange {
  from: Field
  to: Field | null
}

/** A change of a model that some of its documents may not have followed yet. */
export interface ModelConversion {
  /** The model's version that it made: values stored in an older shape are to be converted. */
  version: number
  /** Each field at most once. */
  changes: FieldChange[]
}

/** The fields whose values must be converted. */
export function fieldChanges(before: Field[], after: Field[]): FieldChange[] {
  const byId = new Map(after.map((field) => [field._id, field]))
  return before.flatMap((from): FieldChange[] => {
    const to = byId.get(from._id) ?? null
    return to === null || needsConversion(from, to) ? [{ from, to }] : []
  })
}

/** Do stored values of `from` need {@link convertValue} to be values of `to`? */
export function needsConversion(from: Field, to: Field): boolean {
  if (from.type !== to.type || isMultiple(from) !== isMultiple(to)) return true
  return typeOf(to).keepsValues?.(from, to) === false
}

/** A stored value of the field `from` as one of `to`, which is null when the field is removed. */
export function convertValue(
  from: Field,
  to: Field | null,
  value: unknown,
  environment?: ConversionEnvironment,
): Conversion {
  if (value === undefined) return { value: undefined, lost: null }
  if (to === null) return { value: undefined, lost: 'removed' }
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const kept: unknown[] = []
  let lost: Conversion['lost'] = null
  for (const item of items) {
    const converted = convertItem(from, to, item, environment)
    if (converted === null || converted.lossy) lost = 'typeChanged'
    if (converted && converted.item !== undefined) kept.push(converted.item)
  }
  if (kept.length === 0) return { value: undefined, lost }
  if (isMultiple(to)) return { value: kept, lost }
  return { value: kept[0], lost: lost ?? (kept.length > 1 ? 'multipleOff' : null) }
}

/** A document's values after these changes; what nothing is left of is left out. */
export function convertValues(
  values: StoredValues,
  changes: FieldChange[],
  environment?: ConversionEnvironment,
): StoredValues {
  const result = { ...values }
  for (const { from, to } of changes) {
    const { value } = convertValue(from, to, values[from._id], environment)
    if (value === undefined) delete result[from._id]
    else result[from._id] = value
  }
  return result
}

function convertItem(
  from: Field,
  to: Field,
  item: unknown,
  environment: ConversionEnvironment | undefined,
): { item: unknown; lossy?: boolean } | null {
  const type = typeOf(to)
  const kept = from.type === to.type && type.keepsValues?.(from, to) !== false
  const convert = type.from?.[from.type] ?? typeOf(from).into?.[to.type]
  const converted = kept ? { item } : convert?.(item, { from, to, environment })
  if (!converted) return null
  const read = type.parse(converted.item, to)
  return read.ok ? { ...converted, item: read.value } : null
}

/**
 * A value that an older version of the model stored (in a revision), as the field reads today. What cannot be read
 * is undefined; nothing is ever thrown. A text may have been of any type, so HTML must be sanitised before use.
 */
export function fitValue(field: Field, value: unknown): unknown {
  if (value === undefined) return undefined
  const type = typeOf(field)
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const fitted = items.flatMap((item) => {
    const read = type.parse(item, field)
    if (read.ok) return read.value === undefined ? [] : [read.value]
    const guess = type.from?.[(typeof item === 'number' ? number : text).type]?.(item, {
      from: field,
      to: field,
    })
    const again = guess ? type.parse(guess.item, field) : read
    return again.ok && again.value !== undefined ? [again.value] : []
  })
  if (fitted.length === 0) return undefined
  return isMultiple(field) ? fitted : fitted[0]
}
