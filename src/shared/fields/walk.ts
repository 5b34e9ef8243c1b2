import { isShown } from './conditions.ts'
import type { InnerPlace, Item } from './field-type.ts'
import { type Field, isMultiple, typeOf } from './index.ts'

/** A document's values as they are stored: keyed by the field's `_id`, empty ones left out. */
export type StoredValues = Record<string, unknown>

/** A field of a document or inside one of its values, with what stands in it: undefined for nothing. */
export interface Visited {
  /** Uids, and indexes of items of fields with several values: `sections.2.data.title`. */
  path: string
  field: Field
  value: unknown
}

/** As {@link walk} comes by. */
export interface WalkedField extends Visited {
  /** Is the field in the form, as the values beside it are, and is what stands around it? */
  shown: boolean
}

/** An item of a value with its inner values, as {@link openItems} finds it. */
export interface OpenItem {
  item: Item
  /** `''`, or its index in a field with several values. */
  path: string
  /** What is sent of it beside its `_id` and inner values. */
  frame: Item
  places: (InnerPlace & { field: Field })[]
}

/**
 * Goes through all values of a document, from the outside to the inside and in order. A field is visited also when
 * nothing stands in it, unless nothing stands around it.
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

/** The same of one field's value; `path` is that of the field. */
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

/** The items of a stored value of a type with inner fields; none of a value of other types. */
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
 * A stored value with what `change` makes of every value in it that has no inner values; undefined removes one. Items
 * that have an `_id` stay, though nothing be left in them.
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

/** Is this an item that nobody would miss: without anything in it, and without an `_id` to be known by? */
export const isNothing = (item: Item): boolean => Object.keys(item).length === 0

export const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields and all that their values may hold; those of a custom type once. */
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

/** The fields of this name that values of a field may hold: several, where values may be of several types. */
export function innerNamed(field: Field, name: string): Field[] {
  const inner = (typeOf(field).nesting?.fields(field) ?? []) as Field[]
  return inner.filter(({ uid }) => uid === name)
}

/** Where an inner value lies: under `key` of those items that say what `frame` says. */
export interface InnerValuePlace {
  frame: Item
  key: string
  field: Field
}

/** The same with where their values are stored. */
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

/** `head.tail`, or either when the other is empty. */
export function joinPath(head: string, tail: string): string {
  return tail === '' ? head : head === '' ? tail : `${head}.${tail}`
}
