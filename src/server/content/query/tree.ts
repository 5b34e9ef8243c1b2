import type { Item } from '#shared/fields/field-type.ts'
import { type Field, isMultiple } from '#shared/fields/index.ts'
import type { Format } from '../fields/field-type.ts'
import type { ContentModel } from '../model.ts'

/**
 * What a query string means once it is read against a model: nothing here is a name or text of the client's that SQL
 * would have to trust. Every `Field` and `ContentModel` is the registry's own object; values are parameters later.
 */
export interface ParsedQuery {
  where: Condition
  order: OrderKey[]
  /** null: every field. */
  select: Selection | null
  /** Other forms that fields are wanted in, by their dotted paths. */
  formats: ReadonlyMap<string, Format>
  skip: number
  limit: number
  depth: number
  /** Words that must all occur in the model's text fields, normalised, with hiragana for either kana. */
  search: string[]
  /** What the conditions may cost the database, in conditions on a field of the model. */
  cost: number
}

export type Condition = { kind: 'and' | 'or'; items: Condition[] } | { kind: 'not'; item: Condition } | Test

/**
 * One positive test; `ne`, `nin`, `exists=false` and `key=` are a `not` around one. Through references it holds when
 * it holds for any of the contents referred to.
 */
export type Test =
  | (TestOf<'eq' | 'in'> & { values: Value[] })
  | (TestOf<'all'> & { values: Value[] })
  | (TestOf<'lt' | 'lte' | 'gt' | 'gte'> & { value: Value })
  | TestOf<'exists'>
  | (TestOf<'match'> & { text: string })

interface TestOf<Operator extends string> {
  kind: 'test'
  operator: Operator
  /** Reference fields to go through, from the queried model on. */
  via: Step[]
  leaf: Leaf
}

export interface Step extends FieldPlace {
  /** The model referred to. */
  target: ContentModel
}

export type Leaf = ({ kind: 'field' } & FieldPlace) | { kind: 'system'; name: SystemName }

/** A field of a model, or one inside of its values. */
export interface FieldPlace {
  field: Field
  /** The items around its values, from the outside to the inside; never empty. */
  inside?: Inside[]
}

/** An item of a value, on the way to an inner one. */
export interface Inside {
  /** The field that the item is a value of. */
  field: Field
  /** What a stored item says of itself that has the inner value. */
  frame: Item
  /** Under which key it has it. */
  key: string
}

/** Is there one such item in a value at most, whatever it is? */
export const isOnly = ({ field, frame }: Inside) => !isMultiple(field) && Object.keys(frame).length === 0

/** Does it lie inside of another field's values? */
export const isInner = (leaf: Leaf) => leaf.kind === 'field' && leaf.inside !== undefined

export const systemNames = [
  '_id',
  '_sys.createdAt',
  '_sys.updatedAt',
  '_sys.customOrder',
  '_sys.raw.createdAt',
  '_sys.raw.updatedAt',
  '_sys.raw.firstPublishedAt',
  '_sys.raw.publishedAt',
  '_sys.status',
  '_sys.createdBy',
  '_sys.updatedBy',
] as const
export type SystemName = (typeof systemNames)[number]

/** A value to compare with, already of the field's kind. Dates are the span of time that was written. */
export type Value =
  | { kind: 'text' | 'id'; text: string }
  | { kind: 'number'; number: number }
  | { kind: 'boolean'; boolean: boolean }
  | Span

/** A day, a month, …: from `start` up to but not including `end` (ISO, UTC, milliseconds; null: no end). */
export interface Span {
  kind: 'span'
  start: string
  end: string | null
}

export interface OrderKey {
  leaf: Leaf
  descending: boolean
}

/** The order of the delivery API's lists when none is asked for. */
export const newestFirst: OrderKey[] = [
  { leaf: { kind: 'system', name: '_sys.createdAt' }, descending: true },
]

/** Selected names at one level; a nested selection applies to the contents a reference field expands to. */
export interface Selection {
  /** Field uid → what of it: `true` for all. */
  fields: Map<string, Selection | true>
  /** Wanted names under `_sys`, dotted and without `_sys.` (`''` means all of it). */
  sys: Set<string>
}

/** The models behind references that a condition looks at. */
export function modelsBehind(condition: Condition): ContentModel[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.items.flatMap(modelsBehind)
    case 'not':
      return modelsBehind(condition.item)
    case 'test':
      return condition.via.map(({ target }) => target)
  }
}
