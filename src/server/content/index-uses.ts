import type { ContentModel } from './model.ts'
import { indexedExpression } from './query/sql.ts'
import type { Condition, Leaf, ParsedQuery, Test } from './query/tree.ts'

/** A field that an index would help with; `descending`: one that has the largest values first. */
export interface IndexUse {
  modelId: number
  fieldId: string
  descending: boolean
}

const served = new Set<Test['operator']>(['eq', 'in', 'lt', 'lte', 'gt', 'gte'])

/** The fields of the model, and of those it refers to, whose single values a query compares or sorts by first. */
export function usesOf(model: ContentModel, query: ParsedQuery): IndexUse[] {
  const uses: IndexUse[] = []
  const add = (modelId: number, leaf: Leaf, descending: boolean) => {
    if (leaf.kind === 'field' && indexedExpression(leaf.field) !== undefined)
      uses.push({ modelId, fieldId: leaf.field._id, descending })
  }
  const walk = (condition: Condition): void => {
    if (condition.kind === 'and' || condition.kind === 'or') for (const item of condition.items) walk(item)
    if (condition.kind !== 'test') return // of what is not so, there is mostly much
    let owner = model.id
    for (const { field, target } of condition.via) {
      add(owner, { kind: 'field', field }, false)
      owner = target.id
    }
    if (served.has(condition.operator)) add(owner, condition.leaf, false)
  }
  walk(query.where)
  const [first] = query.order
  if (first) add(model.id, first.leaf, first.descending)
  return uses
}
