import type { Item } from '#shared/fields/field-type.ts'
import { type Field, isMultiple } from '#shared/fields/index.ts'
import type { Format } from '../fields/field-type.ts'
import type { ContentModel } from '../model.ts'

/**
 * A query string resolved against a model. It contains no client text that becomes part of SQL: every `Field` and
 * `ContentModel` comes from the registry, and values become parameters.
 */
export interface ParsedQuery {
  where: Condition
  order: OrderKey[]
  /** null: all fields. */
  select: Selection | null
  /** Requested alternative forms, by dotted path. */
  formats: ReadonlyMap<string, Format>
  skip: number
  limit: number
  depth: number
  /** Words that must all occur in the model's text fields; normalised, with katakana folded to hiragana. */
  search: string[]
  /** Estimated cost for the database. A simple condition on a field of the model costs 1. */
  cost: number
}

export type Condition = { kind: 'and' | 'or'; items: Condition[] } | { kind: 'not'; item: Condition } | Test

/**
 * One positive test; `ne`, `nin`, `exists=false` and `key=` wrap one in `not`. A test through references is true if it
 * is true for any referenced content.
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
  /** Reference fields to follow, from the queried model on. */
  via: Step[]
  leaf: Leaf
}

export interface Step extends FieldPlace {
  target: ContentModel
}

export type Leaf = ({ kind: 'field' } & FieldPlace) | { kind: 'system'; name: SystemName }

/** A field of a model, or a field inside its values. */
export interface FieldPlace {
  field: Field
  /** The enclosing items, from the outermost to the innermost. Never empty. */
  inside?: Inside[]
}

export interface Inside {
  /** The field whose value contains the item. */
  field: Field
  /**
   * Properties of the items that can contain the inner value, for example their type. Empty: all items of the field.
   */
  frame: Item
  /** The key of the inner value within the item. */
  key: string
}

/** Returns whether every value of the field has at most one item, and this item can contain the inner value. */
export const isOnly = ({ field, frame }: Inside) => !isMultiple(field) && Object.keys(frame).length === 0

/** Checks whether the leaf is nested inside another field's values. */
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

/** An operand in the field's type. A date is the span of time that the text denotes. */
export type Value =
  | { kind: 'text' | 'id'; text: string }
  | { kind: 'number'; number: number }
  | { kind: 'boolean'; boolean: boolean }
  | Span

/** A day, a month, etc.: from `start` up to but not including `end` (ISO, UTC, milliseconds). `end` null: no end. */
export interface Span {
  kind: 'span'
  start: string
  end: string | null
}

export interface OrderKey {
  leaf: Leaf
  descending: boolean
}

/** The default order of the delivery API's lists. */
export const newestFirst: OrderKey[] = [
  { leaf: { kind: 'system', name: '_sys.createdAt' }, descending: true },
]

/**
 * Selected names at one level. A nested selection applies to inner values, or to the contents to which a reference
 * field expands.
 */
export interface Selection {
  /** Field `uid` → its selection, or `true` for the whole field. */
  fields: Map<string, Selection | true>
  /** Selected names under `_sys`, dotted and without `_sys.` (`''` means all). */
  sys: Set<string>
}

/** Returns the models that a condition reaches through references. */
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
