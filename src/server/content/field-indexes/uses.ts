import type { FieldIndex } from '#server/db/field-indexes.ts'
import type { Field } from '#shared/fields/index.ts'
import type { ServerFieldType } from '../fields/field-type.ts'
import { serverTypeOf } from '../fields/index.ts'
import type { ContentModel } from '../model.ts'
import { conjuncts, isIndexed } from '../query/access.ts'
import { byValue, byValueInOrder } from '../query/indexes.ts'
import type { Stage } from '../query/row-sql.ts'
import {
  type Condition,
  isInner,
  newestFirst,
  type OrderKey,
  type ParsedQuery,
  type Test,
} from '../query/tree.ts'
import { isUnique } from '../unique.ts'

/**
 * Returns the indexes that would speed up this query, on the queried model and on the models that its filters reach.
 */
export function usesOf(model: ContentModel, stage: Stage, query: ParsedQuery): FieldIndex[] {
  const uses: (FieldIndex | undefined)[] = []
  const add = (test: Test, order: OrderKey[] | undefined) => {
    const { leaf, via } = test
    const owner = via.at(-1)?.target ?? model
    if (leaf.kind !== 'field' || !isIndexed(test)) return
    const inOrder =
      order &&
      test.operator === 'eq' &&
      via.length === 0 &&
      byValueInOrder(owner.id, leaf.field, order, stage)
    uses.push(inOrder || byValue(owner.id, leaf.field, false, stage))
  }
  const walk = (condition: Condition, order?: OrderKey[]): void => {
    if (condition.kind === 'and' || condition.kind === 'or') for (const item of condition.items) walk(item)
    if (condition.kind === 'test') add(condition, order) // negated tests are skipped: they usually match most documents
  }
  for (const condition of conjuncts(query.where)) walk(condition, query.order)
  const [first] = query.order
  if (first?.leaf.kind === 'field' && !isInner(first.leaf))
    uses.push(byValue(model.id, first.leaf.field, first.descending, stage))
  return uses.filter((use) => use !== undefined)
}

/**
 * Matches `uid`s of text fields by which sites find a single content. Unique fields need no index, because their
 * reserved values find the content.
 */
const names = /(?:slug|permalink|path|handle|uid|key|code)$/i
/** Maximum number of reference fields that get indexes in advance. */
const maximumReferences = 4

/** Returns the indexes that most sites need. They are built before a use is recorded. */
export function expectedUses(modelId: number, fields: Field[]): FieldIndex[] {
  const used = (purpose: ServerFieldType['usedFor']) =>
    fields.filter((field) => serverTypeOf(field).usedFor === purpose)
  const slugs = used('lookup').filter((field) => names.test(field.uid) && !isUnique(field))
  const references = used('grouping').slice(0, maximumReferences)
  const [date] = used('order')
  const latest: OrderKey[] = date ? [{ leaf: { kind: 'field', field: date }, descending: true }] : []
  return [
    ...slugs.map((field) => byValueInOrder(modelId, field, newestFirst)),
    ...references.flatMap((field) => [
      byValueInOrder(modelId, field, newestFirst),
      byValueInOrder(modelId, field, latest),
    ]),
    date && byValue(modelId, date, true),
  ].filter((use) => use !== undefined)
}
