import type { FieldIndex, KnownIndexes } from '#server/db/field-indexes.ts'
import { isMultiple } from '#shared/fields/index.ts'
import { type ContentModel, comparisonOf, targetsOf } from '../model.ts'
import { gramsOf, normalizeText } from '../text.ts'
import { isUnique } from '../unique.ts'
import { byValue, byValueInOrder } from './indexes.ts'
import { isSearchable } from './paths.ts'
import type { Stage } from './row-sql.ts'
import { type Condition, isInner, newestFirst, type ParsedQuery, type Test, type Value } from './tree.ts'

/*
 * How a list finds its documents. PostgreSQL's planner may choose a bad plan. It ignores the cost of decompressing the
 * body of each row that is read. It also ignores the correlation between values and the order of the list. Therefore
 * the choice is made here, by the data that can be found without reading bodies.
 */
export interface Access {
  /**
   * The condition by which documents are found first. They are found by an index on the field (`by` contains all tests
   * of that field), by references, or by character pairs in texts. If the condition finds more candidates than the
   * limit (list-writer.ts), the list scans documents in its order instead.
   */
  candidates?: Candidates
  /**
   * Set if an index contains the documents with this value in the order of the list. A scan of the index needs no
   * sorting.
   */
  walk?: { by: Test; value: Value }
  /** Set if at most one document matches, because the value is reserved. */
  single?: true
}

export type Candidates =
  | { from: 'index'; by: Test[] }
  | { from: 'references' | 'texts'; by: Test }
  | { from: 'search' }

export interface AccessOptions {
  indexes: Pick<KnownIndexes, 'has'> | undefined
}

/** Returns the conditions of an AND, or the condition itself. */
export function conjuncts(condition: Condition): Condition[] {
  return condition.kind === 'and' ? condition.items.flatMap(conjuncts) : [condition]
}

export function chooseAccess(
  model: ContentModel,
  stage: Stage,
  query: ParsedQuery,
  { indexes }: AccessOptions,
): Access {
  const conditions = conjuncts(query.where)
  const tests = conditions.filter((condition): condition is Test => condition.kind === 'test')
  const published = stage === 'published'
  if (published && tests.some(isReserved)) return { single: true }

  const isKnown = (index: FieldIndex | undefined) => index !== undefined && indexes?.has(index) === true
  const walks = tests.flatMap((by) => {
    const value = equalValue(by)
    const { leaf } = by
    return value && leaf.kind === 'field' && isKnown(byValueInOrder(model.id, leaf.field, query.order, stage))
      ? [{ by, value }]
      : []
  })
  const [walk] = walks
  if (walk && conditions.length === 1 && query.search.length === 0) return { walk }

  const sourceOf = (test: Test): Ranked | undefined => {
    const { leaf, via, operator } = test
    const field = via[0]?.field ?? (leaf.kind === 'field' ? leaf.field : undefined)
    if (!field) return undefined
    if (via.length === 0 && isIndexed(test)) {
      const orders = [query.order, newestFirst]
      const leading = [
        byValue(model.id, field, false, stage),
        ...orders.map((order) => byValueInOrder(model.id, field, order, stage)),
      ]
      const isSame = ({ leaf: other, via }: Test) =>
        via.length === 0 && !isInner(other) && other.kind === 'field' && other.field === field
      if (leading.some(isKnown))
        return {
          from: 'index',
          by: tests.filter((other) => isSame(other) && isIndexed(other)),
          rank: ranks[comparisonOf(field)],
        }
    }
    const refers = via.length > 0 || operator === 'eq' || operator === 'in' || operator === 'all'
    if (refers && targetsOf(model, field)?.length)
      return { from: 'references', by: test, rank: via.length > 0 ? 4 : 2 }
    if (via.length > 0 || !isSearchable(leaf)) return undefined
    if (operator === 'match') return { from: 'texts', by: test, rank: 5 }
    const texts = equalTexts(test)
    const found = texts.length > 0 && texts.every((text) => gramsOf(normalizeText(text)).length > 0)
    return found ? { from: 'texts', by: test, rank: 3 } : undefined
  }
  const sources: Ranked[] = tests.flatMap((test) => sourceOf(test) ?? [])
  if (query.search.length > 0) sources.push({ from: 'search', rank: 5 })
  const [best] = sources.sort((a, b) => a.rank - b.rank)
  return { ...(best ? { candidates: best } : {}), ...(walk ? { walk } : {}) }
}

type Ranked = Candidates & { rank: number }

/** Ranks of conditions by the type of comparison. Lower ranks usually find fewer documents and are preferred. */
const ranks = { text: 1, id: 2, date: 6, number: 6, boolean: 9, none: 9 } as const

/** Maximum number of texts in one test, because character pairs are searched for each text. */
const maximumTexts = 10

const indexed = new Set<Test['operator']>(['eq', 'in', 'lt', 'lte', 'gt', 'gte'])
/** Checks whether the operator and the position of this test allow the use of a field index. */
export const isIndexed = (test: Test) => indexed.has(test.operator) && !isInner(test.leaf)

/**
 * Returns the operand of an equality test on the document itself; undefined for other tests, for dates and for
 * booleans.
 */
function equalValue(test: Test): Value | undefined {
  if (test.operator !== 'eq' || test.via.length > 0 || isInner(test.leaf)) return undefined
  if (test.values.length !== 1) return undefined
  const [value] = test.values
  return value && value.kind !== 'span' && value.kind !== 'boolean' ? value : undefined
}

const isReserved = (test: Test) =>
  equalValue(test)?.kind === 'text' &&
  test.leaf.kind === 'field' &&
  isUnique(test.leaf.field) &&
  !isMultiple(test.leaf.field)

/**
 * Returns the texts of which the field must contain at least one. Empty if the test has other values, or more than
 * `maximumTexts`.
 */
function equalTexts(test: Test): string[] {
  if (test.operator !== 'eq' && test.operator !== 'in' && test.operator !== 'all') return []
  const texts = test.values.flatMap((value) => (value.kind === 'text' ? [value.text] : []))
  return texts.length === test.values.length && texts.length <= maximumTexts ? texts : []
}
