import { newId } from '../identifiers.ts'
import type { StoredValues } from './document.ts'
import type { ConversionEnvironment, Item, Nesting } from './field-type.ts'
import { type Field, isMultiple, typeOf } from './index.ts'
import { number } from './number.ts'
import { text } from './text.ts'
import { isItem, isNothing } from './walk.ts'

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
  /** Each field at most once, whole: with the fields of the custom types that it named then. */
  changes: FieldChange[]
}

/** The fields whose values must be converted. Pure. */
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
  const { keepsValues, nesting } = typeOf(to)
  if (keepsValues?.(from, to) === false) return true
  const inner = new Map(nesting?.fields(to).map((field) => [field._id, field as Field]))
  return (nesting?.fields(from) ?? []).some((field) => {
    const kept = inner.get(field._id)
    return !kept || needsConversion(field as Field, kept)
  })
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
    if (converted.lost) lost = converted.lost
    if (converted.value !== undefined) kept.push(converted.value)
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

const nothing: Conversion = { value: undefined, lost: 'typeChanged' }

function convertItem(
  from: Field,
  to: Field,
  item: unknown,
  environment: ConversionEnvironment | undefined,
): Conversion {
  const type = typeOf(to)
  const kept = from.type === to.type && type.keepsValues?.(from, to) !== false
  if (kept && type.nesting) return convertInside(type.nesting, from, to, item, environment)
  const convert = type.from?.[from.type] ?? typeOf(from).into?.[to.type]
  const converted = kept ? { item } : convert?.(item, { from, to, environment })
  if (!converted) return nothing
  const read = type.parse(converted.item, to)
  return read.ok ? { value: read.value, lost: converted.lossy ? 'typeChanged' : null } : nothing
}

/** Converts the inner values of an item, each as a value of its own field. */
function convertInside(
  nesting: Nesting<object>,
  from: Field,
  to: Field,
  item: unknown,
  environment: ConversionEnvironment | undefined,
): Conversion {
  const before = isItem(item) ? nesting.open(item, from) : null
  const after = isItem(item) ? nesting.open(item, to) : null
  if (!isItem(item) || !before || !after) return nothing
  const fields = new Map(after.places.map(({ key, field }) => [key, field as Field]))
  const result = itemLike(nesting, to, item)
  let lost: Conversion['lost'] = null
  for (const { key, field } of before.places) {
    const inner = convertValue(field as Field, fields.get(key) ?? null, item[key], environment)
    if (inner.lost) lost = inner.lost
    if (inner.value !== undefined) result[key] = inner.value
  }
  return { value: isNothing(result) ? undefined : result, lost }
}

/** What an item of `field` is before there are inner values in it: its `_id`, if it is to have one, and its frame. */
function itemLike({ ids, frameKeys }: Nesting<object>, field: Field, item: Item): Item {
  const result: Item = ids === 'always' || isMultiple(field) ? { _id: item._id ?? newId() } : {}
  for (const key of frameKeys) result[key] = item[key]
  return result
}

/**
 * A value that an older version of the model stored (in a revision), as the field reads today. What cannot be read
 * is undefined; nothing is ever thrown. A text may have been of any type, so HTML must be sanitised before use.
 */
export function fitValue(field: Field, value: unknown): unknown {
  if (value === undefined) return undefined
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const fitted = items.map((item) => fitItem(field, item)).filter((item) => item !== undefined)
  if (fitted.length === 0) return undefined
  return isMultiple(field) ? fitted : fitted[0]
}

function fitItem(field: Field, item: unknown): unknown {
  const type = typeOf(field)
  if (type.nesting) return fitInside(type.nesting, field, item)
  const read = type.parse(item, field)
  if (read.ok) return read.value
  const code = (typeof item === 'number' ? number : text).type
  const guess = type.from?.[code]?.(item, { from: field, to: field })
  const again = guess ? type.parse(guess.item, field) : read
  return again.ok ? again.value : undefined
}

function fitInside(nesting: Nesting<object>, field: Field, item: unknown): unknown {
  const opened = isItem(item) && nesting.open(item, field)
  if (!opened) return undefined
  const result = itemLike(nesting, field, item)
  for (const { key, field: inner } of opened.places) {
    const value = fitValue(inner as Field, item[key])
    if (value !== undefined) result[key] = value
  }
  return isNothing(result) ? undefined : result
}
