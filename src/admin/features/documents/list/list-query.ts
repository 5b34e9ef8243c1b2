import { adminFieldType, isMultipleField } from '#admin/fields/index.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { Field } from '#shared/fields/index.ts'
import { type FilterOperator, filterOperators, me, periods } from '#shared/views.ts'
import { fieldsAt, isOnlyAt, type ListModel } from './list-fields.ts'
import type { Filter } from './list-search.ts'
import { daysOfPeriod, nextDay, readIsoDay, startOf } from './periods.ts'

/** Document timestamps that lists show, sort and filter by. */
export const systemTimes = ['_sys.updatedAt', '_sys.createdAt', '_sys.publishedAt'] as const
export type SystemTime = (typeof systemTimes)[number]
/** Document authors that lists filter by. */
export const systemPeople = ['_sys.createdBy', '_sys.updatedBy'] as const
export type SystemPerson = (typeof systemPeople)[number]

/** Maps the names of timestamps in filters and columns to their names in the query language. */
const queryNames: Record<SystemTime, string> = {
  '_sys.updatedAt': '_sys.updatedAt',
  '_sys.createdAt': '_sys.createdAt',
  '_sys.publishedAt': '_sys.raw.publishedAt',
}

export function isSystemTime(name: string): name is SystemTime {
  return (systemTimes as readonly string[]).includes(name)
}

export function isSystemPerson(name: string): name is SystemPerson {
  return (systemPeople as readonly string[]).includes(name)
}

/** Returns the operators for a filter's field. Empty if the model does not have it. */
export function operatorsOf(model: ListModel, name: string): readonly FilterOperator[] {
  if (isSystemTime(name)) return ['on', 'since', 'before', 'within']
  if (isSystemPerson(name) || name === '_sys.status') return ['eq', 'ne']
  const known = fieldsAt(model, name).map((field) => adminFieldType(field).operators(field))
  return filterOperators.filter((op) => known.some((operators) => operators.includes(op)))
}

/** Returns the field that a condition compares with: the first field at its path that supports the operator. */
export function comparedField(
  model: ListModel,
  { field: name, op }: Pick<Filter, 'field' | 'op'>,
): Field | undefined {
  return fieldsAt(model, name).find((field) => adminFieldType(field).operators(field).includes(op))
}

export function isSortable(model: ListModel, name: string): boolean {
  if (isSystemTime(name) || name === '_sys.status') return true
  const [field] = fieldsAt(model, name)
  if (!field || !isOnlyAt(model, name)) return false
  return adminFieldType(field).sortable && !isMultipleField(field)
}

export const needsValue = (op: FilterOperator): boolean => op !== 'filled' && op !== 'empty'

type Pair = [key: string, value: string]

/**
 * Returns the query string of a list, without paging. Unknown fields are omitted, so that an outdated URL still shows a
 * list. Days of timestamps are in the space's time zone.
 */
export function listQuery(
  model: ListModel,
  search: ViewSettings,
  accountId: string | undefined,
  now = new Date(),
): string {
  const query = new URLSearchParams()
  if (search.q) query.set('search', search.q)
  if (search.status) query.set('_sys.status', search.status)
  if (search.mine && accountId) query.set('_sys.createdBy', accountId)
  for (const [key, value] of filterPairs(model, search, { accountId, now })) query.append(key, value)
  const sort = search.sort?.replace(/^-/, '')
  if (search.sort && sort && isSortable(model, sort)) {
    const name = queryName(sort)
    query.set('order', search.sort.startsWith('-') ? `-${name}` : name)
  }
  return query.toString()
}

/** Returns the query language's name of a field or system value. */
export const queryName = (name: string) => (isSystemTime(name) ? queryNames[name] : name)

interface Moment {
  accountId: string | undefined
  now: Date
}

/** Returns all filters as parameters. The server joins parameters by AND. */
function filterPairs(model: ListModel, { any, filters = [] }: ViewSettings, moment: Moment): Pair[] {
  const conditions = (list: Filter[]) =>
    list.map((filter) => conditionPairs(model, filter, moment)).filter((pairs) => pairs.length > 0)
  if (any) {
    const branches = filters.map((node) => conditions('group' in node ? node.group : [node]).flat())
    return oneOf(branches.filter((pairs) => pairs.length > 0))
  }
  return filters.flatMap((node) =>
    'group' in node ? oneOf(conditions(node.group)) : conditions([node]).flat(),
  )
}

function oneOf(branches: Pair[][]): Pair[] {
  const [first, ...others] = branches
  if (!first || others.length === 0) return first ?? []
  const text = branches.map((pairs) => pairs.map((pair) => pair.join('=')).join('&')).join(';')
  return [['[or]', `(${text})`]]
}

/**
 * Returns the parameters of one condition. Empty if the condition is incomplete, or if the field does not support the
 * operator.
 */
function conditionPairs(
  model: ListModel,
  { field: name, op, value }: Filter,
  { accountId, now }: Moment,
): Pair[] {
  if (!operatorsOf(model, name).includes(op) || (needsValue(op) && value.trim() === '')) return []
  const key = queryName(name)
  const inUtc = hasDaysInUtc(comparedField(model, { field: name, op }))
  const day = readIsoDay(value)
  switch (op) {
    case 'filled':
      return [[`${key}[exists]`, 'true']]
    case 'empty':
      return [[`${key}[exists]`, 'false']]
    case 'within': {
      const period = periods.find((one) => one === value)
      if (!period) return []
      const [first, behind] = daysOfPeriod(period, now)
      return [
        [`${key}[gte]`, startOf(first, inUtc)],
        [`${key}[lt]`, startOf(behind, inUtc)],
      ]
    }
    case 'on':
      if (!day) return []
      return [
        [`${key}[gte]`, startOf(day, inUtc)],
        [`${key}[lt]`, startOf(nextDay(day), inUtc)],
      ]
    case 'since':
      return day ? [[`${key}[gte]`, startOf(day, inUtc)]] : []
    case 'before':
      return day ? [[`${key}[lt]`, startOf(day, inUtc)]] : []
    default: {
      const asked = isSystemPerson(name) && value === me ? accountId : value
      return asked === undefined ? [] : [[op === 'eq' ? key : `${key}[${op}]`, asked]]
    }
  }
}

/** Returns whether the field's days are in UTC. Days of timestamps are in the space's time zone. */
export const hasDaysInUtc = (field: Field | undefined): boolean =>
  field !== undefined && adminFieldType(field).daysInUtc?.(field) === true

/** Returns a document's title in a list, or `''`. */
export function titleIn(
  model: Pick<Model, 'fields' | 'titleField'>,
  document: Record<string, unknown>,
): string {
  const field = model.fields.find((candidate) => candidate._id === model.titleField)
  const value = field && document[field.uid]
  const first = field && isMultipleField(field) && Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}
