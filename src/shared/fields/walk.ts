import { isShown } from './conditions.ts'
import type { InnerPlace, Item } from './field-type.ts'
import { type Field, isMultiple, typeOf } from './index.ts'

/** A document's stored values, keyed by the `_id` of the field. Empty values are omitted. */
export type StoredValues = Record<string, unknown>

/** A field at any depth in a document, with its value. `value` is `undefined` if it is empty. */
export interface Visited {
  /** Uids, and indexes of items of multiple fields: `sections.2.data.title`. */
  path: string
  field: Field
  value: unknown
}

export interface WalkedField extends Visited {
  /** Whether the form shows the field and all fields that contain it, given the values of their siblings. */
  shown: boolean
}

export interface OpenItem {
  item: Item
  /** `''`, or the index in a multiple field. */
  path: string
  /** The properties sent in addition to `_id` and inner values. */
  frame: Item
  places: (InnerPlace & { field: Field })[]
}

/**
 * Visits all values of a document in order, outer values before inner values. Empty fields are visited too, but not
 * fields inside an empty value.
 */
export function walk(
  { fields }: { fields: Field[] },
  values: StoredValues,
  visit: (walked: WalkedField) => void,
): void {
  const valueIn = ({ _id }: Field) => values[_id]
  for (const field of fields)
    walkField(field, values[field._id], field.uid, visit, isShown(field, fields, valueIn))
}

/** Visits the value of one field like {@link walk}. `path` is the path of the field. */
export function walkField(
  field: Field,
  value: unknown,
  path: string,
  visit: (walked: WalkedField) => void,
  shown = true,
): void {
  visit({ path, field, value, shown })
  for (const { item, path: at, places } of openItems(field, value)) {
    const beside = places.map((place) => place.field)
    const valueIn = (other: Field) => item[places[beside.indexOf(other)]?.key ?? '']
    for (const { key, name, field: inner } of places) {
      const innerShown = shown && isShown(inner, beside, valueIn)
      walkField(inner, item[key], joinPath(joinPath(path, at), name), visit, innerShown)
    }
  }
}

/** Returns the items of a stored value of a type with inner fields. Empty for other types. */
export function openItems(field: Field, value: unknown): OpenItem[] {
  const { nesting } = typeOf(field)
  if (!nesting || value === undefined) return []
  const several = isMultiple(field)
  const items: unknown[] = Array.isArray(value) ? (several ? value : value.slice(0, 1)) : [value]
  return items.flatMap((item, index) => {
    const opened = isItem(item) && nesting.open(item, field)
    if (!opened) return []
    return [{ item, path: several ? String(index) : '', ...opened } as OpenItem]
  })
}

/**
 * Returns a stored value with `change` applied to every value without inner values. If `change` returns `undefined`,
 * the value is removed. Items with an `_id` are kept even if nothing remains in them.
 */
export function mapValue(
  field: Field,
  value: unknown,
  change: (visited: Visited) => unknown,
  path: string = field.uid,
): unknown {
  if (!typeOf(field).nesting) return change({ path, field, value })
  const items = openItems(field, value).flatMap(({ item, path: at, places }) => {
    const result = { ...item }
    for (const { key, name, field: inner } of places) {
      const changed = mapValue(inner, item[key], change, joinPath(joinPath(path, at), name))
      if (changed === undefined) delete result[key]
      else result[key] = changed
    }
    return isNothing(result) ? [] : [result]
  })
  return isMultiple(field) ? (items.length > 0 ? items : undefined) : items[0]
}

/** Returns whether the item can be dropped: it contains no value and has neither an `_id` nor a frame. */
export const isNothing = (item: Item): boolean => Object.keys(item).length === 0

export const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the fields and all fields nested in them. The fields of a custom type occur only once. */
export function allFields(fields: Field[]): Field[] {
  if (fields.every((field) => !typeOf(field).nesting)) return fields
  const found: Field[] = []
  const opened = new Set<string>()
  const add = (field: Field): void => {
    const { nesting, customType } = typeOf(field)
    found.push(field)
    if (customType) {
      const { _id } = customType.definition(field)
      if (opened.has(_id)) return
      opened.add(_id)
    }
    for (const inner of nesting?.fields(field) ?? []) add(inner as Field)
  }
  for (const field of fields) add(field)
  return found
}

/** Returns the inner fields with this name. There may be several if values may have several types. */
export function innerNamed(field: Field, name: string): Field[] {
  const inner = (typeOf(field).nesting?.fields(field) ?? []) as Field[]
  return inner.filter(({ uid }) => uid === name)
}

/** Location of an inner value: `key` in items with this `frame`. */
export interface InnerValuePlace {
  frame: Item
  key: string
  field: Field
}

/** Returns the inner fields with this name, with the location of their stored values. */
export function innerPlaces(field: Field, name: string): InnerValuePlace[] {
  const { nesting } = typeOf(field)
  const kinds = nesting?.kinds?.(field).map(({ frame }) => frame) ?? [{}]
  return kinds.flatMap((kind) => {
    const read = nesting?.read(kind, field)
    if (!read || 'code' in read) return []
    return read.places.flatMap((place) =>
      place.name === name ? [{ frame: read.frame, key: place.key, field: place.field as Field }] : [],
    )
  })
}

/** Returns `head.tail`, or one of them if the other is empty. */
export function joinPath(head: string, tail: string): string {
  return tail === '' ? head : head === '' ? tail : `${head}.${tail}`
}
