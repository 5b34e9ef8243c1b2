import { countCodePoints } from '#shared/fields/field-type.ts'
import { serverTypeOf } from '../fields/index.ts'
import { normalizeText } from '../text.ts'
import { badQuery } from './bad-query.ts'
import { hasSeveral, isOrdered, isSearchable, leafComparison, type Path } from './paths.ts'
import { type Condition, isInner, type Value } from './tree.ts'
import { readBoolean, readValue } from './values.ts'

const maximumItems = 1000
const maximumPattern = 200

/**
 * Converts one filter to a condition on the targets of its path. `ne`, `nin` and `exists=false` negate `eq`, `in` and
 * `exists=true`. Therefore they match empty values and references to missing contents. An empty operand of an equality
 * (`slug=`) means that the field is empty, except for booleans.
 *
 * If the path leads to fields of several types, only the types that support the filter are compared. `countMore` is
 * called for each further condition if an `all` filter becomes several conditions.
 */
export function readFilter(
  paths: readonly Path[],
  operator: string,
  text: string,
  parameter: string,
  countMore: () => void,
): Condition {
  const not = (item: Condition): Condition => ({ kind: 'not', item })
  const any = (make: (path: Path, value: (item: string) => Value) => Condition) =>
    anyOf(paths, (path) => make(path, (item) => readOperand(path, item, parameter)))
  const test = ({ via, leaf }: Path) => ({ kind: 'test', via, leaf }) as const
  const isBoolean = paths.some(({ leaf }) => leafComparison(leaf) === 'boolean')
  const exists = any((path) => ({ ...test(path), operator: 'exists' }))
  const isEmpty = not(exists)

  const equal = (item: string) =>
    any((path, value) => ({ ...test(path), operator: 'eq', values: [value(item)] }))
  const equals = (): Condition => (text === '' && !isBoolean ? isEmpty : equal(text))

  const isOneOf = (): Condition => {
    const items = [...new Set(splitItems(text, parameter))]
    const wanted = items.filter((item) => item !== '' || isBoolean)
    const oneOf = any((path, value) => ({ ...test(path), operator: 'in', values: wanted.map(value) }))
    if (wanted.length === items.length) return oneOf
    return wanted.length === 0 ? isEmpty : { kind: 'or', items: [oneOf, isEmpty] }
  }

  switch (operator) {
    case 'eq':
      return equals()
    case 'ne':
      return not(equals())
    case 'in':
      return isOneOf()
    case 'nin':
      return not(isOneOf())
    case 'exists':
      return readBoolean(text, parameter) ? exists : isEmpty
    case 'all': {
      if (!paths.some(hasSeveral)) throw badQuery(parameter, 'is for fields with several values')
      const items = [...new Set(splitItems(text, parameter))]
      const [path] = paths
      if (items.length > 1 && path && paths.length === 1 && path.via.length === 0 && !isInner(path.leaf))
        return any((one, value) => ({ ...test(one), operator: 'all', values: items.map(value) }))
      // Each value may match a different item or a different referenced content.
      for (let more = 1; more < items.length; more++) countMore()
      const conditions = items.map(equal)
      return conditions.length === 1 && conditions[0] ? conditions[0] : { kind: 'and', items: conditions }
    }
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return any((path, value) => {
        if (!isOrdered(path.leaf)) throw badQuery(parameter, 'this field has no order to compare by')
        if (text === '') throw badQuery(parameter, 'needs a value')
        return { ...test(path), operator, value: value(text) }
      })
    case 'match':
      return any((path) => {
        if (!isSearchable(path.leaf)) throw badQuery(parameter, 'is for text, rich text and Markdown fields')
        if (countCodePoints(text) > maximumPattern)
          throw badQuery(parameter, `is longer than ${maximumPattern} characters`)
        // Every text contains the empty text, so an empty search box does not narrow the list.
        return text === ''
          ? { kind: 'and', items: [] }
          : { ...test(path), operator: 'match', text: normalizeText(text) }
      })
    default:
      throw badQuery(parameter, 'there is no such operator')
  }
}

/**
 * Returns a condition that is true if it is true for one of the paths. Paths that do not support the filter are
 * skipped. Throws the first error if no path supports it.
 */
function anyOf(paths: readonly Path[], make: (path: Path) => Condition): Condition {
  const items: Condition[] = []
  let refusal: unknown
  for (const path of paths)
    try {
      items.push(make(path))
    } catch (error) {
      refusal ??= error
    }
  const [first, ...others] = items
  if (!first) throw refusal
  return others.length === 0 ? first : { kind: 'or', items }
}

function readOperand({ leaf }: Path, item: string, parameter: string): Value {
  const read = leaf.kind === 'field' ? serverTypeOf(leaf.field).readOperand : undefined
  const operand = read ? read(item) : item
  if (operand === null) throw badQuery(parameter, 'is no value of this field')
  return readValue(leafComparison(leaf), operand, parameter)
}

function splitItems(text: string, parameter: string): string[] {
  const items = text.split(',')
  if (items.length > maximumItems) throw badQuery(parameter, `has more than ${maximumItems} values`)
  return items
}
