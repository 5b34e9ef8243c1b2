import { newId } from '../identifiers.ts'
import type { StoredValues } from './document.ts'
import type { ConversionEnvironment, Item, Nesting } from './field-type.ts'
import { type Field, isMultiple, typeOf } from './index.ts'
import { number } from './number.ts'
import { text } from './text.ts'
import { isItem, isNothing, joinPath } from './walk.ts'

export type { ConversionEnvironment } from './field-type.ts'

export interface Conversion {
  /** The value in the field's new shape. `undefined` if nothing is left of it. */
  value: unknown
  /** Why part of the value was lost. `null`: nothing was lost. */
  lost: LossReason | null
}

/** `modelRemoved`: references are kept, but point to documents of models that the field no longer allows. */
export type LossReason = 'removed' | 'typeChanged' | 'multipleOff' | 'modelRemoved'

/**
 * Receives each loss of a conversion: the path of the field, and the reason. A path consists of field uids. If a field
 * has items of several types, the type of the item follows in brackets (`sections[hero].data.title`). The path does not
 * identify the item.
 */
export type TellLoss = (path: string, reason: LossReason) => void

/** A field whose stored values need conversion. `to` is `null` if the field is removed. */
export interface FieldChange {
  from: Field
  to: Field | null
}

export interface ModelConversion {
  /** The model's version after the change. Values stored with an older version must be converted. */
  version: number
  /** The changed fields, each at most once. Their custom types are resolved as of the time of the change. */
  changes: FieldChange[]
  /** Change of the reserved unique values of documents. Omitted: they stay as they are. */
  unique?: UniqueChange
  /** Version under which the values from before the change are stored, so that the change can be undone. */
  keeps?: number
  /** The change that this conversion undoes. Its stored values are restored unless they were edited since. */
  takesBack?: { version: number; changes: FieldChange[] }
  /**
   * Values that prevent the conversion of documents, because another published document has the same value in a unique
   * field.
   */
  repeated?: RepeatedValue[]
}

/** A value of a unique field that several published documents have. `value` is a text, which may be truncated. */
export interface RepeatedValue {
  /** Path of the value in one of the documents. */
  field: string
  value: string
  /** `_id`s of some documents with this value. The first documents with this value may be missing. */
  documents: string[]
}

/** A change of fields that affects the reserved unique values of documents. */
export interface UniqueChange {
  /** `_id`s of the fields, at any depth, that became unique, are no longer unique, or are unique and were converted. */
  fieldIds: string[]
  /** `_id`s of the model's top-level fields that are, or contain, these fields. */
  holderIds: string[]
}

/** Returns the fields whose stored values must be converted. */
export function fieldChanges(before: Field[], after: Field[]): FieldChange[] {
  const byId = new Map(after.map((field) => [field._id, field]))
  return before.flatMap((from): FieldChange[] => {
    const to = byId.get(from._id) ?? null
    return to === null || needsConversion(from, to) ? [{ from, to }] : []
  })
}

/** Returns whether stored values of `from` need {@link convertValue} to become values of `to`. */
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

/** Converts a stored value of the field `from` to the field `to`. `to` is `null` if the field is removed. */
export function convertValue(
  from: Field,
  to: Field | null,
  value: unknown,
  environment?: ConversionEnvironment,
  tell?: TellLoss,
): Conversion {
  return convertAt(from.uid, from, to, value, { environment, tell })
}

interface Around {
  environment: ConversionEnvironment | undefined
  tell: TellLoss | undefined
}

/** Used instead of `emptyItem` if empty items are not kept. No item equals it. */
const unkept = Symbol('unkept')

