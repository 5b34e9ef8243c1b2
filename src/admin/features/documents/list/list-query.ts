import type { FilterOperator } from '#admin/fields/field-props.ts'
import { adminFieldType, isMultipleField } from '#admin/fields/index.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Field } from '#shared/fields/index.ts'
import type { Filter, ListSearch } from './list-search.ts'

/** Times of a document that lists show, sort and filter by. */
export const systemTimes = ['_sys.updatedAt', '_sys.createdAt', '_sys.publishedAt'] as const
export type SystemTime = (typeof systemTimes)[number]

/** What filters and columns call the times, and what the query language does. */
const queryNames: Record<SystemTime, string> = {
  '_sys.updatedAt': '_sys.updatedAt',
  '_sys.createdAt': '_sys.createdAt',
  '_sys.publishedAt': '_sys.raw.publishedAt',
}

export function isSystemTime(name: string): name is SystemTime {
  return (systemTimes as readonly string[]).includes(name)
}

/** The operators that fit what a filter speaks of; none for a field the model does not have. */
export function operatorsOf(model: Pick<Model, 'fields'>, name: string): readonly FilterOperator[] {
  if (isSystemTime(name)) return ['on', 'since', 'before']
  const field = model.fields.find((candidate) => candidate.uid === name)
  if (!field) return []
  return adminFieldType(field).operators(field)
}

export function isSortable(model: Pick<Model, 'fields'>, name: string): boolean {
  if (isSystemTime(name) || name === '_sys.status') return true
  const field = model.fields.find((candidate) => candidate.uid === name)
  return field !== undefined && adminFieldType(field).sortable && !isMultipleField(field)
}

export const needsValue = (op: FilterOperator): boolean => op !== 'filled' && op !== 'empty'

/**
 * The query string of a list, without paging. What the model no longer knows is left out, so that an old address
 * still shows something. Days of instants are days in this browser's time zone.
 */
export function listQuery(
  model: Pick<Model, 'fields'>,
  search: ListSearch,
  accountId: string | undefined,
): string {
  const query = new URLSearchParams()
  if (search.q) query.set('search', search.q)
  if (search.status) query.set('_sys.status', search.status)
  if (search.mine && accountId) query.set('_sys.createdBy', accountId)
  for (const filter of search.filters ?? []) addFilter(query, model, filter)
  const sort = search.sort?.replace(/^-/, '')
  if (search.sort && sort && isSortable(model, sort)) {
    const name = isSystemTime(sort) ? queryNames[sort] : sort
    query.set('order', search.sort.startsWith('-') ? `-${name}` : name)
  }
  return query.toString()
}

function addFilter(
  query: URLSearchParams,
  model: Pick<Model, 'fields'>,
  { field: name, op, value }: Filter,
): void {
  if (!operatorsOf(model, name).includes(op) || (needsValue(op) && value.trim() === '')) return
  const field = model.fields.find((candidate) => candidate.uid === name)
  const key = isSystemTime(name) ? queryNames[name] : name
  switch (op) {
    case 'filled':
      query.append(`${key}[exists]`, 'true')
      return
    case 'empty':
      query.append(`${key}[exists]`, 'false')
      return
    case 'eq':
      query.append(key, value)
      return
    case 'on':
      if (!isDay(value)) return
      query.append(`${key}[gte]`, dayStart(field, value, 0))
      query.append(`${key}[lt]`, dayStart(field, value, 1))
      return
    case 'since':
      if (isDay(value)) query.append(`${key}[gte]`, dayStart(field, value, 0))
      return
    case 'before':
      if (isDay(value)) query.append(`${key}[lt]`, dayStart(field, value, 0))
      return
    default:
      query.append(`${key}[${op}]`, value)
  }
}

function isDay(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
}

/** Where a day begins: at midnight in UTC for a field of days, here for instants. */
function dayStart(field: Field | undefined, day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const start =
    field && adminFieldType(field).daysInUtc?.(field)
      ? new Date(Date.UTC(year, month - 1, date + later))
      : new Date(year, month - 1, date + later)
  return start.toISOString()
}

/** The title of a document in a list: `''` when there is none. */
export function titleIn(
  model: Pick<Model, 'fields' | 'titleField'>,
  document: Record<string, unknown>,
): string {
  const field = model.fields.find((candidate) => candidate._id === model.titleField)
  const value = field && document[field.uid]
  const first = field && isMultipleField(field) && Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}
