import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Issue } from '#shared/errors.ts'
import type { InnerPlace, Item, Nesting } from '#shared/fields/field-type.ts'
import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { isItem } from '#shared/fields/walk.ts'
import { newId } from '#shared/identifiers.ts'
import type { LookOf } from '../field-props.ts'

export type { Item } from '#shared/fields/field-type.ts'

/** An inner field, with the name of its value in the API. */
export type Place = Pick<InnerPlace, 'name'> & { field: Field }

/** A kind of item. `frame`: the properties that state the kind. */
export interface Kind {
  frame: Item
  field: Field
}

/** Returns how the values of a field contain other values. Throws `TypeError` for field types without inner values. */
export function nestingOf(field: Field): Nesting<object> {
  const { nesting } = typeOf(field)
  if (!nesting) throw new TypeError(`nothing lies in values of ${field.type}`)
  return nesting
}

/** Returns the kinds of items of this field; null if all items are of one kind. */
export function kindsOf(field: Field): Kind[] | null {
  return (nestingOf(field).kinds?.(field) as Kind[] | undefined) ?? null
}

/** Returns whether items have an `_id` and form a list. Otherwise the value is one group of inner fields. */
export const isList = (field: Field): boolean => isMultiple(field) || nestingOf(field).ids === 'always'

/** Returns the inner fields of an item; null for an item that does not match the field. */
export function placesOf(field: Field, item: Item): Place[] | null {
  const read = nestingOf(field).read(item, field)
  return 'code' in read ? null : (read.places as unknown as Place[])
}

/** Returns the properties that state an item's kind. */
export function frameOf(field: Field, item: Item): Item {
  return Object.fromEntries(nestingOf(field).frameKeys.map((key) => [key, item[key]]))
}

/** Returns the items of a value. */
export const itemsOf = (value: unknown): Item[] => [value ?? []].flat().filter(isItem)

/** Returns the names of an item's values that its type does not define, or no longer defines. */
export function leftOvers(field: Field, item: Item, places: readonly Place[]): string[] {
  const known = new Set(['_id', ...nestingOf(field).frameKeys, ...places.map(({ name }) => name)])
  return Object.keys(item).filter((name) => !known.has(name))
}

/** Returns a new item with the initial values of its inner fields. */
export function newItem(field: Field, frame: Item, lookOf: LookOf): Item {
  const inner = (placesOf(field, frame) ?? []).flatMap(({ name, field: at }) => {
    const value = initialValue(at, lookOf)
    return value === undefined ? [] : [[name, value]]
  })
  return { ...(isList(field) ? { _id: newId() } : {}), ...frame, ...Object.fromEntries(inner) }
}

function initialValue(field: Field, lookOf: LookOf): unknown {
  if (!typeOf(field).nesting) return lookOf(field).initial?.(field) ?? undefined
  if (isList(field)) return undefined
  const item = newItem(field, {}, lookOf)
  return Object.keys(item).length > 0 ? item : undefined
}

/** Returns a copy of the item with an inner value replaced. An empty value is omitted. */
export function withInner(item: Item, name: string, value: unknown): Item {
  if (!isNothing(value)) return { ...item, [name]: value }
  const { [name]: _, ...rest } = item
  return rest
}

const isNothing = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Returns a copy of a value with new `_id`s at every level. */
export function withNewIds<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withNewIds) as Value
  if (!isItem(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    key === '_id' ? newId() : withNewIds(inner),
  ])
  return Object.fromEntries(entries) as Value
}

export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const item = list[from]
  return item === undefined ? [...list] : list.toSpliced(from, 1).toSpliced(to, 0, item)
}

const noIssues: readonly Issue[] = []

/**
 * Returns the issues at a name and below it, with paths relative to the name. Returns a constant array if there are
 * none, so that memoised components do not render again.
 */
export function issuesUnder(issues: readonly Issue[], name: string): readonly Issue[] {
  const found = issues.flatMap((issue) => {
    if (issue.path === name) return [{ ...issue, path: '' }]
    return issue.path.startsWith(`${name}.`) ? [{ ...issue, path: issue.path.slice(name.length + 1) }] : []
  })
  return found.length > 0 ? found : noIssues
}

/** Returns the display name of a type; for a custom type, its own name. */
export function typeName(
  field: Field,
  customTypes: readonly CustomType[],
  nameOf: (type: Field['type']) => string,
): string {
  const uid = typeOf(field).customType?.uid(field)
  if (uid === undefined) return nameOf(field.type)
  return customTypes.find((type) => type.uid === uid)?.name ?? uid
}

/** Yields the non-empty values of an item that contain no other values, in document order. */
export function* leaves(field: Field, item: Item): Generator<{ field: Field; value: unknown }> {
  for (const { name, field: at } of placesOf(field, item) ?? []) {
    const value = item[name]
    if (isNothing(value)) continue
    if (!typeOf(at).nesting) yield { field: at, value }
    else for (const inner of itemsOf(value)) yield* leaves(at, inner)
  }
}

/**
 * Resolves a path in a value to its steps (field names, and numbers of items counted from 1) and the innermost field.
 */
export function describePath(
  field: Field,
  path: string,
  value: unknown,
): { way: (string | number)[]; field: Field } {
  const way: (string | number)[] = []
  let [at, inside] = [field, value]
  const segments = path === '' ? [] : path.split('.')
  while (segments.length > 0 && typeOf(at).nesting) {
    if (isMultiple(at)) {
      const index = Number(segments.shift())
      way.push(index + 1)
      inside = itemsOf(inside)[index]
    }
    const name = segments.shift()
    const place = isItem(inside) ? placesOf(at, inside)?.find((one) => one.name === name) : undefined
    if (!place) break
    if (place.field.name) way.push(place.field.name)
    inside = (inside as Item)[place.name]
    at = place.field
  }
  const [index] = segments
  if (index !== undefined && /^\d+$/.test(index)) way.push(Number(index) + 1)
  return { way, field: at }
}
