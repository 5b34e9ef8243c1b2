import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'

/** An item of a value that is made of inner values, to be shown. */
export interface ShownItem {
  /** The custom type or type that it is of, where there are several. */
  type: { customType: string } | { type: Field['type'] } | null
  /** Inner fields that something stands in. */
  parts: { field: Field; value: unknown }[]
}

type Item = Record<string, unknown>

/** The items of a value as the API answers it. */
export function itemsOf(value: unknown): Item[] {
  return [value ?? []].flat().filter((item): item is Item => typeof item === 'object' && item !== null)
}

/** The inner values of an item of a custom type; none of one that is not known here (yet). */
export function partsOf(uid: string, item: Item, types: readonly CustomType[]): ShownItem['parts'] {
  const fields = types.find((type) => type.uid === uid)?.fields ?? []
  return fields.flatMap((field) => (item[field.uid] === undefined ? [] : [{ field, value: item[field.uid] }]))
}

/** Everything in two values that can be read, a line for each: what is compared word by word. */
export function comparedTexts(value: unknown, other: unknown): [string, string] {
  return [linesOf(value).join('\n'), linesOf(other).join('\n')]
}

function linesOf(value: unknown): string[] {
  if (value == null) return []
  if (typeof value !== 'object') return [String(value)]
  return Object.entries(value).flatMap(([name, inner]) => (name === '_id' ? [] : linesOf(inner)))
}
