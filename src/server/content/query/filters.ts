import { countCodePoints } from '#shared/fields/field-type.ts'
import { serverTypeOf } from '../fields/index.ts'
import { normalizeText } from '../text.ts'
import { badQuery } from './bad-query.ts'
import { hasSeveral, isOrdered, isSearchable, leafComparison, type Path } from './paths.ts'
import type { Condition, Test } from './tree.ts'
import { readBoolean, readValue } from './values.ts'

const maximumItems = 1000
const maximumPattern = 200

/**
 * Makes a condition of one filter. `ne`, `nin` and `exists=false` are the opposite of `eq`, `in` and `exists=true`, so
 * they hold for empty values and for references to nothing. An empty value (`slug=`) means: the field is empty.
 * `countMore` is called for every condition beyond the first that the filter turns into.
 */
export function readFilter(
  { via, leaf }: Path,
  operator: string,
  text: string,
  parameter: string,
  countMore: () => void,
): Condition {
  const base = { kind: 'test', via, leaf } as const
  const comparison = leafComparison(leaf)
  const readOperand = leaf.kind === 'field' ? serverTypeOf(leaf.field).readOperand : undefined
  const value = (item: string) => {
    const read = readOperand ? readOperand(item) : item
    if (read === null) throw badQuery(parameter, 'is no value of this field')
    return readValue(comparison, read, parameter)
  }
  const exists: Test = { ...base, operator: 'exists' }
  const isEmpty: Condition = { kind: 'not', item: exists }
  const not = (item: Condition): Condition => ({ kind: 'not', item })

  const equals = (): Condition =>
    text === '' && comparison !== 'boolean' ? isEmpty : { ...base, operator: 'eq', values: [value(text)] }

  const isOneOf = (): Condition => {
    const items = [...new Set(splitItems(text, parameter))]
    const values = items.filter((item) => item !== '' || comparison === 'boolean').map(value)
    const oneOf: Condition = { ...base, operator: 'in', values }
    if (values.length === items.length) return oneOf
    return values.length === 0 ? isEmpty : { kind: 'or', items: [oneOf, isEmpty] }
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
      if (!hasSeveral({ via, leaf })) throw badQuery(parameter, 'is for fields with several values')
      const values = [...new Set(splitItems(text, parameter))].map(value)
      if (values.length === 1) return { ...base, operator: 'eq', values }
      if (via.length === 0) return { ...base, operator: 'all', values }
      // Each value may be that of another content referred to.
      for (let more = 1; more < values.length; more++) countMore()
      return { kind: 'and', items: values.map((item): Test => ({ ...base, operator: 'eq', values: [item] })) }
    }
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      if (!isOrdered(leaf)) throw badQuery(parameter, 'this field has no order to compare by')
      if (text === '') throw badQuery(parameter, 'needs a value')
      return { ...base, operator, value: value(text) }
    case 'match': {
      if (!isSearchable(leaf)) throw badQuery(parameter, 'is for text, rich text and Markdown fields')
      if (countCodePoints(text) > maximumPattern)
        throw badQuery(parameter, `is longer than ${maximumPattern} characters`)
      // Every text contains nothing: an empty search box does not narrow the list.
      return text === ''
        ? { kind: 'and', items: [] }
        : { ...base, operator: 'match', text: normalizeText(text) }
    }
    default:
      throw badQuery(parameter, 'there is no such operator')
  }
}

function splitItems(text: string, parameter: string): string[] {
  const items = text.split(',')
  if (items.length > maximumItems) throw badQuery(parameter, `has more than ${maximumItems} values`)
  return items
}
