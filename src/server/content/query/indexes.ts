import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { FieldIndex } from '#server/db/field-indexes.ts'
import { type Field, isMultiple } from '#shared/fields/index.ts'
import { idPattern } from '#shared/identifiers.ts'
import { serverTypeOf } from '../fields/index.ts'
import { comparisonOf } from '../model.ts'
import { SqlWriter } from './conditions.ts'
import type { Stage } from './row-sql.ts'
import { isInner, type Leaf, type OrderKey, systemNames } from './tree.ts'

/*
 * The indexes that lists can use, as the SQL of their columns. Filters and sorting use the same SQL, with a table
 * alias.
 */

const writers = {
  published: new SqlWriter({ id: 0 }, 'published'),
  current: new SqlWriter({ id: 0 }, 'current'),
}

/**
 * Returns the expression for a field's single value; undefined if the field is multiple, or if its type or settings do
 * not allow an index (`isIndexable`).
 */
function expressionOf(field: Field, stage: Stage): string | undefined {
  if (isMultiple(field) || !serverTypeOf(field).isIndexable?.(field)) return undefined
  return `(${writers[stage].expression({ kind: 'field', field }, '')})`
}

/**
 * Returns an index by value, for ranges and sorting; undefined if the field cannot have one. Descending order needs a
 * separate index, because empty values come last in both directions.
 */
export function byValue(
  modelId: number,
  field: Field,
  descending = false,
  stage: Stage = 'published',
): FieldIndex | undefined {
  const expression = expressionOf(field, stage)
  if (expression === undefined) return undefined
  const keys = `${expression}${descending ? ' DESC NULLS LAST' : ''}, id`
  const texts = comparisonOf(field) === 'number' ? [] : [expression]
  return { modelId, fieldId: field._id, stage, keys, texts }
}

/**
 * Returns an index of the documents with each value in the order of a list; undefined if this field or order cannot
 * have one.
 */
export function byValueInOrder(
  modelId: number,
  field: Field,
  order: OrderKey[],
  stage: Stage = 'published',
): FieldIndex | undefined {
  const own = byValue(modelId, field, false, stage)
  const [key] = order
  if (!own || !key || order.length > 1) return undefined
  const first = own.keys.slice(0, -', id'.length)
  const { leaf, descending } = key
  if (leaf.kind === 'system') return { ...own, keys: `${first}, ${writers[stage].order(order, '')}` }
  if (isInner(leaf)) return undefined
  const then = byValue(modelId, leaf.field, descending, stage)
  if (!then || leaf.field._id === field._id) return undefined
  return { ...own, keys: `${first}, ${then.keys}`, texts: [...own.texts, ...then.texts] }
}

/** Returns the index with these columns that the model's current fields can have; undefined if no field can have it. */
export function indexWith(modelId: number, fieldId: string, keys: string, fields: Field[]) {
  const field = fields.find(({ _id }) => _id === fieldId)
  if (!field) return undefined
  const leaves: Leaf[] = [
    ...systemNames.map((name): Leaf => ({ kind: 'system', name })),
    ...fields.map((other): Leaf => ({ kind: 'field', field: other })),
  ]
  const possible = (['published', 'current'] as const).flatMap((stage) =>
    [false, true].flatMap((descending) => [
      byValue(modelId, field, descending, stage),
      ...leaves.map((leaf) => byValueInOrder(modelId, field, [{ leaf, descending }], stage)),
    ]),
  )
  return possible.find((index) => index?.keys === keys)
}

/** Cached digests of keys, because every list query needs some of them. */
const digests = new LRUCache<string, string>({ max: 5000 })

/**
 * Returns the name of an index. It contains a digest of the keys, so an index with different keys has a different name.
 */
export function indexName({
  modelId,
  fieldId,
  keys,
}: Pick<FieldIndex, 'modelId' | 'fieldId' | 'keys'>): string {
  if (!Number.isSafeInteger(modelId) || !idPattern.test(fieldId))
    throw new TypeError('not a field of a model')
  let digest = digests.get(keys)
  if (digest === undefined) {
    digest = createHash('sha256').update(keys).digest('hex').slice(0, 8)
    digests.set(keys, digest)
  }
  return `field_index_${modelId}_${fieldId}_${digest}`
}