function convertAt(path: string, from: Field, to: Field | null, value: unknown, around: Around): Conversion {
  if (value === undefined) return { value: undefined, lost: null }
  if (to === null) {
    around.tell?.(path, 'removed')
    return { value: undefined, lost: 'removed' }
  }
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const emptyItem = isMultiple(to) && Array.isArray(value) ? (typeOf(to).emptyItem ?? unkept) : unkept
  const kept: unknown[] = []
  let lost: Conversion['lost'] = null
  for (const item of items) {
    const converted = convertItem(path, from, to, item, around)
    if (converted.lost) lost = converted.lost
    if (converted.value !== undefined) kept.push(converted.value)
    else if (item === emptyItem) kept.push(emptyItem)
  }
  if (kept.length === 0) return { value: undefined, lost }
  if (isMultiple(to)) return { value: kept, lost }
  if (kept.length > 1) {
    around.tell?.(path, 'multipleOff')
    lost ??= 'multipleOff'
  }
  return { value: kept[0], lost }
}

/** Returns a document's values after the changes. Values of which nothing remains are omitted. */
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

function convertItem(path: string, from: Field, to: Field, item: unknown, around: Around): Conversion {
  const { environment, tell } = around
  const type = typeOf(to)
  const kept = from.type === to.type && type.keepsValues?.(from, to) !== false
  if (kept && type.nesting) return convertInside(path, type.nesting, from, to, item, around)
  const convert = type.from?.[from.type] ?? typeOf(from).into?.[to.type]
  const converted = kept ? { item } : convert?.(item, { from, to, environment })
  const read = converted && type.parse(converted.item, to)
  const lossy = !read?.ok || converted?.lossy
  const lost = lossy ? (lossy === true ? 'typeChanged' : lossy) : null
  if (lost) tell?.(path, lost)
  return { value: read?.ok ? read.value : undefined, lost }
}

/** Converts the inner values of an item, each as a value of its own field. */
function convertInside(
  path: string,
  nesting: Nesting<object>,
  from: Field,
  to: Field,
  item: unknown,
  around: Around,
): Conversion {
  const before = isItem(item) ? nesting.open(item, from) : null
  const after = isItem(item) ? nesting.open(item, to) : null
  const frame = Object.values(before?.frame ?? {}).join(' ')
  const at = frame === '' ? path : `${path}[${frame}]`
  if (!isItem(item) || !before || !after) {
    around.tell?.(at, 'typeChanged')
    return { value: undefined, lost: 'typeChanged' }
  }
  const fields = new Map(after.places.map(({ key, field }) => [key, field as Field]))
  const result = itemLike(nesting, to, item)
  let lost: Conversion['lost'] = null
  for (const { key, name, field } of before.places) {
    const kept = fields.get(key) ?? null
    const inner = convertAt(joinPath(at, name), field as Field, kept, item[key], around)
    if (inner.lost) lost = inner.lost
    if (inner.value !== undefined) result[key] = inner.value
  }
  return { value: isNothing(result) ? undefined : result, lost }
}

/**
 * Creates the new item before its inner values are added: with its `_id`, if the field's items have one, and its frame.
 */
function itemLike({ ids, frameKeys }: Nesting<object>, field: Field, item: Item): Item {
  const result: Item = ids === 'always' || isMultiple(field) ? { _id: item._id ?? newId() } : {}
  for (const key of frameKeys) result[key] = item[key]
  return result
}

/**
 * Adapts a value from an older version of the model (from a revision) to the current field. Returns `undefined` for
 * values that do not fit. A text may come from a field of any type, so HTML must be sanitised before use.
 */
export function fitValue(field: Field, value: unknown): unknown {
  if (value === undefined) return undefined
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const fitted = items.map((item) => fitItem(field, item)).filter((item) => item !== undefined)
  if (fitted.length === 0) return undefined
  return isMultiple(field) ? fitted : fitted[0]
}

/** Returns the values of a revision that fit the current fields, adapted by {@link fitValue}. */
export function fitValues(fields: readonly Field[], values: StoredValues): StoredValues {
  const fitted: StoredValues = {}
  for (const field of fields) {
    const value = fitValue(field, values[field._id])
    if (value !== undefined) fitted[field._id] = value
  }
  return fitted
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
