import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Issue } from '#shared/errors.ts'
import type { InnerPlace, Item, Nesting } from '#shared/fields/field-type.ts'
import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { isItem } from '#shared/fields/walk.ts'
import { newId } from '#shared/identifiers.ts'
import type { LookOf } from '../field-props.ts'

export type { Item } from '#shared/fields/field-type.ts'

/** An inner field as it is sent: under its name. */
export type Place = Pick<InnerPlace, 'name'> & { field: Field }

/** Something that an item may be: what it says of itself, and the inner field that follows from that. */
export interface Kind {
  frame: Item
  field: Field
}

/** How values of a field are made of others. Throws for a field of a type whose values are not. */
export function nestingOf(field: Field): Nesting<object> {
  const { nesting } = typeOf(field)
  if (!nesting) throw new TypeError(`nothing lies in values of ${field.type}`)
  return nesting
}

/** What an item of this field may be; one kind that says nothing of itself where all are the same. */
export function kindsOf(field: Field): Kind[] | null {
  return (nestingOf(field).kinds?.(field) as Kind[] | undefined) ?? null
}

/** Are the items of this field known by an `_id`, and so a list? The other form is one group of inner fields. */
export const isList = (field: Field): boolean => isMultiple(field) || nestingOf(field).ids === 'always'

/** The inner fields of an item as it is sent; null for one that is none of this field. */
export function placesOf(field: Field, item: Item): Place[] | null {
  const read = nestingOf(field).read(item, field)
  return 'code' in read ? null : (read.places as unknown as Place[])
}

/** What an item says of itself beside its `_id` and inner values. */
export function frameOf(field: Field, item: Item): Item {
  return Object.fromEntries(nestingOf(field).frameKeys.map((key) => [key, item[key]]))
}

/** The items of a value. */
export const itemsOf = (value: unknown): Item[] => [value ?? []].flat().filter(isItem)

/** What an item holds that its type does not know (any more): by name. */
export function leftOvers(field: Field, item: Item, places: readonly Place[]): string[] {
  const known = new Set(['_id', ...nestingOf(field).frameKeys, ...places.map(({ name }) => name)])
  return Object.keys(item).filter((name) => !known.has(name))
}

/** A new item with what its inner fields begin with. */
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

/** The item with another inner value; an empty one is left out. */
export function withInner(item: Item, name: string, value: unknown): Item {
  if (!isNothing(value)) return { ...item, [name]: value }
  const { [name]: _, ...rest } = item
  return rest
}

const isNothing = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The same with `_id`s that nothing has. */
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

/** The issues below a name, paths relative to it. The same array whenever there are none. */
export function issuesUnder(issues: readonly Issue[], name: string): readonly Issue[] {
  const found = issues.flatMap((issue) => {
    if (issue.path === name) return [{ ...issue, path: '' }]
    return issue.path.startsWith(`${name}.`) ? [{ ...issue, path: issue.path.slice(name.length + 1) }] : []
  })
  return found.length > 0 ? found : noIssues
}

/** What a type is called by people: that of a custom type is its own name. */
export function typeName(
  field: Field,
  customTypes: readonly CustomType[],
  nameOf: (type: Field['type']) => string,
): string {
  const uid = typeOf(field).customType?.uid(field)
  if (uid === undefined) return nameOf(field.type)
  return customTypes.find((type) => type.uid === uid)?.name ?? uid
}

/** Inner values without any of their own, from the outside to the inside and in order. */
export function* leaves(field: Field, item: Item): Generator<{ field: Field; value: unknown }> {
  for (const { name, field: at } of placesOf(field, item) ?? []) {
    const value = item[name]
    if (isNothing(value)) continue
    if (!typeOf(at).nesting) yield { field: at, value }
    else for (const inner of itemsOf(value)) yield* leaves(at, inner)
  }
}

/** Where a path leads to in a value of the field: what stands on the way, by name, and the innermost field. */
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
